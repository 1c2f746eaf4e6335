"""Faces: the worst atom of the smallest face that holds a point, and how far one may go, against lists of vertices and LPs."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import greedyhull as gh
from greedyhull.points.shapes import dense

rng = np.random.default_rng(2)


def bounded() -> Any:
    """All vertices of {0 ≤ w ≤ 0.4, Σw = 1} in four dimensions: two full, one with what is left."""
    rows = set(product((0.0, 0.2, 0.4), repeat=4))
    return np.array([r for r in sorted(rows) if abs(sum(r) - 1.0) < 1e-12 and r.count(0.2) == 1])


CORNERS = np.array(list(product((0.0, 1.0), (-1.0, 2.0), (0.5,), (0.0, 3.0))))
SETS: dict[str, tuple[Any, Any]] = {
    "simplex": (gh.Simplex(4, 2.0), 2.0 * np.eye(4)),
    "capped": (gh.CappedSimplex(4, 2.0), np.vstack([np.zeros(4), 2.0 * np.eye(4)])),
    "bounded": (gh.Simplex(4, upper=0.4), bounded()),
    "lower": (gh.Simplex(4, 1.2, lower=0.05, upper=0.45), bounded() + 0.05),
    "hyper": (gh.HyperSimplex(4, 2, total=2.0), np.array([r for r in product((0.0, 1.0), repeat=4) if sum(r) == 2.0])),
    "box": (gh.Box(CORNERS.min(axis=0), CORNERS.max(axis=0)), CORNERS),
    "linf": (gh.LinfBall(3, 2.0), np.array(list(product((-2.0, 2.0), repeat=3)))),
    "product": (gh.Product(gh.Simplex(2), gh.Box([0.0], [3.0])), np.array([[1, 0, 0], [0, 1, 0], [1, 0, 3], [0, 1, 3.0]])),
    "one": (gh.Simplex(1), np.ones((1, 1))),
}


@pytest.mark.parametrize("name", SETS)
def test_the_worst_atom_of_the_face_and_the_room(name: str) -> None:
    S, V = SETS[name]
    assert S.traits.faces
    for trial in range(60):
        few = rng.choice(len(V), size=min(len(V), 1 + trial % 4), replace=False)
        w, g = rng.dirichlet(np.ones(len(few))) @ V[few], rng.standard_normal(S.shape)
        # a vertex lies in the face exactly where w is a mixture with some weight on it
        face = [v for v in V if _weight(V, w, v) > 1e-7]
        away = dense(S.within(w, g), S.shape)
        assert away @ g == pytest.approx(max(v @ g for v in face), abs=1e-9)
        v = dense(S.atom(g), S.shape) - away
        t = S.room(w, v)
        if not v.any():
            continue
        assert t > 0.0 and S.contains(w + t * v) and not S.contains(w + 1.01 * t * v + 1e-6 * v)


def _weight(V: Any, w: Any, v: Any) -> float:
    """The largest weight that v has among mixtures of the rows of V that are w."""
    i = int(np.abs(V - v).sum(axis=1).argmin())
    found = linprog(-np.eye(len(V))[i], A_eq=np.vstack([V.T, np.ones(len(V))]), b_eq=np.append(w, 1.0))
    return 0.0 if found.status != 0 else float(-found.fun)


def test_whoever_answers_with_other_atoms_has_no_faces() -> None:
    class Other(gh.L1Ball):
        pass

    class Signed(gh.Box):
        def argmin(self, g: Any) -> Any:
            return super().argmin(g)

        best = worst = gh.AtomSet.best  # type: ignore[assignment]

    assert not Other(3, 1.0).traits.faces and not Signed([0.0], [1.0]).traits.faces
    assert not gh.Cached(gh.Simplex(3)).traits.faces and not gh.Product(gh.Simplex(2), gh.L1Ball(2, 1.0)).traits.faces
    with pytest.raises(gh.GreedyhullError, match="does not know its faces"):
        gh.minimize(gh.quadratic(np.eye(3)), gh.L1Ball(3, 1.0), gh.DecompositionInvariant())
