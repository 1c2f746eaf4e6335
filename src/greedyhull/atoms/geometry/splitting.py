"""Quadratics over a nuclear ball by splitting, for matrices of few columns: f(W) = ½⟨W, KW⟩ − ⟨B, W⟩.

At the optimum Z, the projection of T onto the ball, is also W = (K + ρI)⁻¹(B + ρ(2Z − T)): then T = Z − ∇f(Z)/ρ. Steps
T ← T + κ(W − Z) with 0 < κ < 2 lead there (Douglas and Rachford; Lions and Mercier 1979). Projected gradients need more steps
the worse K is conditioned, and their gap lags behind their value; these need fewer, and the gap follows.

W comes from one factorisation of K + ρI, where ρ is the mean eigenvalue. Where a few steps will not be enough, K is
diagonalised: the nuclear norm is the same in every orthonormal basis, and a step is then divisions and a projection.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import NamedTuple

import numpy as np

from greedyhull.atoms.geometry.dense_descent import spectrum, threshold
from greedyhull.kernels.normal_equations import NormalEquations
from greedyhull.types import Array

Map = Callable[[Array], Array]

FEW, MANY = 24, 400  # steps with the factorisation, and with K diagonalised
LOOK = 3  # steps from one look at the gap to the next
OVER = 1.7  # κ
FAR, ROUGH = 1e-3, 1e-5  # of the terms of f: the gap of a point that is far, and what values in single precision are off by
ENOUGH, NEARER = 2e-4, 1e-2  # of the first gap: where steps may end that began far from the optimum, or near
CHEAP, FINE = 18, 0.01  # so many steps take no longer than another look at f: they may go on to a gap smaller by this
TINY = 1e-30


class Low(NamedTuple):
    """The matrix A Vᵀ; V has orthonormal columns."""

    A: Array
    V: Array

    def times(self, c: float) -> Low:
        """c·A Vᵀ in float64."""
        return Low(c * self.A.astype(np.float64), self.V.astype(np.float64))


class Form(NamedTuple):
    """A quadratic in units in which ρ and the radius are 1: B, the product with K, and the solution of (K + I)W = R."""

    B: Array
    multiply: Map
    solve: Map


class Begin(NamedTuple):
    """The form of f, the T that belongs to the first point, and its value, its gap, and the size of the terms of its value."""

    form: Form
    T: Array
    value: float
    first: float
    size: float

    @property
    def far(self) -> bool:
        return self.first > FAR * self.size

    @property
    def aim(self) -> float:
        """The gap to reach."""
        return (ENOUGH if self.far else NEARER) * self.first


class Split(NamedTuple):
    """Where steps ended: T, its projection, and gap and value there."""

    T: Array
    low: Low
    gap: float
    value: float


def descend_split(normal: NormalEquations, x: Array, radius: float) -> Low | None:
    """From x to a matrix of nuclear norm ≤ radius, up to rounding, where f is nearly least; None where nothing is lower.

    Far from the optimum, steps are made in single precision.

    >>> normal = NormalEquations(lambda dtype: np.diag([1.0, 0.01]).astype(dtype), np.array([[3.0], [0.05]]))
    >>> A, V = descend_split(normal, np.zeros((2, 1)), 1.0)
    >>> (A @ V.T).round(2)
    array([[1.  ],
           [0.02]])
    """
    with np.errstate(all="ignore"):  # what is not finite is not lower either
        x = x / radius
        rough = _begin(normal.single, x.astype(np.float32), radius)
        T, slow = None, False
        if rough is not None and rough.far:
            found = _steps(rough.form, rough.T, FEW, rough.aim)
            if found.gap <= rough.aim and found.value < rough.value - ROUGH * rough.size:
                return found.low.times(radius)
            T, slow = found.T.astype(np.float64), True
        begin = _begin(normal, x, radius)
        if begin is None:
            return None
        found = _exactly(normal, begin, T if slow else None)
    return found.low.times(radius) if found.value < begin.value else None


def _begin(normal: NormalEquations, x: Array, radius: float) -> Begin | None:
    """f in units in which ρ and the radius are 1, and what it is at x."""
    rho = normal.unit
    if rho == 0.0:
        return None
    B = normal.B / normal.B.dtype.type(rho * radius)
    slope = normal.K @ x / x.dtype.type(rho) - B
    value, first = 0.5 * float(np.vdot(x, slope - B)), _gap(slope, x)
    form = Form(B, lambda A: normal.K @ A / A.dtype.type(rho), lambda R: normal.solve(R) * R.dtype.type(rho))
    size = 0.5 * abs(float(np.vdot(x, slope + B))) + abs(float(np.vdot(x, B)))
    return Begin(form, x - slope, value, first, size) if np.isfinite(value) and np.isfinite(first) else None


def _exactly(normal: NormalEquations, begin: Begin, T: Array | None) -> Split:
    """Steps in double precision; from T, where it is known that they will not be few."""
    if T is None or not np.isfinite(T).all():
        found = _steps(begin.form, begin.T, FEW, begin.aim)
        if found.gap <= begin.aim:
            return found
        T = found.T
    values, Q = normal.diagonal
    column = (values / normal.unit)[:, None]
    form = Form(Q.T @ begin.form.B, lambda A: column * A, lambda R: R / (column + 1.0))
    found = _steps(form, Q.T @ T, MANY, begin.aim)
    return found._replace(low=found.low._replace(A=Q @ found.low.A))


def _steps(form: Form, T: Array, most: int, aim: float) -> Split:
    """Up to so many steps from T; fewer where the gap meets the aim, or will not in a few steps, if no more are allowed."""
    began = np.inf
    for k in range(most + 1):
        low = projection(T)
        Z = low.A @ low.V.T
        if k % LOOK == 0 or k == most:
            slope = form.multiply(low.A) @ low.V.T - form.B
            gap = _gap(slope, Z)
            began = gap if k == 0 else began
            if k == most or not gap > (FINE if k < CHEAP else 1.0) * aim or (most == FEW and _too_slow(k, began, gap, aim)):
                break
        T = T + OVER * (form.solve(form.B + 2.0 * Z - T) - Z)  # in the precision of T
    return Split(T, low, gap, 0.5 * float(np.vdot(Z, slope - form.B)))


def _too_slow(k: int, began: float, gap: float, aim: float) -> bool:
    """Whether a gap that falls as it did in the first k steps stays above the aim for twice as many as are few."""
    if k < 2 * LOOK or gap <= aim:
        return False
    return gap >= began or k * log(gap / aim) / log(began / gap) > 2 * FEW - k


def projection(T: Array) -> Low:
    """The nearest matrix of nuclear norm ≤ 1, by its factors."""
    V, sigma = spectrum(T)
    tau = threshold(sigma, 1.0)
    keep = np.flatnonzero(sigma > tau)
    V = V[:, keep].astype(T.dtype, copy=False)
    A = (T @ V) * (1.0 - tau / np.maximum(sigma[keep], TINY)).astype(T.dtype, copy=False)
    return Low(A, V)


def _gap(slope: Array, x: Array) -> float:
    """⟨∇f, x⟩ + ‖∇f‖₂, which f is above its least value by at most."""
    return float(np.vdot(slope, x)) + float(spectrum(slope).sigma[-1])
