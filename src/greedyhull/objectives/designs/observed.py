"""Some entries of a matrix: the map behind matrix completion. Products take factors, and gradients are sparse."""

from __future__ import annotations

from copy import copy
from typing import Any, cast

import numpy as np

from greedyhull.errors import check
from greedyhull.kernels.observed import observed_entries
from greedyhull.objectives.designs.base import DesignBase
from greedyhull.objectives.designs.picked_columns import PickedColumns
from greedyhull.points.factors import gathered
from greedyhull.types import Array, Index, Shape
from greedyhull.types.override import override

WIDEST = 2**32  # columns whose numbers fit the pass over the places


class Observed(DesignBase):
    """A(W) = the entries of W at (rows, cols), as a vector in the order in which they are given.

    >>> A = Observed(np.array([0, 1]), np.array([2, 0]), (2, 3))
    >>> A.bilinear(np.array([[1.0], [2.0]]), np.array([[3.0], [4.0], [5.0]]), np.ones(1))
    array([5., 6.])
    >>> A.adjoint(np.array([7.0, 8.0])).toarray()
    array([[0., 0., 7.],
           [8., 0., 0.]])
    """

    takes_factors = True

    def __init__(self, rows: Index, cols: Index, shape: Shape, dtype: Any = np.float64) -> None:
        from scipy.sparse import csr_array

        self.i, self.j = np.asarray(rows, dtype=np.intp), np.asarray(cols, dtype=np.intp)
        self.domain, self.n, self.dtype = (int(shape[0]), int(shape[1])), len(self.i), np.dtype(dtype)
        self.frobenius = float(np.sqrt(self.n))
        structure = csr_array((np.arange(1, self.n + 1), (self.i, self.j)), shape=self.domain)  # sums where places repeat
        check(structure.nnz == self.n, lambda: f"Observed was given {self.n} places, of which {self.n - structure.nnz} stand "
              "there twice or more. Give each place once.")
        self._order: Index | None = structure.data - 1
        if np.array_equal(self._order, np.arange(self.n)):
            self._order = None  # as they come from `completion`
        self._indices, self._indptr = structure.indices, structure.indptr
        self._starts = structure.indptr.astype(np.int64)
        self._columns = structure.indices.astype(np.uint32) if self.domain[1] <= WIDEST else None
        self._places: Index | None = None  # as given, numbered row by row

    def __repr__(self) -> str:
        return f"Observed({self.n} entries of {self.domain[0]}x{self.domain[1]}, {self.dtype})"

    def _numbered(self) -> Index:
        if self._places is None:
            self._places = self.i * self.domain[1] + self.j
        return self._places

    def empty(self) -> tuple[int, int]:
        """How many rows, and how many columns, have no entry.

        >>> Observed(np.array([0, 1]), np.array([2, 0]), (3, 3)).empty()
        (1, 1)
        """
        m, n = self.domain
        return m - int(np.count_nonzero(np.diff(self._indptr))), n - len(np.unique(self._indices))

    @override
    def matvec(self, w: Array) -> Array:
        return np.asarray(np.ravel(w).take(self._numbered()), dtype=self.dtype)

    @override
    def adjoint(self, r: Array) -> Array:  # a sparse one; sets that take dense gradients are handed the array
        from scipy.sparse import csr_array

        data = np.array(r) if self._order is None else r[self._order]
        return cast(Array, csr_array((data, self._indices, self._indptr), shape=(self.domain[0], self.domain[1])))

    def bilinear(self, U: Array, V: Array, c: Array) -> Array:
        """(U diag(c) Vᵀ)[i, j], in one pass over the places."""
        if self._columns is None:
            return gathered(U, V, c, self.i, self.j).astype(self.dtype, copy=False)
        out = np.empty(self.n, dtype=self.dtype)
        left, right = (np.ascontiguousarray(part, dtype=self.dtype) for part in (U * c, V))
        observed_entries(self._starts, self._columns, left, right, out)
        if self._order is None:
            return out
        as_given = np.empty_like(out)
        as_given[self._order] = out
        return as_given

    # --- columns: the image of a matrix with a single entry has one number, or none --------------------------------

    def _located(self, index: Index) -> Index:
        """Which image each entry of W, numbered row by row, is; ``n`` for those that are not observed."""
        places = self._numbered() if self._order is None else self._numbered()[self._order]
        at = np.minimum(np.searchsorted(places, index), self.n - 1)
        which = at if self._order is None else self._order[at]
        return np.where(places[at] == index, which, self.n)

    def column(self, j: int) -> Array:
        return self.combine(np.array([j]), np.ones(1))

    def columns(self, index: Index, scales: Array) -> PickedColumns:
        """The scaled columns, a number each."""
        at = self._located(np.asarray(index))
        return PickedColumns(self.n, at, np.where(at < self.n, scales, 0.0).astype(self.dtype))

    def combine(self, index: Index, c: Array) -> Array:
        return np.bincount(self._located(np.asarray(index)), c, self.n + 1)[:-1].astype(self.dtype)

    def energies(self, weights: Array | float) -> Array:
        """The weight of each entry of W that is observed, else 0."""
        squares = np.zeros(self.domain)
        squares[self.i, self.j] = weights
        return squares.ravel()

    def gram(self, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        """Zᵀ diag(weights) Z2: columns meet where they are the same entry."""
        right = Z if Z2 is None else Z2
        if isinstance(Z, PickedColumns) and isinstance(right, PickedColumns):
            return Z.met(right, weights)
        Z, right = (X.toarray() if isinstance(X, PickedColumns) else X for X in (Z, right))
        return np.asarray(Z.T.dot(right if weights is None else right * weights[:, None]))

    def factored(self, r: Array, U: Array, V: Array) -> Array:
        """uₖᵀ(Aᵀr)vₖ."""
        G: Any = self.adjoint(r)
        return np.asarray(np.einsum("mk,mk->k", U, np.asarray(G @ V), dtype=np.float64))

    def single(self) -> Observed:
        """The same places in float32."""
        other = copy(self)
        other.dtype = np.dtype(np.float32)
        return other

    @override
    def precise(self) -> Observed:
        return self if self.dtype == np.float64 else Observed(self.i, self.j, self.domain)
