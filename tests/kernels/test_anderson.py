"""Anderson's combinations: fewer steps to the same point, and no harm where they lead astray."""

import numpy as np
import pytest

from greedyhull.kernels.matrix_models import Anderson

rng = np.random.default_rng(3)


def steps(step, T, most, tol):
    """How many steps until F is short, plain ones if there is no memory."""
    anderson = Anderson()
    for k in range(most):
        F = step(T)
        if np.linalg.norm(F) <= tol:
            return k, T
        T = anderson.next(T, F)
    return most, T


def test_linear_maps_take_few_steps():
    Q, _ = np.linalg.qr(rng.standard_normal((30, 30)))
    A, b = (Q * np.linspace(0.05, 1.0, 30)) @ Q.T, rng.standard_normal((30, 1))
    wanted = np.linalg.solve(A, b)
    k, T = steps(lambda T: b - A @ T, np.zeros((30, 1)), 400, 1e-8)
    assert k < 150  # plain steps shrink the error by 0.95: it takes more than 300
    np.testing.assert_allclose(T, wanted, atol=1e-6)


def test_a_kinked_map_ends_where_plain_steps_do():
    A = rng.standard_normal((12, 12))
    A = A @ A.T / 12.0 + 0.05 * np.eye(12)
    b, L = rng.standard_normal(12), float(np.linalg.norm(A, 2))
    _, T = steps(lambda T: np.clip(T - (A @ T - b) / L, -0.3, 0.3) - T, np.zeros(12), 3000, 1e-12)
    plain = np.zeros(12)
    for _ in range(20_000):
        plain = np.clip(plain - (A @ plain - b) / L, -0.3, 0.3)
    np.testing.assert_allclose(T, plain, atol=1e-9)


def test_a_longer_step_after_a_combination_is_taken_back():
    anderson = Anderson()
    T1 = anderson.next(np.zeros(2), np.array([1.0, 0.5]))
    np.testing.assert_array_equal(T1, [1.0, 0.5])
    F = np.array([0.5, 0.4])
    ahead = anderson.next(T1, F)
    assert not np.array_equal(ahead, T1 + F)
    np.testing.assert_array_equal(anderson.next(ahead, np.array([9.0, 9.0])), T1 + F)
    np.testing.assert_array_equal(anderson.next(T1 + F, np.array([0.2, 0.1])), T1 + F + np.array([0.2, 0.1]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_and_shape_are_kept_and_nothing_remembered_is_changed(dtype):
    anderson, T = Anderson(), np.ones((3, 2), dtype=dtype)
    for k in range(8):
        F = (-0.1 * (k + 1.0) * T).astype(dtype)
        before = T.copy(), F.copy()
        ahead = anderson.next(T, F)
        assert ahead.dtype == dtype and ahead.shape == (3, 2)
        np.testing.assert_array_equal(T, before[0])
        np.testing.assert_array_equal(F, before[1])
        T = ahead


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300, 0.0, 5e-324])
def test_odd_steps_raise_nothing(bad):
    anderson, T = Anderson(), np.ones(3)
    with np.errstate(all="ignore"):
        for _ in range(4):
            T = anderson.next(T, np.array([bad, 0.0, 1.0]) if np.isfinite(bad) and bad else np.full(3, bad))
    assert T.shape == (3,)
