"""Quadratics ½⟨W, HW⟩ − ⟨B, W⟩ of matrices that are written out, and the systems (H + ρ)W = R that splitting solves.

Of responses to the same data, HW = KW with a small matrix K. Of entries that are observed, H multiplies each by its weight.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple, Protocol

import numpy as np

from greedyhull.kernels import products
from greedyhull.types import Array

Product = Callable[[Array, "Array | None"], Array]

SHIFT = 0.5  # times the mean of the eigenvalues of K: the ρ with which steps are few
SEVERAL = 8  # systems that are solved with a factorisation; where there are more, (K + ρ)⁻¹ is made
WIDE = 16  # columns at least for that: fewer take no longer with the factorisation


class Form(NamedTuple):
    """A quadratic in units in which ρ and the radius are 1: B, H(A Vᵀ), or HA if V is None, and the W with (H + 1)W = R."""

    B: Array
    product: Product
    solve: Callable[[Array], Array]


class Lasting(NamedTuple):
    """The form for many steps, of QᵀW in the place of W; Q is orthogonal, or None for the identity."""

    form: Form
    Q: Array | None


class MatrixEquations(Protocol):
    """A quadratic. ``unit`` is ρ, of the size of the eigenvalues of H, or 0 where that is not positive and finite.

    ``basis``, if there is one, has orthonormal columns: f(basis·W) is the quadratic of W. `single` is the same in float32.
    """

    basis: Array | None

    @property
    def unit(self) -> float: ...
    @property
    def single(self) -> MatrixEquations: ...
    def form(self, radius: float) -> Form: ...
    def lasting(self, radius: float) -> Lasting: ...


class NormalEquations:
    """HW = KW, K semidefinite. ``make`` computes K in a precision when it is needed: in float32 that takes half the time.

    >>> normal = NormalEquations(lambda dtype: np.diag([1.0, 3.0]).astype(dtype), np.ones((2, 1)))
    >>> normal.unit, normal.form(1.0).solve(np.array([[3.0], [5.0]])).ravel()
    (1.0, array([1.5 , 1.25]))
    """

    def __init__(self, make: Callable[[Any], Array], B: Array, basis: Array | None = None) -> None:
        self._make, self.B, self.basis = make, B, basis

    @cached_property
    def K(self) -> Array:
        with np.errstate(all="ignore"):
            return self._make(self.B.dtype)

    @cached_property
    def unit(self) -> float:
        with np.errstate(all="ignore"):
            rho = SHIFT * float(np.trace(self.K, dtype=np.float64)) / len(self.K)
        return rho if sound(rho, self.K, self.B) else 0.0

    @cached_property
    def single(self) -> NormalEquations:
        with np.errstate(all="ignore"):
            return NormalEquations(self._make, self.B.astype(np.float32), self.basis)

    def form(self, radius: float) -> Form:
        """With one factorisation of K + ρI, then with its inverse, if many systems are solved."""
        K, rho, solved = self.K, self.B.dtype.type(self.unit), count()

        def solve(R: Array) -> Array:
            many = next(solved) >= SEVERAL and R.shape[1] >= WIDE
            return np.asarray(rho * (products.product(self._inverse, R) if many else self._substituted(R)))

        def product(A: Array, V: Array | None) -> Array:
            KA: Array = products.product(K, A) / rho
            return KA if V is None else KA @ V.T

        return Form(shared(self.B, self.unit, radius), product, solve)

    @cached_property
    def _factor(self) -> Array:
        """The Cholesky factor of K + ρI, in the lower triangle."""
        from greedyhull.kernels.lapack import dpotrf, spotrf

        shifted = self.K.copy()
        shifted[np.diag_indices_from(shifted)] += self.unit
        factor, _ = (spotrf if self.B.dtype == np.float32 else dpotrf)(shifted.T, lower=1, clean=0, overwrite_a=1)
        return np.asarray(factor)

    def _substituted(self, R: Array) -> Array:
        from greedyhull.kernels.lapack import dpotrs, spotrs

        return np.asarray((spotrs if self.B.dtype == np.float32 else dpotrs)(self._factor, R, lower=1)[0])

    @cached_property
    def _inverse(self) -> Array:
        from greedyhull.kernels.lapack import dpotri, spotri

        half, _ = (spotri if self.B.dtype == np.float32 else dpotri)(self._factor, lower=1)
        lower = np.tril(half)
        return np.asarray(lower + np.tril(lower, -1).T)

    @cached_property
    def _diagonal(self) -> tuple[Array, Array]:
        values, Q = np.linalg.eigh(self.K)
        return np.maximum(values, 0.0), Q

    def lasting(self, radius: float) -> Lasting:
        """In the basis of the eigenvectors of K, where H divides and multiplies rows."""
        values, Q = self._diagonal
        column = (values / self.unit)[:, None]

        def product(A: Array, V: Array | None) -> Array:
            return column * A if V is None else (column * A) @ V.T

        return Lasting(Form(Q.T @ shared(self.B, self.unit, radius), product, lambda R: R / (column + 1.0)), Q)


class EntryEquations:
    """HW = H ∘ W, H ≥ 0. ``make`` computes H and B in a precision when they are needed.

    >>> entries = EntryEquations(lambda dtype: (np.array([[1.0, 3.0]], dtype), np.array([[1.0, 1.0]], dtype)))
    >>> entries.unit, entries.form(1.0).solve(np.array([[3.0, 5.0]]))
    (2.0, array([[2., 2.]]))
    """

    basis: Array | None = None

    def __init__(self, make: Callable[[Any], tuple[Array, Array]], dtype: Any = np.float64) -> None:
        self._make, self._dtype = make, np.dtype(dtype)

    @cached_property
    def _arrays(self) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            return self._make(self._dtype)

    @cached_property
    def unit(self) -> float:
        H, B = self._arrays
        with np.errstate(all="ignore"):
            mean = float(H.mean(dtype=np.float64))
        return mean if sound(mean, H, B) else 0.0

    @cached_property
    def single(self) -> EntryEquations:
        return EntryEquations(self._make, np.float32)

    def form(self, radius: float) -> Form:
        """With one division an entry."""
        H, B = self._arrays
        each = H / H.dtype.type(self.unit)
        share = 1.0 / (each + H.dtype.type(1.0))

        def product(A: Array, V: Array | None) -> Array:
            return np.asarray(each * (A if V is None else A @ V.T))

        return Form(shared(B, self.unit, radius), product, lambda R: share * R)

    def lasting(self, radius: float) -> Lasting:
        """As it is."""
        return Lasting(self.form(radius), None)


def shared(B: Array, unit: float, radius: float) -> Array:
    """B in units in which ρ and the radius are 1."""
    return np.asarray(B / B.dtype.type(unit) / B.dtype.type(radius))


def sound(mean: float, *arrays: Array) -> bool:
    """Whether a unit is positive and all else finite."""
    return 0.0 < mean < np.inf and all(bool(np.isfinite(part).all()) for part in arrays)
