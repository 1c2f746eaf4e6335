"""Constants of data whose squares are smaller than any float: never zero, never called exact."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import theory
from greedyhull.solvers.gradients import Svrg

X = np.random.default_rng(0).standard_normal((50, 4))
SCALES = [(1e-200, 1e100), (1e-165, 1e10), (1e-162, 1e5)]


def problem(scale, radius):
    return gh.least_squares(X * scale, X[:, 0] * scale * radius * 0.5), gh.L1Ball(4, radius=radius)


@pytest.mark.parametrize("scale, radius", SCALES)
@pytest.mark.parametrize("over", [lambda r: gh.L1Ball(4, radius=r), lambda r: gh.Simplex(4, r), lambda r: gh.L2Ball(4, r),
                                  lambda r: gh.Box(-r * np.ones(4), r * np.ones(4)), lambda r: gh.Vertices(r * np.eye(4))])
def test_the_curvature_does_not_vanish(scale, radius, over):
    f = problem(scale, radius)[0]
    true = float(gh.least_squares(X, X[:, 0]).curvature(over(1.0))) * (scale * radius) * (scale * radius)
    M = f.curvature(over(radius))
    assert float(M) >= true * (1 - 1e-9)
    assert M.status == "upper bound" or float(M) <= true * (1 + 1e-9)
    assert float(M) <= 100 * true + 1e-318
    assert float(theory.jones_variance(f, over(radius))) >= 0.125 * true


def test_weights_of_an_l1_ball_do_not_hide_a_column():
    data = np.column_stack([X[:, 0], X[:, 1] * 1e-200])
    f = gh.least_squares(data, X[:, 0])
    S, T = gh.L1Ball(2, 1.0, weights=[1.0, 1e-201]), gh.L1Ball(2, 1.0, weights=[1.0, 0.1])
    same = gh.least_squares(X[:, :2], X[:, 0]).curvature(T)
    assert float(f.curvature(S)) >= float(same) * (1 - 1e-9)


def test_what_is_large_enough_stays_exact():
    for scale, radius in ((1.0, 1.0), (1e-100, 1.0), (1e-100, 1e-20), (1e100, 1e-50)):
        assert problem(scale, radius)[0].curvature(problem(scale, radius)[1]).status == "exact"
        assert gh.quadratic(np.eye(4) * scale).curvature(gh.Simplex(4, radius)).status == "exact"
    assert gh.least_squares(0.0 * X, X[:, 0]).curvature(gh.L1Ball(4, 1.0)) == theory.Constant(0.0, "exact", "M")
    assert gh.quadratic(np.ones((2, 2))).curvature(gh.Simplex(2)) == theory.Constant(0.0, "exact", "M")


def test_the_variance_of_large_data_over_a_small_set_does_not_vanish():
    for f in (gh.least_squares(X * 1e150, X[:, 0]), gh.quadratic(1e150 * np.eye(4))):
        for S in (gh.Simplex(4, 1e-200), gh.L1Ball(4, 1e-200)):
            assert 0.2499 * float(f.curvature(S)) <= float(theory.jones_variance(f, S)) <= 0.5 * float(f.curvature(S))


def test_a_quadratic_below_all_floats_is_rounded_up():
    M = gh.quadratic(1e-200 * np.eye(4)).curvature(gh.Simplex(4, 1e-100))
    assert float(M) > 0.0 and M.status == "upper bound"


@pytest.mark.parametrize("scale, radius", SCALES)
@pytest.mark.parametrize("solver", [gh.Jones(), gh.Jones(gh.OpenLoop()), gh.PairwiseJones(), gh.VarianceReducedJones(Svrg(3)),
                                    gh.VarianceReducedJones(), gh.StochasticJones(), gh.StochasticFrankWolfe.svrf()], ids=repr)
def test_no_bound_is_below_the_error(scale, radius, solver):
    s = gh.minimize(*problem(scale, radius), solver, stop=gh.Iterations(4))  # the minimum is zero, inside
    assert all(s.value <= bound.value for bound in s.bounds() if bound.of == "error"), s.bounds()
