"""Every set that ships keeps the promises of a set, against minima that are computed another way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog

import greedyhull as gh
from greedyhull.testing import check_atoms

Array = np.ndarray[Any, Any]
Minimum = Callable[[Array], Any]  # a float, or what NumPy calls one

rng = np.random.default_rng(0)
points = rng.standard_normal((9, 4))
low, high = -rng.random(5), rng.random(5)
shift = rng.standard_normal(5)
grid = np.arange(1.0, 7.0).reshape(2, 3)
steep = np.random.default_rng(7).standard_normal((4, 6))


def top(g: Array, k: int) -> Array:
    """The k largest |g|."""
    return np.sort(np.abs(g).ravel())[::-1][:k]


def program(upper: float, total: float) -> Minimum:
    """min ⟨g, w⟩ with 0 ≤ w ≤ upper and Σw = total, by SciPy."""
    return lambda g: linprog(g, A_eq=np.ones((1, len(g))), b_eq=[total], bounds=(0, upper)).fun


def assignment(G: Array) -> float:
    rows, columns = linear_sum_assignment(G)
    return float(G[rows, columns].sum())


# By class name, so that a set is picked up when it lands: how to make it, and the least ⟨g, ·⟩ over it.
SETS: dict[str, list[tuple[Callable[[Any], Any], Minimum | None]]] = {
    "L1Ball": [
        (lambda make: make(5, 2.0), lambda g: -2.0 * np.abs(g).max()),
        (
            lambda make: make(5, 2.0, weights=[1.0, 2.0, 0.5, 1.0, 3.0]),
            lambda g: -2.0 * np.abs(g / [1.0, 2.0, 0.5, 1.0, 3.0]).max(),
        ),
        (lambda make: make(1, 0.1), lambda g: -0.1 * np.abs(g).max()),
        (lambda make: make((3, 2), 2.0), lambda G: -2.0 * np.abs(G).max()),
        (lambda make: make((1, 1), 2.0), lambda G: -2.0 * np.abs(G).max()),
        (lambda make: make((2, 3), 2.0, weights=grid), lambda G: -2.0 * np.abs(G / grid).max()),
    ],
    "Simplex": [
        (lambda make: make(5), lambda g: g.min()),
        (lambda make: make(5, 3.0), lambda g: 3.0 * g.min()),
        (lambda make: make(1), None),
        (lambda make: make(6, upper=0.3), program(0.3, 1.0)),
        (lambda make: make(5, 2.0, upper=0.5), program(0.5, 2.0)),
        (lambda make: make(5, lower=0.1, upper=0.5), lambda g: 0.1 * g.sum() + program(0.4, 0.5)(g)),
        (lambda make: make(4, lower=-0.5), lambda g: 3.0 * g.min() - 0.5 * g.sum()),
    ],
    "GroupedSimplex": [
        (lambda make: make([0, 0, 1], group_upper=0.6), lambda g: 0.6 * min(*g[:2], g[2]) + 0.4 * max(min(g[:2]), g[2])),
        (lambda make: make(["a"], total=2.0), lambda g: 2.0 * g[0]),
    ],
    "HyperSimplex": [
        (lambda make: make(6, 2, 3.0), lambda g: 1.5 * np.sort(g)[:2].sum()),
        (lambda make: make(5, 4), lambda g: 0.25 * np.sort(g)[:4].sum()),
        (lambda make: make(5, 1), lambda g: g.min()),
    ],
    "TotalVariationBall": [
        (lambda make: make(5, 2.0), lambda g: -2.0 * np.abs(np.cumsum(g[::-1])).max()),
        (lambda make: make(1, 2.0), lambda g: -2.0 * np.abs(g[0])),
    ],
    "CappedSimplex": [
        (lambda make: make(5), lambda g: min(0.0, g.min())),
        (lambda make: make(5, 2.0), lambda g: 2.0 * min(0.0, g.min())),
    ],
    "L2Ball": [
        (lambda make: make(5, 2.0), lambda g: -2.0 * np.linalg.norm(g)),
        (lambda make: make(5, 2.0, centre=shift), lambda g: shift @ g - 2.0 * np.linalg.norm(g)),
    ],
    "LinfBall": [(lambda make: make(5, 2.0), lambda g: -2.0 * np.abs(g).sum())],
    "LpBall": [
        (lambda make: make(5, 2.0, 3.0), lambda g: -2.0 * np.linalg.norm(g, 1.5)),
        (lambda make: make(5, 2.0, 1.5), lambda g: -2.0 * np.linalg.norm(g, 3.0)),
        (lambda make: make(5, 2.0, 1.0), lambda g: -2.0 * np.abs(g).max()),
        (lambda make: make(5, 2.0, 2.0), lambda g: -2.0 * np.linalg.norm(g)),
        (lambda make: make(5, 2.0, np.inf), lambda g: -2.0 * np.abs(g).sum()),
        (lambda make: make(1, 0.1, 3.0), lambda g: -0.1 * np.abs(g[0])),
    ],
    "Box": [
        (lambda make: make(low, high), lambda g: float(np.where(g > 0, low, high) @ g)),
        (
            lambda make: make(np.zeros(4), np.array([1.0, 0.0, 2.0, 1.0])),
            lambda g: float(np.array([1.0, 0.0, 2.0, 1.0]) @ np.minimum(g, 0)),
        ),
    ],
    "KSparse": [
        (lambda make: make(6, 2, 1.5), lambda g: -1.5 * top(g, 2).sum()),
        (lambda make: make(5, 5, 0.1), lambda g: -0.1 * np.abs(g).sum()),
        (lambda make: make(5, 1, 2.0), lambda g: -2.0 * np.abs(g).max()),
        (lambda make: make(1, 1, 2.0), lambda g: -2.0 * np.abs(g[0])),
    ],
    "KSupport": [
        (lambda make: make(6, 2, 1.5), lambda g: -1.5 * float(np.linalg.norm(top(g, 2)))),
        (lambda make: make(5, 5, 0.1), lambda g: -0.1 * np.linalg.norm(g)),
        (lambda make: make(5, 1, 2.0), lambda g: -2.0 * np.abs(g).max()),
        (lambda make: make(1, 1, 2.0), lambda g: -2.0 * np.abs(g[0])),
    ],
    "GroupL1Ball": [
        (
            lambda make: make([0, 0, 1, 1, 2], 1.5),
            lambda g: -1.5 * max(np.linalg.norm(g[:2]), np.linalg.norm(g[2:4]), abs(g[4])),
        ),
        (
            lambda make: make([[0, 1], [1, 2, 3], [3, 0]], 1.5),
            lambda g: -1.5 * max(np.linalg.norm(g[:2]), np.linalg.norm(g[1:]), np.linalg.norm(g[[0, 3]])),
        ),
        (lambda make: make([7], 2.0), lambda g: -2.0 * np.abs(g[0])),
        (lambda make: make("rows", 1.5, shape=(3, 2)), lambda G: -1.5 * np.linalg.norm(G, axis=1).max()),
        (lambda make: make("columns", 1.5, shape=(1, 4)), lambda G: -1.5 * np.abs(G).max()),
        (
            lambda make: make(np.array([["a", "b"], ["b", "b"]]), 1.5),
            lambda G: -1.5 * max(abs(G[0, 0]), np.linalg.norm(G.ravel()[1:])),
        ),
        (
            lambda make: make([[0, 1, 2], [2, 3]], 1.5, shape=(2, 2)),
            lambda G: -1.5 * max(np.linalg.norm(G.ravel()[:3]), np.linalg.norm(G.ravel()[2:])),
        ),
    ],
    "Vertices": [
        (lambda make: make(points), lambda g: (points @ g).min()),
        (lambda make: make(points[:1]), lambda g: points[0] @ g),
    ],
    "NuclearBall": [(lambda make: make((3, 4), 2.0), lambda G: -2.0 * np.linalg.norm(G, 2))],
    "SpectralBall": [(lambda make: make((3, 4), 2.0), lambda G: -2.0 * np.linalg.norm(G, "nuc"))],
    "Spectrahedron": [(lambda make: make(4, 2.0), lambda G: 2.0 * np.linalg.eigvalsh((G + G.T) / 2)[0])],
    "Fantope": [(lambda make: make(4, 2), lambda G: np.linalg.eigvalsh((G + G.T) / 2)[:2].sum())],
    "Birkhoff": [(lambda make: make(3), assignment)],
    "Permutahedron": [
        (lambda make: make(np.array([3.0, 1.0, 2.0, 0.0])), lambda g: np.sort(g) @ np.array([3.0, 2.0, 1.0, 0.0]))
    ],
    "Cached": [
        (lambda make: make(gh.L1Ball(5, 2.0)), lambda g: -2.0 * np.abs(g).max()),
        (lambda make: make(gh.Box(low, high), size=3), None),
    ],
    "Inexact": [
        (lambda make: make(gh.L1Ball(5, 2.0), 0.3), lambda g: -2.0 * np.abs(g).max()),
        (lambda make: make(gh.Simplex(5), 0.1), None),
    ],
    "LinearProgram": [
        (lambda make: make(A_eq=np.ones((1, 5)), b_eq=[2.0], bounds=(0, 0.5)), program(0.5, 2.0)),
        (lambda make: make(steep, np.ones(4), bounds=(-1, 2)), lambda g: linprog(g, steep, np.ones(4), bounds=(-1, 2)).fun),
        (lambda make: make(bounds=[(0, 1)]), lambda g: min(0.0, float(g[0]))),
    ],
    "Scaled": [(lambda make: make(gh.Simplex(5), 3.0), lambda g: 3.0 * g.min())],
    "Translated": [(lambda make: make(gh.Simplex(5), shift), lambda g: shift @ g + g.min())],
}
PAIRS = [(name, i) for name in SETS if hasattr(gh, name) for i in range(len(SETS[name]))]


@pytest.mark.parametrize("name, i", PAIRS)
def test_the_set_keeps_its_promises(name: str, i: int) -> None:
    make, minimum = SETS[name][i]
    check_atoms(make(getattr(gh, name)), minimum=minimum)


def test_every_set_that_ships_is_checked() -> None:
    """Here, or in a test of its own that calls the kit."""
    shipped = {
        name for name in gh.__all__
        if isinstance(it := getattr(gh, name), type) and issubclass(it, gh.AtomSet) and it is not gh.AtomSet
    }
    texts = [path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("test_*.py")]
    missing = {name for name in shipped - set(SETS) if not any("check_atoms" in text and name in text for text in texts)}
    assert not missing, f"No test calls check_atoms on {missing}; add them to the sets of this file."
