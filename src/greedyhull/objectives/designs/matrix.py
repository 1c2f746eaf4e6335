"""Designs whose points are matrices: observed entries, several responses."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import Any, cast

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.kernels._core import observed_entries
from greedyhull.kernels.data_passes import product
from greedyhull.objectives.designs.stored import DenseDesign, Design, ScaledColumns, SparseDesign, weighted_gram
from greedyhull.points.arrays import dense
from greedyhull.points.factors import gathered
from greedyhull.types import Array, Index, Shape


class PickedColumns(ScaledColumns):
    """Columns with one entry each, scales_k at row index_k; those with index n are zero."""

    def __matmul__(self, c: Array) -> Array:
        n = self.shape[0]
        return np.bincount(self.index, self.scales * c, n + 1)[:n].astype(self.dtype)

    def scores(self, r: Array) -> Array:
        return np.asarray(self.scales * np.append(r, r.dtype.type(0.0))[self.index])

    def met(self, other: PickedColumns, weights: Array | None) -> Array:
        """Zᵀ diag(weights) other."""
        left = self.scales if weights is None else self.scales * np.append(weights, 0.0)[self.index]
        return np.where(self.index[:, None] == other.index, left[:, None] * other.scales, 0.0)

    def toarray(self) -> Array:
        Z = np.zeros((self.shape[0] + 1, self.shape[1]), dtype=self.dtype)
        Z[self.index, np.arange(self.shape[1])] = self.scales
        return Z[:-1]


class TaskColumns(ScaledColumns):
    """The images of scalesₖ e_j e_tᵀ, j and t the feature and the response of column k: column j of X in the places of t."""

    def __init__(self, design: Tasks, index: Index, scales: Array) -> None:
        super().__init__(design, index, np.asarray(scales, dtype=np.float64))
        self.X, self.c = design.X, design.c
        self.feature, self.response = np.divmod(self.index, self.c)
        self._sorted: dict[np.dtype[Any], tuple[Index, Index, Array]] = {}

    def __matmul__(self, c: Array) -> Array:
        w = np.bincount(self.index, self.scales * c, self.X.domain[0] * self.c).reshape(-1, self.c)
        return np.ascontiguousarray(self.X.matvec(w)).ravel()

    def scores(self, r: Array) -> Array:
        G = self.X.adjoint(r.reshape(self.X.n, self.c))
        return np.asarray(G[self.feature, self.response] * self.scales)

    def met(self, other: TaskColumns, weights: Array | None) -> Array:
        """Zᵀ diag(weights) other: only columns of one response meet."""
        if weights is None:
            return self._alike(other)
        out, by_response = np.zeros((self.shape[1], other.shape[1])), weights.reshape(self.X.n, self.c)
        for t in np.intersect1d(self.response, other.response):
            mine, theirs = np.flatnonzero(self.response == t), np.flatnonzero(other.response == t)
            Z, Z2 = self.picked(mine), None if self is other else other.picked(theirs)
            out[np.ix_(mine, theirs)] = self.X.gram(Z, Z2, np.ascontiguousarray(by_response[:, t], dtype=np.float64))
        return out

    def _alike(self, other: TaskColumns) -> Array:
        """Zᵀ other, from one product of columns of X for all responses."""
        j, which = np.unique(np.concatenate([self.feature, other.feature]), return_inverse=True)
        G = np.asarray(self.X.gram(self.X.columns(j, np.ones(len(j)))), dtype=np.float64)
        mine, theirs = np.split(which.ravel(), [len(self.index)])
        same = self.response[:, None] == other.response
        return np.where(same, G[np.ix_(mine, theirs)] * (self.scales[:, None] * other.scales), 0.0)

    def picked(self, which: Index) -> Any:
        """The columns of X behind some of these, scaled."""
        return self.X.columns(self.feature[which], self.scales[which])

    def by_response(self, dtype: Any = np.float64) -> tuple[Index, Index, Array]:
        """An order in which responses do not fall, the way back from it, and the columns of X in this order, scaled and
        written out as rows of this precision; made once."""
        kind = np.dtype(dtype)
        if kind not in self._sorted:
            order = np.argsort(self.response, kind="stable")
            features, which = np.unique(self.feature[order], return_inverse=True)  # most serve several responses
            columns = dense(self.X.columns(features, np.ones(len(features))))
            rows = np.ascontiguousarray(columns.T, dtype=kind)[which.ravel()]
            rows *= self.scales[order, None].astype(kind)
            self._sorted[kind] = (order, np.argsort(order), rows)
        return self._sorted[kind]

    def toarray(self) -> Array:
        Z = np.zeros((len(self.index), self.X.n, self.c), dtype=self.dtype)
        for k, (j, t) in enumerate(zip(self.feature.tolist(), self.response.tolist(), strict=True)):
            Z[k, :, t] = self.scales[k] * self.X.column(j)
        return Z.reshape(len(self.index), -1).T


class Observed(Design):
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
        # columns whose numbers fit the pass over the places
        self._columns = structure.indices.astype(np.uint32) if self.domain[1] <= (2**32) else None

    def __repr__(self) -> str:
        return f"Observed({self.n} entries of {self.domain[0]}x{self.domain[1]}, {self.dtype})"

    @cached_property
    def _places(self) -> Index:
        """The places as given, numbered row by row."""
        return self.i * self.domain[1] + self.j

    def empty(self) -> tuple[int, int]:
        """How many rows, and how many columns, have no entry."""
        m, n = self.domain
        return m - int(np.count_nonzero(np.diff(self._indptr))), n - len(np.unique(self._indices))

    def matvec(self, w: Array) -> Array:
        return np.asarray(np.ravel(w).take(self._places), dtype=self.dtype)

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
        places = self._places if self._order is None else self._places[self._order]
        at = np.minimum(np.searchsorted(places, index), self.n - 1)
        which = at if self._order is None else self._order[at]
        return np.where(places[at] == index, which, self.n)

    def column(self, j: int) -> Array:
        return self.combine(np.array([j]), np.ones(1))

    def columns(self, index: Index, scales: Array) -> PickedColumns:
        """The scaled columns, a number each."""
        at = self._located(np.asarray(index))
        return PickedColumns(self, at, np.where(at < self.n, scales, 0.0).astype(self.dtype))

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
        return weighted_gram(Z, right, weights)

    def factored(self, r: Array, U: Array, V: Array) -> Array:
        """uₖᵀ(Aᵀr)vₖ."""
        G: Any = self.adjoint(r)
        return np.asarray(np.einsum("mk,mk->k", U, np.asarray(G @ V), dtype=np.float64))

    def single(self) -> Observed:
        """The same places in float32."""
        other = copy(self)
        other.dtype = np.dtype(np.float32)
        return other

    def precise(self) -> Observed:
        return self if self.dtype == np.float64 else Observed(self.i, self.j, self.domain)


class Tasks(Design):
    """A(W) = XW for W of shape (d, c): image i·c + k is that of row i and response k.

    >>> A = Tasks(DenseDesign(np.array([[1.0, 2.0]])), 3)
    >>> A.matvec(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]))
    array([1., 2., 3.])
    """

    takes_factors = True

    def __init__(self, X: Design, c: int) -> None:
        if not isinstance(X, (DenseDesign, SparseDesign)):
            raise GreedyhullError(f"X is {X!r}; with several responses a dense or sparse matrix is wanted.")
        self.X, self.c = X, c
        self.domain, self.n, self.dtype = (X.domain[0], c), X.n * c, X.dtype
        self.frobenius = X.frobenius * c**0.5

    def __repr__(self) -> str:
        return f"Tasks({self.X!r}, {self.c})"

    def _rows(self, r: Array) -> Array:
        return r.reshape(self.X.n, self.c)

    def matvec(self, w: Array) -> Array:
        return np.ascontiguousarray(self.X.matvec(w)).ravel()

    def adjoint(self, r: Array) -> Array:
        rows, X = self._rows(r), self.X
        if isinstance(X, DenseDesign) and X.X.flags.c_contiguous:  # RᵀX takes little more than half the time of XᵀR
            return np.ascontiguousarray(product(rows.T, X.X).T)
        return X.adjoint(rows)

    def bilinear(self, U: Array, V: Array, c: Array) -> Array:
        """X(U diag(c))Vᵀ."""
        if not c.any():  # most runs begin at zero
            return np.zeros(self.n, dtype=self.dtype)
        return np.asarray(self.X.matvec(U * c) @ V.T.astype(self.dtype, copy=False)).ravel()

    def factored(self, r: Array, U: Array, V: Array) -> Array:
        """⟨XU, RV⟩ for every pair of columns."""
        return np.asarray(np.einsum("nk,nk->k", self.X.matvec(U), self._rows(r) @ V, dtype=np.float64))

    def column(self, j: int) -> Array:
        z = np.zeros((self.X.n, self.c), dtype=self.dtype)
        z[:, j % self.c] = self.X.column(j // self.c)
        return z.ravel()

    def columns(self, index: Index, scales: Array) -> TaskColumns:
        """The scaled columns, by reference."""
        return TaskColumns(self, index, scales)

    def combine(self, index: Index, c: Array) -> Array:
        features, which = np.unique(np.asarray(index) // self.c, return_inverse=True)
        if isinstance(self.X, DenseDesign) and 2 * len(features) < self.X.domain[0]:  # few columns of X are as good as all
            w = np.bincount(which.ravel() * self.c + index % self.c, c, len(features) * self.c).reshape(-1, self.c)
            return np.asarray(self.X.X[:, features] @ w.astype(self.dtype, copy=False)).ravel()
        return self.matvec(np.bincount(index, c, self.domain[0] * self.c).reshape(self.domain))

    def energies(self, weights: Array | float) -> Array:
        """Σᵢ weightsᵢₖ X²ᵢⱼ for every feature j and response k."""
        if np.ndim(weights) == 0:
            return np.repeat(self.X.energies(weights), self.c)
        columns = self._rows(np.asarray(weights)).T
        return np.stack([self.X.energies(np.ascontiguousarray(w)) for w in columns]).T.ravel()

    def gram(self, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        right = Z if Z2 is None else Z2
        if isinstance(Z, TaskColumns) and isinstance(right, TaskColumns):
            return Z.met(right, weights)
        return weighted_gram(Z, right, weights)

    def precise(self) -> Tasks:
        if self.dtype == np.float64:
            return self
        exact = DenseDesign(self.X.X.astype(np.float64)) if isinstance(self.X, DenseDesign) else self.X.precise()
        return Tasks(exact, self.c)
