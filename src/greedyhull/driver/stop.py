"""When to stop, and why a run ended. Stops combine: ``Gap(1e-6) | Seconds(30)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from numbers import Integral, Real
from operator import is_
from typing import Any, Literal, NamedTuple, TypeAlias

from greedyhull.errors import GreedyhullError, check, hinted, shown, signed, takes
from greedyhull.kernels.core import user
from greedyhull.objectives.accuracy import of_what, share
from greedyhull.solvers.parts.progress import NO_TARGET, Event, GapTarget
from greedyhull.types import Kind


def promise(kind: Kind, delta: float = 0.0) -> str:
    """What a bound of a kind promises, in words."""
    return {"always": "always", "probability": f"with probability at least {1 - delta:g}", "expectation": "in expectation",
            "estimate": "if the estimated constants are right", "stationary": "as a measure of stationarity"}[kind]


LazyStr: TypeAlias = str | Callable[[], str]


def in_words(told: LazyStr) -> str:
    return told if isinstance(told, str) else told()


class LazyWords:
    """An attribute that may be given as a function, which makes the words when the attribute is read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, thing: object, owner: type) -> Any:
        if thing is None:
            return self
        held = vars(thing)
        held[self.name] = in_words(held[self.name])
        return held[self.name]

    def __set__(self, thing: object, told: LazyStr) -> None:
        vars(thing)[self.name] = told


Cause: TypeAlias = Literal["gap", "relative", "iterations", "seconds", "stalled", "callback", "custom", "interrupted", "ended",
                           "rounding", "sampling", "still", "proof"]


class Reason(NamedTuple):
    """The answer of a stop. If ``words`` mention a gap, ``cause`` and ``advice`` come before and after it.

    ``told`` is the words or a function that makes them: most are never read.

    >>> Reason("custom", "Enough.").words
    'Enough.'
    """

    kind: Cause
    told: LazyStr
    cause: str = ""
    advice: str = ""

    @property
    def words(self) -> str:
        return in_words(self.told)

    @property
    def claims(self) -> bool:
        """Whether a request on the gap ended the run."""
        return self.kind in ("gap", "relative")

    def at(self, event: Event) -> str:
        """The words for another event, with its gap in the place of the one that was told."""
        return self.words if self.claims or not self.cause else _sentence(self.cause, self.advice, event)


def because(kind: Cause, cause: str, event: Event, advice: str = "") -> Reason:
    """Return a reason in one sentence: cause, gap, advice."""
    return Reason(kind, _sentence(cause, advice, event), cause, advice)


def interrupted(event: Event) -> Reason:
    return because("interrupted", "Interrupted", event, "the point is the last certified one. Pass it as start= to go on")


PRESSED = "Ctrl-C was pressed meanwhile."


def raise_if_pressed(words: str) -> None:
    """Raise KeyboardInterrupt if Ctrl-C ended the solve with this reason: it is meant for all solves that would follow."""
    if words.startswith("Interrupted") or words.endswith(PRESSED):
        raise KeyboardInterrupt


def ended(event: Event) -> Reason:
    return because("ended", "The solver ended by itself,", event)


def together(reasons: Sequence[Reason]) -> Reason:
    """Join reasons that hold at once; the kind is that of a request on the gap, if there is one."""
    asked, others = [r for r in reasons if r.claims], [r for r in reasons if not r.claims]
    words = " ".join(r.words for r in reasons)
    if not asked and not any(r.cause for r in others):
        return Reason(reasons[0].kind, words)
    others.sort(key=lambda r: bool(r.cause))  # the last of them tells the gap
    cause = ". ".join(r.cause.rstrip(",") or r.words.rstrip(".") for r in others)
    return Reason((asked or reasons)[0].kind, words, cause, next((r.advice for r in reversed(others) if r.advice), ""))


def missed(final: Event) -> Reason:
    """For a gap that met the request until it was recomputed."""
    if final.self_standing:
        return Reason("sampling", f"The gap of {final.gap:.3g} met the request beside the estimated value, but does not "
                                  "beside the true one. Ask for less, or for larger samples.")
    return Reason("rounding", f"Rounding holds the certified gap at {final.gap:.3g}: the views met the request but the point, "
                              "recomputed from its atoms, does not. Ask for less, or give float64 data.")


def promised(event: Event, met: bool = False) -> str:
    """Return what a bound promises, in brackets, if that is less than always; one in expectation is ``met`` by luck."""
    if event.kind == "expectation" and met:
        return f" ({promise(event.kind)}, had it not ended the run)"
    return "" if event.kind == "always" else f" ({promise(event.kind, event.delta)})"


def so_far(event: Event) -> str:
    """Return the gap in words."""
    return "no bound yet" if event.gap == inf else f"a gap of {event.gap:.3g}{promised(event)}"


def _sentence(cause: str, advice: str, event: Event) -> str:
    return f"{cause} with {so_far(event)}{f'; {advice}' if advice else ''}."


class Limits(NamedTuple):
    """Where a solve ends whatever its gap is; a solver that certifies its point now and then does so there."""

    iterations: float = inf
    seconds: float = inf


def _check_amount(stop: Stop, amount: Any, wanted: str = "non-negative number", kind: Any = Real, least: int = 0) -> None:
    """Raise unless the number that a stop was made with is large enough."""
    check((type(amount) is int or isinstance(amount, kind)) and amount >= least,
          lambda: f"{type(stop).__name__}({amount!r}) was given; a {wanted} is wanted.")


class Stop:
    """Base class of stops: called with an `Event`, it returns a `Reason` or words to stop, or None to continue."""

    asks_gap = False  # whether the request is one about the gap
    _honest = False  # whether it returns a Reason whose claims are met; else they are compared with `met`
    _fixed = False  # whether its limits and its aim never change, and one object serves all runs

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not cls.__module__.startswith("greedyhull.driver."):  # a user's class may answer in ways of its own
            cls._honest = cls._fixed = False

    def __call__(self, event: Event) -> Reason | str | None:
        raise TypeError(f"{type(self).__name__} does not say when to stop")

    def met(self, event: Event) -> bool:
        """Return whether the event satisfies the request on the gap; False if there is none."""
        return False

    def claim(self, event: Event) -> Reason | None:
        """Return the reason for a request on the gap that the event satisfies, else None."""
        if not self.met(event):
            return None
        return evaluate(self, event) or Reason("gap", f"The request on the gap is met with {so_far(event)}.")

    def hint(self, event: Event, still: bool) -> str:
        """Return what to ask for instead, if the request on the gap cannot be met; ``still``: the run no longer moved."""
        return ""

    def limits(self) -> Limits:
        """Return the numbers of iterations and seconds at which it stops whatever the gap is."""
        return Limits()

    def aim(self) -> GapTarget | None:
        """Return the gap it asks for, and how many rounds may pass before it must look; None where it must see every one."""
        return None

    def begin(self) -> Stop:
        """Return a fresh copy for one run; stops that count start from zero."""
        return self

    def __or__(self, other: Stop) -> Stop:
        return Either(_stops(self, other))

    def __and__(self, other: Stop) -> Stop:
        return Both(_stops(self, other))

    def __ror__(self, other: Any) -> Stop:
        return _stops(other, self)[0]  # it raises: another stop would have come first

    __rand__ = __ror__

    def __bool__(self) -> bool:
        raise GreedyhullError(f"{self!r} was used as a truth value, as `or`, `and` and `not` do: one of two stops would be "
                              "lost. Combine stops by | (either) and & (both).")


def _stops(*stops: Stop) -> tuple[Stop, ...]:
    check(all(isinstance(stop, Stop) for stop in stops), lambda: f"{' and '.join(map(shown, stops))} were combined; stops "
                                                                 "such as Gap(1e-6) and Seconds(30) are wanted.")
    return stops


def evaluate(stop: Stop, event: Event) -> Reason | None:
    """Return the answer of any stop; plain words are a reason of kind "custom", and so are claims that its `met` denies."""
    said = stop(event)
    if said is None:
        return None
    if isinstance(said, Reason):
        return said._replace(kind="custom") if not stop._honest and said.claims and not stop.met(event) else said
    check(isinstance(said, str), lambda: f"{stop!r} answered {said!r}; None, a Reason or words that say why are wanted.")
    return Reason("custom", said)


def closing(stop: Stop, reason: Reason, final: Event) -> Reason:
    """Return the reason for the certificate that is returned: with its gap, and whether that meets the request after all."""
    claim = stop.claim(final)
    if claim is None:
        said = missed(final) if reason.claims else reason
        hint = stop.hint(final, still=said.kind in ("stalled", "rounding", "still"))
        words = f"{said.at(final)} {hint}" if hint else said.at(final)
        return Reason(said.kind, words, said.cause, said.advice)
    cause = f"{reason.cause.rstrip(',')}." if reason.cause else ""
    if reason.claims:
        return claim._replace(told=f"{claim.words} {cause}".rstrip())
    return reason._replace(told=f"{cause or reason.words} {claim.words}")


@hinted
@dataclass(frozen=True)
class Gap(Stop):
    """Stop once the certified gap is at most a given number.

    Parameters
    ----------
    absolute : float
        The largest gap, in units of f; at least 0.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f, S = gh.quadratic(np.eye(3)), gh.Simplex(3)
    >>> gh.minimize(f, S, stop=gh.Gap(1e-9) | gh.Seconds(10)).gap <= 1e-9
    True
    """

    absolute: float
    asks_gap = True
    _honest = _fixed = True

    def __post_init__(self) -> None:
        _check_amount(self, self.absolute)

    def __call__(self, event: Event) -> Reason | None:
        if event.gap <= self.absolute:
            return Reason("gap", lambda: f"The certified gap {event.gap:.3g}{promised(event, True)} is at most the requested "
                                         f"{self.absolute:g}.")
        return None

    def met(self, event: Event) -> bool:
        return event.gap <= self.absolute

    def aim(self) -> GapTarget | None:
        return GapTarget(absolute=float(self.absolute)) if type(self) is Gap else None


@hinted
@dataclass(frozen=True)
class Relative(Stop):
    """Stop once gap ≤ r·max(|value|, u), where u is ``floor`` or else ``f.scale``.

    ``f.scale`` is the loss of predicting zero: ½·mean y² for least squares, log 2 for logistic. It is 0 for objectives without
    one. A gap relative to a minimum of zero cannot be reached then: ask for `Gap`, or give a ``floor``.

    Parameters
    ----------
    r : float
        The largest relative gap, at least 0.
    floor : float, optional
        A value that counts as large, in place of ``f.scale``.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([3.0, 1.0]))
    >>> s = gh.minimize(f, gh.L1Ball(2, radius=1), stop=gh.Relative(1e-3))
    >>> s.gap <= 1e-3 * max(s.value, f.scale)
    True
    """

    r: float
    floor: float | None = None
    asks_gap = True
    _honest = _fixed = True

    def __post_init__(self) -> None:
        _check_amount(self, self.r)
        check(self.floor is None or (isinstance(self.floor, Real) and self.floor >= 0 and isfinite(self.floor)),
              lambda: f"Relative({self.r!r}, floor={self.floor!r}) was given; a non-negative number, or None, is wanted.")

    def __repr__(self) -> str:
        return f"Relative(r={self.r!r})" if self.floor is None else f"Relative(r={self.r!r}, floor={self.floor!r})"

    def __call__(self, event: Event) -> Reason | None:
        floor = event.scale if self.floor is None else self.floor
        relative = event.relative_to(floor)
        if relative <= self.r:
            return Reason("relative", lambda: f"The certified relative gap {relative:.3g} {of_what(floor)}"
                                              f"{promised(event, True)} is at most the requested {self.r:g}.")
        return None

    def met(self, event: Event) -> bool:
        return event.relative_to(event.scale if self.floor is None else self.floor) <= self.r

    def aim(self) -> GapTarget | None:
        return GapTarget(relative=float(self.r), floor=self.floor) if type(self) is Relative else None

    def hint(self, event: Event, still: bool) -> str:
        whole = max(abs(event.value), event.scale if self.floor is None else self.floor)
        # of the value at the start: what is below it may be on its way to zero
        if not whole <= (event.gap if still else min(event.gap, 1e-3 * abs(event.start_value))):
            return ""
        return (f"The minimum may be zero, and no gap is small relative to that: ask for Gap(...), or for "
                f"Relative({self.r:g}, floor=...) with a number that counts as large.")


@hinted
@dataclass(frozen=True)
class RelativeToStart(Stop):
    """Stop once gap ≤ r·max(|value|, f(x₀) − lower bound), relative to what can be gained from the start of the run.

    It needs no scale of f. A start that is far off makes it lenient. It is never met for an `expectation`, whose values are
    not known.

    Parameters
    ----------
    r : float
        The largest relative gap, at least 0.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), stop=gh.RelativeToStart(1e-3)).converged
    True
    """

    r: float
    asks_gap = True

    def __post_init__(self) -> None:
        _check_amount(self, self.r)

    def __call__(self, event: Event) -> Reason | None:
        if self.met(event):
            whole = _gained(event)
            return Reason("relative", f"The certified relative gap {share(event.gap, whole):.3g} of max(|value|, f(x₀) − "
                                      f"lower bound) = {whole:.4g}{promised(event, True)} is at most the requested "
                                      f"{self.r:g}.")
        return None

    def met(self, event: Event) -> bool:
        return event.start_value == event.start_value and share(event.gap, _gained(event)) <= self.r


def _gained(event: Event) -> float:
    """max(|value|, f(x₀) − lower bound), where the lower bound is value − gap."""
    return max(abs(event.value), event.start_value - event.value + event.gap)


@hinted
@dataclass(frozen=True)
class Iterations(Stop):
    """Stop after k iterations.

    Parameters
    ----------
    k : int
        The number of iterations, at least 0.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f, S = gh.quadratic(np.eye(9)), gh.Simplex(9)
    >>> gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Gap(0) | gh.Iterations(3)).iterations
    3
    """

    k: int
    _honest = _fixed = True

    def __post_init__(self) -> None:
        _check_amount(self, self.k, "non-negative whole number", Integral)

    def __call__(self, event: Event) -> Reason | None:
        if event.iteration >= self.k:
            return because("iterations", f"The limit of {self.k} iterations was reached", event,
                           "allow more, or ask for less")
        return None

    def limits(self) -> Limits:
        return Limits(iterations=self.k)

    def aim(self) -> GapTarget | None:
        return NO_TARGET if type(self) is Iterations else None


@hinted
@dataclass(frozen=True)
class Seconds(Stop):
    """Stop after t seconds.

    Parameters
    ----------
    t : float
        Wall-clock seconds, at least 0. An iteration under way is finished first.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), stop=gh.Gap(1e-9) | gh.Seconds(10)).converged
    True
    """

    t: float
    _honest = _fixed = True

    def __post_init__(self) -> None:
        _check_amount(self, self.t)

    def __call__(self, event: Event) -> Reason | None:
        if event.seconds >= self.t:
            return because("seconds", f"The limit of {self.t:g} seconds was reached", event,
                           "allow more, or ask for less")
        return None

    def limits(self) -> Limits:
        return Limits(seconds=self.t)

    def aim(self) -> GapTarget | None:
        return NO_TARGET if type(self) is Seconds else None


@hinted
@dataclass(frozen=True)
class Stalled(Stop):
    """Stop when neither the best value nor the gap has improved for k iterations.

    An improvement is one by more than a part in 10¹². Bounds and values that come from samples fluctuate, so runs of
    stochastic solvers that are certified by samples are not stopped. `Corrective` may make up to k iterations at once; an
    improvement among them counts as one of the last.

    Parameters
    ----------
    k : int
        The number of iterations, at least 1.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), stop=gh.Gap(0) | gh.Stalled(50)).gap < 1e-12
    True
    """

    k: int

    def __post_init__(self) -> None:
        _check_amount(self, self.k, "whole number of at least 1", Integral, 1)

    def begin(self) -> Stop:
        return _Stalled(self.k)


class _Stalled(Stop):
    def __init__(self, k: int) -> None:
        self.k, self.value, self.gap, self.since, self.seen = k, inf, inf, 0, 0

    def aim(self) -> GapTarget | None:
        return GapTarget(rounds=max(self.since + self.k - self.seen, 1))

    def __call__(self, event: Event) -> Reason | None:
        self.seen = event.iteration
        if event.kind not in ("always", "stationary"):
            return None
        better = event.value < self.value - 1e-12 * abs(self.value) or event.gap < self.gap * (1 - 1e-12)
        self.value, self.gap = min(self.value, event.value), min(self.gap, event.gap)
        if better:
            self.since = event.iteration
        if event.iteration - self.since >= self.k:
            return because("stalled", f"Neither value nor gap improved in {self.k} iterations,", event,
                           "rounding or the step rule prevents progress. Try another solver, or ask for less")
        return None


@hinted
@dataclass(frozen=True)
class Callback(Stop):
    """Stop when a function of the event says so.

    Parameters
    ----------
    fn : callable
        ``fn(event)`` is called at every certified point. A true value stops the run; a string becomes its reason. An event
        has ``iteration``, ``seconds``, ``value``, ``gap``, ``lower``, ``point`` and ``step``.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> few = gh.Callback(lambda event: len(event.point) >= 3 and "Three atoms are enough.")
    >>> gh.minimize(gh.quadratic(np.eye(9)), gh.Simplex(9), gh.FrankWolfe(), stop=few).reason
    'Three atoms are enough.'
    """

    fn: Callable[[Event], Any]

    def __post_init__(self) -> None:
        check(callable(self.fn), lambda: f"Callback({shown(self.fn)}) was given; a function of an event is wanted.")
        check(takes(self.fn, None), lambda: f"Callback({signed(self.fn)}) was given; a function of one event is wanted.")

    def __call__(self, event: Event) -> Reason | None:
        answer = user(self.fn, event)
        if isinstance(answer, str) and answer:
            return Reason("callback", answer)
        return because("callback", "The callback asked to stop,", event) if answer else None


class Combined(Stop):
    """What `Either` and `Both` share: their reasons are those of their parts, and claim no more than is met."""

    _honest = True

    def __init__(self, stops: tuple[Stop, ...]) -> None:
        self.stops: tuple[Stop, ...] = stops
        self.asks_gap = any(stop.asks_gap for stop in stops)
        self._fixed = all(stop._fixed for stop in stops)

    def begin(self) -> Stop:
        begun = tuple(stop.begin() for stop in self.stops)
        return self if all(map(is_, begun, self.stops)) else type(self)(begun)  # most stops have nothing to count

    def hint(self, event: Event, still: bool) -> str:
        return next(filter(None, (stop.hint(event, still) for stop in self.stops)), "")


class Either(Combined):
    """Stop at the first reason of any."""

    def __init__(self, stops: tuple[Stop, ...]) -> None:
        flat: list[Stop] = []
        for stop in stops:
            flat.extend(stop.stops if isinstance(stop, Either) else (stop,))
        super().__init__(tuple(flat))
        limits = [stop.limits() for stop in flat]
        self._limits = Limits(*(min(column, default=inf) for column in zip(*limits, strict=True)))
        self._aim = self._joint_aim() if self._fixed else None

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.stops))

    def __call__(self, event: Event) -> Reason | None:
        for stop in self.stops:
            reason = stop(event) if stop._honest else evaluate(stop, event)
            if reason is not None:
                return reason  # type: ignore[return-value]  # of an honest stop
        return None

    def met(self, event: Event) -> bool:
        return any(stop.met(event) for stop in self.stops)

    def claim(self, event: Event) -> Reason | None:
        return next((stop.claim(event) for stop in self.stops if stop.met(event)), None)

    def limits(self) -> Limits:
        return self._limits

    def aim(self) -> GapTarget | None:
        return self._aim if self._fixed else self._joint_aim()

    def _joint_aim(self) -> GapTarget | None:
        absolute, relative, floor, rounds = NO_TARGET
        for stop in self.stops:
            aim = stop.aim()
            if aim is None or (relative > 0.0 and aim.relative > 0.0):  # two that are relative to different things
                return None
            absolute, rounds = max(absolute, aim.absolute), min(rounds, aim.rounds)
            if aim.relative > 0.0:
                relative, floor = aim.relative, aim.floor
        return GapTarget(absolute, relative, floor, rounds)


class Both(Combined):
    """Stop once all reasons hold at the same time."""

    def __repr__(self) -> str:
        return " & ".join(f"({stop!r})" if isinstance(stop, Either) else repr(stop) for stop in self.stops)

    def __call__(self, event: Event) -> Reason | None:
        reasons = [reason for stop in self.stops if (reason := evaluate(stop, event)) is not None]
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
