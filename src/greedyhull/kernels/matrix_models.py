"""Quadratic models ½⟨D, HD⟩ + ⟨g, D⟩ of a function of small matrices, with its whole Hessian H at some point, W = x + D."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.kernels.matrix_quadratics import Form, Lasting, shared, sound
from greedyhull.types import Array


class LocalModel:
    """The Hessian at a point, of matrices that are written out column by column. ``make`` computes it in a precision when it
    is needed; it serves at other points near by as well.

    >>> model = LocalModel(lambda dtype: np.diag([1.0, 3.0]).astype(dtype))
    >>> near = model.at(np.zeros((2, 1)), np.array([[-1.0], [-1.0]]))
    >>> near.unit, near.form(1.0).solve(np.array([[3.0], [5.0]])).ravel()
    (2.0, array([2., 2.]))
    """

    def __init__(self, make: Callable[[Any], Array]) -> None:
        self._make = make
        self._known: dict[Any, Array] = {}
        self._factors: dict[Any, Array] = {}

    def hessian(self, dtype: Any) -> Array:
        """H."""
        if dtype not in self._known:
            with np.errstate(all="ignore"):
                self._known[dtype] = self._make(dtype)
        return self._known[dtype]

    def unit(self, dtype: Any) -> float:
        """The mean of the eigenvalues of H, or 0 where that is not positive and finite."""
        H = self.hessian(dtype)
        with np.errstate(all="ignore"):
            mean = float(np.trace(H, dtype=np.float64)) / len(H)
        return mean if sound(mean, H) else 0.0

    def factor(self, dtype: Any, rho: float) -> Array:
        """The Cholesky factor of H + ρI, in the lower triangle."""
        from greedyhull.kernels.lapack import dpotrf, spotrf

        if (dtype, rho) not in self._factors:
            shifted = self.hessian(dtype).copy()
            shifted[np.diag_indices_from(shifted)] += rho
            found, _ = (spotrf if dtype == np.float32 else dpotrf)(shifted.T, lower=1, clean=0, overwrite_a=1)
            self._factors[dtype, rho] = np.asarray(found)
        return self._factors[dtype, rho]

    def at(self, x: Array, g: Array, share: float = 1.0) -> HessianEquations:
        """The model around x, where the gradient is g; in the precision of x. ρ is a share of the mean of the eigenvalues."""
        with np.errstate(all="ignore"):
            return HessianEquations(self, np.asarray(_times(self.hessian(x.dtype), x) - g, dtype=x.dtype), share)


class HessianEquations:
    """½⟨W, HW⟩ − ⟨B, W⟩ with any symmetric H."""

    basis: Array | None = None

    def __init__(self, model: LocalModel, B: Array, share: float = 1.0) -> None:
        self.model, self.B, self.share = model, B, share

    @property
    def unit(self) -> float:
        rho = self.share * self.model.unit(self.B.dtype)
        return rho if sound(rho, self.B) else 0.0

    @property
    def single(self) -> HessianEquations:
        return HessianEquations(self.model, self.B.astype(np.float32), self.share)

    def form(self, radius: float) -> Form:
        """With one factorisation of H + ρI."""
        from greedyhull.kernels.lapack import dpotrs, spotrs

        H, unit, shape = self.model.hessian(self.B.dtype), self.unit, self.B.shape
        rho = self.B.dtype.type(unit)
        substitute = spotrs if self.B.dtype == np.float32 else dpotrs

        def product(A: Array, V: Array | None) -> Array:
            return np.asarray(_times(H, A if V is None else A @ V.T) / rho)

        def solve(R: Array) -> Array:
            flat = rho * substitute(self.model.factor(self.B.dtype, unit), R.T.ravel(), lower=1)[0]
            return np.asarray(flat.reshape(shape[::-1]).T)

        return Form(shared(self.B, unit, radius), product, solve)

    def lasting(self, radius: float) -> Lasting:
        """As it is."""
        return Lasting(self.form(radius), None)


def _times(H: Array, W: Array) -> Array:
    return np.asarray((H @ W.T.ravel()).reshape(W.shape[::-1]).T)
