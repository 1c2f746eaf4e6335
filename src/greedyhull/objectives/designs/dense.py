"""Dense data in C or Fortran order, float32 or float64."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.errors import check
from greedyhull.kernels.products import product
from greedyhull.objectives.designs.base import DesignBase
from greedyhull.points.given import norm
from greedyhull.types import Array, Columns, Index, Shape
from greedyhull.types.override import KeepsColumns, KeepsStoredDesign, keeps, override


class DenseDesign(KeepsColumns, KeepsStoredDesign):
    """A = X, a 2-D array that is kept, not copied."""

    domain: Shape
    n: int
    dtype: np.dtype[Any]
    frobenius: float

    stored, has_columns, takes_factors = True, True, False

    if TYPE_CHECKING:
        keeps(Columns.domain, Columns.n, Columns.dtype, Columns.stored, Columns.has_columns, Columns.takes_factors,
              Columns.frobenius)

    def __init__(self, X: Array) -> None:
        self.X = X
        n, d = X.shape
        self.n, self.domain, self.dtype = int(n), (int(d),), X.dtype
        self._transposed = X.T
        check(n > 0 and d > 0, lambda: f"X has shape {X.shape}; at least one row and one column are wanted.")
        self.frobenius = norm(X)

    def __repr__(self) -> str:
        return f"DenseDesign({self.n}x{self.domain[0]}, {self.dtype})"

    @override
    def matvec(self, w: Array) -> Array:
        return product(self.X, w.astype(self.dtype, copy=False))

    @override
    def adjoint(self, r: Array) -> Array:
        return product(self._transposed, r)

    @override
    def column(self, j: int) -> Array:
        return self.X[:, j]

    @override
    def columns(self, index: Index, scales: Array) -> Array:
        Z = self._transposed[index]  # rows of the transpose: contiguous copies, and a result in Fortran order
        Z *= scales.astype(self.dtype, copy=False)[:, None]
        return Z.T

    @override
    def combine(self, index: Index, c: Array) -> Array:
        if len(index) == 1:  # as the first point of most runs
            one: Array = self.X[:, index[0]] * self.dtype.type(c[0])
            return one
        if 4 * len(index) > self.domain[0]:  # a product with everything is faster than gathering so many columns
            w = np.zeros(self.domain[0], dtype=self.dtype)
            np.add.at(w, index, c.astype(self.dtype, copy=False))
            return self.matvec(w)
        out: Array = self.X[:, index].dot(c.astype(self.dtype, copy=False))
        return out

    @override
    def rows(self, index: Index) -> DenseDesign:
        return DenseDesign(self.X[index])

    @override
    def take_rows(self, index: Index) -> Array:
        """Some rows as they are, for a minibatch."""
        out: Array = self.X[index]
        return out

    @override
    def gram(self, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        """Zᵀ diag(weights) Z2 for images Z, Z2 made by `columns`."""
        if weights is None:
            return product(Z.T, Z if Z2 is None else Z2)
        rows = weights.nonzero()[0]
        if 2 * len(rows) < len(weights):  # most rows do not count
            Z, Z2, weights = Z[rows], None if Z2 is None else Z2[rows], weights[rows]
        return product(Z.T, (Z if Z2 is None else Z2) * weights[:, None])

    @override
    def energies(self, weights: Array | float) -> Array:
        """Σᵢ weightsᵢ X²ᵢⱼ for every column j."""
        if np.ndim(weights) == 0:
            return np.asarray(np.einsum("ij,ij->j", self.X, self.X, dtype=np.float64) * weights)
        return np.asarray(np.einsum("i,ij,ij->j", weights, self.X, self.X))

    @override
    def extremes(self) -> tuple[Array, Array]:
        """The least and the largest entry of every row."""
        return self.X.min(axis=1), self.X.max(axis=1)

    @override
    def precise(self) -> DenseDesign | Chunked:
        return self if self.dtype == np.float64 else Chunked(self)


class Chunked(DesignBase):
    """float32 data read in float64, a chunk of rows at a time: what a certificate is computed with."""

    rows_at_once = 4096

    def __init__(self, base: DenseDesign) -> None:
        self.base, self.n, self.domain, self.dtype = base, base.n, base.domain, np.dtype(np.float64)

    def _chunks(self) -> Any:
        for start in range(0, self.n, self.rows_at_once):
            yield slice(start, start + self.rows_at_once), self.base.X[start : start + self.rows_at_once].astype(np.float64)

    def matvec(self, w: Array) -> Array:
        return np.concatenate([X.dot(w) for _, X in self._chunks()])

    def adjoint(self, r: Array) -> Array:
        total = np.zeros(self.domain)
        for rows, X in self._chunks():
            total += X.T.dot(r[rows])
        return total

    def column(self, j: int) -> Array:
        return self.base.X[:, j].astype(np.float64)

    def columns(self, index: Index, scales: Array) -> Array:
        return np.multiply(self.base.X[:, index].astype(np.float64), scales, order="F")

    def combine(self, index: Index, c: Array) -> Array:
        return np.concatenate([X[:, index].dot(c) for _, X in self._chunks()])

    def rows(self, index: Index) -> DenseDesign:
        return self.base.rows(index)

    def gram(self, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        return self.base.gram(Z, Z2, weights)

    def energies(self, weights: Array | float) -> Array:
        return self.base.energies(weights)

    def precise(self) -> Chunked:
        return self
