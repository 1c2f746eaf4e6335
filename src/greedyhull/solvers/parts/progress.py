"""What a solver yields, and what the driver shows to those who watch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import isnan
from typing import Any, NamedTuple

from greedyhull.errors import check
from greedyhull.objectives.relative import share
from greedyhull.types import Kind


class Progress(NamedTuple):
    """A point and the bound on its error: f(point) − min f ≤ gap, oracle's slack included, before rounding.

    ``value`` is told, perhaps an estimate, where nobody is to compute f(point): that of a stream, or of a sum too long for
    it. Such a bound stands by itself: no lower bound of min f is kept from it, as none may be from bounds in expectation.
    ``delta`` is how likely a bound of kind "probability" is to fail, all bounds of its run together.
    """

    point: Any
    gap: float
    kind: Kind = "always"
    slack: float = 0.0
    tolerance: float = 0.0
    also: Any = None
    value: float | None = None
    delta: float = 0.0


@dataclass(slots=True)
class Event:
    """One moment of a solve, as watchers and stops see it."""

    iteration: int
    seconds: float
    value: float
    gap: float
    lower: float
    point: Any
    start_value: float
    kind: Kind = "always"
    step: float = float("nan")
    also: dict[str, Any] = field(default_factory=dict)
    delta: float = 0.0
    told: bool = False  # by the solver, value and all: the bound stands by itself
    scale: float = 0.0  # f.scale: the loss of predicting zero, 0 where there is none

    @property
    def relative(self) -> float:
        """gap / max(|value|, scale); 0 where both are zero and so is the gap."""
        return self.relative_to(self.scale)

    def relative_to(self, floor: float) -> float:
        """gap / max(|value|, floor). The value of a stream is not known, and counts for nothing."""
        return share(self.gap, max(0.0 if isnan(self.start_value) else abs(self.value), floor))


def watchers_of(watch: Callable[[Event], Any] | Iterable[Callable[[Event], Any]]) -> list[Callable[[Event], Any]]:
    """The functions that were given as ``watch``, one or several."""
    if callable(watch):
        return [watch]
    some = list(watch) if isinstance(watch, Iterable) else [watch]
    check(all(map(callable, some)), lambda: f"watch={watch!r} was given; a function of an event, or several of them, is "
                                            "wanted. Leave watch out where nobody watches.")
    return some
