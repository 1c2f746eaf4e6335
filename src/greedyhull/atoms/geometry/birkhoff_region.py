"""Doubly stochastic matrices as their entries see them: bounds, and a row for each row and column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.kernels.rows_qp import Limits, solve_rows_qp
from greedyhull.types import Array, Frame, Index
from greedyhull.types.override import KeepsRegion, KeepsSection, override

NEAR = 1e-12  # sums that are off by less are rounding


@dataclass(slots=True, eq=False)
class BirkhoffRegion(KeepsRegion):
    """x ≥ 0, n rows of n entries each, with row and column sums of one. All entries are solved for together."""

    n: int
    middle: Array | None = None

    @override
    def begin(self, d: int) -> Array:
        return np.full(d, 1.0 / self.n)

    @override
    def nearest(self, x: Array) -> Array:
        near = np.maximum(x, 0.0) + 0.0
        W = near.reshape(self.n, self.n)
        off = max(float(np.abs(W.sum(axis=0) - 1.0).max()), float(np.abs(W.sum(axis=1) - 1.0).max()))
        if off <= NEAR and float((near - x).max(initial=0.0)) <= NEAR:
            return near
        centre = np.full(x.shape, 1.0 / self.n)
        return solve_rows_qp(np.eye(x.size), centre - x, centre, limits(self.n), 0.0)

    @override
    def free(self, g: Array, x: Array) -> Index:
        return np.arange(x.size)

    @override
    def shares(self, g: Array, x: Array) -> Array:
        """What is saved in each row where all of an entry goes to the cheapest one; columns would not allow it."""
        G = g.reshape(self.n, self.n)
        return np.asarray(((G - G.min(axis=1, keepdims=True)) * x.reshape(self.n, self.n)).ravel())

    @override
    def section(self, frame: Frame, x: Array) -> BirkhoffSection:
        return BirkhoffSection(self.n, frame.read(np.arange(x.size, dtype=np.float64)).astype(np.intp))

    @override
    def moved(self, c: float, v: Array) -> None:
        return None


@dataclass(slots=True, eq=False)
class BirkhoffSection(KeepsSection):
    """All entries, in the order of ``places``."""

    n: int
    places: Index

    def _matrix(self, grad: Array) -> Array:
        G = np.empty(self.n * self.n)
        G[self.places] = grad
        return G.reshape(self.n, self.n)

    @override
    def gap(self, grad: Array, y: Array) -> float:
        from scipy.optimize import linear_sum_assignment

        G = self._matrix(grad)
        rows, columns = linear_sum_assignment(G)
        return float(grad.dot(y) - G[rows, columns].sum())

    @override
    def slope(self, grad: Array, y: Array, target: Array) -> float:
        """Relative to the means of rows and columns, which may be large compared with what it is about."""
        G = self._matrix(grad)
        G = G - G.mean(axis=0) - (G.mean(axis=1) - G.mean())[:, None]
        return float(G.ravel()[self.places].dot(target - y))

    @override
    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        limits_ = limits(self.n)
        return solve_rows_qp(H, grad, y, limits_._replace(A=np.ascontiguousarray(limits_.A[:, self.places])), tol)


def limits(n: int) -> Limits:
    """Bounds, the sums of all rows, and of all columns but the last, whose sum follows.

    >>> limits(2).A
    array([[1., 1., 0., 0.],
           [0., 0., 1., 1.],
           [1., 0., 1., 0.]])
    """
    one = np.ones((1, n))
    A = np.concatenate([np.kron(np.eye(n), one), np.kron(one, np.eye(n))])[:-1]
    return Limits(np.zeros(n * n), np.ones(n * n), A, np.ones(len(A)), np.ones(len(A)))
