"""Quadratics over a nuclear ball by splitting, for matrices with a short side that are written out: ½⟨W, HW⟩ − ⟨B, W⟩.

At the optimum Z, the projection of T onto the ball, is also W = (H + ρ)⁻¹(B + ρ(2Z − T)): then T = Z − ∇f(Z)/ρ. Steps
T ← T + κ(W − Z) with 0 < κ < 2 lead there (Douglas and Rachford; Lions and Mercier 1979), and Anderson's combinations of them
sooner. Projected gradients need more steps the worse H is conditioned, and their gap lags behind their value; these need
fewer, and the gap follows.

W takes a factorisation of K + ρI where HW = KW, and a division an entry where H is diagonal. Where a few steps with that
factorisation will not be enough, K is diagonalised: the nuclear norm is the same in every orthonormal basis.
"""

from __future__ import annotations

from math import ceil, log
from typing import NamedTuple

import numpy as np

from greedyhull.atoms.geometry.dense_descent import spectrum, threshold
from greedyhull.kernels.anderson import Anderson
from greedyhull.kernels.matrix_models import HessianEquations
from greedyhull.kernels.matrix_quadratics import Form, MatrixEquations
from greedyhull.types import Array

FEW, MANY = 80, 400  # steps in single precision or with a factorisation, and at most
PATIENCE = 5  # looks without a smaller gap after which steps end, if only few are allowed
LOOK = 3  # steps from one look at the gap to the next at most; fewer where it will be small enough before
PLAIN = 4  # steps before combinations are made: where so few are enough, combinations cost time and save none
OVER = 1.6  # κ
FAR, ROUGH = 1e-3, 1e-5  # of the terms of f: the gap of a point that is far, and what values in single precision are off by
ENOUGH, NEARER = 2e-4, 1e-2  # of the first gap: where steps end that began far from the optimum, or near
FINE = 1e-7  # the same where so small a gap is asked for
HALF = 0.5  # of the gap that is asked for: what is left for rounding
TINY = 1e-30


class Low(NamedTuple):
    """The matrix A Vᵀ; V has orthonormal columns, up to rounding."""

    A: Array
    V: Array

    def times(self, c: float) -> Low:
        """c·A Vᵀ in float64."""
        return Low(c * self.A.astype(np.float64), self.V.astype(np.float64))


class Begin(NamedTuple):
    """The form of f, the T that belongs to the first point, and its value, its gap, and the size of the terms of its value."""

    form: Form
    T: Array
    value: float
    first: float
    size: float
    wanted: float  # the gap that is asked for, or 0

    @property
    def far(self) -> bool:
        return self.first > FAR * self.size

    @property
    def aim(self) -> float:
        """The gap to reach: the one that is asked for, if that is not too far."""
        wanted = HALF * self.wanted
        return wanted if wanted > FINE * self.first else (ENOUGH if self.far else NEARER) * self.first


class Near(NamedTuple):
    """A matrix, and the gap there."""

    low: Low
    gap: float


class Split(NamedTuple):
    """Where steps ended: T, its projection, and gap and value there."""

    T: Array
    low: Low
    gap: float
    value: float


def descend_split(equations: MatrixEquations, x: Array, radius: float, wanted: float = 0.0) -> Low | None:
    """From x to a matrix of nuclear norm ≤ radius, up to rounding, where f is nearly least; None where nothing is lower.

    ``wanted`` is the gap that is asked for, 0 where none is. Far from the optimum, steps are made in single precision.

    >>> from greedyhull.kernels.matrix_quadratics import NormalEquations
    >>> normal = NormalEquations(lambda dtype: np.diag([1.0, 0.01]).astype(dtype), np.array([[3.0], [0.05]]))
    >>> A, V = descend_split(normal, np.zeros((2, 1)), 1.0)
    >>> (A @ V.T).round(2)
    array([[1.  ],
           [0.02]])
    """
    with np.errstate(all="ignore"):  # what is not finite is not lower either
        x, T = x / radius, None
        rough = _begin(equations.single, x.astype(np.float32), radius, wanted)
        if rough is not None and rough.far:
            found = _steps(rough.form, rough.T, FEW, rough.aim, rough.first)
            if found.gap <= rough.aim and found.value < rough.value - ROUGH * rough.size:
                return found.low.times(radius)
            T = found.T.astype(np.float64) if np.isfinite(found.T).all() else None
        begin = _begin(equations, x, radius, wanted)
        if begin is None:
            return None
        found = _exactly(equations, begin, T, radius)
    return found.low.times(radius) if found.value < begin.value else None


def descend_model(equations: HessianEquations, x: Array, radius: float, aim: float) -> Near | None:
    """From x to a matrix of nuclear norm ≤ radius, up to rounding, where the gap is at most ``aim``, or as small as few steps
    make it; in the precision of the equations. None where these are of no use."""
    with np.errstate(all="ignore"):
        begin = _begin(equations, (x / radius).astype(equations.B.dtype), radius, 0.0)
        if begin is None:
            return None
        scale = equations.unit * radius * radius
        found = _steps(begin.form, begin.T, FEW, aim / scale, begin.first)
        return Near(found.low.times(radius), found.gap * scale)


def _begin(equations: MatrixEquations, x: Array, radius: float, wanted: float) -> Begin | None:
    """f in units in which ρ and the radius are 1, and what it is at x."""
    if equations.unit == 0.0:
        return None
    form = equations.form(radius)
    bent = form.product(x, None)
    slope = bent - form.B
    value, first = 0.5 * float(np.vdot(x, slope - form.B)), _gap(slope, x)
    size = 0.5 * abs(float(np.vdot(x, bent))) + abs(float(np.vdot(x, form.B)))
    wanted = wanted / equations.unit / radius / radius
    return Begin(form, x - slope, value, first, size, wanted) if np.isfinite(value) and np.isfinite(first) else None


def _exactly(equations: MatrixEquations, begin: Begin, T: Array | None, radius: float) -> Split:
    """Steps in double precision; from T, where it is known that they will not be few."""
    if T is None:
        found = _steps(begin.form, begin.T, FEW, begin.aim, begin.first)
        if found.gap <= begin.aim:
            return found
        T = found.T
    form, Q = equations.lasting(radius)
    found = _steps(form, T if Q is None else Q.T @ T, MANY, begin.aim, begin.first)
    return found if Q is None else found._replace(low=found.low._replace(A=Q @ found.low.A))


def _steps(form: Form, T: Array, most: int, aim: float, began: float) -> Split:
    """Up to so many steps from T, which belongs to a point with the gap ``began``; fewer where the gap meets the aim, or will
    not in a few steps, if no more are allowed."""
    Z, R, look, anderson, gaps = np.empty_like(T), np.empty_like(T), LOOK, Anderson(), [began]
    for k in range(most + 1):
        low = projection(T)
        np.matmul(low.A, low.V.T, out=Z)
        if k in (look, most):
            slope = form.product(*low)
            slope -= form.B
            gaps.append(_gap(slope, Z))
            if k == most or not gaps[-1] > aim or (most == FEW and _too_slow(k, gaps, aim)):
                break
            look = k + _steps_left(k, began, gaps[-1], aim)
        F = _step(form, T, Z, R)
        T = T + F if k < PLAIN else anderson.next(T, F)
    return Split(T, low, gaps[-1], 0.5 * float(np.vdot(Z, slope - form.B)))


def _step(form: Form, T: Array, Z: Array, R: Array) -> Array:
    """κ(W − Z), where W solves for B + 2Z − T, which is put into R; in the precision of T, and without more arrays."""
    np.subtract(Z, T, out=R)
    R += Z
    R += form.B
    W = form.solve(R)
    W -= Z
    W *= W.dtype.type(OVER)
    return W


def _steps_left(k: int, began: float, gap: float, aim: float) -> int:
    """How many steps to make before the next look at the gap, if it falls as it did in the first k."""
    if not 0.0 < aim < gap < began:
        return LOOK
    return min(max(ceil(k * log(gap / aim) / log(began / gap)), 1), LOOK)


def _too_slow(k: int, gaps: list[float], aim: float) -> bool:
    """Whether a gap that falls as it did in the first k steps stays above the aim for twice as many as are few; or whether
    it has not fallen for a while, as where rounding is all that is left."""
    began, least = gaps[0], min(gaps)
    if k < 2 * LOOK or least <= aim:
        return False
    if least not in gaps[-PATIENCE:]:
        return True
    return least >= began or k * log(least / aim) / log(began / least) > 2 * FEW - k


def projection(T: Array) -> Low:
    """The nearest matrix of nuclear norm ≤ 1, by its factors; from the eigenvectors of the smaller of TᵀT and TTᵀ."""
    tall = T.shape[0] >= T.shape[1]
    V, sigma = spectrum(T if tall else T.T)
    tau = threshold(sigma, 1.0)
    keep = np.flatnonzero(sigma > tau)
    V, sigma = V[:, keep].astype(T.dtype, copy=False), np.maximum(sigma[keep], TINY)
    shares = (1.0 - tau / sigma).astype(T.dtype)
    if tall:
        return Low((T @ V) * shares, V)
    lengths = sigma.astype(T.dtype)
    return Low(V * (shares * lengths), (T.T @ V) / lengths)


def _gap(slope: Array, x: Array) -> float:
    """⟨∇f, x⟩ + ‖∇f‖₂, which f is above its least value by at most."""
    tall = slope.shape[0] >= slope.shape[1]
    return float(np.vdot(slope, x)) + float(spectrum(slope if tall else slope.T).sigma[-1])
