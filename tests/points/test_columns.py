"""Designs without columns of their own are asked for products with unit vectors, and give the same results."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.errors import GreedyhullError
from greedyhull.extend import DesignBase, check_design
from greedyhull.extend import design as make_design
from greedyhull.points.arrays import column, columns, combine, energies, gram

rng = np.random.default_rng(2)
X = rng.standard_normal((9, 6))


class Products(DesignBase):
    """A matrix that is known by its products; points may be arrays of any shape with as many entries."""

    dtype = np.dtype(np.float64)

    def __init__(self, X, shape=None):
        self.X, self.n, self.domain = X, len(X), shape or (X.shape[1],)

    def matvec(self, w):
        return self.X @ w.ravel()

    def adjoint(self, r):
        return (self.X.T @ r).reshape(self.domain)


class Listed(Products):
    """The same with columns of its own, which it says by writing them all."""

    def column(self, j):
        return self.X[:, j]

    def columns(self, index, scales):
        return self.X[:, index] * scales

    def combine(self, index, c):
        return self.X[:, index] @ c

    def energies(self, weights):
        return (np.broadcast_to(weights, self.n)[:, None] * self.X**2).sum(axis=0)

    def gram(self, Z, Z2=None, weights=None):
        return Z.T @ ((Z if Z2 is None else Z2) * (1.0 if weights is None else weights[:, None]))


def test_what_a_design_says_of_its_columns():
    assert not Products(X).has_columns and Listed(X).has_columns
    assert not type("Part", (Products,), {"column": Listed.column}).has_columns
    assert not type("Silent", (Listed,), {"has_columns": False}).has_columns


@pytest.mark.parametrize("kind", [Products, Listed])
@pytest.mark.parametrize("shape", [(9, 6), (1, 1), (1, 4), (5, 1)])
def test_the_kit_accepts_both(kind, shape):
    check_design(kind(rng.standard_normal(shape)))


@pytest.mark.parametrize("shape", [(2, 3), (3, 2, 1)])
def test_columns_of_maps_on_matrices_are_numbered_in_c_order(shape):
    A = Products(X, shape)
    check_design(A, X)
    assert np.array_equal(gh.Basis(4, 2.0).image(A), 2.0 * X[:, 4]) and energies(A, 1.0).shape == (6,)


def test_each_is_that_of_the_matrix():
    A, index, c = Products(X), np.array([1, 5, 1]), np.array([1.0, -2.0, 0.5])
    assert np.array_equal(column(A, 3), X[:, 3]) and np.allclose(columns(A, index, c), X[:, index] * c)
    assert np.allclose(combine(A, index, c), X[:, index] @ c) and np.allclose(energies(A, 0.5), 0.5 * (X**2).sum(axis=0))
    assert np.allclose(gram(A, X[:, :2], X[:, 2:], np.arange(9.0)), (X[:, :2].T * np.arange(9.0)) @ X[:, 2:])
    assert columns(A, np.zeros(0, int), np.zeros(0)).shape == (9, 0)


@pytest.mark.parametrize("solver", [gh.Corrective(), gh.BlendedPairwise(), gh.PairwiseJones()], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e100])
def test_runs_end_where_those_with_columns_do(solver, scale):
    y = X @ np.full(6, 0.3)
    stop = gh.Gap(1e-6) | gh.Iterations(500)
    one, other = (gh.minimize(gh.least_squares(A, y), gh.L1Ball(6, 1.0 / scale), solver, stop=stop)
                  for A in (Products(scale * X), scale * X))
    assert one.converged and other.converged and abs(one.value - other.value) <= 1e-6


def test_constants_are_the_same():
    f, g = (gh.least_squares(A, np.ones(9)) for A in (Products(X), X))
    assert float(f.curvature(gh.L1Ball(6, 1.0))) == pytest.approx(float(g.curvature(gh.L1Ball(6, 1.0))), rel=1e-12)


def test_a_design_that_says_nothing_of_itself_is_told_what_to_derive_from():
    class Odd:
        domain = (3,)

        def adjoint(self, r):
            return r

    with pytest.raises(GreedyhullError, match="DesignBase"):
        make_design(Odd())
