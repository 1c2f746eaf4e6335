"""How far a solver may go before the driver looks again."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple


class Aim(NamedTuple):
    """The gap that a stop asks for: max(absolute, relative·max(|value|, floor)); 0 where it asks for none.

    ``floor`` is None where that is the objective's own scale. ``rounds`` is how many may pass before the stop must look.
    """

    absolute: float = 0.0
    relative: float = 0.0
    floor: float | None = 0.0
    rounds: float = inf


NO_AIM = Aim()  # of a stop that asks for no gap and need not look


class Ahead(NamedTuple):
    """So many rounds, or fewer where the gap meets the aim: nobody looks in between.

    The aim leaves rounding out, which depends on where one has looked: ``rounding`` is twice what it was there. Rounds that
    steer by the aim leave it out too, so that they are the same whoever watches them. f is nowhere below ``lower``.
    """

    rounds: int = 1
    absolute: float = 0.0
    relative: float = 0.0
    floor: float = 0.0
    rounding: float = 0.0
    lower: float = -inf

    def gap(self, value: float) -> float:
        """The gap to reach where f has this value."""
        return max(self.absolute, self.relative * max(abs(value), self.floor))

    def met(self, value: float, gap: float) -> bool:
        """Whether the aim is met where f has this value and the core knows this gap."""
        return min(gap, value - self.lower) <= self.gap(value)


class Passed(NamedTuple):
    """Rounds that nobody saw, for the trace: value, Frank-Wolfe gap before rounding, seconds and number of atoms of each.

    ``step`` is the step that led to the point of a round, and ``products`` what each round cost in passes over the data.
    Where nobody saw the start, it is the first of them; no step led there.
    """

    rounds: Sequence[tuple[float, float, float, int]]
    step: Sequence[float]
    products: float = 1.0


ONE = Ahead()  # where the stop wants to see every round
