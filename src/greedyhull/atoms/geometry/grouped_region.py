"""The simplex with caps on groups as its coordinates see it: bounds, a sum, and a row for each group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.kernels.grouped_filling import grouped_gap, levels, nearest_grouped
from greedyhull.kernels.grouped_qp import solve_grouped_qp
from greedyhull.types import Array, Frame, Index
from greedyhull.types.override import KeepsRegion, KeepsSection, override

AHEAD = 40  # coordinates at zero that are let in together, the steepest; or as many as there are already


@dataclass(slots=True, eq=False)
class GroupedRegion(KeepsRegion):
    """0 ≤ x ≤ high with the sum total, and sums over groups of at most room; ``of`` has the group of each coordinate."""

    high: Array
    of: Index
    room: Array
    total: float
    middle: Array | None = None

    @override
    def begin(self, d: int) -> None:
        """A corner has few coordinates; the point nearest to the origin has all of them."""
        return None

    @override
    def nearest(self, x: Array) -> Array:
        return nearest_grouped(x, self.high, self.of, self.room, self.total)

    @override
    def free(self, g: Array, x: Array) -> Index:
        """Those that are not zero, and of those at zero the ones that come first by what they cost."""
        _, level = levels(g, self.high, self.of, self.room, self.total)
        on = x > 0.0
        many = max(AHEAD, int(on.sum()))
        costs = np.where(on | (self.high <= 0.0), np.inf, g - level[self.of])
        if many < len(g):
            steep = np.argpartition(costs, many)[:many]
            on[steep[costs[steep] < np.inf]] = True
            return on.nonzero()[0]
        return (on | (costs < np.inf)).nonzero()[0]

    @override
    def shares(self, g: Array, x: Array) -> Array:
        _, level = levels(g, self.high, self.of, self.room, self.total)
        r = g - level[self.of]
        return np.asarray(np.maximum(r * x, r * (x - self.high)))

    @override
    def section(self, frame: Frame, x: Array) -> GroupedSection:
        high, of, y = frame.read(self.high), frame.read(self.of), frame.read(x)
        rest = np.bincount(self.of, x, len(self.room)) - np.bincount(of, y, len(self.room))
        return GroupedSection(high, of, np.maximum(self.room - rest, np.bincount(of, y, len(self.room))))

    @override
    def moved(self, c: float, v: Array) -> GroupedRegion | None:
        return None if v.any() or c <= 0.0 else GroupedRegion(c * self.high, self.of, c * self.room, c * self.total)


@dataclass(slots=True, eq=False)
class GroupedSection(KeepsSection):
    """0 ≤ y ≤ high with the sum that y has, and sums over groups of at most room."""

    high: Array
    of: Index
    room: Array

    @override
    def gap(self, grad: Array, y: Array) -> float:
        return grouped_gap(grad, y, self.high, self.of, self.room)

    @override
    def slope(self, grad: Array, y: Array, target: Array) -> float:
        """Relative to the multiplier of the sum, which may be large compared with what it is about."""
        nu, _ = levels(grad, self.high, self.of, self.room, float(y.sum()))
        return float((grad - nu).dot(target - y))

    @override
    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return solve_grouped_qp(H, grad, y, self.high, self.of, self.room, tol)
