"""Sparse data, CSC or CSR. Greedy methods ask for columns, so a CSC copy is made once where CSR was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.kernels.sparse_columns import add_columns, dot_columns, gram_columns, gram_rows
from greedyhull.points.arrays import dense
from greedyhull.points.given import norm
from greedyhull.types import Array, Columns, Index, Shape
from greedyhull.types.override import KeepsColumns, KeepsStoredDesign, keeps, override


class SparseDesign(KeepsColumns, KeepsStoredDesign):
    """A = X, a sparse matrix as `compressed` makes it; CSC is kept, CSR is kept and mirrored once in CSC."""

    domain: Shape
    n: int
    dtype: np.dtype[Any]
    frobenius: float

    stored, has_columns, takes_factors = True, True, False

    if TYPE_CHECKING:
        keeps(Columns.domain, Columns.n, Columns.dtype, Columns.stored, Columns.has_columns, Columns.takes_factors,
              Columns.frobenius)

    def __init__(self, X: Any) -> None:
        from scipy.sparse import csc_array, csr_array

        self._by_row: Any = csr_array(X) if X.format == "csr" else None
        self.by_column = csc_array(X)
        if not self.by_column.has_canonical_format:
            self.by_column = self.by_column.copy() if X.format == "csc" else self.by_column
            self.by_column.sum_duplicates()
            self._by_row = None
        data = self.by_column.data
        self.frobenius = norm(data)
        n, d = X.shape
        self.n, self.domain, self.dtype = int(n), (int(d),), data.dtype
        self._transposed = self.by_column.T  # CSR of Xᵀ: its products gather, which is faster than scattering
        self.columns_of = unsigned(self.by_column)
        self._rows_of: tuple[Any, Any, Any] | None = None

    @property
    def rows_of(self) -> tuple[Any, Any, Any]:
        """The arrays of the CSR form, each row's columns ascending."""
        if self._rows_of is None:
            if not self.by_row.has_sorted_indices:
                self._by_row = self.by_column.tocsr()
            self._rows_of = unsigned(self.by_row)
        return self._rows_of

    @property
    def by_row(self) -> Any:
        """The CSR form."""
        if self._by_row is None:
            self._by_row = self.by_column.tocsr()
        return self._by_row

    def __repr__(self) -> str:
        return f"SparseDesign({self.n}x{self.domain[0]}, {self.by_column.nnz} entries, {self.dtype})"

    @override
    def matvec(self, w: Array) -> Array:
        X = self.by_column if self._by_row is None else self._by_row
        return np.asarray(X @ w.astype(self.dtype, copy=False))

    @override
    def adjoint(self, r: Array) -> Array:
        return np.asarray(self._transposed @ r)

    @override
    def column(self, j: int) -> Array:
        z = np.zeros(self.n, dtype=self.dtype)
        starts, places, entries = self.columns_of
        a, b = int(starts[j]), int(starts[j + 1])
        z[places[a:b]] = entries[a:b]
        return z

    @override
    def columns(self, index: Index, scales: Array) -> SparseColumns:
        """The scaled columns, by reference."""
        return SparseColumns(self, index, scales.astype(self.dtype, copy=False))

    @override
    def combine(self, index: Index, c: Array) -> Array:
        z = np.zeros(self.n, dtype=self.dtype)
        add_columns(*self.columns_of, np.asarray(index, dtype=np.int64), np.ascontiguousarray(c, dtype=self.dtype), z)
        return z

    @override
    def take_rows(self, index: Index) -> Any:
        """Some rows as they are, for a minibatch."""
        return self.by_row[index]

    @override
    def rows(self, index: Index) -> SparseDesign:
        return SparseDesign(self.by_row[index])

    @override
    def gram(self, Z: SparseColumns | Array, Z2: SparseColumns | Array | None = None, weights: Array | None = None) -> Array:
        """Zᵀ diag(weights) Z2 for images Z, Z2 made by `columns` (or dense ones)."""
        if not isinstance(Z, SparseColumns) or not (Z2 is None or isinstance(Z2, SparseColumns)):
            right = _dense(Z if Z2 is None else Z2)
            return np.asarray(_dense(Z).T.dot(right if weights is None else right * weights[:, None]))
        both = Z if Z2 is None else Z.beside(Z2)
        weights = np.ones(self.n) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        different, which = both.numbered()
        m = len(different)
        half = np.zeros((m, m))
        entries = int((self.columns_of[0][different + 1] - self.columns_of[0][different]).sum())
        if m * entries < self.by_column.nnz:  # few columns: meeting each other costs less than looking at every row
            gram_columns(*self.columns_of, weights, different, half)
        else:
            number = np.full(self.domain[0], -1, dtype=np.int64)
            number[different] = np.arange(m)
            gram_rows(*self.rows_of, weights, number, half)
        base = half + np.tril(half, -1).T
        m = Z.shape[1]
        across, scales = (which, Z.scales) if Z2 is None else (which[m:], Z2.scales)
        out: Array = base[which[:m, None], across] * (Z.scales[:, None] * scales)
        return out

    @override
    def energies(self, weights: Array | float) -> Array:
        """Σᵢ weightsᵢ X²ᵢⱼ for every column j."""
        square = self.by_column.copy()
        square.data = square.data.astype(np.float64) ** 2
        return np.asarray(square.T @ np.broadcast_to(np.asarray(weights, dtype=np.float64), self.n))

    @override
    def extremes(self) -> tuple[Array, Array]:
        """The least and the largest entry of every row, zeros included."""
        low, high = self.by_column.min(axis=1), self.by_column.max(axis=1)
        return np.asarray(low.toarray()).ravel(), np.asarray(high.toarray()).ravel()

    @override
    def precise(self) -> SparseDesign:
        return self if self.dtype == np.float64 else SparseDesign(self.by_column.astype(np.float64))


class SparseColumns:
    """Some columns of a sparse design, scaled: Z = X[:, index] diag(scales), never copied.

    It answers what a matrix would: ``Z @ c``, ``Z.T @ r``, ``Z[:, which]``, ``Z.toarray()``, ``Z.tocsc()``.
    """

    def __init__(self, design: SparseDesign, index: Index, scales: Array) -> None:
        self.design, self.index, self.scales = design, np.asarray(index), scales
        self.shape, self.dtype = (design.n, len(self.index)), design.dtype
        self._numbered: tuple[Index, Index] | None = None

    def __matmul__(self, c: Array) -> Array:
        return self.design.combine(self.index, self.scales * c)

    @property
    def T(self) -> _Transposed:
        return _Transposed(self)

    def __getitem__(self, which: tuple[slice, Index]) -> SparseColumns:
        return SparseColumns(self.design, self.index[which[1]], self.scales[which[1]])

    def beside(self, more: SparseColumns) -> SparseColumns:
        """These columns, then those of ``more``."""
        return SparseColumns(self.design, np.concatenate([self.index, more.index]), np.concatenate([self.scales, more.scales]))

    def numbered(self) -> tuple[Index, Index]:
        """The different columns of X among these, ascending, and for each of these its place there."""
        if self._numbered is None:
            different, which = np.unique(self.index, return_inverse=True)
            self._numbered = (different, which)
        return self._numbered

    def toarray(self) -> Array:
        return np.asarray(self.design.by_column[:, self.index].toarray() * self.scales)

    def tocsc(self) -> Any:
        """A copy as a matrix of SciPy."""
        X = self.design.by_column[:, self.index]
        X.data = X.data * np.repeat(self.scales, np.diff(X.indptr))
        return X


class _Transposed:
    def __init__(self, Z: SparseColumns) -> None:
        self.Z = Z

    def __matmul__(self, r: Array) -> Array:
        out = np.empty(len(self.Z.index), dtype=np.float64)
        r = np.ascontiguousarray(r, dtype=self.Z.design.dtype)
        dot_columns(*self.Z.design.columns_of, np.asarray(self.Z.index, dtype=np.int64), r, out)
        return out * self.Z.scales


def unsigned(X: Any) -> tuple[Any, Any, Any]:
    """The arrays of a compressed matrix, its indices seen as unsigned."""
    kind = {4: np.uint32, 8: np.uint64}[X.indices.dtype.itemsize]
    return X.indptr.astype(np.int64, copy=False), X.indices.view(kind), X.data


def _dense(Z: Any) -> Array:
    return dense(Z)
