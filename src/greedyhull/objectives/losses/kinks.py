"""Convex functions of one variable that are linear between kinks: their slopes, and exactly where they are least."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from greedyhull.objectives.line import looked_at
from greedyhull.types import Array, Probe


class Kinks(NamedTuple):
    """Kinks in order, and by how much the slope jumps at each.

    >>> Kinks.sorted(np.array([2.0, 0.0]), np.array([1.0, 3.0])).argmin(-2.0, 5.0)
    0.0
    """

    at: Array
    jumps: Array

    @staticmethod
    def sorted(at: Array, jumps: Array) -> Kinks:
        order = np.argsort(at, kind="stable")
        return Kinks(at[order], jumps[order])

    def argmin(self, first: float, top: float) -> float:
        """The least minimiser on [0, top]; ``first`` is the slope before all kinks."""
        passed = int(np.searchsorted(self.at, 0.0, side="right"))
        slopes = first + np.cumsum(self.jumps)
        if (slopes[passed - 1] if passed else first) >= 0.0:
            return 0.0
        i = int(np.searchsorted(slopes, 0.0))
        return min(float(self.at[i]), top) if i < len(self.at) else top

    def crossing(self, first: float) -> tuple[float, float]:
        """The s at which the slope passes zero, and the share of the jump there, in [0, 1], that leads to zero."""
        slopes = first + np.cumsum(self.jumps)
        i = min(int(np.searchsorted(slopes, 0.0)), len(slopes) - 1)
        same = np.flatnonzero(self.at == self.at[i])
        if not len(same):  # overflow has left no number
            return float(self.at[i]), 1.0
        before = slopes[same[0] - 1] if same[0] else first
        jump = float(slopes[same[-1]] - before)
        return float(self.at[i]), min(max(-float(before) / jump, 0.0), 1.0) if jump > 0.0 else 1.0


class KinkedLine:
    """h(η) known by values, subderivatives and an exact ``argmin``; no bound on its bend exists.

    ``slope`` is one subderivative at 0, as ⟨g, v⟩ is for a subgradient g: it says nothing about where h is least.
    """

    __slots__ = ("_argmin", "_derivative", "_value", "bend", "limit", "max_step", "slope")
    kinked = True

    def __init__(self, value: Callable[[float], float], derivative: Callable[[float], float], argmin: Callable[[], float],
                 max_step: float) -> None:
        self._value, self._derivative, self._argmin, self.max_step = value, derivative, argmin, max_step
        self.slope, self.bend, self.limit = derivative(0.0), np.inf, np.inf

    def value(self, step: float) -> float:
        return self._value(step)

    def derivative(self, step: float) -> float:
        return self._derivative(step)

    def probe(self, steps: Sequence[float] | Array) -> Probe:
        return looked_at(self, steps)

    def argmin(self) -> float:
        return self._argmin()


def kinked_search(value: Callable[[float], float], derivative: Callable[[float], float], top: float) -> float:
    """argmin of a convex h on [0, top] that is linear between kinks, from values and subderivatives.

    Two tangents meet below h; where they meet on h, that is the minimum. Every other trial halves the bracket.
    """
    low, high = 0.0, top
    tangents = [(0.0, value(0.0), derivative(0.0)), (top, value(top), derivative(top))]
    if tangents[0][2] >= 0.0:  # a subderivative at a kink may hide a fall behind it
        inside = 1e-10 * top
        tangents[0] = (inside, value(inside), derivative(inside))
    if tangents[1][2] <= 0.0:
        return top if tangents[1][1] <= tangents[0][1] else 0.0
    if tangents[0][2] >= 0.0:
        return 0.0
    best = min((v, s) for s, v, _ in [(0.0, value(0.0), 0.0), *tangents])
    for i in range(200):
        (a, at_a, slope_a), (b, at_b, slope_b) = tangents
        meet = (at_b - at_a + slope_a * a - slope_b * b) / (slope_a - slope_b)
        floor = at_a + slope_a * (meet - a)
        step = meet if i % 2 == 0 and low < meet < high else 0.5 * (low + high)
        here, slope = value(step), derivative(step)
        best = min(best, (here, step))
        if best[0] <= floor + 4e-16 * abs(floor) or not low < step < high or slope == 0.0:
            break
        if slope < 0.0:
            low, tangents[0] = step, (step, here, slope)
        else:
            high, tangents[1] = step, (step, here, slope)
    return best[1]
