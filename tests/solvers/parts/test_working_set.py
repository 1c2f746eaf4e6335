"""The working atoms of a corrective solver: those that wait in vain leave, those with weight stay."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.solvers.parts.working_set import Working

D, MANY = 400, 10
RNG = np.random.default_rng(8)
X = RNG.standard_normal((30, D))
OBJECTIVES = {"least_squares": lambda: gh.least_squares(X, -X[:, 0]), "logistic": lambda: gh.logistic(X, np.sign(-X[:, 0]))}


def atoms(first: int) -> BasisBlock:
    """Some atoms of the simplex."""
    return BasisBlock(D, list(range(first, first + MANY)), [1.0] * MANY)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_atoms_that_wait_in_vain_leave(name: str) -> None:
    """However many rounds there are, the work of one is that of a few atoms."""
    f, w = OBJECTIVES[name](), Iterate.at(gh.Basis(0, 1.0), (D,))
    working, before = Working(f, w), f.value(w)
    for first in range(1, D - MANY, MANY):
        working.join(w, atoms(first))
        held = list(working.small.block.keys)
        assert len(held) == len(set(held)) == len(working.alpha) == len(working.keys) <= 3 * (len(w) + MANY) + MANY
        assert working.alpha.sum() == 1.0 and set(w.block.keys) <= set(held)
        assert set(atoms(first).keys) <= set(held)
    working.reweight(w, 1.0, 5, 1)
    assert f.value(w) < before and len(working.small.gradient(w)) == len(working.alpha)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_who_left_may_come_back(name: str) -> None:
    """Atoms that were let go and are asked for again do as much as if they had never been away."""
    values: list[float] = []
    for others in ([], range(101, 301, MANY)):
        f, w = OBJECTIVES[name](), Iterate.at(gh.Basis(0, 1.0), (D,))
        working = Working(f, w)
        for first in (1, *others):
            working.join(w, atoms(first))
        assert (set(atoms(1).keys) <= working.keys) == (not others)
        working.join(w, atoms(1))
        assert set(atoms(1).keys) <= working.keys
        for _ in range(5):
            working.reweight(w, 1e-6, 5, 1)
        values.append(f.value(w))
    assert values[1] <= values[0] * (1 + 1e-9)  # the others may help


@pytest.mark.parametrize("radius", [1e20, 1e100])
@pytest.mark.parametrize("parts", [1, 2])
def test_a_small_point_of_a_huge_ball_is_found(radius: float, parts: int) -> None:
    """All weights but that of the origin are below rounding beside it; with several owners, for each of them."""
    rng = np.random.default_rng(0)
    F, D, b = rng.standard_normal((3, 20)), rng.random(20) + 0.1, rng.standard_normal(20)
    best = np.linalg.solve(F.T @ F + np.diag(D), b)
    S = gh.L1Ball(20, radius) if parts == 1 else gh.Product(gh.L1Ball(10, radius), gh.L1Ball(10, radius))
    s = gh.minimize(gh.quadratic(D, b, factors=F), S, gh.Corrective())
    np.testing.assert_allclose(s.x, best, rtol=1e-6)
    assert s.gap >= s.value + 0.5 * b @ best
