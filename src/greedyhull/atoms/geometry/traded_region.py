"""Weights that trade little as their coordinates see them: bounds, a sum, a row for each group, and Σ|xⱼ − pⱼ| ≤ most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.kernels.rows_systems import Factored, Form
from greedyhull.kernels.traded_filling import Pieces, Traded, traded_levels, traded_vertex
from greedyhull.kernels.traded_interior import Near
from greedyhull.kernels.traded_qp import solve_traded_qp
from greedyhull.types import Array, Frame, Index
from greedyhull.types.override import KeepsRegion, KeepsSection, override

AHEAD = 120  # coordinates at p or at an end that are let in together, the steepest; or as many as there are already
OFF = 1e-12  # of the size of the set: what a point misses by less is rounding
FORCED = 1e-13  # of the total: caps that leave less of it leave no choice
MANY = 200  # variables from which on systems of few rows pay


@dataclass(slots=True, eq=False)
class TradedRegion(KeepsRegion):
    """Points near p with caps on groups; ``inside`` is one of them."""

    pieces: Pieces
    inside: Array
    middle: Array | None = None

    def _near(self) -> Near:
        return near_of(self.pieces)

    @override
    def begin(self, d: int) -> Array:
        """Where little is traded: most weights stay as they are."""
        return self.inside

    @override
    def nearest(self, x: Array) -> Array:
        near = self._near()
        close = np.clip(x, near.low, near.high) + 0.0
        if not near.holds(close, OFF) or float(np.abs(close - x).max(initial=0.0)) > OFF * near.most:
            one = Factored(np.ones(x.size), np.zeros((0, x.size)))
            close = solve_traded_qp(one, self.inside - x, self.inside, near, 0.0)
        return self._put_right(close)

    def _put_right(self, x: Array) -> Array:
        """x with the sum that it misses by rounding, and the trades that are too many, made up for where most is traded."""
        p, off = self.pieces.p, self.pieces.total - float(x.sum())
        way = p - x  # toward p nothing gets worse but a group's cap, by as little
        place = int((way if off > 0.0 else -way).argmax())
        if 0.0 < abs(off) <= abs(way[place]) and (way[place] > 0.0) == (off > 0.0):
            x[place] += off
        over = 0.5 * (self.pieces.traded(x) - self.pieces.most)
        if over > 0.0:
            bought, sold = int((x - p).argmax()), int((p - x).argmax())
            if x[bought] - p[bought] >= over and p[sold] - x[sold] >= over:
                x[bought] -= over
                x[sold] += over
        return x

    @override
    def free(self, g: Array, x: Array) -> Index:
        """Those that have moved and are at no end, and of the others the ones that gain most."""
        d, p = x.size, self.pieces.p
        high = p + self.pieces.ends[d:]
        on = (x != p) & (x > 0.0) & (x < high)
        price, r = reduced(g, self.pieces)
        down = np.where(x > p, r + price, r - price)  # what a unit less saves, and a unit more
        up = np.where(x < p, price - r, -r - price)
        gains = np.maximum(np.where(x > 0.0, down, -np.inf), np.where(x < high, up, -np.inf))
        gains[on] = -np.inf
        many = max(AHEAD, int(on.sum()))
        if many < d:
            steep = np.argpartition(-gains, many)[:many]
            on[steep[gains[steep] > -np.inf]] = True
            return np.flatnonzero(on)
        return np.flatnonzero(on | (gains > -np.inf))

    @override
    def shares(self, g: Array, x: Array) -> Array:
        """What each coordinate costs, with the prices of the sum, groups and trades, less what it would at 0, p or its cap."""
        d, p = x.size, self.pieces.p
        price, r = reduced(g, self.pieces)
        least = np.minimum(np.minimum((price - r) * p, (r + price) * self.pieces.ends[d:]), 0.0)
        return np.asarray(r * (x - p) + price * np.abs(x - p) - least)

    @override
    def section(self, frame: Frame, x: Array) -> TradedSection:
        d, many = x.size, len(self.pieces.room)
        ends = self.pieces.groups[:d], self.pieces.p + self.pieces.ends[d:], self.pieces.p
        of, high, p = (frame.read(part) for part in ends)
        y, of = frame.read(x), of.astype(np.intp)
        sums = np.bincount(of, y, many)
        room = np.maximum(self.pieces.room - np.bincount(self.pieces.groups[:d], x, many) + sums, sums)
        own = float(np.abs(y - p).sum())
        left = max(self.pieces.most - self.pieces.traded(x) + own, own)
        return TradedSection(Pieces.of(p, high, of, room, float(y.sum()), left))

    @override
    def moved(self, c: float, v: Array) -> None:
        return None


@dataclass(slots=True, eq=False)
class TradedSection(KeepsSection):
    """The part of it in which some coordinates move."""

    pieces: Pieces
    asked: tuple[Array, Traded] | None = None  # the gradient that was asked about last, and the answer

    def _best(self, grad: Array) -> Traded:
        if self.asked is None or self.asked[0] is not grad:
            self.asked = grad, traded_vertex(grad, self.pieces)
        return self.asked[1]

    @override
    def gap(self, grad: Array, y: Array) -> float:
        return float(grad.dot(y - self._best(grad).x))

    @override
    def slope(self, grad: Array, y: Array, target: Array) -> float:
        """Relative to the multiplier of the sum, which may be large compared with what it is about."""
        nu, _ = traded_levels(grad, self._best(grad).price, self.pieces)
        return float((grad - nu).dot(target - y))

    @override
    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return self._solved(H, grad, y, tol)

    def solve_factored(self, D: Array, F: Array, grad: Array, y: Array, tol: float) -> Array:
        """The same for H = diag(D) + FᵀF."""
        form, d = Factored(D, F), len(D)
        if d >= MANY and len(F) + len(self.pieces.room) < d:
            found = self._solved(form, grad, y, tol)
            if (found != y).any():
                return found
        return self._solved(form.square(np.arange(d)), grad, y, tol)

    def _solved(self, H: Form, grad: Array, y: Array, tol: float) -> Array:
        return solve_traded_qp(H, grad, y, near_of(self.pieces), tol)


def reduced(g: Array, pieces: Pieces) -> tuple[float, Array]:
    """The price of trades, and the gradient less the costs up to which groups take weights."""
    price = traded_vertex(g, pieces).price
    return price, np.asarray(g - traded_levels(g, price, pieces)[1][pieces.groups[: len(g)]])


def near_of(pieces: Pieces) -> Near:
    """The same set by rows: the sum, and groups whose caps can hold something back.

    Where these caps just sum to the total they are equations, of which the sum is one too many.
    """
    d, room = len(pieces.p), pieces.room
    of, high = pieces.groups[:d], pieces.p + pieces.ends[d:]
    holds = np.minimum(np.bincount(of, high, len(room)), pieces.total) > room
    binding = holds.nonzero()[0]
    if holds.all() and float(room.sum()) <= pieces.total * (1.0 + FORCED):
        return Near(np.zeros(d), high, (of == binding[:, None]).astype(np.float64), room, room, pieces.p, pieces.most)
    A = np.concatenate([np.ones((1, d)), of == binding[:, None]])
    l = np.concatenate([[pieces.total], np.full(len(binding), -np.inf)])
    u = np.concatenate([[pieces.total], pieces.room[binding]])
    return Near(np.zeros(d), high, A, l, u, pieces.p, pieces.most)
