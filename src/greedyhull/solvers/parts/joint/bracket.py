"""Where the minimum of a convex function of one variable can still lie, and how low it can be."""

from __future__ import annotations

from math import isfinite, isnan, nan

from greedyhull.objectives.line import NEAR

PROBES = 40  # after so many looks at one line only rounding is left


class Bracket:
    """A convex h on [a, b] with tangents at both ends, h'(a) < 0 < h'(b): below neither of them lies h.

    ``right`` is nan while nobody has looked at b; an ``open`` end b is one that h must not be asked at.
    """

    __slots__ = ("a", "b", "bend", "high", "left", "low", "open", "probes", "right")

    def __init__(self, start: float, slope: float, cap: float) -> None:
        self.a, self.low, self.left, self.bend = 0.0, start, slope, 0.0
        self.b, self.high, self.right, self.open = cap, nan, nan, False
        self.probes = 0

    def limited(self, limit: float) -> None:
        """h is finite only below ``limit``."""
        if limit <= self.b:
            self.b, self.open = limit, True

    def bound(self) -> float:
        """No value of h on [a, b] is below this: the height at which the two tangents meet."""
        if isnan(self.right):
            return self.low + self.left * (self.b - self.a)
        return min(self.low + self.left * (self.crossing() - self.a), self.low, self.high)

    def crossing(self) -> float:
        """Where the two tangents meet."""
        turn = self.right - self.left
        if turn <= 0.0:
            return self.b
        t = (self.low - self.high + self.right * self.b - self.left * self.a) / turn
        return min(max(t, self.a), self.b)

    def next(self, level: float) -> float:
        """Where to look next, if only minima below ``level`` matter."""
        a, b = self.a, self.b
        if isnan(self.right):
            if self.probes == 0:  # the left tangent meets the level at x; a parabola with its vertex left of 1.8x stays above
                x = 1.8 * (level - self.low) / self.left if level < self.low else b
            elif self.bend > 0.0:  # beyond where the slope seems to vanish, and further beyond each time
                x = a - 0.75 * 2.0**self.probes * self.left / self.bend
            else:
                x = 0.5 * (a + b) if self.open else b
            end = a + NEAR * (b - a) if self.open else b
            return min(x, end) if x > a else end
        x = a - self.left * (b - a) / (self.right - self.left) if self.probes % 2 else self.crossing()
        return x if a < x < b else 0.5 * (a + b)

    def cut(self, x: float, value: float, slope: float) -> None:
        """Take in h(x) and h'(x)."""
        self.probes += 1
        if not (isfinite(value) and isfinite(slope)):
            self.b, self.high, self.right, self.open = x, nan, nan, True
        elif slope >= 0.0:
            self.b, self.high, self.right, self.open = x, value, slope, False
        elif x < self.b:
            self.bend = (slope - self.left) / (x - self.a)
            self.a, self.low, self.left = x, value, slope
        else:  # still falling at the end: the minimum is there
            self.a, self.low, self.left, self.high, self.right = x, value, 0.0, value, 0.0

    def spent(self) -> bool:
        """Whether looking closer would only see rounding."""
        return self.probes >= PROBES or self.b - self.a <= 4e-16 * self.b
