"""Products: the kit, a linear program, and the minimum of objectives found by weights that sum to one for each set."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import greedyhull as gh
from greedyhull.testing import check_atoms

rng = np.random.default_rng(3)
SETS: dict[str, tuple[Any, ...]] = {
    "two simplices": (gh.Simplex(3), gh.Simplex(5, total=2.0)),
    "equal simplices": (gh.Simplex(3),) * 4,
    "one set": (gh.Simplex(4),),
    "points": (gh.Simplex(1), gh.Simplex(1, total=0.5)),
    "origins": (gh.CappedSimplex(3, total=0.3), gh.CappedSimplex(2), gh.L1Ball(3, 0.7)),
    "bounded": (gh.Simplex(4, upper=0.4), gh.Simplex(3)),
    "round": (gh.L2Ball(3, 1.0), gh.Simplex(2)),
    "corners": (gh.Box(np.zeros((2, 2)), np.ones((2, 2))), gh.LinfBall(2, 0.5)),
    "rows": (gh.Vertices(rng.standard_normal((6, 4))), gh.Simplex(3)),
    "a sum within": (gh.Sum(gh.Simplex(3), gh.L1Ball(3, 0.2)), gh.Simplex(2)),
    "scaled": (gh.Scaled(gh.Simplex(3), -2.0), gh.Translated(gh.Simplex(2), [1.0, 2.0])),
    "wrapped": (gh.Cached(gh.Simplex(3)), gh.Inexact(gh.Simplex(4), 0.1)),
    "an oracle": (gh.oracle(lambda g: np.where(g > 0, -1.0, 1.0), (3,), bound=1.0), gh.Simplex(2)),
}


def minimum(S: Any, g: Any) -> float:
    """The sum of the sets' own minima."""
    total = 0.0
    for T, part in zip(S.sets, S.split(g), strict=True):
        inner = T.S if isinstance(T, gh.Cached | gh.Inexact) else T
        total += inner.atom(part).dot(part)
    return total


@pytest.mark.parametrize("name", [name for name in SETS if name != "an oracle"])  # which decomposes to 1e-7 only
def test_it_keeps_the_promises_of_a_set(name: str) -> None:
    S = gh.Product(*SETS[name])
    check_atoms(S, minimum=lambda g: minimum(S, g))


def test_two_simplices_are_a_linear_program() -> None:
    S = gh.Product(gh.Simplex(4, 2.0), gh.Simplex(6, 0.5))
    rows = np.zeros((2, 10))
    rows[0, :4] = rows[1, 4:] = 1.0
    for _ in range(20):
        g = rng.standard_normal(10)
        found = linprog(g, A_eq=rows, b_eq=[2.0, 0.5])
        assert S.atom(g).dot(g) == pytest.approx(found.fun, abs=1e-12)
    x = found.x
    assert S.contains(x) and not S.contains(x + 0.1) and not S.contains(-x)


@pytest.mark.parametrize("lengths", [(3, 3, 3), (1, 4, 2), (1,), (2, 7, 2, 1, 1)])
def test_best_names_the_best_of_each_set_first(lengths: tuple[int, ...]) -> None:
    S = gh.Product(*(gh.Simplex(d, total=1.0 + i) for i, d in enumerate(lengths)))
    ends = np.cumsum([0, *lengths])
    for m in (1, 2, 3, 50):
        g = rng.integers(-2, 3, sum(lengths)).astype(float)  # with ties
        found = S.best(g, m)
        scores = found.dots(g)
        for b, (first, last) in enumerate(pairwise(ends)):
            own = np.sort(g[first:last])[:m] * (1.0 + b)
            assert np.allclose(scores[found.owners == b], own)


def test_products_of_products_are_one_product() -> None:
    S = gh.Product(gh.Product(gh.Simplex(2), gh.Simplex(3)), gh.Product(gh.Simplex(4)))
    assert [T.shape[0] for T in S.sets] == [2, 3, 4] and S.shape == (9,) and S.traits.owners == 3
    assert gh.Product(gh.Sum(gh.Simplex(2), gh.Simplex(2)), gh.Simplex(2)).traits.owners == 3


@pytest.mark.parametrize("name", [name for name in SETS if name != "wrapped"])  # whose error is 0.1
def test_a_quadratic_is_minimised_and_proved(name: str) -> None:
    S = gh.Product(*SETS[name])
    d = S.shape[0]
    Q = rng.standard_normal((d + 3, d))
    f = gh.quadratic(Q.T @ Q, rng.standard_normal(d))
    best = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Gap(1e-4) | gh.Iterations(20000))
    s = gh.minimize(f, S, stop=gh.Gap(1e-4) | gh.Iterations(3000))
    assert s.converged and best.converged and S.contains(s.point)
    assert s.certificate.lower <= best.value and best.certificate.lower <= s.value
    assert s.point.totals == pytest.approx(np.ones(S.owners))


def test_the_gap_is_the_sum_of_the_blocks_gaps() -> None:
    """f = f₁ + f₂ of different blocks: so are minimum, gap and lower bound."""
    parts = [(gh.Simplex(3), rng.standard_normal((5, 3))), (gh.L1Ball(4, 0.7), rng.standard_normal((6, 4)))]
    Q = np.zeros((7, 7))
    Q[:3, :3], Q[3:, 3:] = (A.T @ A for _, A in parts)
    f = gh.quadratic(Q, np.arange(7.0))
    S = gh.Product(*(T for T, _ in parts))
    s = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(7))
    halves = [gh.certify(gh.quadratic(A.T @ A, b), T, x)
              for (T, A), x, b in zip(parts, S.split(s.x), (np.arange(3.0), np.arange(3.0, 7.0)), strict=True)]
    assert gh.certify(f, S, s.x).gap == pytest.approx(sum(h.gap for h in halves), rel=1e-9)


def test_corrective_takes_few_rounds_on_many_simplices() -> None:
    d, K = 4, 60
    f = gh.quadratic(np.diag(np.linspace(1.0, 5.0, d * K)), rng.standard_normal(d * K))
    s = gh.minimize(f, gh.Product(*[gh.Simplex(d)] * K), stop=gh.Gap(1e-6))
    assert isinstance(s.solver, gh.Corrective) and s.converged and s.iterations <= 8


@pytest.mark.parametrize("name", ["two simplices", "round", "wrapped", "a sum within"])
@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(batch=1)],
                         ids=lambda s: type(s).__name__)
def test_a_saved_run_goes_on_bit_by_bit(name: str, solver: Any, tmp_path: Any) -> None:
    S, path = gh.Product(*SETS[name]), tmp_path / "run.npz"
    d = S.shape[0]
    f = gh.logistic(rng.standard_normal((20, d)), np.sign(rng.standard_normal(20)))
    whole = gh.minimize(f, S, solver, stop=gh.Iterations(8))
    for k in (1, 3):
        gh.minimize(f, S, solver, stop=gh.Iterations(k), checkpoint=path)
        rest = gh.minimize(f, S, solver, stop=gh.Iterations(8), resume=path)
        assert np.array_equal(rest.x, whole.x) and rest.value == whole.value


def test_what_is_no_product_is_refused_in_words() -> None:
    with pytest.raises(gh.GreedyhullError, match="no set; at least one"):
        gh.Product()
    with pytest.raises(gh.GreedyhullError, match=r"number 0.*Unpack a list with a star"):
        gh.Product([gh.Simplex(3)])  # type: ignore[arg-type]
    with pytest.raises(gh.GreedyhullError, match="number 1; a set of atoms"):
        gh.Product(gh.Simplex(3), 4)  # type: ignore[arg-type]
    with pytest.raises(gh.GreedyhullError, match="holds points of shape"):
        gh.Product(gh.Simplex(3), gh.Simplex(2)).split(np.ones(4))


def test_a_thousand_equal_sets_are_said_once() -> None:
    assert repr(gh.Product(*[gh.Simplex(3)] * 1000)) == "Product(1000 × Simplex(3, total=1))"
