"""Squares of several responses: K and B say what X and Y say, and runs over the nuclear ball end at the optimum."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.points.coordinate_iterate import CoordinateIterate

rng = np.random.default_rng(6)


def data(n, d, c=3):
    X = rng.standard_normal((n, d))
    return X, X @ rng.standard_normal((d, 2)) @ rng.standard_normal((2, c)) + 0.3 * rng.standard_normal((n, c))


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("store", [np.array, np.asfortranarray, csr_array, np.float32])
@pytest.mark.parametrize("shape", [(30, 6), (5, 12), (1, 4), (4, 1)])
def test_normal_equations_say_what_the_data_say(shape, store, weights):
    X, Y = data(*shape)
    f = gh.multitask(store(X), Y, sample_weight=rng.random(len(X)) + 0.1 if weights else None)
    model = f if f.traits.written else None
    assert model is not None
    normal = model.equations()
    basis = np.eye(shape[1]) if normal.basis is None else normal.basis
    W = rng.standard_normal((shape[1], 3))
    inside = basis @ (basis.T @ W)  # f does not see the rest
    x = basis.T @ W
    here, there = f.value(CoordinateIterate(W)), f.value(CoordinateIterate(0.0 * W))
    form = 0.5 * float(np.vdot(x, normal.K @ x)) - float(np.vdot(normal.B, x))
    assert here - there == pytest.approx(form, rel=1e-4 if store is np.float32 else 1e-9)
    assert f.value(CoordinateIterate(inside)) == pytest.approx(here, rel=1e-4 if store is np.float32 else 1e-9)


def test_the_gradient_at_zero_is_computed_once_and_is_right():
    X, Y = data(30, 6)
    f, zero = gh.multitask(X, Y), CoordinateIterate(np.zeros((6, 3)))
    np.testing.assert_allclose(f.gradient(zero), -X.T @ Y / 30, rtol=1e-12)
    assert f.gradient(CoordinateIterate(np.zeros((6, 3)))) is f.gradient(zero)


@pytest.mark.parametrize("shape", [(60, 10), (8, 20), (40, 40)])
@pytest.mark.parametrize("condition", [1.0, 1e3])
def test_runs_end_at_the_optimum(shape, condition):
    X, Y = data(*shape)
    X = X * np.geomspace(1.0, condition**-0.5, shape[1])
    f, S = gh.multitask(X, Y), gh.NuclearBall((shape[1], 3), 1.5)
    s = gh.minimize(f, S, stop=gh.Relative(1e-8) | gh.Iterations(40))
    assert s.converged
    rough = gh.minimize(f, S, stop=gh.Relative(1e-3))
    assert rough.certificate.lower <= s.value + 1e-12 and s.certificate.lower <= rough.value
    assert rough.iterations <= 3


def test_more_responses_than_are_few_and_wide_tables():
    X, Y = data(50, 4, 150)
    s = gh.minimize(gh.multitask(X, Y), gh.NuclearBall((4, 150), 5.0), stop=gh.Relative(1e-5))
    assert s.converged
    X, Y = data(50, 200, 140)
    assert gh.minimize(gh.multitask(X, Y), gh.NuclearBall((200, 140), 5.0), stop=gh.Relative(1e-3)).converged
