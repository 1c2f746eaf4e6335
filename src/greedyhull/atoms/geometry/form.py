"""A quadratic form as a set asks about it: its entries, its size on points and on corners, its largest eigenvalue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from greedyhull.theory import Constant
from greedyhull.types import Array, Index

SMALL = 2000  # the largest d for which H is made
EIGEN = 1500  # the largest size for which eigenvalues are computed


class Form(ABC):
    """A positive semidefinite H on R^d, as far as its curvature over a set needs it."""

    d: int
    rows: int  # the length of an image of a point
    cost: float  # multiplications that one entry of H costs

    @abstractmethod
    def diagonal(self) -> Array:
        """H_jj for every j."""

    @abstractmethod
    def entries(self, I: Index, J: Index) -> Array:
        """The part of H with rows I and columns J."""

    @abstractmethod
    def apply(self, x: Array) -> Array:
        """Hx."""

    @abstractmethod
    def images(self, V: Any) -> tuple[Array, Array]:
        """L and R with LRᵀ = VHVᵀ, for points in the rows of V."""

    @abstractmethod
    def signs(self, widths: Array) -> float:
        """An upper bound on (Δx)ᵀH(Δx) over signs x, for Δ = widths ≥ 0."""

    @abstractmethod
    def _top_bound(self) -> float:
        """An upper bound on λ_max(H)."""

    @cached_property
    def _matrix(self) -> Array | None:
        return self.entries(np.arange(self.d), np.arange(self.d)) if self.d <= SMALL else None

    def matrix(self) -> Array | None:
        """H itself where it is small enough, else None."""
        return self._matrix

    @cached_property
    def _top(self) -> Constant:
        square = self._squared()
        if square is None:
            return Constant(self._top_bound(), "upper bound", "λ_max")
        from greedyhull.kernels.lapack import eigvalsh

        k = len(square) - 1
        return Constant(max(float(eigvalsh(square, subset_by_index=[k, k])[0]), 0.0), "exact", "λ_max")

    def top(self) -> Constant:
        """λ_max(H): exact where a side of the problem is small enough, else from above."""
        return self._top

    def _squared(self) -> Array | None:
        """A small matrix with the same largest eigenvalue."""
        return self.matrix() if self.d <= EIGEN else None
