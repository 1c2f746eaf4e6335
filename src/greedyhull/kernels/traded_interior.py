"""Convex quadratics over bounds, rows and Σ|xⱼ − pⱼ| ≤ most, by a primal-dual interior point method with Mehrotra's corrector.

x = p + u − v with 0 ≤ u ≤ high − p and 0 ≤ v ≤ p − low, and the trades Σ(u + v) are one more activity. A step wants du and dv,
but H sees only e = du − dv: with the stiffnesses θ of u and θ' of v (multiplier by distance, summed over both ends),

    (H + diag(1/(1/θ + 1/θ'))) e = …,

so that systems are as large as for x alone, and those of `rows_systems`. The price of trades is one unknown more, by a second
right-hand side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.kernels.rows_systems import Form, Right, System, part_of, system_of
from greedyhull.types import Array, Index

MOST = 60  # steps; about fifteen are taken
INSIDE = 0.9995  # of the way to the boundary
INWARD = 0.2  # of the width: how far from its ends a number begins
STEADY = 1e-7  # of its first size: how small the gradient of the Lagrangian is at the end
BEYOND = 1e-3  # times the tolerance: where rounding keeps rows from being met, more steps do not help
ON = 1e-13  # of a row's size: how well it is kept at the end
WORSE = 2  # steps in turn that may leave the conditions of optimality less well satisfied than they were: rounding does so


class End:
    """Where a coordinate is: at its lower bound, below p, at p, above it, at its upper bound."""

    LOW, DOWN, STAYS, UP, HIGH = -2, -1, 0, 1, 2


class Near(NamedTuple):
    """low ≤ x ≤ high, l ≤ Ax ≤ u and Σ|xⱼ − pⱼ| ≤ most; p is between the bounds, and equal ends make a row an equation."""

    low: Array
    high: Array
    A: Array
    l: Array
    u: Array
    p: Array
    most: float

    def holds(self, x: Array, off: float) -> bool:
        """Whether x is in the set up to ``off`` times its size, and within its bounds."""
        size = float(np.maximum(np.abs(self.low), np.abs(self.high)).max(initial=0.0))
        activity, far = self.A.dot(x), off * np.maximum(np.abs(self.A).max(axis=1, initial=0.0) * size, 1e-300)
        return bool(np.isfinite(x).all() and (x >= self.low).all() and (x <= self.high).all()
                    and (activity >= self.l - far).all() and (activity <= self.u + far).all()
                    and float(np.abs(x - self.p).sum()) <= self.most + off * max(size, self.most))


class Path(NamedTuple):
    """The end of the path: x, the prices of rows and trades, and u, v and activities with the multipliers of their ends."""

    x: Array
    y: Array
    trades: float
    moves: Array  # u, then v
    lower: Array
    upper: Array
    below: Array  # of rows
    above: Array

    def ends(self, near: Near, steep: float) -> tuple[Array, Array, bool]:
        """Where each coordinate and row is put that has come near an end, as the multipliers say; and whether trades are used
        up."""
        d = len(self.x)
        widths = np.concatenate([near.high - near.p, near.p - near.low])
        none, full = steep * self.moves < self.lower, steep * (widths - self.moves) < self.upper
        none |= widths <= 0.0
        full &= ~none
        up, down = self.moves[:d] >= self.moves[d:], self.moves[d:] > self.moves[:d]
        ends = np.where(up & ~none[:d], End.UP, np.where(down & ~none[d:], End.DOWN, End.STAYS))
        ends = np.where(up & full[:d], End.HIGH, np.where(down & full[d:], End.LOW, ends))
        activity = near.A.dot(self.x)
        rows = np.where(steep * (activity - near.l) < self.below, -1, np.where(steep * (near.u - activity) < self.above, 1, 0))
        tight = steep * (near.most - float(np.abs(self.x - near.p).sum())) < self.trades
        return ends, np.where(near.l == near.u, 1, rows), bool(tight)


def interior_traded(H: Form, c: Array, x: Array, near: Near, tol: float) -> Path | None:
    """The minimiser to a complementarity gap of about ``tol``; ``c`` is the gradient at ``x``. None where numbers leave their
    range, or nothing can move.

    >>> near = Near(np.zeros(2), np.ones(2), np.ones((1, 2)), np.ones(1), np.ones(1), np.full(2, 0.5), 0.2)
    >>> interior_traded(np.eye(2), np.array([0.5, -3.0]), np.full(2, 0.5), near, 1e-9).x.round(6)
    array([0.4, 0.6])
    """
    with np.errstate(all="ignore"):
        start = c - H.dot(x)
    wide = (near.low < near.high).nonzero()[0]
    if not (np.isfinite(H.diagonal()).all() and np.isfinite(start).all()) or not len(wide) or not near.most > 0.0:
        return None
    fixed = near.low.copy()
    fixed[wide] = 0.0
    base, equal = near.A.dot(fixed), near.l == near.u
    A = near.A if len(wide) == len(x) else near.A[:, wide]
    problem = _Problem(part_of(H, wide), (start + H.dot(fixed))[wide], A[~equal], A[equal], (near.u - base)[equal],
                       near.p[wide], near.most, near.p[wide] - near.low[wide], near.high[wide] - near.p[wide],
                       (near.l - base)[~equal], (near.u - base)[~equal])
    with np.errstate(all="ignore"):
        found = problem.solve(x[wide], tol)
    if found is None:
        return None
    q, y_equal, w, zl, zh = found
    n, d, m = len(wide), len(x), int((~equal).sum())
    places = np.concatenate([wide, d + wide])
    moves, lower, upper, y = np.zeros(2 * d), np.zeros(2 * d), np.zeros(2 * d), np.zeros(len(near.l))
    moves[places], lower[places], upper[places] = q[: 2 * n], zl[: 2 * n], zh[: 2 * n]
    below, above = np.zeros(len(near.l)), np.zeros(len(near.l))
    y[equal], y[~equal], below[~equal], above[~equal] = y_equal, w[:m], zl[2 * n : -1], zh[2 * n : -1]
    there = np.clip(near.p + moves[:d] - moves[d:], near.low, near.high)
    return Path(there, y, max(float(-w[m]), 0.0), moves, lower, upper, below, above)


class _Problem(NamedTuple):
    """½xᵀHx + cᵀx with Ex = e, bounds of Gx and of Σ(u + v); q = (u, v, Gx, Σ(u + v))."""

    H: Form
    c: Array
    G: Array
    E: Array
    e: Array
    p: Array
    most: float
    down: Array  # how far each coordinate can go below p, and above it
    up: Array
    l: Array
    u: Array

    def solve(self, x: Array, tol: float) -> tuple[Array, Array, Array, Array, Array] | None:
        """q, the prices of E, those of G and of trades, and the multipliers of both ends of q."""
        n, m = len(self.c), len(self.l)
        low = np.concatenate([np.zeros(2 * n), self.l, [-np.inf]])
        high = np.concatenate([self.up, self.down, self.u, [self.most]])
        still: Index = (high[: 2 * n] <= 0.0).nonzero()[0]  # nothing to buy, or to sell
        low[still], high[still] = -np.inf, np.inf
        no_low, no_high = np.isinf(low), np.isinf(high)
        many = int((~no_low).sum() + (~no_high).sum())
        q = self._begin(x, low, high, still)
        y, w = np.zeros(len(self.e)), np.zeros(m + 1)
        here = self._x(q)
        keep = np.abs(self.E).dot(np.abs(here)) + 1e-300, np.append(np.abs(self.G).dot(np.abs(here)), self.most) + 1e-300
        slope = self._slope(q, y, w)
        size = max(float(np.abs(slope[:n]).mean()), 1e-300)
        zl, zh = np.where(no_low, 0.0, np.maximum(slope, 0.0) + size), np.where(no_high, 0.0, np.maximum(-slope, 0.0) + size)
        zl[still] = zh[still] = 0.0
        moves = np.ones(len(q), dtype=bool)
        moves[still] = False
        span = np.where(no_low | no_high, np.abs(q), high - low)
        best, least, worse = (q, y, w, zl, zh), np.inf, 0
        for _ in range(MOST):
            sl, sh = q - low, high - q
            gap = float(np.where(no_low, 0.0, zl * sl).sum() + np.where(no_high, 0.0, zh * sh).sum())
            mu, here = gap / many, self._x(q)
            r_e, r_g = self.e - self.E.dot(here), q[2 * n :] - np.append(self.G.dot(here), q[: 2 * n].sum())
            r_q = np.where(moves, slope - zl + zh, 0.0)
            done = gap <= tol and bool((np.abs(r_e) <= ON * keep[0]).all() and (np.abs(r_g) <= ON * keep[1]).all())
            done = done and float(np.abs(r_q).sum()) <= STEADY * size * n
            off = float(np.abs(r_q).dot(span) + np.abs(y).dot(np.abs(r_e)) + np.abs(w).dot(np.abs(r_g))) + gap
            if off <= least:
                best, least, worse = (q, y, w, zl, zh), off, 0
            else:
                worse += 1
            if done or gap <= BEYOND * tol or not (sl.all() and sh.all()) or worse > WORSE:
                break
            stiff_l, stiff_h = zl / sl, zh / sh
            step = _Step.of(self, stiff_l + stiff_h, still, r_e, r_g)
            if step is None or not mu > 0.0:
                break
            right = zh - zl - r_q
            dq, dy, dw = step.solve(right)
            dl, dh = -zl - stiff_l * dq, stiff_h * dq - zh
            reach = _reach((sl, sh, zl, zh), (dq, -dq, dl, dh))
            left = np.where(no_low, 0.0, (zl + reach * dl) * (sl + reach * dq)) + np.where(
                no_high, 0.0, (zh + reach * dh) * (sh - reach * dq))
            aim = (max(float(left.sum()) / many, 0.0) / mu) ** 3 * mu
            to_l, to_h = (aim - dq * dl) / sl, (aim + dq * dh) / sh
            dq, dy, dw = step.solve(right + to_l - to_h)
            dl, dh = to_l - zl - stiff_l * dq, to_h - zh + stiff_h * dq
            length = min(1.0, INSIDE * _reach((sl, sh, zl, zh), (dq, -dq, dl, dh)))
            if not (length > 1e-12 and np.isfinite(dq).all()):
                break
            q, y, w, zl, zh = q + length * dq, y + length * dy, w + length * dw, zl + length * dl, zh + length * dh
            slope = self._slope(q, y, w)
        return best if np.isfinite(least) else None

    def _x(self, q: Array) -> Array:
        n = len(self.c)
        return np.asarray(self.p + q[:n] - q[n : 2 * n])

    def _slope(self, q: Array, y: Array, w: Array) -> Array:
        """The gradient of the Lagrangian without the ends: of u, of v, and of activities."""
        force = self.H.dot(self._x(q)) + self.c - self.E.T.dot(y) - self.G.T.dot(w[:-1])
        return np.concatenate([force - w[-1], -force - w[-1], w])

    def _begin(self, x: Array, low: Array, high: Array, still: Index) -> Array:
        """The trades of x, a little more of each, and activities well between their ends."""
        n = len(self.c)
        moves = np.concatenate([np.maximum(x - self.p, 0.0), np.maximum(self.p - x, 0.0)])
        widths = np.concatenate([self.up, self.down])
        little = np.minimum(INWARD * widths, 0.25 * self.most / n)
        moves = np.minimum(np.maximum(moves, little), widths - little)
        moves[still] = 0.0
        activity = np.append(self.G.dot(self.p + moves[:n] - moves[n:]), moves.sum())
        rows_low, rows_high = low[2 * n :], high[2 * n :]
        width = rows_high - rows_low
        inward = np.where(np.isfinite(width), INWARD * width, INWARD * np.maximum(np.abs(activity), self.most))
        return np.concatenate([moves, np.minimum(np.maximum(activity, rows_low + inward), rows_high - inward)])


class _Step(NamedTuple):
    """One linear system, factorised: the changes of q and of all prices for any right-hand side."""

    system: System
    buys: Array  # 1/θ of u, and of v; 0 where nothing moves
    sells: Array
    unit: tuple[Array, Array, Array]  # what a unit of the price of trades does
    stiff: float  # θ of the trades
    r_e: Array
    r_g: Array
    problem: _Problem

    @staticmethod
    def of(problem: _Problem, theta: Array, still: Index, r_e: Array, r_g: Array) -> _Step | None:
        n = len(problem.c)
        give = 1.0 / theta[: 2 * n]
        give[still] = 0.0
        buys, sells = give[:n], give[n:]
        K = 1.0 / (buys + sells)
        if not np.isfinite(K).all():
            return None
        system = system_of(problem.H, problem.G, problem.E, np.concatenate([K, theta[2 * n : -1]]))
        if system is None:
            return None
        m = len(problem.l)
        unit = system.solve(Right(K * (buys - sells), np.zeros(m), np.zeros(len(r_e)), np.zeros(m)))
        return _Step(system, buys, sells, unit, float(theta[-1]), r_e, r_g, problem)

    def solve(self, right: Array) -> tuple[Array, Array, Array]:
        n, m = len(self.buys), len(self.r_g) - 1
        K, odd = 1.0 / (self.buys + self.sells), self.buys - self.sells
        u, v, a = right[:n], right[n : 2 * n], right[2 * n :]
        pull = K * (self.buys * u - self.sells * v)
        e, dy, dv = self.system.solve(Right(pull, a[:m], self.r_e, self.r_g[:m]))
        both = self.buys * u + self.sells * v
        now = float((both - odd * (pull - K * e)).sum())
        more = float((self.buys + self.sells - odd * (K * odd - K * self.unit[0])).sum())
        price = (float(self.r_g[-1]) + float(a[-1]) / self.stiff - now) / (more + 1.0 / self.stiff)
        e, dy, dv = e + price * self.unit[0], dy + price * self.unit[1], dv + price * self.unit[2]
        force = pull + K * odd * price - K * e
        du, dw = self.buys * (u - force + price), self.sells * (v + force + price)
        activity = np.append(self.problem.G.dot(e), (du + dw).sum()) - self.r_g
        return np.concatenate([du, dw, activity]), dy, np.append(dv, price)


def _reach(at: tuple[Array, ...], change: tuple[Array, ...]) -> float:
    """The longest step, at most about 1, that keeps all numbers at 0 or above."""
    pace = float(np.fmax.reduce(-np.concatenate(change) / np.concatenate(at)))  # 0/0, of no end, is passed over
    return 1.0 / max(pace, INSIDE)
