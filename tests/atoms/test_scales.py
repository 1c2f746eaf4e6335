"""Constants of sets scale with them: one that vanishes because its square does is no bound."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.atoms.simplex import PositiveL1Ball

RNG = np.random.default_rng(0)
D = 4
X, CORNERS, WEIGHTS = RNG.standard_normal((7, D)), RNG.standard_normal((6, D)), RNG.uniform(0.5, 2.0, D)
SETS = {
    "simplex": lambda t: gh.Simplex(D, t), "bounded": lambda t: gh.Simplex(D, t, upper=0.4 * t),
    "bounds that differ": lambda t: gh.Simplex(D, t, upper=t * np.linspace(0.3, 0.8, D)),
    "capped": lambda t: gh.CappedSimplex(D, t), "l1": lambda t: gh.L1Ball(D, t),
    "l1 weighted": lambda t: gh.L1Ball(D, t, weights=WEIGHTS), "positive": lambda t: PositiveL1Ball(D, t),
    "positive weighted": lambda t: PositiveL1Ball(D, t, weights=WEIGHTS), "l2": lambda t: gh.L2Ball(D, t),
    "linf": lambda t: gh.LinfBall(D, t), "box": lambda t: gh.Box(np.full(D, -t), np.full(D, 2.0 * t)),
    "lower bounds": lambda t: gh.Simplex(D, t, lower=0.1 * t, upper=0.6 * t),
    "hypersimplex": lambda t: gh.HyperSimplex(D, 2, t),
    "grouped": lambda t: gh.GroupedSimplex([0, 0, 1, 1], upper=0.5 * t, group_upper=0.7 * t, total=t),
    "k sparse": lambda t: gh.KSparse(D, 2, t), "k support": lambda t: gh.KSupport(D, 2, t),
    "groups": lambda t: gh.GroupL1Ball([0, 0, 1, 1], t), "lp": lambda t: gh.LpBall(D, t, 3.0),
    "variation": lambda t: gh.TotalVariationBall(D, t), "orders": lambda t: gh.Permutahedron(t * np.arange(D)),
    "vertices": lambda t: gh.Vertices(t * CORNERS), "sparse vertices": lambda t: gh.Vertices(csr_array(t * CORNERS)),
}
each = pytest.mark.parametrize("make", SETS.values(), ids=SETS)


@each
@pytest.mark.parametrize("t", [1e-200, 1e-160, 1e-5, 1e140])
def test_lengths_follow(make, t):
    one, S = make(1.0), make(t)
    x = one.centre().array()
    assert S.diameter == pytest.approx(t * one.diameter, rel=1e-9, abs=0.0)
    assert S.circumradius == pytest.approx(t * one.circumradius, rel=1e-9, abs=0.0)
    assert float(S.radius_around(t * x)) == pytest.approx(t * float(one.radius_around(x)), rel=1e-9, abs=0.0)


@each
@pytest.mark.parametrize("t", [1e-200, 1e-160, 1e-5, 1e140])
def test_curvature_follows(make, t):
    """M of φ(Xw) over S is that of φ(qXw), for q as large as data may be, over a set that is as much smaller."""
    q = min(1.0 / t, 1e140)
    M = float(gh.least_squares(X, np.ones(7)).curvature(make(1.0)))
    assert float(gh.least_squares(q * X, np.ones(7)).curvature(make(t))) == pytest.approx((q * t) ** 2 * M, rel=1e-6, abs=0.0)


@pytest.mark.parametrize("number", [np.float32(0.25), np.float16(0.25), np.longdouble(0.25), np.int8(2)])
def test_sizes_may_be_numbers_of_any_precision(number):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gh.L1Ball(3, number).radius == float(number) and gh.Simplex(3, number).total == float(number)


@pytest.mark.parametrize("make", [
    lambda d: gh.Simplex(d), lambda d: gh.L2Ball(d, 1.0), lambda d: gh.LinfBall(d, 1.0), lambda d: gh.HyperSimplex(d, 3),
    lambda d: gh.SpanningTree([(0, 1)], d), lambda d: gh.PathPolytope([(0, 1)], d, 0, 1), gh.Birkhoff,
    lambda d: gh.GroupL1Ball([[0, 1], [d]], 1.0)])
@pytest.mark.parametrize("d", [10**30, 2**63, 10**18])
def test_dimensions_beyond_memory_get_words(make, d):
    with pytest.raises(gh.GreedyhullError, match=r"dimension|Group 1|in no group"):
        make(d)


@pytest.mark.parametrize("bounds", [[[], np.zeros((0, 2))], [], np.zeros((2, 0)), [(0, 1), [2]], [[0, 1, 2]]])
def test_bounds_that_do_not_fit_together_get_words(bounds):
    with pytest.raises(gh.GreedyhullError, match="bounds"):
        gh.LinearProgram(bounds=bounds)
