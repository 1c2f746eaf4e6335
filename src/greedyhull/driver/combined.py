"""Stops that are made of others: the first of some, or all of them at once."""

from __future__ import annotations

from functools import cached_property
from math import inf
from operator import is_

from greedyhull.driver.reason import Reason, together
from greedyhull.driver.stop import Limits, Stop, hear
from greedyhull.solvers.parts.ahead import NO_AIM, Aim
from greedyhull.solvers.parts.progress import Event


class Combined(Stop):
    """What `Either` and `Both` share: their reasons are those of their parts, and claim no more than is met."""

    _honest = True

    def __init__(self, stops: tuple[Stop, ...]) -> None:
        self.stops: tuple[Stop, ...] = stops
        self.asks_gap = any(stop.asks_gap for stop in stops)
        self._fixed = all(stop._fixed for stop in stops)

    def hint(self, event: Event, still: bool) -> str:
        return next(filter(None, (stop.hint(event, still) for stop in self.stops)), "")


class Either(Combined):
    """Stop at the first reason of any."""

    def __init__(self, stops: tuple[Stop, ...]) -> None:
        flat: list[Stop] = []
        for stop in stops:
            flat.extend(stop.stops if isinstance(stop, Either) else (stop,))
        super().__init__(tuple(flat))

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.stops))

    def __call__(self, event: Event) -> Reason | None:
        for stop in self.stops:
            reason = hear(stop, event)
            if reason is not None:
                return reason
        return None

    def met(self, event: Event) -> bool:
        return any(stop.met(event) for stop in self.stops)

    def claim(self, event: Event) -> Reason | None:
        return next((stop.claim(event) for stop in self.stops if stop.met(event)), None)

    def limits(self) -> Limits:
        return self._fixed_limits if self._fixed else self._limits()

    def aim(self) -> Aim | None:
        return self._fixed_aim if self._fixed else self._aim()

    @cached_property
    def _fixed_limits(self) -> Limits:
        return self._limits()

    @cached_property
    def _fixed_aim(self) -> Aim | None:
        return self._aim()

    def _limits(self) -> Limits:
        iterations = seconds = inf
        for stop in self.stops:
            part = stop.limits()
            iterations, seconds = min(iterations, part.iterations), min(seconds, part.seconds)
        return Limits(iterations, seconds)

    def _aim(self) -> Aim | None:
        absolute, relative, floor, rounds = NO_AIM
        for stop in self.stops:
            aim = stop.aim()
            if aim is None or (relative > 0.0 and aim.relative > 0.0):  # two that are relative to different things
                return None
            absolute, rounds = max(absolute, aim.absolute), min(rounds, aim.rounds)
            if aim.relative > 0.0:
                relative, floor = aim.relative, aim.floor
        return Aim(absolute, relative, floor, rounds)

    def begin(self) -> Stop:
        if self._fixed:
            return self
        begun = tuple([stop.begin() for stop in self.stops])
        return self if all(map(is_, begun, self.stops)) else Either(begun)  # most stops have nothing to count


class Both(Combined):
    """Stop once all reasons hold at the same time."""

    def __repr__(self) -> str:
        return " & ".join(f"({stop!r})" if isinstance(stop, Either) else repr(stop) for stop in self.stops)

    def __call__(self, event: Event) -> Reason | None:
        reasons = [reason for stop in self.stops if (reason := hear(stop, event)) is not None]
        if len(reasons) < len(self.stops):
            return None
        met = self.met(event)
        return together([reason for reason in reasons if met or not reason.claims])

    def met(self, event: Event) -> bool:
        asked = [stop for stop in self.stops if stop.asks_gap]
        return bool(asked) and all(stop.met(event) for stop in asked)

    def claim(self, event: Event) -> Reason | None:
        if not self.met(event):
            return None
        return together([claim for stop in self.stops if (claim := stop.claim(event)) is not None])

    def begin(self) -> Stop:
        return Both(tuple(stop.begin() for stop in self.stops))
