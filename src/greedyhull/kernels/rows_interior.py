"""Convex quadratics over bounds and rows, by a primal-dual interior point method with Mehrotra's corrector.

min ½(x − x₀)ᵀH(x − x₀) + cᵀ(x − x₀) over low ≤ x ≤ high and l ≤ Ax ≤ u. The activity a = Ax of a row that is no equation is
a variable with bounds of its own. Each step solves a system with H + diag(θ) + Gᵀdiag(θ')G, where θ is the sum over the two
ends of multiplier by distance and G has these rows; the equations E are kept by a Schur complement.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array

MOST = 60  # steps; about fifteen are taken
INSIDE = 0.9995  # of the way to the boundary
INWARD = 0.2  # of the width: how far from its ends a number begins
FORCED = 1e-14  # of a row's size: what is less than this above its least activity leaves no choice
STEADY = 1e-9  # of its first size: how small the gradient of the Lagrangian is at the end
BEYOND = 1e-6  # times the tolerance: where rounding keeps rows from being met, more steps do not help
ON = 1e-13  # of a row's size: how well it is kept at the end
RIDGE = 1e-13  # of the diagonal: what makes a singular system regular
SMALL = 200  # coordinates: with more, LAPACK is the faster one


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
    with np.errstate(all="ignore"):  # ends that are infinitely far
        found = _followed(problem, x[wide], tol) if len(wide) else None
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
        """t, the prices of E and G, and the multipliers of both ends of t.

        An end that is infinite is infinitely far; its multiplier is 0 and stays so.
        """
        n, ends = len(self.c), _Ends.of(self.low, self.high)
        t, y, v = self._begin(x), np.zeros(len(self.e)), np.zeros(len(self.G))
        near = np.abs(self.E).dot(np.abs(t[:n])), np.abs(self.G).dot(np.abs(t[:n]))  # what rows are compared with
        slope = self._slope(t, y, v)
        size = max(float(np.abs(slope[:n]).mean()), 1e-300)
        zl, zh = np.maximum(slope, 0.0) + size, np.maximum(-slope, 0.0) + size
        zl[ends.no_low], zh[ends.no_high] = 0.0, 0.0
        for _ in range(MOST if ends.many else 0):
            sl, sh = t - self.low, self.high - t
            mu = ends.product(zl, sl, zh, sh) / ends.many
            r_e, r_g, r_t = self.e - self.E.dot(t[:n]), t[n:] - self.G.dot(t[:n]), slope - zl + zh
            done = ends.many * mu <= tol and bool((np.abs(r_e) <= ON * near[0]).all() and (np.abs(r_g) <= ON * near[1]).all())
            done = done and float(np.abs(r_t).sum()) <= STEADY * size * n
            if done or ends.many * mu <= BEYOND * tol or not (sl.all() and sh.all() and mu):
                break
            stiff_l, stiff_h = zl / sl, zh / sh
            system = _System.of(self, stiff_l + stiff_h)
            if system is None:
                break
            right = zh - zl - r_t
            dt, dy, dv = system.step(self, right, r_e, r_g)  # the predictor: straight to a gap of zero
            dl, dh = -zl - stiff_l * dt, stiff_h * dt - zh
            reach = _reach((sl, sh, zl, zh), (dt, -dt, dl, dh))
            left = ends.product(zl + reach * dl, sl + reach * dt, zh + reach * dh, sh - reach * dt) / ends.many
            aim = (max(left, 0.0) / mu) ** 3 * mu
            to_l, to_h = (aim - dt * dl) / sl, (aim + dt * dh) / sh
            dt, dy, dv = system.step(self, right + to_l - to_h, r_e, r_g)
            dl, dh = to_l - zl - stiff_l * dt, to_h - zh + stiff_h * dt
            length = min(1.0, INSIDE * _reach((sl, sh, zl, zh), (dt, -dt, dl, dh)))
            if not (length > 1e-12 and np.isfinite(dt).all()):
                break
            t, y, v, zl, zh = t + length * dt, y + length * dy, v + length * dv, zl + length * dl, zh + length * dh
            slope = self._slope(t, y, v)
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


class _Ends(NamedTuple):
    """Which numbers have no lower or upper end, and how many ends there are."""

    no_low: Array
    no_high: Array
    many: int

    @staticmethod
    def of(low: Array, high: Array) -> _Ends:
        no_low, no_high = np.isinf(low).nonzero()[0], np.isinf(high).nonzero()[0]
        return _Ends(no_low, no_high, 2 * len(low) - len(no_low) - len(no_high))

    def product(self, zl: Array, sl: Array, zh: Array, sh: Array) -> float:
        """The complementarity gap: multipliers by distances."""
        below, above = zl * sl, zh * sh
        below[self.no_low], above[self.no_high] = 0.0, 0.0
        return float(below.sum() + above.sum())


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
        factor, info = dpotrf(K.T, overwrite_a=True, clean=False)  # it is symmetric, and in LAPACK's order so
        if info != 0:
            return None
        across = dpotrs(factor, problem.E.T)[0] if len(problem.E) else np.zeros((n, 0))
        S = problem.E.dot(across)
        S.flat[:: len(S) + 1] *= 1.0 + RIDGE
        schur, info = dpotrf(S.T, clean=False) if len(S) else (S, 0)
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


def _reach(at: tuple[Array, ...], change: tuple[Array, ...]) -> float:
    """The longest step, at most about 1, that keeps all numbers at 0 or above."""
    pace = float(np.fmax.reduce(-np.concatenate(change) / np.concatenate(at)))  # 0/0, of no end, is passed over
    return 1.0 / max(pace, INSIDE)


def _followed(problem: _Problem, x: Array, tol: float) -> tuple[Array, Array, Array, Array, Array] | None:
    """`_Problem.solve`, by the core where the problem is small."""
    if len(x) > SMALL:
        return problem.solve(x, tol)
    q, N = len(problem.e), len(problem.low)
    t, prices, zl, zh = np.empty(N), np.empty(q + len(problem.G)), np.empty(N), np.empty(N)
    t[: len(x)] = x
    H, c, G, E = (np.ascontiguousarray(part, dtype=np.float64) for part in problem[:4])
    fine = rows_path(H, c, G, E, *problem[4:], t, prices, zl, zh, tol)
    return (t, prices[:q], prices[q:], zl, zh) if fine else None


@compiled
def rows_path(H: Array, c: Array, G: Array, E: Array, e: Array, low: Array, high: Array, t: Array, prices: Array, lower: Array,
              upper: Array, tol: float) -> bool:
    """Follow the path from x = ``t[:n]`` to its end: t, the prices of E and G, and the multipliers of both ends are written.

    False where numbers left their range.
    """
    found = _Problem(H, c, G, E, e, low, high).solve(t[: len(c)].copy(), tol)
    if found is not None:
        t[:], prices[: len(e)], prices[len(e) :], lower[:], upper[:] = found
    return found is not None
