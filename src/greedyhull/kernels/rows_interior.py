"""Convex quadratics over bounds and rows, by a primal-dual interior point method with Mehrotra's corrector.

min ½(x − x₀)ᵀH(x − x₀) + cᵀ(x − x₀) over low ≤ x ≤ high and l ≤ Ax ≤ u. The activity a = Ax of a row that is no equation is
a variable with bounds of its own. Each step solves a system with H + diag(θ) + Gᵀdiag(θ')G, where θ is the sum over the two
ends of multiplier by distance and G has these rows; the equations E are kept by a Schur complement.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from greedyhull.types import Array

MOST = 60  # steps; about fifteen are taken
INSIDE = 0.995  # of the way to the boundary
INWARD = 0.1  # of the width: how far from its ends a number begins
FORCED = 1e-14  # of a row's size: what is less than this above its least activity leaves no choice
ON = 1e-13  # of a row's size: how well it is kept at the end
RIDGE = 1e-13  # of the diagonal: what makes a singular system regular


class Path(NamedTuple):
    """A point, its row prices, and the multipliers of the lower and upper ends of coordinates, then of rows."""

    x: Array
    y: Array
    lower: Array
    upper: Array
    below: Array
    above: Array


def interior_rows(H: Array, c: Array, x: Array, low: Array, high: Array, A: Array, l: Array, u: Array, tol: float,
                  ) -> Path | None:
    """The minimiser to a complementarity gap of about ``tol``; ``c`` is the gradient at ``x``. None where numbers leave their
    range.

    >>> E, one = np.ones((1, 2)), np.ones(1)
    >>> found = interior_rows(np.eye(2), np.array([-3.0, 0.5]), np.full(2, 0.5), np.zeros(2), np.ones(2), E, one, one, 1e-9)
    >>> found.x.round(6) + 0.0
    array([1., 0.])
    """
    if not (np.isfinite(H).all() and np.isfinite(c).all()):
        return None
    low, high, forced = _forced(low, high, A, l, u)
    l, u = np.where(forced, -np.inf, l), np.where(forced, np.inf, u)
    equal, wide = (l == u), (low < high).nonzero()[0]
    m = int((~equal).sum())
    start = c - H.dot(x)
    fixed = low.copy()
    fixed[wide] = 0.0
    base = A.dot(fixed)
    problem = _Problem(H[np.ix_(wide, wide)], (start + H.dot(fixed))[wide], A[np.ix_(~equal, wide)], A[np.ix_(equal, wide)],
                       u[equal] - base[equal],
                       np.concatenate([low[wide], (l - base)[~equal]]), np.concatenate([high[wide], (u - base)[~equal]]))
    found = problem.solve(x[wide], tol) if len(wide) else None
    if found is None:
        return None
    t, y_equal, v, z_low, z_high = found
    n = len(wide)
    there = fixed.copy()
    there[wide] = np.clip(t[:n], low[wide], high[wide])
    y = np.zeros(len(l))
    y[equal], y[~equal] = y_equal, v
    lower, upper, below, above = np.zeros(len(x)), np.zeros(len(x)), np.zeros(len(l)), np.zeros(len(l))
    lower[wide], upper[wide] = z_low[:n], z_high[:n]
    below[~equal], above[~equal] = z_low[n : n + m], z_high[n : n + m]
    return Path(there, y, lower, upper, below, above)


def _forced(low: Array, high: Array, A: Array, l: Array, u: Array) -> tuple[Array, Array, Array]:
    """Bounds with those coordinates fixed that a row leaves no choice, and which rows do so: there nothing is between."""
    ends = np.clip(low, -1e300, None), np.clip(high, None, 1e300)
    up, down = np.maximum(A, 0.0), np.minimum(A, 0.0)
    least, most = up.dot(ends[0]) + down.dot(ends[1]), up.dot(ends[1]) + down.dot(ends[0])
    sizes = [np.where(np.isfinite(end), np.abs(end), 0.0) for end in (low, high)]
    near = FORCED * np.maximum((up - down).dot(np.maximum(*sizes)), 1e-300)
    for i in ((least >= u - near) | (most <= l + near)).nonzero()[0].tolist():
        at_low = (A[i] > 0.0) == (least[i] >= u[i] - near[i])
        end = np.where(at_low, low, high)
        low, high = np.where(A[i] != 0.0, end, low), np.where(A[i] != 0.0, end, high)
    return low, high, (least >= u - near) | (most <= l + near)


class _Problem(NamedTuple):
    """½xᵀHx + cᵀx with Ex = e and low ≤ (x, Gx) ≤ high; t = (x, a) with a = Gx."""

    H: Array
    c: Array
    G: Array
    E: Array
    e: Array
    low: Array
    high: Array

    def solve(self, x: Array, tol: float) -> tuple[Array, Array, Array, Array, Array] | None:
        """t, the prices of E and G, and the multipliers of both ends of t."""
        n, has_low, has_high = len(self.c), np.isfinite(self.low), np.isfinite(self.high)
        ends, count = (has_low, has_high), int(has_low.sum() + has_high.sum())
        t = self._begin(x)
        y, v = np.zeros(len(self.e)), np.zeros(len(self.G))
        near = np.abs(self.E).dot(np.abs(t[:n])), np.abs(self.G).dot(np.abs(t[:n]))  # what rows are compared with
        slope = self._slope(t, y, v)
        size = max(float(np.abs(slope[:n]).mean()), 1e-300)
        zl = np.where(has_low, np.maximum(slope, 0.0) + size, 0.0)
        zh = np.where(has_high, np.maximum(-slope, 0.0) + size, 0.0)
        for _ in range(MOST if count else 0):
            sl, sh = np.where(has_low, t - self.low, 1.0), np.where(has_high, self.high - t, 1.0)
            mu = float(zl.dot(sl) + zh.dot(sh)) / count
            r_e, r_g, r_t = self.e - self.E.dot(t[:n]), t[n:] - self.G.dot(t[:n]), self._slope(t, y, v) - zl + zh
            done = count * mu <= tol and bool((np.abs(r_e) <= ON * near[0]).all() and (np.abs(r_g) <= ON * near[1]).all())
            if (done and float(np.abs(r_t).sum()) <= 1e-9 * size * n) or not (sl.all() and sh.all() and mu):
                break
            system = _System.of(self, zl / sl + zh / sh)
            if system is None:
                break
            step = system.step(self, -r_t - zl + zh, r_e, r_g)
            dl, dh = np.where(has_low, -zl - zl / sl * step[0], 0.0), np.where(has_high, -zh + zh / sh * step[0], 0.0)
            reach = _reach((sl, sh, zl, zh), (step[0], -step[0], dl, dh), ends)
            left = float((zl + reach * dl).dot(sl + reach * step[0])
                         + (zh + reach * dh).dot(sh - reach * step[0])) / count
            aim = (max(left, 0.0) / mu) ** 3 * mu
            to_l = np.where(has_low, (aim - step[0] * dl) / sl, 0.0)
            to_h = np.where(has_high, (aim + step[0] * dh) / sh, 0.0)
            step = system.step(self, -r_t - zl + zh + to_l - to_h, r_e, r_g)
            dl, dh = (np.where(has_low, to_l - zl - zl / sl * step[0], 0.0),
                      np.where(has_high, to_h - zh + zh / sh * step[0], 0.0))
            length = min(1.0, INSIDE * _reach((sl, sh, zl, zh), (step[0], -step[0], dl, dh), ends))
            if not (length > 1e-12 and np.isfinite(step[0]).all()):
                break
            t, y, v = t + length * step[0], y + length * step[1], v + length * step[2]
            zl, zh = zl + length * dl, zh + length * dh
        return (t, y, v, zl, zh) if np.isfinite(t).all() and np.isfinite(y).all() else None

    def _slope(self, t: Array, y: Array, v: Array) -> Array:
        """The gradient of the Lagrangian without the ends: ∇q − Eᵀy − Gᵀv for x, and v for a."""
        x = t[: len(self.c)]
        return np.concatenate([self.H.dot(x) + self.c - y.dot(self.E) - v.dot(self.G), v])

    def _begin(self, x: Array) -> Array:
        """x and its activities, drawn well between their ends."""
        t = np.concatenate([x, self.G.dot(x)])
        width = self.high - self.low
        known = np.concatenate([np.abs(t), width[np.isfinite(width)]])
        wide = INWARD * np.maximum(np.abs(t), float(known.max(initial=0.0)) or 1.0)
        near = np.where(np.isfinite(width), INWARD * width, wide)
        return np.asarray(np.minimum(np.maximum(t, self.low + near), self.high - near))


class _System(NamedTuple):
    """The factor of H + diag(θ) + Gᵀdiag(θ')G, what a unit of each price of E changes, and the factor of their Schur
    complement."""

    factor: Array
    theta: Array
    across: Array
    schur: Any

    @staticmethod
    def of(problem: _Problem, theta: Array) -> _System | None:
        from scipy.linalg.lapack import dpotrf, dpotrs

        n = len(problem.c)
        K = problem.H.copy()
        if len(problem.G):
            K += (problem.G.T * theta[n:]).dot(problem.G)
        K.flat[:: n + 1] += theta[:n]
        K.flat[:: n + 1] *= 1.0 + RIDGE
        factor, info = dpotrf(K, overwrite_a=True, clean=False)
        if info != 0:
            return None
        across = dpotrs(factor, problem.E.T)[0] if len(problem.E) else np.zeros((n, 0))
        S = problem.E.dot(across)
        S.flat[:: len(S) + 1] *= 1.0 + RIDGE
        schur, info = dpotrf(S, clean=False) if len(S) else (S, 0)
        return _System(factor, theta, across, schur) if info == 0 else None

    def step(self, problem: _Problem, right: Array, r_e: Array, r_g: Array) -> tuple[Array, Array, Array]:
        """The changes of t and of both prices that solve the linear system."""
        from scipy.linalg.lapack import dpotrs

        n, theta = len(problem.c), self.theta[len(problem.c) :]
        pull = right[:n] + problem.G.T.dot(right[n:] + theta * r_g) if len(problem.G) else right[:n]
        dx = dpotrs(self.factor, pull)[0]
        dy = np.zeros(0)
        if len(problem.E):
            dy = dpotrs(self.schur, r_e - problem.E.dot(dx))[0]
            dx = dx + self.across.dot(dy)
        da = problem.G.dot(dx) - r_g
        return np.concatenate([dx, da]), dy, right[n:] - theta * da


def _reach(at: tuple[Array, ...], change: tuple[Array, ...], ends: tuple[Array, Array]) -> float:
    """The longest step, at most about 1, that keeps all numbers that have an end at 0 or above."""
    found = 1.0 / INSIDE
    for x, d, on in zip(at, change, (*ends, *ends), strict=True):
        down = on & (d < 0.0)
        found = min(found, float((x[down] / -d[down]).min(initial=np.inf)))
    return found
