"""Boxes, balls and bounded simplices as their coordinates see them: what `Corrective` needs for Newton steps inside them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.kernels.ball_qp import ball_gap, into_unit_ball, solve_ball_qp
from greedyhull.kernels.box_qp import free_coordinates, gap_shares, solve_box_qp
from greedyhull.kernels.sum_qp import nearest_filling, solve_sum_qp, sum_gap, threshold
from greedyhull.types import Array, Frame, Index


class BoxRegion(NamedTuple):
    """low ≤ x ≤ high."""

    low: Array
    high: Array
    middle: None = None

    def nearest(self, x: Array) -> Array:
        return np.clip(x, self.low, self.high)

    def free(self, g: Array, x: Array) -> Index:
        return free_coordinates(g, x, self.low, self.high)

    def shares(self, g: Array, x: Array) -> Array:
        return gap_shares(g, x, self.low, self.high)

    def section(self, frame: Frame, x: Array) -> BoxSection:
        return BoxSection(frame.read(self.low), frame.read(self.high))


class BoxSection(NamedTuple):
    """A face of a box."""

    low: Array
    high: Array

    def gap(self, grad: Array, y: Array) -> float:
        return float(gap_shares(grad, y, self.low, self.high).sum())

    def slope(self, grad: Array, y: Array, target: Array) -> float:
        return float(grad.dot(target - y))

    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return solve_box_qp(H, grad, y, self.low, self.high, tol)


class FillingRegion(NamedTuple):
    """0 ≤ x ≤ high with the sum total: a box, once the multiplier of the sum is subtracted from the gradient."""

    high: Array
    total: float
    middle: None = None

    def nearest(self, x: Array) -> Array:
        return nearest_filling(x, self.high, self.total)

    def free(self, g: Array, x: Array) -> Index:
        """Those with a gradient of exactly the threshold are free too: the last one to be filled is among them."""
        slopes = g - threshold(g, self.high, self.total)
        up, down = (slopes <= 0.0) & (x < self.high), (slopes >= 0.0) & (x > 0.0)
        return ((up | down | ((x > 0.0) & (x < self.high))) & (self.high > 0.0)).nonzero()[0]

    def shares(self, g: Array, x: Array) -> Array:
        return gap_shares(g - threshold(g, self.high, self.total), x, np.zeros_like(x), self.high)

    def section(self, frame: Frame, x: Array) -> FillingSection:
        return FillingSection(frame.read(self.high))


class FillingSection(NamedTuple):
    """0 ≤ y ≤ high, with the sum that y has."""

    high: Array

    def gap(self, grad: Array, y: Array) -> float:
        return sum_gap(grad, y, self.high)

    def slope(self, grad: Array, y: Array, target: Array) -> float:
        """Relative to the multiplier of the sum, which may be large compared with what it is about."""
        return float((grad - threshold(grad, self.high, float(y.sum()))).dot(target - y))

    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return solve_sum_qp(H, grad, y, self.high, tol)


class BallRegion(NamedTuple):
    """‖x − middle‖ ≤ radius."""

    middle: Array
    radius: float

    def nearest(self, x: Array) -> Array:
        t = (x - self.middle) / self.radius
        inside = into_unit_ball(t)
        return x if inside is t else self.middle + self.radius * inside

    def free(self, g: Array, x: Array) -> Index:
        return np.arange(len(x))

    def shares(self, g: Array, x: Array) -> Array:
        """The sphere has no corners, where a coordinate would have a share of its own: the size of the gradient stands for it."""
        return np.abs(g)

    def section(self, frame: Frame, x: Array) -> BallSection:
        """The ball of the points that differ from x along the frame: what x needs in other directions is lost to its radius."""
        rest = (x - self.middle) / self.radius
        frame.write(rest, np.zeros(len(frame)))
        return BallSection(frame.read(self.middle), self.radius * float(np.sqrt(max(1.0 - rest.dot(rest), 0.0))))


class BallSection(NamedTuple):
    """A smaller ball."""

    middle: Array
    radius: float

    def gap(self, grad: Array, y: Array) -> float:
        return self.radius * ball_gap(grad, into_unit_ball((y - self.middle) / self.radius)) if self.radius > 0.0 else 0.0

    def slope(self, grad: Array, y: Array, target: Array) -> float:
        return float(grad.dot(target - y))

    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return solve_ball_qp(H, grad, y, self.middle, self.radius, tol)[0]


def as_written(kind: type, home: type) -> bool:
    """Whether a class derived from ``home``, or ``home`` itself, searches and measures the same atoms: a region stands for
    no others."""
    mine, known = ([vars(c) for c in k.__mro__] for k in (kind, home))
    names = ("argmin", "best", "oracle", "contains", "_holds")
    return all(next(v[n] for v in mine if n in v) is next(v[n] for v in known if n in v) for n in names)
