"""The rows of a shard as a design: what blocks of atoms and losses ask of data, without a pass to look at them first."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.kernels.sparse_columns import gram_rows
from greedyhull.objectives.designs.base import DesignBase
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.sparse import unsigned
from greedyhull.points.arrays import is_sparse
from greedyhull.points.shapes import BasisBlock
from greedyhull.types import Array, Block, Index

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


class DenseRows(DenseDesign):
    """Dense rows, perhaps none, as they are: nobody reads them to find ‖X‖_F, which the first pass has found."""

    def __init__(self, X: Array) -> None:
        X = np.asarray(X)  # of a file that is mapped: the same memory without the costs of a `memmap` for every slice
        self.X, self._transposed = X, X.T
        self.n, self.domain, self.dtype = int(X.shape[0]), (int(X.shape[1]),), X.dtype
        self.frobenius = np.inf

    def gram_of(self, block: Block, c: Array) -> Array:
        """Zᵀ diag(c) Z for the images Z of atoms, as WᵀW with W = √c Z, of which BLAS computes one half."""
        root = np.sqrt(c).astype(self.dtype, copy=False)[:, None]
        if not isinstance(block, BasisBlock):
            W = np.ascontiguousarray(block.images(self)) * root
            return np.asarray(W.T.dot(W), dtype=np.float64)
        index, scale = block.index, np.asarray(block.scale, dtype=np.float64)
        if 2 * len(block) >= self.domain[0]:  # all columns: cheaper than to gather so many
            W = self.X * root
            square = W.T.dot(W)[np.ix_(index, index)]
        else:
            W = self.X.take(index, axis=1)
            W *= root
            square = W.T.dot(W)
        return np.asarray(square * (scale[:, None] * scale), dtype=np.float64)

    def dots_of(self, block: Block, c: Array) -> Array:
        """Zᵀc for the images Z of atoms."""
        return np.asarray(block.dots(self.adjoint(c.astype(self.dtype, copy=False))), dtype=np.float64)

    def precise(self) -> DenseRows:
        return self if self.dtype == np.float64 else DenseRows(self.X.astype(np.float64))


class SparseRows(DesignBase):
    """Rows in CSR form. Columns are picked out of them; a copy by columns would take as much memory again."""

    has_columns = True

    def __init__(self, X: Any) -> None:
        self.X, self.n, self.domain, self.dtype = X, int(X.shape[0]), (int(X.shape[1]),), X.dtype

    def matvec(self, w: Array) -> Array:
        return np.asarray(self.X @ w.astype(self.dtype, copy=False))

    def adjoint(self, r: Array) -> Array:
        return np.asarray(self.X.T @ r)

    def column(self, j: int) -> Array:
        return np.asarray(self.X[:, [j]].toarray()).ravel()

    def columns(self, index: Index, scales: Array) -> Any:
        Z = self.X[:, np.asarray(index)]
        Z.data = Z.data * scales.astype(self.dtype, copy=False)[Z.indices]
        return Z

    def combine(self, index: Index, c: Array) -> Array:
        w = np.zeros(self.domain, dtype=self.dtype)
        np.add.at(w, index, c.astype(self.dtype, copy=False))
        return self.matvec(w)

    def energies(self, weights: Array | float) -> Array:
        from scipy.sparse import csr_array

        square = csr_array((self.X.data.astype(np.float64) ** 2, self.X.indices, self.X.indptr), shape=self.X.shape)
        return np.asarray(square.T @ np.broadcast_to(np.asarray(weights, dtype=np.float64), self.n))

    def gram(self, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        right = Z if Z2 is None else Z2
        if not is_sparse(Z):
            return np.asarray(Z.T.dot(right if weights is None else right * weights[:, None]))
        right = right.copy().astype(np.float64)
        if weights is not None:
            right.data *= np.repeat(np.asarray(weights, dtype=np.float64), np.diff(right.indptr))
        return np.asarray((Z.T @ right).toarray(), dtype=np.float64)

    def gram_of(self, block: Block, c: Array) -> Array:
        """Zᵀ diag(c) Z for the images Z of atoms; of coordinates, in one pass over the entries."""
        if not isinstance(block, BasisBlock) or not self.X.has_canonical_format:
            return np.asarray(self.gram(block.images(self), None, c), dtype=np.float64)
        different, which = np.unique(block.index, return_inverse=True)
        number, half = np.full(self.domain[0], -1, dtype=np.int64), np.zeros((len(different), len(different)))
        number[different] = np.arange(len(different))
        gram_rows(*unsigned(self.X), np.ascontiguousarray(c, dtype=np.float64), number, half)
        scale = np.asarray(block.scale, dtype=np.float64)
        return np.asarray((half + np.tril(half, -1).T)[np.ix_(which, which)] * (scale[:, None] * scale))

    def dots_of(self, block: Block, c: Array) -> Array:
        """Zᵀc for the images Z of atoms."""
        return np.asarray(block.dots(np.asarray(self.adjoint(c), dtype=np.float64)), dtype=np.float64)

    def precise(self) -> SparseRows:
        return self if self.dtype == np.float64 else SparseRows(self.X.astype(np.float64))


def rows_of(X: Any) -> Any:
    """The design of a shard's rows as they are; ``.precise()`` of it multiplies in float64."""
    if is_sparse(X):
        X = X if X.format == "csr" else X.tocsr()
        return SparseRows(X if X.dtype in FLOATS else X.astype(np.float64))
    return DenseRows(X if X.dtype in FLOATS else np.asarray(X, dtype=np.float64))
