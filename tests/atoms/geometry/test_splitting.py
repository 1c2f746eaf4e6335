"""Splitting over the nuclear ball: it ends near the optimum, however K is conditioned, and never higher than it began."""

import numpy as np
import pytest

from greedyhull.atoms.matrix_descent import descend_split, projection
from greedyhull.kernels.matrix_models import EntryEquations, NormalEquations

rng = np.random.default_rng(4)


def made(d=20, c=4, condition=1.0, size=1.0):
    Q, _ = np.linalg.qr(rng.standard_normal((d, d)))
    K = size * (Q * np.geomspace(1.0, 1.0 / condition, d)) @ Q.T
    W = rng.standard_normal((d, 2)) @ rng.standard_normal((2, c))
    B = K @ (W + 0.1 * rng.standard_normal((d, c)))
    return K, B, float(np.linalg.svd(W, compute_uv=False).sum())


def equations(K, B):
    return NormalEquations(lambda dtype: K.astype(dtype), B)


def value(K, B, W):
    return 0.5 * float(np.vdot(W, K @ W)) - float(np.vdot(B, W))


def gap(K, B, W, radius):
    g = K @ W - B
    return float(np.vdot(g, W)) + radius * float(np.linalg.norm(g, 2))


@pytest.mark.parametrize("share", [1e-3, 0.3, 0.9, 3.0])
@pytest.mark.parametrize("condition", [1.0, 1e2, 1e5])
def test_the_gap_falls_whatever_the_condition(condition, share):
    K, B, norm = made(condition=condition)
    radius, W = share * norm, np.zeros((20, 4))
    for _ in range(3):
        found = descend_split(equations(K, B), W, radius)
        if found is None:
            break
        now = found.A @ found.V.T
        assert np.linalg.svd(now, compute_uv=False).sum() <= radius * (1.0 + 1e-5)
        assert value(K, B, now) <= value(K, B, W) + 1e-12 * abs(value(K, B, W))
        W = now
    assert gap(K, B, W, radius) <= 1e-4 * gap(K, B, np.zeros((20, 4)), radius)


@pytest.mark.parametrize("size", [1e-150, 1e-20, 1e20, 1e150])
def test_scales_do_not_matter(size):
    K, B, norm = made(condition=10.0)
    found = descend_split(equations(size * K, size * B), np.zeros((20, 4)), 0.5 * norm)
    assert found is not None
    W = found.A @ found.V.T
    assert gap(K, B, W, 0.5 * norm) <= 1e-3 * gap(K, B, np.zeros((20, 4)), 0.5 * norm)


@pytest.mark.parametrize("wanted", [1e-2, 1e-5, 1e-8])
@pytest.mark.parametrize("condition", [1.0, 1e3])
def test_the_gap_that_is_asked_for_is_reached(condition, wanted):
    K, B, norm = made(condition=condition)
    asked = wanted * gap(K, B, np.zeros((20, 4)), 0.5 * norm)
    W = np.zeros((20, 4))
    for _ in range(3):
        found = descend_split(equations(K, B), W, 0.5 * norm, asked)
        if found is None:
            break
        W = found.A @ found.V.T
    assert gap(K, B, W, 0.5 * norm) <= asked


@pytest.mark.parametrize("turned", [False, True])
def test_entries_of_a_matrix(turned):
    H, M = (rng.random((30, 8)) < 0.6).astype(float), rng.standard_normal((30, 8))
    if turned:
        H, M = H.T, M.T
    B = H * M
    found = descend_split(EntryEquations(lambda dtype: (H.astype(dtype), B.astype(dtype))), np.zeros(M.shape), 5.0, 1e-3)
    assert found is not None
    W = found.A @ found.V.T
    g = H * W - B
    assert float(np.vdot(g, W)) + 5.0 * float(np.linalg.norm(g, 2)) <= 1e-3
    assert np.linalg.svd(W, compute_uv=False).sum() <= 5.0 * (1.0 + 1e-5)


def test_where_nothing_is_lower_there_is_nothing():
    K, B, _ = made()
    x = np.linalg.solve(K, B)
    radius = 2.0 * float(np.linalg.svd(x, compute_uv=False).sum())
    found = descend_split(equations(K, B), x, radius)
    assert found is None or value(K, B, found.A @ found.V.T) <= value(K, B, x) * (1.0 - 1e-14)  # it is negative
    assert descend_split(equations(K, np.full_like(B, np.nan)), x, radius) is None
    assert descend_split(equations(0.0 * K, B), x, radius) is None
    assert descend_split(equations(K, B), np.full_like(x, np.inf), radius) is None


def test_a_single_number():
    found = descend_split(equations(np.array([[2.0]]), np.array([[3.0]])), np.zeros((1, 1)), 1.0)
    assert found is not None and float(found.A[0, 0] * found.V[0, 0]) == pytest.approx(1.0, rel=1e-5)


def test_the_projection_keeps_what_is_inside():
    T = 0.01 * rng.standard_normal((7, 3))
    low = projection(T)
    np.testing.assert_allclose(low.A @ low.V.T, T, atol=1e-15)
    wide = projection(T.T)
    np.testing.assert_allclose(wide.A @ wide.V.T, T.T, atol=1e-15)
    low = projection(100.0 * T.astype(np.float32))
    assert low.A.dtype == np.float32
    assert np.linalg.svd(low.A @ low.V.T, compute_uv=False).sum() == pytest.approx(1.0, rel=1e-5)
