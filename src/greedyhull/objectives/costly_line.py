"""Lines for which every look costs a call of a user's function, or a round trip: a search that ends once a step is good.

Let g = −h'(0), and let M bound h'' on the line. The step min(g/M, end) lowers h by g²/(2M) at least, and all that the rates of
line search use of a step is that it does as well. Since M ≥ (g + h'(b))/b for every step b that was looked at,

    g²/(2M) ≤ B = min over b of ½g²b/(g + h'(b)):

a step that lowers h by 0.9·B lowers it by 0.9·g²/(2M) at least, whatever M is. A step b at which h still falls a little,
−σg ≤ h'(b) ≤ 0, need not be compared: h' ≤ −g + Mη and h' ≤ 0 up to b ≥ (1 − σ)g/M, so that h falls by (1 − σ²)g²/(2M) at
least, which is 0.91 of it for σ = 0.3. Where h falls up to its end, that is the best step. So all rates hold with M/0.9 in the
place of M, 2M/(0.9(k + 3)) say. `Solution.bounds` does not rest on it: it compares every step of a run with what a rate asks
for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from math import inf, isfinite, nan
from typing import NamedTuple

from greedyhull.objectives.line import Curve

ENOUGH = 0.9  # of the decrease that is sure with the best step
LEVEL = 0.3  # of the first slope: what is left of it where a search ends, at most
BLIND = 1e-12  # of |h|: decreases that are smaller drown in the rounding of values, and slopes alone tell
MOST = 40  # looks, at most
LONGER = 10.0  # times a step that is too short, at most


class CostlyLine(ABC):
    """A line that can be searched for a step that is good enough."""

    @abstractmethod
    def enough(self) -> float:
        """A step that lowers h by at least 0.9 of what the best step is sure to; see `greedyhull.objectives.costly_line`."""


class Look(NamedTuple):
    """A step, and h and h' there."""

    step: float
    value: float
    slope: float


def sure(slope: float, looks: Iterable[Look]) -> float:
    """B, an upper bound on g²/(2M).

    >>> sure(-1.0, [Look(0.5, -0.375, -0.5), Look(1.0, -0.5, 0.0)])  # h = −η + ½η²
    0.5
    """
    g = -slope
    return min((0.5 * g * g * b / (g + first) for b, _, first in looks if b > 0.0 and g + first > 0.0), default=inf)


class AskedLine(Curve, CostlyLine):
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
        for _ in range(MOST):
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
        return wanted <= BLIND * abs(self.start) or self.start - self.value(here.step) >= wanted


def _beyond(low: Look, slope: float, end: float) -> float:
    """A longer step, where all that were looked at were too short."""
    turn = low.slope - slope
    step = -slope * low.step / turn if turn > 0.0 else inf
    step = min(max(step, 1.5 * low.step), LONGER * low.step)
    return step if step < end else end


def _within(low: Look, high: Look) -> float:
    """A step between two: a secant that leaves a tenth on either side. Where slopes are not finite, a domain may end."""
    if not isfinite(high.slope):
        return low.step + 0.1 * (high.step - low.step)
    share = low.slope / (low.slope - high.slope) if high.slope > low.slope else 0.5
    return low.step + min(max(share, 0.1), 0.9) * (high.step - low.step)
