"""How far a solver may go before the driver looks again."""

from __future__ import annotations

from typing import NamedTuple


class Aim(NamedTuple):
    """The gap that a stop asks for: max(absolute, relative·max(|value|, floor)); 0 where it asks for none.

    ``floor`` is None where that is the objective's own scale.
    """

    absolute: float = 0.0
    relative: float = 0.0
    floor: float | None = 0.0


class Ahead(NamedTuple):
    """So many rounds, or fewer where the gap meets the aim: nobody looks in between.

    The aim leaves rounding out, which depends on where one has looked. So rounds are the same whoever watches them.
    """

    rounds: int = 1
    absolute: float = 0.0
    relative: float = 0.0
    floor: float = 0.0


class Passed(NamedTuple):
    """A round that nobody saw: what the trace is told of it. ``gap`` is the Frank-Wolfe gap, before rounding."""

    value: float
    gap: float
    seconds: float
    atoms: int


ONE = Ahead()  # where the stop wants to see every round
