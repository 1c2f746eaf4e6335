"""Boxes, balls and bounded simplices as their coordinates see them: what `Corrective` needs for Newton steps inside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.kernels.ball_qp import ball_gap, into_unit_ball, solve_ball_qp
from greedyhull.kernels.box_qp import free_coordinates, gap_shares, solve_box_qp
from greedyhull.kernels.rows_qp import Limits, solve_rows_qp
from greedyhull.kernels.rows_systems import Factored
from greedyhull.kernels.sum_qp import nearest_filling, solve_sum_qp, sum_gap, threshold
from greedyhull.types import Array, Frame, Index, Region
from greedyhull.types.override import KeepsRegion, KeepsSection, keeps, override

FEWER = 3  # times fewer rows than coordinates, from which on systems of the rows pay


@dataclass(slots=True, eq=False)
class BoxRegion(KeepsRegion):
    """low ≤ x ≤ high."""

    low: Array
    high: Array
    middle: Array | None = None

    @override
    def nearest(self, x: Array) -> Array:
        return np.clip(x, self.low, self.high)

    @override
    def begin(self, d: int) -> Array:
        return self.nearest(np.zeros(d))

    @override
    def free(self, g: Array, x: Array) -> Index:
        return free_coordinates(g, x, self.low, self.high)

    @override
    def shares(self, g: Array, x: Array) -> Array:
        return gap_shares(g, x, self.low, self.high)

    @override
    def section(self, frame: Frame, x: Array) -> BoxSection:
        return BoxSection(frame.read(self.low), frame.read(self.high))

    @override
    def moved(self, c: float, v: Array) -> BoxRegion:
        ends = c * self.low + v.ravel(), c * self.high + v.ravel()
        return BoxRegion(*(ends if c > 0.0 else ends[::-1]))


@dataclass(slots=True, eq=False)
class BoxSection(KeepsSection):
    """A face of a box."""

    low: Array
    high: Array

    @override
    def gap(self, grad: Array, y: Array) -> float:
        return float(gap_shares(grad, y, self.low, self.high).sum())

    @override
    def slope(self, grad: Array, y: Array, target: Array) -> float:
        return float(grad.dot(target - y))

    @override
    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return solve_box_qp(H, grad, y, self.low, self.high, tol)

    def solve_factored(self, D: Array, F: Array, grad: Array, y: Array, tol: float) -> Array:
        """The same for H = diag(D) + FᵀF: systems have a row for each row of F."""
        none = Limits(self.low, self.high, np.zeros((0, len(y))), np.zeros(0), np.zeros(0))
        return solve_rows_qp(Factored(D, F), grad, y, none, tol)


@dataclass(slots=True, eq=False)
class FillingRegion(KeepsRegion):
    """0 ≤ x − low ≤ high with the sum total: a box, once the multiplier of the sum is subtracted from the gradient."""

    high: Array
    total: float
    middle: Array | None = None
    low: Array | None = None  # None: zero

    def _above(self, x: Array) -> Array:
        return x if self.low is None else x - self.low

    @override
    def nearest(self, x: Array) -> Array:
        near = nearest_filling(self._above(x), self.high, self.total)
        return near if self.low is None else near + self.low

    @override
    def begin(self, d: int) -> Array:
        return self.nearest(np.zeros(d))

    @override
    def free(self, g: Array, x: Array) -> Index:
        """Those with a gradient of exactly the threshold are free too: the last one to be filled is among them."""
        slopes, v = g - threshold(g, self.high, self.total), self._above(x)
        up, down = (slopes <= 0.0) & (v < self.high), (slopes >= 0.0) & (v > 0.0)
        return ((up | down | ((v > 0.0) & (v < self.high))) & (self.high > 0.0)).nonzero()[0]

    @override
    def shares(self, g: Array, x: Array) -> Array:
        return gap_shares(g - threshold(g, self.high, self.total), self._above(x), np.zeros_like(x), self.high)

    @override
    def section(self, frame: Frame, x: Array) -> FillingSection:
        return FillingSection(frame.read(self.high), None if self.low is None else frame.read(self.low))

    @override
    def moved(self, c: float, v: Array) -> FillingRegion | None:
        if c <= 0.0:
            return None
        low = v.ravel().astype(np.float64) if self.low is None else c * self.low + v.ravel()
        return FillingRegion(c * self.high, c * self.total, low=low if low.any() else None)


@dataclass(slots=True, eq=False)
class FillingSection(KeepsSection):
    """0 ≤ y − low ≤ high, with the sum that y has."""

    high: Array
    low: Array | None = None

    def _above(self, y: Array) -> Array:
        return y if self.low is None else np.clip(y - self.low, 0.0, self.high)

    @override
    def gap(self, grad: Array, y: Array) -> float:
        return sum_gap(grad, self._above(y), self.high)

    @override
    def slope(self, grad: Array, y: Array, target: Array) -> float:
        """Relative to the multiplier of the sum, which may be large compared with what it is about."""
        return float((grad - threshold(grad, self.high, float(self._above(y).sum()))).dot(target - y))

    @override
    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        found = solve_sum_qp(H, grad, self._above(y), self.high, tol)
        return found if self.low is None else found + self.low

    def solve_factored(self, D: Array, F: Array, grad: Array, y: Array, tol: float) -> Array:
        """The same for H = diag(D) + FᵀF: systems have a row for each row of F, and one for the sum."""
        if FEWER * len(F) > len(D):
            return self.solve(Factored(D, F).square(np.arange(len(D))), grad, y, tol)
        here = self._above(y)
        total = here.sum(keepdims=True)
        limits = Limits(np.zeros(len(y)), self.high, np.ones((1, len(y))), total, total)
        found = nearest_filling(solve_rows_qp(Factored(D, F), grad, here, limits, tol), self.high, float(total[0]))
        return found if self.low is None else found + self.low


@dataclass(slots=True, eq=False)
class BallRegion(KeepsRegion):
    """‖x − middle‖ ≤ radius."""

    middle: Array
    radius: float

    if TYPE_CHECKING:
        keeps(Region.middle)

    @override
    def nearest(self, x: Array) -> Array:
        t = (x - self.middle) / self.radius
        inside = into_unit_ball(t)
        return x if inside is t else self.middle + self.radius * inside

    @override
    def begin(self, d: int) -> Array:
        return self.nearest(np.zeros(d))

    @override
    def free(self, g: Array, x: Array) -> Index:
        return np.arange(len(x))

    @override
    def shares(self, g: Array, x: Array) -> Array:
        """The size of the gradient: on a sphere the gap is no sum over coordinates."""
        return np.abs(g)

    @override
    def section(self, frame: Frame, x: Array) -> BallSection:
        """The ball of the points that differ from x along the frame only."""
        rest = (x - self.middle) / self.radius
        frame.write(rest, np.zeros(len(frame)))
        return BallSection(frame.read(self.middle), self.radius * float(np.sqrt(max(1.0 - rest.dot(rest), 0.0))))

    @override
    def moved(self, c: float, v: Array) -> BallRegion:
        return BallRegion(c * self.middle + v.ravel(), abs(c) * self.radius)


@dataclass(slots=True, eq=False)
class BallSection(KeepsSection):
    """A smaller ball."""

    middle: Array
    radius: float

    @override
    def gap(self, grad: Array, y: Array) -> float:
        return self.radius * ball_gap(grad, into_unit_ball((y - self.middle) / self.radius)) if self.radius > 0.0 else 0.0

    @override
    def slope(self, grad: Array, y: Array, target: Array) -> float:
        return float(grad.dot(target - y))

    @override
    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return solve_ball_qp(H, grad, y, self.middle, self.radius, tol)[0]


def as_written(kind: type, home: type) -> bool:
    """Whether a class derived from ``home``, or ``home`` itself, searches and measures the same atoms: a region stands for
    no others."""
    if kind is home:
        return True
    mine, known = ([vars(c) for c in k.__mro__] for k in (kind, home))
    names = ("argmin", "best", "oracle", "contains", "_holds")
    return all(next(v[n] for v in mine if n in v) is next(v[n] for v in known if n in v) for n in names)
