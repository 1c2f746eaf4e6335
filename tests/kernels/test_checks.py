"""Checks of arrays in one pass."""

import numpy as np
import pytest

from greedyhull.kernels._core import all_finite, is_definite, square_facts

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("d", [1, 2, 31, 32, 33, 70])
@pytest.mark.parametrize("size", [1e-200, 1.0, 1e150])
def test_facts_of_a_square_matrix(d, size):
    A = RNG.standard_normal((d, d))
    Q = size * (A + A.T)
    dominant = Q + np.diag(2.0 * np.abs(Q).sum(axis=1))
    for one in (Q, dominant, -Q, size * A, np.zeros((d, d)), -0.0 * np.eye(d)):
        symmetric, heavy, widest = square_facts(one)
        assert symmetric == np.array_equal(one, one.T)
        assert widest == pytest.approx(np.abs(one).sum(axis=1).max(), rel=1e-12)
        rest = np.abs(one).sum(axis=1) - np.abs(np.diagonal(one))
        assert heavy == (np.diagonal(one) >= (1.0 + d * 2.0**-52) * rest).all()
    assert square_facts(dominant)[1] and not square_facts(-dominant)[1]


def test_one_entry_makes_a_matrix_unsymmetric_wherever_it_is():
    for i, j in ((0, 69), (69, 0), (33, 31), (68, 69), (5, 4)):
        Q = np.ones((70, 70))
        Q[i, j] = np.nextafter(1.0, 2.0)
        assert not square_facts(Q)[0], (i, j)


def test_a_matrix_with_nan_is_neither_symmetric_nor_dominant():
    Q = np.eye(3)
    Q[0, 2] = np.nan
    symmetric, dominant, _ = square_facts(Q)
    assert not symmetric and not dominant


@pytest.mark.parametrize("n", [0, 1, 7, 300])
def test_finite_numbers(n):
    x = np.full(n, np.finfo(np.float64).max)  # their sum is not finite, and they are
    assert all_finite(x) and all_finite(-x)
    for bad in (np.nan, np.inf, -np.inf) if n else ():
        y = x.copy()
        y[n // 2] = bad
        assert not all_finite(y)


@pytest.mark.parametrize("d", [1, 2, 7, 40])
@pytest.mark.parametrize("size", [1e-200, 1.0, 1e150])
def test_a_factor_tells_the_sign_of_the_least_eigenvalue(d, size):
    U, _ = np.linalg.qr(RNG.standard_normal((d, d)))
    for least in (0.5, 1e-3):
        Q = (U * np.append(least, np.ones(d - 1))) @ U.T
        Q = size * 0.5 * (Q + Q.T)
        before = Q.copy()
        assert is_definite(Q, 0.0) and is_definite(Q, -0.9 * least * size) and not is_definite(Q, -1.1 * least * size)
        assert not is_definite(-Q, 0.0) and (before == Q).all()


def test_zeros_have_no_factor_until_something_is_added():
    assert not is_definite(np.zeros((2, 2)), 0.0) and is_definite(np.zeros((2, 2)), 1e-300)
