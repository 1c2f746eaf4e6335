"""The quadratic ½⟨W, KW⟩ − ⟨B, W⟩ of matrices W with few columns: K and B, and what of K is computed once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from greedyhull.types import Array

Map = Callable[[Array], Array]


class Diagonal(NamedTuple):
    """K = Q diag(values) Qᵀ."""

    values: Array
    Q: Array


class NormalEquations:
    """K, semidefinite, and B. ``basis``, if there is one, has orthonormal columns: f(basis·W) is the quadratic of W.

    ``make`` computes K in a precision. It is called when somebody asks: in float32, `single`, that takes half the time.

    >>> normal = NormalEquations(lambda dtype: np.diag([1.0, 3.0]).astype(dtype), np.ones((2, 1)))
    >>> normal.unit, normal.solve(np.array([[3.0], [5.0]])).ravel()
    (2.0, array([1., 1.]))
    """

    def __init__(self, make: Callable[[Any], Array], B: Array, basis: Array | None = None) -> None:
        self._make, self.B, self.basis = make, B, basis

    @cached_property
    def K(self) -> Array:
        with np.errstate(all="ignore"):
            return self._make(self.B.dtype)

    @cached_property
    def unit(self) -> float:
        """The mean of the eigenvalues of K, or 0 where there is none that is positive and finite."""
        with np.errstate(all="ignore"):
            mean = float(np.trace(self.K, dtype=np.float64)) / len(self.K)
        sound = 0.0 < mean < np.inf and bool(np.isfinite(self.K).all() and np.isfinite(self.B).all())
        return mean if sound else 0.0

    @cached_property
    def single(self) -> NormalEquations:
        """The same in float32."""
        with np.errstate(all="ignore"):
            return NormalEquations(self._make, self.B.astype(np.float32), self.basis)

    @cached_property
    def solve(self) -> Map:
        """R ↦ (K + unit·I)⁻¹R."""
        from scipy.linalg.lapack import dpotrf, dpotrs, spotrf, spotrs

        factorise, substitute = (spotrf, spotrs) if self.B.dtype == np.float32 else (dpotrf, dpotrs)
        shifted = self.K.copy()
        shifted[np.diag_indices_from(shifted)] += self.unit
        factor, _ = factorise(shifted.T, lower=1, clean=0, overwrite_a=1)
        return lambda R: np.asarray(substitute(factor, R, lower=1)[0])

    @cached_property
    def diagonal(self) -> Diagonal:
        """The eigenvalues and eigenvectors of K."""
        values, Q = np.linalg.eigh(self.K)
        return Diagonal(np.maximum(values, 0.0), Q)
