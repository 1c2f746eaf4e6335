"""Convex quadratics over a box, by a primal-dual interior point method with Mehrotra's corrector.

In the unit box, 0 ≤ t ≤ 1 with s = 1 − t, the multipliers u, v > 0 of the two bounds satisfy ∇q(t) = u − v at the start. All
variables take steps of one length, so this stays true, and the duality gap is u·t + v·s throughout. Each step solves a system
with M + diag(u/t + v/s), which is definite whatever the Hessian M is. An equation a·t = constant is kept by every step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.types import Array

MOST = 60  # steps; about twenty are taken
INSIDE = 0.995  # of the way to the boundary
SURE = (1.0, 1e-2, 1e-4)  # how much closer to a bound than its multiplier asks a coordinate must be to be put there


def interior_point(H: Array, c: Array, x: Array, low: Array, high: Array, tol: float) -> Array | None:
    """The minimiser to a duality gap of ``tol``; ``c`` is the gradient at ``x``. None where numbers leave their range.

    >>> interior_point(np.eye(2), np.array([-3.0, 0.5]), np.zeros(2), np.zeros(2), np.ones(2), 1e-9).round(6) + 0.0
    array([1., 0.])
    """
    wide = (low < high).nonzero()[0]
    width = (high - low)[wide]
    M, slopes, at = H[np.ix_(wide, wide)] * width[:, None] * width, width * c[wide], (x - low)[wide] / width
    if not len(wide) or not (np.isfinite(M).all() and np.isfinite(slopes).all()):
        return None
    t, u, v = central_path(M, slopes, at, tol)
    bend, gap = float(np.diagonal(M).max()), _gap(t, slopes + M.dot(t - at))
    for share in SURE:
        ends = np.where(bend * t < share * u, 0.0, np.where(bend * (1.0 - t) < share * v, 1.0, t))
        if _gap(ends, slopes + M.dot(ends - at)) <= max(gap, tol):
            t = ends
            break
    found = x.copy()
    found[wide] = np.where(t == 1.0, high[wide], np.clip(low[wide] + width * t, low[wide], high[wide]))
    return found if np.isfinite(found).all() else None


def _gap(t: Array, grad: Array) -> float:
    """The duality gap over the unit box."""
    return float(np.maximum(grad * t, grad * (t - 1.0)).sum())


def central_path(M: Array, c: Array, at: Array, tol: float, normal: Array | None = None, share: float = 0.5,
                 ) -> tuple[Array, Array, Array]:
    """t and the multipliers u, v of its two bounds, from t = ``share`` to a gap of ``tol``, and on until t is lower than
    ``at`` by as much as the gap: where ``at`` is nearly optimal, a gap that is small for a box is still large.

    With ``normal``, normal·t stays what it is at the start.
    """
    from greedyhull.kernels.lapack import dpotrf, dpotrs

    t = np.full(len(c), share)
    grad = c + M.dot(t - at)
    slope = grad if normal is None else grad - float(np.median(grad / normal)) * normal
    start = max(float(np.abs(slope).mean()), 1e-300)
    u, v = np.maximum(slope, 0.0) + start, np.maximum(-slope, 0.0) + start
    for _ in range(MOST):
        s = 1.0 - t
        mu = float(u.dot(t) + v.dot(s)) / (2 * len(t))
        if 2 * len(t) * mu <= min(tol, -0.5 * float((c + grad).dot(t - at))) or not (t.all() and s.all() and mu):
            break  # it is done, or a bound is nearer than a float can tell
        K = M.copy()
        K.flat[:: len(t) + 1] += u / t + v / s
        factor, info = dpotrf(K, overwrite_a=True)
        if info != 0:
            break
        equation = None if normal is None else Equation(normal, dpotrs(factor, normal)[0], share * float(normal.sum()))
        pull = grad if equation is None else grad - equation.multiplier(grad - u + v) * equation.normal
        dt = _kept(dpotrs(factor, -pull)[0], t, equation)  # the predictor: straight to a gap of zero
        du, dv = -u - u / t * dt, -v + v / s * dt
        reach = _reach((t, s, u, v), (dt, -dt, du, dv))
        left = float((u + reach * du).dot(t + reach * dt) + (v + reach * dv).dot(s - reach * dt)) / (2 * len(t))
        aim = (left / mu) ** 3 * mu
        low, high = (aim - dt * du) / t, (aim + dt * dv) / s
        dt = _kept(dpotrs(factor, low - high - pull)[0], t, equation)
        du, dv = low - u - u / t * dt, high - v + v / s * dt
        length = INSIDE * _reach((t, s, u, v), (dt, -dt, du, dv))
        if not (length > 1e-12 and np.isfinite(dt).all()):
            break
        t, u, v = t + length * dt, u + length * du, v + length * dv
        grad = c + M.dot(t - at)
    return t, u, v


class Equation(NamedTuple):
    """normal·t = total; ``across`` is the change of t that a unit of its multiplier makes."""

    normal: Array
    across: Array
    total: float

    def multiplier(self, rest: Array) -> float:
        """That of the equation, of which ``rest`` is a multiple up to rounding."""
        return float(self.normal.dot(rest)) / float(self.normal.dot(self.normal))


def _kept(dt: Array, t: Array, equation: Equation | None) -> Array:
    """dt with the multiple of ``across`` added with which t + dt satisfies the equation; twice, for rounding."""
    for _ in range(0 if equation is None else 2):
        assert equation is not None
        off = equation.total - float(equation.normal.dot(t + dt))
        dt = dt + off / float(equation.normal.dot(equation.across)) * equation.across
    return dt


def _reach(at: tuple[Array, ...], change: tuple[Array, ...]) -> float:
    """The longest step, at most about 1, that keeps all numbers at 0 or above."""
    return min(1.0 / INSIDE, *(float((x[d < 0.0] / -d[d < 0.0]).min(initial=np.inf)) for x, d in zip(at, change, strict=True)))
