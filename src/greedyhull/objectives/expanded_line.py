"""f along a direction, asked for several points at a time: a line of an objective for which each call is a round trip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.objectives.costly_line import ENOUGH, CostlyLine, Look, sure
from greedyhull.points.expanded import Along
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, Line, Probe
from greedyhull.types.override import KeepsLine, keeps, override

if TYPE_CHECKING:
    from greedyhull.objectives.expansion import ByExpansion

FIRST = np.array([1.0, 0.7, 0.45, 0.25, 0.12, 0.04, 0.01, 0.0])  # where a search begins, as shares of the longest step
AROUND = np.array([0.0, 0.03, -0.03, 1e-3, -1e-3, 1e-5, -1e-5])  # then around a guess, as shares of what it lies between
SHORTER = 10.0 ** -np.arange(1.0, 9.0)  # where a step was too long for h to be finite, as shares of it
TRIPS = 3  # to find the best step, at most
CLOSE = 1e-12  # of the slope at the start: a slope that is smaller ends the search


class ExpandedLine(KeepsLine, CostlyLine):
    """h(η) = f(w + ηv), eight points a trip and three trips at most for its lowest one."""

    if TYPE_CHECKING:
        keeps(Line.max_step, Line.limit, Line.slope)

    def __init__(self, f: ByExpansion, w: Iterate, v: Array, slope: float, max_step: float) -> None:
        self._f, self._w, self._v, self._view = f, w, v, f.at(w)
        self._x, self._near = self._view.x, self._view.near
        self.slope, self.max_step, self.limit = slope, max_step, np.inf
        self._bend: float | None = None
        self._seen: dict[float, tuple[float, float, float]] = {}

    @property
    @override
    def bend(self) -> float:
        if self._bend is None:
            self._bend = self._f.bend(self._x, self._v, self.max_step, self._near)
        return self._bend

    def look(self, steps: Array) -> Array:
        """A row h, h', h'' for every step; one trip for all that are new."""
        new = np.array([s for s in dict.fromkeys(steps.tolist()) if s not in self._seen])
        if len(new):
            line = self._f.expansion(self._x, None, points=Along(self._v, new), near=self._near).line
            assert line is not None
            self._w.work.products += 1.0 + 1.0 / max(self._v.size, 1)
            self._seen.update(zip(new.tolist(), map(tuple, line.tolist()), strict=True))
        return np.array([self._seen[s] for s in steps.tolist()]).reshape(-1, 3)

    @override
    def value(self, step: float) -> float:
        return float(self.look(np.array([step]))[0, 0])

    @override
    def derivative(self, step: float) -> float:
        return float(self.look(np.array([step]))[0, 1])

    @override
    def probe(self, steps: Sequence[float] | Array) -> Probe:
        rows = self.look(np.asarray(steps, dtype=np.float64))
        return Probe(rows[:, 0], rows[:, 1])

    @override
    def argmin(self) -> float:
        """The lowest point, from h' and h'' at eight points a trip: each trip looks closer around where they say it is."""
        return self._searched(lambda low, high: False)

    def enough(self) -> float:
        """The same, ended where both sides of the best step are good enough: h is convex, so that it is no worse."""
        return self._searched(self._is_good)

    def _is_good(self, low: float, high: float) -> bool:
        looks = [Look(step, value, first) for step, (value, first, _) in self._seen.items()]
        worse = max(self._seen[low][0], self._seen[high][0])
        return bool(self._seen[0.0][0] - worse >= ENOUGH * sure(self.slope, looks))

    def _searched(self, ends: Callable[[float, float], bool]) -> float:
        """The lowest point up to what ``ends`` says of the two steps that it lies between."""
        if not self.slope < 0.0:
            return 0.0
        steps, low, high = FIRST * self.max_step, 0.0, self.max_step
        for trip in range(TRIPS):
            self.look(steps)
            below = [s for s, (_, first, _) in self._seen.items() if first < 0.0]
            above = [s for s, (_, first, _) in self._seen.items() if not first < 0.0 and s > 0.0]  # h may overflow far away
            if not above:
                return self.max_step
            low, high = max(below, default=0.0), min(above)
            guess = self._between(low, high)
            if not np.isfinite(self._seen[high][0]):  # h ends before, or overflows: nobody knows how far before
                guess, steps = low, low + (high - low) * SHORTER
                continue
            least = min(abs(first) for _, first, _ in self._seen.values())
            if not low < guess < high or least <= CLOSE * -self.slope or trip == TRIPS - 1 or ends(low, high):
                break
            around = guess + (high - low) * AROUND
            steps = np.append(around[(around > low) & (around < high)], 0.5 * (low + high))
        return min((guess, low, high), key=lambda s: abs(self._seen[s][1]) if s in self._seen else 0.0)

    def _between(self, low: float, high: float) -> float:
        """Where h' vanishes between two steps: η as a cubic in h', through both ends with the right slopes 1/h''."""
        (_, first, bend), (_, last, end) = self._seen[low], self._seen[high]
        turn, width = last - first, high - low
        middle = 0.5 * (low + high)
        if not (0.0 < turn < np.inf):
            return middle
        t = -first / turn
        a, b = (turn / c if c > 0.0 else np.inf for c in (bend, end))
        guess = low * (1 + 2 * t) * (1 - t) ** 2 + high * t * t * (3 - 2 * t) + a * t * (1 - t) ** 2 - b * t * t * (1 - t)
        if low < guess < high:
            return float(guess)
        secant = low + t * width
        return secant if low < secant < high else middle
