"""f on a segment, and searches on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from greedyhull.points.iterate import Iterate
from greedyhull.points.views import Along
from greedyhull.types import Array, Probe

if TYPE_CHECKING:
    from greedyhull.objectives.expansion import ByExpansion


NEAR = 0.99  # how close to the end of its domain a step may come


class Line:
    """h(η) = f(w + ηv) on [0, max_step]; h is finite only below ``limit``; h'' ≤ bend. To write: `value`, `derivative`,
    `argmin`."""

    __slots__ = ()
    if TYPE_CHECKING:
        max_step: float
        limit: float
        slope: float
        bend: float
        value: Callable[[float], float]
        derivative: Callable[[float], float]
        argmin: Callable[[], float]

    def probe(self, steps: Sequence[float] | Array) -> Probe:
        """h and h' at several points."""
        at = [float(s) for s in steps]
        return Probe(np.array([self.value(s) for s in at]), np.array([self.derivative(s) for s in at]))

    def enough(self) -> float:
        """A step that lowers h by at least 0.9 of what the best step is sure to: the best one, where calls cost little."""
        return self.argmin()


class Parabola(Line):
    """h(η) = value + slope·η + bend·η²/2: what a quadratic looks like along any direction.

    >>> Parabola(1.0, -1.0, 4.0, 1.0).argmin()
    0.25
    """

    __slots__ = ("bend", "limit", "max_step", "slope", "start")

    def __init__(self, start: float, slope: float, bend: float, max_step: float) -> None:
        self.start, self.slope, self.bend, self.max_step = start, slope, bend, max_step
        self.limit = np.inf

    def value(self, step: float) -> float:
        return self.start + step * (self.slope + 0.5 * step * self.bend)

    def derivative(self, step: float) -> float:
        return self.slope + step * self.bend

    def probe(self, steps: Sequence[float] | Array) -> Probe:
        at = np.asarray(steps, dtype=np.float64)
        return Probe(self.start + at * (self.slope + 0.5 * at * self.bend), self.slope + at * self.bend)

    def argmin(self) -> float:
        if not self.slope < 0.0:  # nor where it is NaN
            return 0.0
        if not self.bend * self.max_step > -self.slope:
            return self.max_step
        return -self.slope / self.bend


class Curve(Line):
    """A convex line known by values and derivatives; ``bends(a, b)`` bounds h'' on [a, b] where that is known."""

    __slots__ = ("_bend", "_bends", "_derivatives", "_value", "limit", "max_step", "slope")

    def __init__(self, value: Callable[[float], float], derivatives: Callable[[float], tuple[float, float]], slope: float,
                 max_step: float, *, limit: float = np.inf, bends: Callable[[], float] | None = None) -> None:
        self._value, self._derivatives, self._bends = value, derivatives, bends
        self.slope, self.max_step, self.limit = slope, max_step, limit
        self._bend: float | None = None

    @property
    def bend(self) -> float:  # type: ignore[override]
        if self._bend is None:
            self._bend = np.inf if self._bends is None else self._bends()
        return self._bend

    def value(self, step: float) -> float:
        return self._value(step)

    def derivative(self, step: float) -> float:
        return self._derivatives(step)[0]

    def derivatives(self, step: float) -> tuple[float, float]:
        """h' and h''; NaN where h'' is unknown."""
        return self._derivatives(step)

    def argmin(self) -> float:
        return line_search(self._derivatives, self.slope, self.max_step, self.limit)


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


ENOUGH = 0.9  # of the decrease that is sure with the best step
LEVEL = 0.3  # of the first slope: what is left of it where a search ends, at most


class Look(NamedTuple):
    """A step, and h and h' there."""

    step: float
    value: float
    slope: float


def sure(slope: float, looks: Iterable[Look]) -> float:
    """B, an upper bound on g²/(2M)."""
    g = -slope
    return min((0.5 * g * g * b / (g + first) for b, _, first in looks if b > 0.0 and g + first > 0.0), default=inf)


class AskedLine(Curve):
    """A line whose values and slopes are calls of a user's functions.

    ``guess`` is the bend that lines of this length had before, if any. ``seen`` is told of it when a search is over.
    """

    __slots__ = ("guess", "seen", "start")

    def __init__(self, value: Callable[[float], float], derivatives: Callable[[float], tuple[float, float]], slope: float,
                 max_step: float, *, start: float, guess: float = nan, bends: Callable[[], float] | None = None,
                 seen: Callable[[float], None] = lambda bend: None) -> None:
        super().__init__(value, derivatives, slope, max_step, bends=bends)
        self.start, self.guess, self.seen = start, guess, seen

    def enough(self) -> float:
        """From the step that the last bend suggests, by secants in a bracket; a call of the gradient each."""
        if not self.slope < 0.0:
            return 0.0
        low, high, looks = Look(0.0, self.start, self.slope), None, list[Look]()
        step, good = self._first(), False
        for _ in range(40):  # looks, at most
            here = Look(step, nan, self.derivative(step))
            looks.append(here)
            good = self._is_good(here, looks)
            if good:
                break
            low, high = (here, high) if here.slope < 0.0 else (low, here)
            step = _within(low, high) if high is not None else _beyond(low, self.slope, self.max_step)
            if not low.step < step <= (self.max_step if high is None else high.step):
                break
        if here.step > 0.0 and isfinite(here.slope):
            self.seen((here.slope - self.slope) / here.step)
        return here.step if good else step

    def _first(self) -> float:
        bend = self.guess if self.guess > 0.0 else self.bend
        step = -self.slope / bend if 0.0 < bend < inf else self.max_step
        return step if 0.0 < step < self.max_step else self.max_step

    def _is_good(self, here: Look, looks: list[Look]) -> bool:
        """Whether h has fallen by enough there, or can fall no further along this line."""
        if here.slope <= 0.0:
            return here.slope >= LEVEL * self.slope or here.step == self.max_step
        if not here.slope <= -LEVEL * self.slope:
            return False
        wanted = ENOUGH * sure(self.slope, looks)
        # of |h|: decreases that are smaller drown in the rounding of values, and slopes alone tell
        return wanted <= 1e-12 * abs(self.start) or self.start - self.value(here.step) >= wanted


def _beyond(low: Look, slope: float, end: float) -> float:
    """A longer step, where all that were looked at were too short."""
    turn = low.slope - slope
    step = -slope * low.step / turn if turn > 0.0 else inf
    step = min(max(step, 1.5 * low.step), 10.0 * low.step)  # times a step that is too short, at most
    return step if step < end else end


def _within(low: Look, high: Look) -> float:
    """A step between two: a secant that leaves a tenth on either side. Where slopes are not finite, a domain may end."""
    if not isfinite(high.slope):
        return low.step + 0.1 * (high.step - low.step)
    share = low.slope / (low.slope - high.slope) if high.slope > low.slope else 0.5
    return low.step + min(max(share, 0.1), 0.9) * (high.step - low.step)


FIRST = np.array([1.0, 0.7, 0.45, 0.25, 0.12, 0.04, 0.01, 0.0])  # where a search begins, as shares of the longest step
AROUND = np.array([0.0, 0.03, -0.03, 1e-3, -1e-3, 1e-5, -1e-5])  # then around a guess, as shares of what it lies between
SHORTER = 10.0 ** -np.arange(1.0, 9.0)  # where a step was too long for h to be finite, as shares of it
TRIPS = 3  # to find the best step, at most


class ExpandedLine(Line):
    """h(η) = f(w + ηv), eight points a trip and three trips at most for its lowest one."""

    def __init__(self, f: ByExpansion, w: Iterate, v: Array, slope: float, max_step: float) -> None:
        self._f, self._w, self._v, self._view = f, w, v, f.at(w)
        self._x, self._near = self._view.x, self._view.near
        self.slope, self.max_step, self.limit = slope, max_step, np.inf
        self._bend: float | None = None
        self._seen: dict[float, tuple[float, float, float]] = {}

    @property
    def bend(self) -> float:  # type: ignore[override]
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

    def value(self, step: float) -> float:
        return float(self.look(np.array([step]))[0, 0])

    def derivative(self, step: float) -> float:
        return float(self.look(np.array([step]))[0, 1])

    def probe(self, steps: Sequence[float] | Array) -> Probe:
        rows = self.look(np.asarray(steps, dtype=np.float64))
        return Probe(rows[:, 0], rows[:, 1])

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
            # of the slope at the start: a slope that is smaller ends the search
            if not low < guess < high or least <= 1e-12 * -self.slope or trip == TRIPS - 1 or ends(low, high):
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
