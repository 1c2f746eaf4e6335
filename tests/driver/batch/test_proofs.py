"""The gaps of many points at once are those of `certify`, one by one."""

from fractions import Fraction

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.batch.call import losses_of_zero, prove
from greedyhull.driver.batch.problems import Targets, shared_by

SETS = [gh.Simplex(4, 2.0), gh.CappedSimplex(4), gh.L1Ball(4, 3.0), gh.L1Ball(4, 3.0, weights=[1.0, 2.0, 0.5, 4.0])]


def shared(S, settings, n=9, t=6):
    rng = np.random.default_rng(3)
    X, Y = rng.standard_normal((n, 4)) + 2.0, rng.standard_normal((n, t))
    problems = Targets(gh.least_squares, X, Y, settings)
    return problems, shared_by(problems, S, np.ones(t, dtype=bool))


@pytest.mark.parametrize("S", SETS, ids=repr)
@pytest.mark.parametrize("settings", [{}, {"intercept": True}, {"sample_weight": np.arange(1.0, 10.0)},
                                      {"sample_weight": np.arange(1.0, 10.0), "intercept": True}], ids=lambda s: "+".join(s))
def test_values_and_gaps_are_those_of_certify(S, settings):
    problems, common = shared(S, settings)
    assert common is not None
    rng = np.random.default_rng(0)
    W = np.array([rng.dirichlet(np.ones(4)) * 0.9 * np.broadcast_to(common.scales, 4) for _ in range(6)])
    if isinstance(S, gh.Simplex):
        W /= 0.9
    proofs = prove(common, W, common.Y.T, np.full(6, -1))
    for i, w in enumerate(W):
        f = problems.objective(i)
        by_atoms = gh.certify(f, S, S.decompose(w))
        np.testing.assert_allclose(proofs.values[i], by_atoms.value, rtol=1e-12)
        np.testing.assert_allclose(proofs.gaps[i], by_atoms.gap, rtol=1e-12)
        np.testing.assert_allclose(losses_of_zero(common, common.Y.T)[i], f.scale, rtol=1e-12)
        np.testing.assert_allclose(proofs.gradients[i], f.gradient(S.decompose(w)), atol=1e-12)
        np.testing.assert_allclose(proofs.intercepts[i], f.intercept(S.decompose(w)), atol=1e-12)


@pytest.mark.parametrize("settings", [{}, {"intercept": True}], ids=["plain", "intercept"])
@pytest.mark.parametrize("size", [1e-50, 1e-3, 1.0, 1e7, 1e50])
def test_rounding_is_allowed_for(settings, size):
    """At the optimum of data without noise the gap is nothing but rounding, and no less than the exact value."""
    rng = np.random.default_rng(1)
    X = size * (rng.standard_normal((12, 4)) + 1e3)
    W = rng.dirichlet(np.ones(4), 5)
    problems = Targets(gh.least_squares, X, X @ W.T, settings)
    S = gh.Simplex(4)
    common = shared_by(problems, S, np.ones(5, dtype=bool))
    assert common is not None
    proofs = prove(common, W, common.Y.T, np.full(5, -1))
    for i in range(5):
        off = [sum((Fraction(x) * Fraction(w) for x, w in zip(row, W[i].tolist(), strict=True)), Fraction(0)) - Fraction(y)
               for row, y in zip(X.tolist(), common.Y[:, i].tolist(), strict=True)]
        mean = sum(off) / 12 if settings else 0
        exact = sum((r - mean) ** 2 for r in off) / 24  # at least the minimum is zero
        assert exact <= Fraction(float(proofs.gaps[i]))


def test_a_coordinate_that_is_left_out_does_not_count_for_the_gap():
    problems, common = shared(gh.Simplex(4), {})
    W = np.zeros((6, 4))
    W[:, 1] = 1.0
    gaps = prove(common, W, common.Y.T, np.zeros(6, dtype=np.int64)).gaps
    others = gh.Vertices(np.eye(4)[1:])
    for i in range(6):
        np.testing.assert_allclose(gaps[i], gh.certify(problems.objective(i), others, W[i]).gap, rtol=1e-9)
