"""Designs that users wrote are looked at once: what would make a certificate false is refused in words."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.extend import DesignBase, GreedyhullError

RNG = np.random.default_rng(0)
N, D = 9, 4
X, Y = RNG.standard_normal((N, D)), RNG.standard_normal(N)
KEPT, KEPT_TOO = np.zeros(N), np.zeros(D)


class Mine(DesignBase):
    """The products with X, or whatever else is given."""

    def __init__(self, matvec=lambda w: X @ w, adjoint=lambda r: X.T @ r, **said):
        self.domain, self.n, self.dtype = (D,), N, np.dtype(np.float64)
        self._matvec, self._adjoint = matvec, adjoint
        vars(self).update(said)

    def __repr__(self):
        return "Mine()"

    def matvec(self, w):
        return self._matvec(w)

    def adjoint(self, r):
        return self._adjoint(r)


class Spoken:
    """A design of no base class."""

    stored = has_columns = takes_factors = False
    frobenius = None
    domain, n, dtype = (D,), N, np.dtype(np.float64)

    def __init__(self, factor):
        self.factor = factor

    def __repr__(self):
        return "Spoken()"

    def matvec(self, w):
        return X @ w

    def adjoint(self, r):
        return self.factor * (X.T @ r)

    def precise(self):
        return self


def spoiling(product):
    def spoiled(x):
        x[:] = 0.0
        return product(x)

    return spoiled


def kept(array, product):
    def into(x):
        array[:] = product(x)
        return array

    return into


@pytest.mark.parametrize("matvec", [
    lambda w: (X @ w)[:, None], lambda w: (X @ w)[:-1], lambda w: (X @ w)[:1], lambda w: float((X @ w)[0]),
    lambda w: (X @ w).tolist(), lambda w: None, lambda w: (X @ w).astype(np.float32), lambda w: (X @ w).astype(complex),
    spoiling(lambda w: X @ w), kept(KEPT, lambda w: X @ w), lambda w: 2.0 * (X @ w),
])
def test_products_that_are_none(matvec):
    with pytest.raises(GreedyhullError, match="matvec"):
        gh.least_squares(Mine(matvec), Y)


@pytest.mark.parametrize("adjoint", [
    lambda r: (X.T @ r)[:, None], lambda r: (X.T @ r)[None], lambda r: (X.T @ r)[:-1], lambda r: (X.T @ r)[:1],
    lambda r: (X.T @ r).astype(np.float32), lambda r: 2.0 * (X.T @ r), lambda r: -(X.T @ r), lambda r: np.zeros(D),
    lambda r: csr_array(2.0 * (X.T @ r)[None]), spoiling(lambda r: X.T @ r), kept(KEPT_TOO, lambda r: X.T @ r),
])
def test_adjoints_that_are_none(adjoint):
    with pytest.raises(GreedyhullError, match="adjoint"):
        gh.least_squares(Mine(adjoint=adjoint), Y)


@pytest.mark.parametrize("said", [
    {"frobenius": np.nan}, {"frobenius": -1.0}, {"frobenius": np.inf}, {"frobenius": "x"}, {"frobenius": np.ones(3)},
    {"frobenius": 0.0}, {"frobenius": 0.01}, {"n": 9.0}, {"domain": [D]}, {"domain": D}, {"dtype": "float32"}, {"dtype": int},
], ids=str)
def test_sizes_that_are_none(said):
    with pytest.raises(GreedyhullError, match=next(iter(said))):
        gh.least_squares(Mine(**said), Y)


class WithColumns(Mine):
    """Its columns are those of ``factor`` times X."""

    factor = 1.0

    def column(self, j):
        return self.factor * X[:, j]

    def columns(self, index, scales):
        return self.factor * X[:, index] * scales

    def combine(self, index, c):
        return self.factor * X[:, index] @ c

    def energies(self, weights):
        return np.sum(np.broadcast_to(weights, N)[:, None] * X**2, axis=0)

    def gram(self, Z, Z2=None, weights=None):
        return Z.T @ ((Z if Z2 is None else Z2) * (1.0 if weights is None else weights[:, None]))


def test_columns_of_another_matrix():
    gh.least_squares(WithColumns(), Y)
    with pytest.raises(GreedyhullError, match="combine"):
        gh.least_squares(WithColumns(factor=3.0), Y)


class Matrices(DesignBase):
    """⟨aᵢ bᵢᵀ, W⟩ for 3×2 matrices W, also by their factors."""

    domain, n, dtype, takes_factors = (3, 2), 5, np.dtype(np.float64), True
    a, b = RNG.standard_normal((5, 3)), RNG.standard_normal((5, 2))

    def __init__(self, factor=1.0):
        self.factor = factor

    def matvec(self, w):
        return np.einsum("ij,jk,ik->i", self.a, w, self.b)

    def adjoint(self, r):
        return (self.a.T * r) @ self.b

    def bilinear(self, U, V, c):
        return ((self.a @ U) * (self.b @ V)) @ c

    def factored(self, r, U, V):
        return self.factor * (r @ ((self.a @ U) * (self.b @ V)))


def test_factors_of_another_map():
    gh.least_squares(Matrices(), np.ones(5))
    with pytest.raises(GreedyhullError, match="factored"):
        gh.least_squares(Matrices(-1.0), np.ones(5))


def test_a_design_of_no_base_class():
    assert gh.minimize(gh.least_squares(Spoken(1.0), Y), gh.L1Ball(D, 0.7), stop=gh.Gap(1e-8)).converged
    with pytest.raises(GreedyhullError, match="adjoint"):
        gh.least_squares(Spoken(-1.0), Y)


@pytest.mark.parametrize("scale", [0.0, 1e-320, 1e-200, 1e-30, 1e30, 1e140])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_honest_designs_of_any_scale_are_taken(scale, dtype):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error")
        A = (scale * X).astype(dtype)
        if np.isfinite(A).all():
            known = float(scale * np.linalg.norm(X))
            gh.least_squares(Mine(lambda w: A @ w.astype(dtype), lambda r: A.T @ r.astype(dtype), dtype=np.dtype(dtype)), Y)
            gh.least_squares(Mine(lambda w: A @ w.astype(dtype), lambda r: A.T @ r.astype(dtype), dtype=np.dtype(dtype),
                                  frobenius=known), Y)


def test_wide_long_and_single_designs_are_taken():
    for n, d in ((1, 1), (1, 300), (3000, 1), (200, 50)):
        A, one = RNG.standard_normal((n, d)), RNG.standard_normal((n, 1)) * np.ones(d)
        for M in (A, one, np.eye(n, d), np.ones((n, d))):
            f = gh.least_squares(Mine(lambda w, M=M: M @ w, lambda r, M=M: M.T @ r, domain=(d,), n=n,
                                      frobenius=float(np.linalg.norm(M))), np.ones(n))
            w = gh.Simplex(d).decompose(np.eye(d)[0])
            assert f.domain == (d,) and np.allclose(f.gradient(w), M.T @ (M[:, 0] - 1.0) / n)
