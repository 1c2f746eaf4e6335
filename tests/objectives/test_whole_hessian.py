"""Squares whose Hessian is made once: the same function, the same solutions, and only where that pays."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.objectives.composite import WholeHessian, with_whole_hessian
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.shapes import BasisBlock

rng = np.random.default_rng(0)
X, y, s = rng.standard_normal((60, 9)), rng.standard_normal(60), rng.random(60)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weight", [None, s])
def test_parts_of_the_hessian_are_those_of_the_function(intercept, weight):
    f = gh.least_squares(X, y, sample_weight=weight, intercept=intercept)
    one, w = with_whole_hessian(f, 20), CoordinateIterate(rng.standard_normal(9))
    assert isinstance(one, WholeHessian) and one.value(w) == f.value(w)
    small, other = (g.restricted(BasisBlock(9, np.array([4, 1]), np.array([1.0, -2.0]))) for g in (one, f))
    for _ in range(2):
        np.testing.assert_allclose(small.hessian(w), other.hessian(w), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(small.gradient(w), other.gradient(w), rtol=1e-12)
        for part in (small, other):
            part.extend(BasisBlock(9, np.array([7, 0]), np.ones(2)), w)
    for part in (small, other):
        part.take(np.array([3, 1]))
    np.testing.assert_allclose(small.hessian(w), other.hessian(w), rtol=1e-12, atol=1e-14)
    S = gh.GroupL1Ball([0, 0, 0, 1, 1, 1, 2, 2, 2], 0.7)
    found, plain = (gh.minimize(g, S, stop=gh.Relative(1e-9)) for g in (one, f))
    assert found.converged and found.value == pytest.approx(plain.value, rel=1e-8)


def test_only_where_it_pays():
    f = gh.least_squares(X, y)
    assert with_whole_hessian(f, 3) is f
    for other in (gh.logistic(X, np.sign(y)), gh.least_squares(X[:10], y[:10]), gh.least_squares(X, y, l2=0.1),
                  gh.least_squares(X.astype(np.float32), y)):
        assert with_whole_hessian(other, 20) is other
