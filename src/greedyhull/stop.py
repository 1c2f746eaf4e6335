"""When to stop, and why. Stops combine: ``Gap(1e-6) | Seconds(30)`` stops at whichever comes first, & wants both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any, NamedTuple

from greedyhull.certificate import promise
from greedyhull.errors import check
from greedyhull.progress import Event


class Limits(NamedTuple):
    """Where a solve ends whatever its gap is; a solver that certifies its point now and then does so there."""

    iterations: float = inf
    seconds: float = inf


class Stop:
    """A reason to stop: called with an `Event`, it answers with words or None."""

    asks_gap = False  # whether the request is one about the gap

    def __call__(self, event: Event) -> str | None:
        raise TypeError(f"{type(self).__name__} does not say when to stop")

    def met(self, event: Event) -> bool:
        """Whether the event satisfies the request on the gap; False where none was made."""
        return False

    def limits(self) -> Limits:
        """The number of iterations and of seconds at which it will speak, if these are all it waits for."""
        return Limits()

    def begin(self) -> Stop:
        """A fresh copy for one solve; stops that count start from nothing."""
        return self

    def __or__(self, other: Stop) -> Stop:
        return Either(_stops(self, other))

    def __and__(self, other: Stop) -> Stop:
        return Both(_stops(self, other))


def _stops(*stops: Stop) -> tuple[Stop, ...]:
    check(all(isinstance(stop, Stop) for stop in stops), f"{' and '.join(map(repr, stops))} were combined; stops such as "
                                                         "Gap(1e-6) and Seconds(30) are wanted.")
    return stops


def promised(event: Event) -> str:
    """What a bound promises, in brackets, where that is less than always."""
    return "" if event.kind == "always" else f" ({promise(event.kind, event.delta)})"


def so_far(event: Event) -> str:
    """The gap in words."""
    return "no bound yet" if event.gap == inf else f"a gap of {event.gap:.3g}{promised(event)}"


@dataclass(frozen=True)
class Gap(Stop):
    """Stop once the certified gap is at most ``absolute``."""

    absolute: float
    asks_gap = True

    def __post_init__(self) -> None:
        check(isinstance(self.absolute, Real) and self.absolute >= 0,
              f"Gap({self.absolute!r}) was given; a non-negative number is wanted.")

    def __call__(self, event: Event) -> str | None:
        if event.gap <= self.absolute:
            return f"The certified gap {event.gap:.3g}{promised(event)} is at most the requested {self.absolute:g}."
        return None

    def met(self, event: Event) -> bool:
        return event.gap <= self.absolute


@dataclass(frozen=True)
class Relative(Stop):
    """Stop once gap ≤ r·max(|value|, f(x₀) − lower bound)."""

    r: float
    asks_gap = True

    def __post_init__(self) -> None:
        check(isinstance(self.r, Real) and self.r >= 0, f"Relative({self.r!r}) was given; a non-negative number is wanted.")

    def __call__(self, event: Event) -> str | None:
        if event.relative <= self.r:
            return (f"The certified relative gap {event.relative:.3g}{promised(event)} is at most the requested "
                    f"{self.r:g}.")
        return None

    def met(self, event: Event) -> bool:
        return event.relative <= self.r


@dataclass(frozen=True)
class Iterations(Stop):
    """Stop after k iterations."""

    k: int

    def __post_init__(self) -> None:
        check(isinstance(self.k, Integral) and self.k >= 0,
              f"Iterations({self.k!r}) was given; a non-negative whole number is wanted.")

    def __call__(self, event: Event) -> str | None:
        if event.iteration >= self.k:
            return f"The limit of {self.k} iterations was reached with {so_far(event)}; allow more, or ask for less."
        return None

    def limits(self) -> Limits:
        return Limits(iterations=self.k)


@dataclass(frozen=True)
class Seconds(Stop):
    """Stop after t seconds."""

    t: float

    def __post_init__(self) -> None:
        check(isinstance(self.t, Real) and self.t >= 0, f"Seconds({self.t!r}) was given; a non-negative number is wanted.")

    def __call__(self, event: Event) -> str | None:
        if event.seconds >= self.t:
            return f"The limit of {self.t:g} seconds was reached with {so_far(event)}; allow more, or ask for less."
        return None

    def limits(self) -> Limits:
        return Limits(seconds=self.t)


@dataclass(frozen=True)
class Stalled(Stop):
    """Stop when neither the best value nor the gap has improved by one part in 10¹² for k iterations.

    Bounds and values from samples go up and down by chance, so that it does not act on them.
    """

    k: int

    def __post_init__(self) -> None:
        check(isinstance(self.k, Integral) and self.k >= 1,
              f"Stalled({self.k!r}) was given; a whole number of at least 1 is wanted.")

    def begin(self) -> Stop:
        return _Stalled(self.k)


class _Stalled(Stop):
    def __init__(self, k: int) -> None:
        self.k, self.value, self.gap, self.since = k, float("inf"), float("inf"), 0

    def __call__(self, event: Event) -> str | None:
        if event.kind not in ("always", "stationary"):
            return None
        better = event.value < self.value - 1e-12 * abs(self.value) or event.gap < self.gap * (1 - 1e-12)
        self.value, self.gap = min(self.value, event.value), min(self.gap, event.gap)
        if better:
            self.since = event.iteration
        if event.iteration - self.since >= self.k:
            return (f"Neither value nor gap ({event.gap:.3g}) improved in {self.k} iterations; rounding or the step "
                    "rule holds them. Try Corrective or BlendedPairwise, or ask for less.")
        return None


@dataclass(frozen=True)
class Callback(Stop):
    """Stop when ``fn(event)`` is true; a string it returns becomes the reason."""

    fn: Callable[[Event], Any]

    def __post_init__(self) -> None:
        check(callable(self.fn), f"Callback({self.fn!r}) was given; a function of an event is wanted.")

    def __call__(self, event: Event) -> str | None:
        answer = self.fn(event)
        if not answer:
            return None
        return answer if isinstance(answer, str) else f"The callback asked to stop, with {so_far(event)}."


class Either(Stop):
    """Stop at the first reason of any."""

    def __init__(self, stops: tuple[Stop, ...]) -> None:
        flat: list[Stop] = []
        for stop in stops:
            flat.extend(stop.stops if isinstance(stop, Either) else (stop,))
        self.stops: tuple[Stop, ...] = tuple(flat)
        self.asks_gap = any(stop.asks_gap for stop in flat)

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.stops))

    def __call__(self, event: Event) -> str | None:
        for stop in self.stops:
            reason = stop(event)
            if reason is not None:
                return reason
        return None

    def met(self, event: Event) -> bool:
        return any(stop.met(event) for stop in self.stops)

    def limits(self) -> Limits:
        parts = [stop.limits() for stop in self.stops]
        return Limits(min(part.iterations for part in parts), min(part.seconds for part in parts))

    def begin(self) -> Stop:
        return Either(tuple(stop.begin() for stop in self.stops))


class Both(Stop):
    """Stop once all reasons hold at the same time."""

    def __init__(self, stops: tuple[Stop, ...]) -> None:
        self.stops = stops
        self.asks_gap = any(stop.asks_gap for stop in stops)

    def __repr__(self) -> str:
        return " & ".join(f"({stop!r})" if isinstance(stop, Either) else repr(stop) for stop in self.stops)

    def __call__(self, event: Event) -> str | None:
        reasons = [stop(event) for stop in self.stops]
        return None if None in reasons else " ".join(filter(None, reasons))

    def met(self, event: Event) -> bool:
        asked = [stop for stop in self.stops if stop.asks_gap]
        return bool(asked) and all(stop.met(event) for stop in asked)

    def begin(self) -> Stop:
        return Both(tuple(stop.begin() for stop in self.stops))
