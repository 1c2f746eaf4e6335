"""Sparse data, CSC or CSR. Greedy methods ask for columns, so a CSC copy is made once where CSR was given."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import check
from greedyhull.types import Array, Index


class SparseDesign:
    """A = X, a SciPy sparse matrix; CSC input is kept, CSR input is kept and mirrored once in CSC."""

    def __init__(self, X: Any) -> None:
        from scipy.sparse import csc_array, csr_array

        check(len(X.shape) == 2 and min(X.shape) > 0,
              f"X has shape {X.shape}; a matrix with at least one row and one column is wanted.")
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        self.by_row: Any = csr_array(X) if X.format == "csr" else None
        self.by_column = csc_array(X)
        if not self.by_column.has_canonical_format:
            self.by_column = self.by_column.copy() if X.format == "csc" else self.by_column
            self.by_column.sum_duplicates()
        data = self.by_column.data
        self.frobenius = float(np.linalg.norm(data.astype(np.float64, copy=False)))
        check(np.isfinite(self.frobenius), "X holds NaN or infinite values; only finite numbers can be certified. "
                                             "Impute or drop those rows first.")
        n, d = X.shape
        self.n, self.domain, self.dtype = int(n), (int(d),), data.dtype
        self._starts = self.by_column.indptr
        self._transposed = self.by_column.T  # CSR of Xᵀ: its products gather, which is faster than scattering

    def __repr__(self) -> str:
        return f"SparseDesign({self.n}x{self.domain[0]}, {self.by_column.nnz} entries, {self.dtype})"

    def matvec(self, w: Array) -> Array:
        return np.asarray((self.by_column if self.by_row is None else self.by_row) @ w.astype(self.dtype, copy=False))

    def adjoint(self, r: Array) -> Array:
        return np.asarray(self._transposed @ r)

    def column(self, j: int) -> Array:
        z = np.zeros(self.n, dtype=self.dtype)
        a, b = self._starts[j], self._starts[j + 1]
        z[self.by_column.indices[a:b]] = self.by_column.data[a:b]
        return z

    def columns(self, index: Index, scales: Array) -> Any:
        """The scaled columns as a CSC array."""
        from scipy.sparse import csc_array

        starts, ends = self._starts[index], self._starts[np.asarray(index) + 1]
        counts = ends - starts
        indptr = np.concatenate([[0], np.cumsum(counts)])
        places = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], counts)
        data = self.by_column.data[places] * np.repeat(scales.astype(self.dtype, copy=False), counts)
        return csc_array((data, self.by_column.indices[places], indptr), shape=(self.n, len(index)))

    def combine(self, index: Index, c: Array) -> Array:
        if 4 * len(index) > self.domain[0]:
            w = np.zeros(self.domain[0], dtype=self.dtype)
            np.add.at(w, index, c.astype(self.dtype, copy=False))
            return self.matvec(w)
        return np.asarray(self.columns(index, np.ones(len(index))) @ c.astype(self.dtype, copy=False))

    def rows(self, index: Index) -> SparseDesign:
        if self.by_row is None:
            self.by_row = self.by_column.tocsr()
        return SparseDesign(self.by_row[index])

    def gram(self, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        """Zᵀ diag(weights) Z2 for images Z, Z2 made by `columns`."""
        right = Z if Z2 is None else Z2
        if weights is not None:
            right = right.copy()
            right.data *= weights[right.indices]
        return np.asarray((Z.T @ right).toarray())

    def energies(self, weights: Array | float) -> Array:
        """Σᵢ weightsᵢ X²ᵢⱼ for every column j."""
        square = self.by_column.copy()
        square.data = square.data.astype(np.float64) ** 2
        return np.asarray(square.T @ np.broadcast_to(np.asarray(weights, dtype=np.float64), self.n))

    def extremes(self) -> tuple[Array, Array]:
        """The least and the largest entry of every row, zeros included."""
        low, high = self.by_column.min(axis=1), self.by_column.max(axis=1)
        return np.asarray(low.toarray()).ravel(), np.asarray(high.toarray()).ravel()

    def absolute(self) -> Any:
        return abs(self.by_column)

    def precise(self) -> SparseDesign:
        return self if self.dtype == np.float64 else SparseDesign(self.by_column.astype(np.float64))
