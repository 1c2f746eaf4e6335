"""Newton steps over the nuclear ball: they end at the optimum that other solvers find, inside, and never above the start."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.atoms.matrix_descent import descend_newton
from greedyhull.points.coordinate_iterate import CoordinateIterate

rng = np.random.default_rng(10)


def made(n=60, d=6, c=4, noise=1.0, **options):
    X = rng.standard_normal((n, d))
    y = (X @ rng.standard_normal((d, 2)) @ rng.standard_normal((2, c)) + noise * rng.standard_normal((n, c))).argmax(axis=1)
    y[:c] = np.arange(c)
    return gh.multinomial(X, y, **options)


def gap(f, W, radius):
    g = f.gradient(CoordinateIterate(W))
    return float(np.vdot(g, W)) + radius * float(np.linalg.norm(g, 2))


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("radius", [0.5, 5.0, 100.0])
def test_the_gap_that_is_asked_for_is_reached(radius, intercept):
    f = made(intercept=intercept)
    W = np.zeros((6, 4))
    for _ in range(4):
        found = descend_newton(f, W, radius, 1e-7)
        W = W if found is None else found
    assert gap(f, W, radius) <= 1e-7
    assert np.linalg.svd(W, compute_uv=False).sum() <= radius * (1.0 + 1e-9)
    again = descend_newton(f, W, radius, 1e-4)
    assert again is None  # it is there already


def test_steps_in_single_precision_stay_inside():
    """Outside, f may be below its least value over the ball, and falls no more."""
    for radius in (0.3, 0.7, 1.1, 2.3, 3.1, 4.7):
        W = descend_newton(made(), np.zeros((6, 4)), radius, 1e-2)
        assert W is not None and np.linalg.svd(W, compute_uv=False).sum() <= radius * (1.0 + 1e-14)


@pytest.mark.parametrize("store", [np.array, np.float32, csr_array])
@pytest.mark.parametrize("intercept", [False, True])
def test_models_have_the_hessian_of_f(store, intercept):
    X, y = rng.standard_normal((30, 5)), np.arange(30) % 3
    f = gh.multinomial(store(X), y, intercept=intercept, sample_weight=rng.random(30))
    model, w, D = f if f.traits.modelled else None, CoordinateIterate(rng.standard_normal((5, 3))), rng.standard_normal((5, 3))
    H = model.model(w).hessian(np.dtype(np.float64))
    wanted = f.hessian_product(w, D)
    np.testing.assert_allclose((H @ D.T.ravel()).reshape(3, 5).T, wanted, atol=1e-6 if store is np.float32 else 1e-12)


def test_f_never_rises_and_odd_starts_end():
    f = made(n=30, noise=0.0)
    for radius in (1e-8, 1.0, 1e6):
        for W in (np.zeros((6, 4)), radius / 50.0 * rng.standard_normal((6, 4))):
            found = descend_newton(f, W, radius, 0.0)
            best = min(f.value(CoordinateIterate(W)), f.value(CoordinateIterate(np.zeros((6, 4)))))
            assert found is None or f.value(CoordinateIterate(found)) <= best * (1.0 + 1e-12)


def test_large_matrices_have_no_models():
    assert not gh.multinomial(rng.standard_normal((20, 400)), np.arange(20) % 3).traits.modelled
