"""f on a segment: h(η) = f(w + ηv) for 0 ≤ η ≤ max_step, with its slope h'(0) and a bound on its bend h''."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.types import Array, Line, Probe
from greedyhull.types.override import KeepsLine, keeps, override

NEAR = 0.99  # how close to the end of its domain a step may come


class Parabola(KeepsLine):
    """h(η) = value + slope·η + bend·η²/2: what a quadratic looks like along any direction.

    >>> Parabola(1.0, -1.0, 4.0, 1.0).argmin()
    0.25
    """

    bend: float

    __slots__ = ("bend", "limit", "max_step", "slope", "start")

    if TYPE_CHECKING:
        keeps(Line.max_step, Line.limit, Line.slope, Line.bend)

    def __init__(self, start: float, slope: float, bend: float, max_step: float) -> None:
        self.start, self.slope, self.bend, self.max_step = start, slope, bend, max_step
        self.limit = np.inf

    @override
    def value(self, step: float) -> float:
        return self.start + step * (self.slope + 0.5 * step * self.bend)

    @override
    def derivative(self, step: float) -> float:
        return self.slope + step * self.bend

    @override
    def probe(self, steps: Sequence[float] | Array) -> Probe:
        at = np.asarray(steps, dtype=np.float64)
        return Probe(self.start + at * (self.slope + 0.5 * at * self.bend), self.slope + at * self.bend)

    @override
    def argmin(self) -> float:
        if not self.slope < 0.0:  # nor where it is NaN
            return 0.0
        if not self.bend * self.max_step > -self.slope:
            return self.max_step
        return -self.slope / self.bend


class Curve(KeepsLine):
    """A convex line known by values and derivatives; ``bends(a, b)`` bounds h'' on [a, b] where that is known."""

    __slots__ = ("_bend", "_bends", "_derivatives", "_value", "limit", "max_step", "slope")

    if TYPE_CHECKING:
        keeps(Line.max_step, Line.limit, Line.slope)

    def __init__(self, value: Callable[[float], float], derivatives: Callable[[float], tuple[float, float]], slope: float,
                 max_step: float, *, limit: float = np.inf, bends: Callable[[], float] | None = None) -> None:
        self._value, self._derivatives, self._bends = value, derivatives, bends
        self.slope, self.max_step, self.limit = slope, max_step, limit
        self._bend: float | None = None

    @property
    @override
    def bend(self) -> float:
        if self._bend is None:
            self._bend = np.inf if self._bends is None else self._bends()
        return self._bend

    @override
    def value(self, step: float) -> float:
        return self._value(step)

    @override
    def derivative(self, step: float) -> float:
        return self._derivatives(step)[0]

    def derivatives(self, step: float) -> tuple[float, float]:
        """h' and h''; NaN where h'' is unknown."""
        return self._derivatives(step)

    @override
    def probe(self, steps: Sequence[float] | Array) -> Probe:
        return looked_at(self, steps)

    @override
    def argmin(self) -> float:
        return line_search(self._derivatives, self.slope, self.max_step, self.limit)


def looked_at(line: Line, steps: Sequence[float] | Array) -> Probe:
    """h and h' at one step after the other, for lines that have no faster way."""
    at = [float(s) for s in steps]
    return Probe(np.array([line.value(s) for s in at]), np.array([line.derivative(s) for s in at]))


def line_search(derivatives: Callable[[float], tuple[float, float]], slope: float, max_step: float, limit: float) -> float:
    """argmin of a convex h on [0, max_step] by Newton on h' = 0, kept in a bracket by bisection.

    ``derivatives(η)`` gives (h', h''); h'' may be NaN where it is unknown, then the secant is used.
    """
    if slope >= 0.0:
        return 0.0
    top = max_step
    if limit <= max_step:  # h → ∞ at the limit: its derivative is positive somewhere below
        top = NEAR * limit
        while derivatives(top)[0] < 0.0 and top < limit * (1.0 - 1e-12):
            top = 0.5 * (top + limit)
    end, _ = derivatives(top)
    if end <= 0.0:
        return top
    low, high, low_slope, high_slope = 0.0, top, slope, end
    step = top * slope / (slope - end)
    if not 0.0 < step < top:  # the derivative at the end is infinite or NaN
        step = 0.5 * top
    side, width = 0, top
    for i in range(100):
        first, second = derivatives(step)
        if first < 0.0:
            low, low_slope, high_slope = step, first, 0.5 * high_slope if side < 0 else high_slope
        else:
            high, high_slope, low_slope = step, first, 0.5 * low_slope if side > 0 else low_slope
        side = -1 if first < 0.0 else 1
        if abs(first) <= 1e-13 * abs(slope) or high - low <= 4e-16 * high:
            break
        if second > 0.0:
            trial = step - first / second
        else:  # a secant, its older end discounted; every other time the bracket must have halved
            turn = high_slope - low_slope
            trial = low - low_slope * (high - low) / turn if turn > 0.0 else 0.5 * (low + high)
            if i % 2:
                trial, width = (0.5 * (low + high) if high - low > 0.5 * width else trial), high - low
        if not low < trial < high:
            trial = 0.5 * (low + high)
        if abs(trial - step) <= 1e-15 * step:
            break
        step = trial
    return step
