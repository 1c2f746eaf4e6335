"""Doubly stochastic matrices as their entries see them: bounds, and a row for each row and column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from greedyhull.atoms.geometry.rows_region import RowsRegion
from greedyhull.kernels.rows_qp import Limits
from greedyhull.types import Array
from greedyhull.types.override import override

NEAR = 1e-12  # sums that are off by less are rounding


@dataclass(slots=True, eq=False)
class BirkhoffRegion(RowsRegion):
    """x ≥ 0, n rows of n entries each, with row and column sums of one. All entries are solved for together."""

    @override
    def begin(self, d: int) -> Array:
        return self.inside.copy()

    @override
    def nearest(self, x: Array) -> Array:
        near, n = np.maximum(x, 0.0) + 0.0, round(x.size**0.5)
        W = near.reshape(n, n)
        off = max(float(np.abs(W.sum(axis=0) - 1.0).max()), float(np.abs(W.sum(axis=1) - 1.0).max()))
        if off <= NEAR and float((near - x).max(initial=0.0)) <= NEAR:
            return near
        return self.projected(x, near, max(off, float((near - x).max())))


@lru_cache(maxsize=4)
def birkhoff_region(n: int) -> BirkhoffRegion:
    """The region of all doubly stochastic matrices of n rows; it is never changed."""
    return BirkhoffRegion(limits(n), (np.zeros(n * n), np.ones(n * n)), np.full(n * n, 1.0 / n), least_assignment)


def least_assignment(g: Array) -> float:
    """The least ⟨g, P⟩ over permutations."""
    from scipy.optimize import linear_sum_assignment

    n = round(g.size**0.5)
    G = g.reshape(n, n)
    rows, columns = linear_sum_assignment(G)
    return float(G[rows, columns].sum())


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
