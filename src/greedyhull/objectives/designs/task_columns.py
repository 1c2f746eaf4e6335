"""Images of matrices with a single entry under X: a column of X, for one of several responses."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.points.arrays import dense
from greedyhull.types import Array, Columns, Index


class TaskColumns:
    """Z = the images of scalesₖ e_j e_tᵀ, j and t the feature and the response of column k: column j of X in the places of t.

    No image is written out. It answers what a matrix would: ``Z @ c``, ``Z.T @ r``, ``Z[:, which]``, ``Z.toarray()``.
    """

    def __init__(self, X: Columns, responses: int, index: Index, scales: Array) -> None:
        self.X, self.c = X, responses
        self.index, self.scales = np.asarray(index), np.asarray(scales, dtype=np.float64)
        self.feature, self.response = np.divmod(self.index, responses)
        self.shape, self.dtype = (X.n * responses, len(self.index)), X.dtype
        self._sorted: dict[np.dtype[Any], tuple[Index, Index, Array]] = {}

    def __matmul__(self, c: Array) -> Array:
        w = np.bincount(self.index, self.scales * c, self.X.domain[0] * self.c).reshape(-1, self.c)
        return np.ascontiguousarray(self.X.matvec(w)).ravel()

    @property
    def T(self) -> _Transposed:
        return _Transposed(self)

    def __getitem__(self, which: tuple[slice, Index]) -> TaskColumns:
        return TaskColumns(self.X, self.c, self.index[which[1]], self.scales[which[1]])

    def beside(self, more: TaskColumns) -> TaskColumns:
        """These columns, then those of ``more``."""
        index, scales = np.concatenate([self.index, more.index]), np.concatenate([self.scales, more.scales])
        return TaskColumns(self.X, self.c, index, scales)

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

    def astype(self, dtype: Any, copy: bool = True) -> Array:
        """The columns written out."""
        return self.toarray().astype(dtype, copy=False)

    def toarray(self) -> Array:
        Z = np.zeros((len(self.index), self.X.n, self.c), dtype=self.dtype)
        for k, (j, t) in enumerate(zip(self.feature.tolist(), self.response.tolist(), strict=True)):
            Z[k, :, t] = self.scales[k] * self.X.column(j)
        return Z.reshape(len(self.index), -1).T


class _Transposed:
    def __init__(self, Z: TaskColumns) -> None:
        self.Z = Z

    def __matmul__(self, r: Array) -> Array:
        G = self.Z.X.adjoint(r.reshape(self.Z.X.n, self.Z.c))
        return np.asarray(G[self.Z.feature, self.Z.response] * self.Z.scales)
