"""Checks of arrays: the compiled ones answer as their references do."""

import numpy as np
import pytest

from greedyhull.kernels.core import REFERENCES, all_finite, is_definite, square_facts

FACTS = [square_facts, REFERENCES["square_facts"]]
FINITE = [all_finite, REFERENCES["all_finite"]]
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
        assert (symmetric, heavy) == REFERENCES["square_facts"](one)[:2]
    assert square_facts(dominant)[1] and not square_facts(-dominant)[1]


@pytest.mark.parametrize("facts", FACTS, ids=["compiled", "plain"])
def test_one_entry_makes_a_matrix_unsymmetric_wherever_it_is(facts):
    for i, j in ((0, 69), (69, 0), (33, 31), (68, 69), (5, 4)):
        Q = np.ones((70, 70))
        Q[i, j] = np.nextafter(1.0, 2.0)
        assert not facts(Q)[0], (i, j)


@pytest.mark.parametrize("facts", FACTS, ids=["compiled", "plain"])
def test_a_matrix_with_nan_is_neither_symmetric_nor_dominant(facts):
    Q = np.eye(3)
    Q[0, 2] = np.nan
    symmetric, dominant, _ = facts(Q)
    assert not symmetric and not dominant


@pytest.mark.parametrize("finite", FINITE, ids=["compiled", "plain"])
@pytest.mark.parametrize("n", [0, 1, 7, 300])
def test_finite_numbers(finite, n):
    x = np.full(n, np.finfo(np.float64).max)  # their sum is not finite, and they are
    assert finite(x) and finite(-x)
    for bad in (np.nan, np.inf, -np.inf) if n else ():
        y = x.copy()
        y[n // 2] = bad
        assert not finite(y)


@pytest.mark.parametrize("definite", [is_definite, REFERENCES["is_definite"]], ids=["compiled", "plain"])
@pytest.mark.parametrize("d", [1, 2, 7, 40])
@pytest.mark.parametrize("size", [1e-200, 1.0, 1e150])
def test_a_factor_tells_the_sign_of_the_least_eigenvalue(definite, d, size):
    U, _ = np.linalg.qr(RNG.standard_normal((d, d)))
    for least in (0.5, 1e-3):
        Q = (U * np.append(least, np.ones(d - 1))) @ U.T
        Q = size * 0.5 * (Q + Q.T)
        before = Q.copy()
        assert definite(Q, 0.0) and definite(Q, -0.9 * least * size) and not definite(Q, -1.1 * least * size)
        assert not definite(-Q, 0.0) and (before == Q).all()


@pytest.mark.parametrize("definite", [is_definite, REFERENCES["is_definite"]], ids=["compiled", "plain"])
def test_zeros_have_no_factor_until_something_is_added(definite):
    assert not definite(np.zeros((2, 2)), 0.0) and definite(np.zeros((2, 2)), 1e-300)
