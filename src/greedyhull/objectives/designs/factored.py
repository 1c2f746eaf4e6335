"""Q = FᵀF + diag(D), by its factors: a product costs two passes over F, and no d×d matrix is ever made."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.objectives.designs.base import DesignBase
from greedyhull.points.arrays import dense
from greedyhull.points.columns import columns as columns_of
from greedyhull.points.columns import combine as combined
from greedyhull.points.columns import energies as energies_of
from greedyhull.points.columns import gram as gram_of
from greedyhull.types import Array, Design, Index

CHUNK = 256  # columns of Q that are written out at once


class FactoredDesign(DesignBase):
    """A = FᵀF + diag(D), for a design F with k rows and a vector D of numbers of at least 0."""

    has_columns = True

    def __init__(self, F: Design, D: Array) -> None:
        self.F, self.D, self.domain, self.n, self.dtype = F, D, F.domain, len(D), np.dtype(np.float64)

    def __repr__(self) -> str:
        return f"FactoredDesign({self.n}x{self.n}, {self.F.n} factors)"

    def matvec(self, w: Array) -> Array:
        return np.asarray(self.F.adjoint(self.F.matvec(w)) + self.D * w)

    def adjoint(self, r: Array) -> Array:
        return self.matvec(r)

    def column(self, j: int) -> Array:
        return self.combine(np.array([j]), np.ones(1))

    def columns(self, index: Index, scales: Array) -> FactoredColumns:
        """The scaled columns, by their factors."""
        return FactoredColumns(self, np.asarray(index), np.asarray(scales, dtype=np.float64))

    def combine(self, index: Index, c: Array) -> Array:
        z = np.asarray(self.F.adjoint(combined(self.F, index, c)))
        np.add.at(z, index, self.D[index] * c)
        return z

    def diagonal(self) -> Array:
        """The diagonal of Q."""
        return np.asarray(energies_of(self.F, 1.0)) + self.D

    def energies(self, weights: Array | float) -> Array:
        """Σᵢ weightsᵢ Q²ᵢⱼ for every column j, some columns at a time."""
        out, w = np.empty(self.n), np.broadcast_to(np.asarray(weights, dtype=np.float64), self.n)
        for first in range(0, self.n, CHUNK):
            index = np.arange(first, min(first + CHUNK, self.n))
            out[index] = w @ self.columns(index, np.ones(len(index))).toarray() ** 2
        return out

    def gram(self, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        """Zᵀ diag(weights) Z2 for images."""
        right = dense(Z if Z2 is None else Z2)
        return np.asarray(dense(Z).T.dot(right if weights is None else right * weights[:, None]))

    def block(self, rows: Index, columns: Index) -> Array:
        """Q at these rows and columns."""
        left = columns_of(self.F, rows, np.ones(len(rows)))
        same = rows is columns
        right = left if same else columns_of(self.F, columns, np.ones(len(columns)))
        found = gram_of(self.F, left, None if same else right)
        if same:
            found.flat[:: len(rows) + 1] += self.D[rows]
            return found
        i, j = (rows[:, None] == columns).nonzero()
        found[i, j] += self.D[rows[i]]
        return found


class FactoredColumns:
    """Some columns of Q, scaled, by their numbers: Z = Q[:, index] diag(scales). It answers what a matrix would."""

    def __init__(self, design: FactoredDesign, index: Index, scales: Array) -> None:
        self.design, self.index, self.scales = design, index, scales
        self.shape, self.dtype = (design.n, len(index)), design.dtype

    def __matmul__(self, c: Array) -> Array:
        return self.design.combine(self.index, self.scales * c)

    def __getitem__(self, which: tuple[slice, Index]) -> FactoredColumns:
        return FactoredColumns(self.design, self.index[which[1]], self.scales[which[1]])

    @property
    def T(self) -> Any:
        return self.toarray().T

    def beside(self, more: FactoredColumns) -> FactoredColumns:
        """These columns, then those of ``more``."""
        return FactoredColumns(self.design, np.concatenate([self.index, more.index]),
                               np.concatenate([self.scales, more.scales]))

    def toarray(self) -> Array:
        images = dense(columns_of(self.design.F, self.index, self.scales))
        out = np.stack([np.asarray(self.design.F.adjoint(z)) for z in images.T], axis=1) if len(self.index) else np.zeros(
            self.shape)
        np.add.at(out, (self.index, np.arange(len(self.index))), self.design.D[self.index] * self.scales)
        return out
