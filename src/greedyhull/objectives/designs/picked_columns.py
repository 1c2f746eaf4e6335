"""Images with one number each: those of matrices with a single entry, some of whose entries are observed."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.types import Array, Index


class PickedColumns:
    """Z = the columns scales_k e_at(k) of n rows; at(k) = n is a column of zeros.

    It answers what a matrix would: ``Z @ c``, ``Z.T @ r``, ``Z[:, which]``, ``Z.toarray()``.

    >>> Z = PickedColumns(3, np.array([2, 3, 2]), np.array([5.0, 0.0, 1.0]))
    >>> Z.toarray()
    array([[0., 0., 0.],
           [0., 0., 0.],
           [5., 0., 1.]])
    >>> Z @ np.ones(3), Z.T @ np.array([1.0, 2.0, 3.0])
    (array([0., 0., 6.]), array([15.,  0.,  3.]))
    """

    def __init__(self, n: int, at: Index, scales: Array) -> None:
        self.at, self.scales, self.shape, self.dtype = at, scales, (n, len(at)), scales.dtype

    def __matmul__(self, c: Array) -> Array:
        n = self.shape[0]
        return np.bincount(self.at, self.scales * c, n + 1)[:n].astype(self.dtype)

    @property
    def T(self) -> _Transposed:
        return _Transposed(self)

    def __getitem__(self, which: tuple[slice, Index]) -> PickedColumns:
        return PickedColumns(self.shape[0], self.at[which[1]], self.scales[which[1]])

    def beside(self, more: PickedColumns) -> PickedColumns:
        """These columns, then those of ``more``."""
        return PickedColumns(self.shape[0], np.concatenate([self.at, more.at]), np.concatenate([self.scales, more.scales]))

    def met(self, other: PickedColumns, weights: Array | None) -> Array:
        """Zᵀ diag(weights) other."""
        left = self.scales if weights is None else self.scales * np.append(weights, 0.0)[self.at]
        return np.where(self.at[:, None] == other.at, left[:, None] * other.scales, 0.0)

    def astype(self, dtype: Any, copy: bool = True) -> Array:
        """The columns written out."""
        return self.toarray().astype(dtype, copy=False)

    def toarray(self) -> Array:
        Z = np.zeros((self.shape[0] + 1, self.shape[1]), dtype=self.dtype)
        Z[self.at, np.arange(self.shape[1])] = self.scales
        return Z[:-1]


class _Transposed:
    def __init__(self, Z: PickedColumns) -> None:
        self.Z = Z

    def __matmul__(self, r: Array) -> Array:
        return np.asarray(self.Z.scales * np.append(r, r.dtype.type(0.0))[self.Z.at])
