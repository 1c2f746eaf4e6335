"""Several responses to the same data: A(W) = XW for matrices W, as a vector row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.kernels.products import product
from greedyhull.objectives.designs.base import DesignBase
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.sparse import SparseDesign
from greedyhull.objectives.designs.task_columns import TaskColumns
from greedyhull.types import Array, Design, Index
from greedyhull.types.override import override


class Tasks(DesignBase):
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

    @override
    def matvec(self, w: Array) -> Array:
        return np.ascontiguousarray(self.X.matvec(w)).ravel()

    @override
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
        return TaskColumns(self.X, self.c, index, scales)

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
        Z, right = (A.toarray() if isinstance(A, TaskColumns) else A for A in (Z, right))
        return np.asarray(Z.T.dot(right if weights is None else right * weights[:, None]))

    @override
    def precise(self) -> Tasks:
        if self.dtype == np.float64:
            return self
        exact = DenseDesign(self.X.X.astype(np.float64)) if isinstance(self.X, DenseDesign) else self.X.precise()
        return Tasks(exact, self.c)
