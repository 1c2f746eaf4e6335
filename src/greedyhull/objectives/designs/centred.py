"""Rows with one row subtracted from each: what an intercept leaves of a minibatch. Sparse rows stay sparse."""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.designs.base import DesignBase
from greedyhull.points.arrays import dense
from greedyhull.points.columns import column, columns, combine, energies
from greedyhull.types import Array, Design, Index


class CentredDesign(DesignBase):
    """A − 1cᵀ for a design A and a row c.

    >>> from greedyhull.objectives.designs.dense import DenseDesign
    >>> CentredDesign(DenseDesign(np.array([[1.0, 2.0], [3.0, 5.0]])), np.array([1.0, 2.0])).matvec(np.ones(2))
    array([0., 5.])
    """

    def __init__(self, base: Design, centre: Array) -> None:
        self.base, self.centre = base, centre
        self.n, self.domain, self.dtype = base.n, base.domain, base.dtype

    def matvec(self, w: Array) -> Array:
        return np.asarray(self.base.matvec(w) - self.dtype.type(self.centre.dot(w)))

    def adjoint(self, r: Array) -> Array:
        return np.asarray(self.base.adjoint(r) - r.sum() * self.centre)

    def column(self, j: int) -> Array:
        return np.asarray(column(self.base, j) - self.dtype.type(self.centre[j]))

    def columns(self, index: Index, scales: Array) -> Array:
        Z = columns(self.base, index, scales)
        return np.asarray(dense(Z) - (self.centre[index] * scales).astype(self.dtype))

    def combine(self, index: Index, c: Array) -> Array:
        return np.asarray(combine(self.base, index, c) - self.dtype.type(self.centre[index].dot(c)))

    def gram(self, Z: Array, Z2: Array | None = None, weights: Array | None = None) -> Array:
        right = Z if Z2 is None else Z2
        return np.asarray(Z.T.dot(right if weights is None else right * weights[:, None]))

    def energies(self, weights: Array | float) -> Array:
        """Σᵢ weightsᵢ (aᵢⱼ − cⱼ)² for every column j."""
        p = np.broadcast_to(np.asarray(weights, dtype=np.float64), self.n)
        mixed = self.base.adjoint(p.astype(self.dtype)).astype(np.float64)
        squares = energies(self.base, p) + self.centre * (float(p.sum()) * self.centre - 2.0 * mixed)
        return np.asarray(np.maximum(squares, 0.0))

    def rows(self, index: Index) -> CentredDesign:
        return CentredDesign(self.base.rows(index), self.centre)

    def precise(self) -> CentredDesign:
        return CentredDesign(self.base.precise(), self.centre)
