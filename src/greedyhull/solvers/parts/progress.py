"""What a solver yields, and how far it may go before the driver evaluates its gap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import inf, isnan, nan
from time import perf_counter
from typing import Any, NamedTuple

from greedyhull.errors import check, shown, signed, takes
from greedyhull.points.validate import KINDS
from greedyhull.types import Answer, Kind, Shortlist


class GapTarget(NamedTuple):
    """The gap that a stop requires, max(absolute, relative·max(|value|, floor)); ``rounds`` may pass before that."""

    absolute: float = 0.0
    relative: float = 0.0
    floor: float | None = 0.0  # None: the objective's own scale
    rounds: float = inf


NO_TARGET = GapTarget()  # of a stop that requires no gap and need not be evaluated


class BurstLimit(NamedTuple):
    """How far a solver may go before the driver evaluates its gap: so many rounds, or fewer where the gap meets the target."""

    rounds: int = 1
    absolute: float = 0.0
    relative: float = 0.0
    floor: float = 0.0
    rounding: float = 0.0  # twice that of the last point; the target leaves it out
    lower: float = -inf  # a lower bound of f

    def gap(self, value: float) -> float:
        return max(self.absolute, self.relative * max(abs(value), self.floor))


ONE_ROUND = BurstLimit()  # where the driver evaluates every round
Row = tuple[float, float, float, int]  # value, Frank-Wolfe gap before rounding, seconds and number of atoms


class SkippedRows(NamedTuple):
    """Rounds that the driver does not see, for the trace. The first of them is the start where it was skipped."""

    rounds: Sequence[Row]
    steps: Sequence[float]  # that led to their points
    products: float = 1.0  # passes over the data for each


@dataclass
class RunLimits:
    """When a run must end, whatever its gap: after so many iterations, at this time of the clock, or when interrupted."""

    iterations: float = inf
    end: float = inf
    listen: float = inf  # from then on Ctrl-C only asks for the end; before, it raises at once
    interrupt: Any = None

    def reached(self, k: int) -> bool:
        now = perf_counter()
        if now > self.listen and not self.interrupt.listening:
            self.interrupt.listen()
        return k >= self.iterations or now >= self.end or (self.interrupt is not None and self.interrupt.requested)


class Progress(NamedTuple):
    """A point and the bound on its error: f(point) − min f ≤ gap, oracle's slack included, before rounding.

    ``value`` is set, perhaps to an estimate, where the driver is not to compute f(point): that of a stream, or of a sum too
    long for it. No lower bound of min f is kept from such a bound, as none may be from bounds in expectation. ``delta`` is the
    probability that a bound of kind "probability" fails because of samples, all bounds of its run together; ``spent`` that of
    the oracle's answers of this bound, which the driver sums. ``estimate`` is the gap without slack, by which solvers steer,
    and ``answer`` what the gap rests on: where its slack is infinite, the driver computes a proof.
    """

    point: Any
    gap: float
    kind: Kind = "always"
    slack: float = 0.0
    tolerance: float = 0.0
    also: Any = None
    value: float | None = None
    delta: float = 0.0
    estimate: float = nan
    answer: Answer | Shortlist | None = None
    spent: float = 0.0

    @classmethod
    def of(cls, point: Any, estimate: float, answer: Answer | Shortlist, *, tolerance: float = 0.0,
           also: Any = None) -> Progress:
        """The point with the bound estimate + slack, where ``estimate`` is that of an oracle whose answer has no slack.

        >>> Progress.of(None, 0.5, Answer(None, slack=0.25)).gap
        0.75
        """
        told = (point, estimate + answer.slack, answer.kind, answer.slack, tolerance, also, None, 0.0, estimate, answer,
                answer.delta)
        return tuple.__new__(cls, told)  # as `_make` does, without a call of Python's own

    def proved(self, answer: Answer) -> Progress:
        """The same with a proof of how good the oracle's atom is; ``slack`` stays what the oracle said of the step's."""
        return self._replace(gap=self.estimate + answer.slack, kind=weaker(self.kind, answer.kind), answer=answer,
                             spent=self.spent + answer.delta)


def weaker(kind: Kind, other: Kind) -> Kind:
    """What a bound promises that rests on two.

    >>> weaker("always", "probability"), weaker("estimate", "expectation")
    ('probability', 'estimate')
    """
    return KINDS[max(KINDS.index(kind), KINDS.index(other))]


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
    self_standing: bool = False  # by the solver, value and all: the bound stands by itself
    scale: float = 0.0  # f.scale: the loss of predicting zero, 0 where there is none

    @property
    def relative(self) -> float:
        """gap / max(|value|, scale); 0 where both are zero and so is the gap."""
        return self.relative_to(self.scale)

    def relative_to(self, floor: float) -> float:
        """gap / max(|value|, floor). The value of a stream is not known, and counts for nothing."""
        gap, whole = self.gap, max(0.0 if isnan(self.start_value) else abs(self.value), floor)
        return gap / whole if whole > 0.0 and gap < inf else (0.0 if gap <= 0.0 else inf)


def watchers_of(watch: Callable[[Event], Any] | Iterable[Callable[[Event], Any]]) -> list[Callable[[Event], Any]]:
    """The functions that were given as ``watch``, one or several."""
    if watch == ():
        return []
    some = [watch] if callable(watch) or not isinstance(watch, Iterable) else list(watch)
    check(all(map(callable, some)), lambda: f"watch={shown(watch)} was given; a function of an event, or a list of them, is "
                                            "wanted. Leave watch out if nothing is to be watched.")
    wrong = [one for one in some if not takes(one, None)]
    check(not wrong, lambda: f"watch={signed(wrong[0])} was given; a function of one event is wanted.")
    return some
