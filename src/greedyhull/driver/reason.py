"""Why a run ended, and whether it stalls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isnan, nan
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from greedyhull.driver.certificate import promise
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.progress import Event
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import Solver, State

Told: TypeAlias = str | Callable[[], str]
T = TypeVar("T", bound=type)


def worded(*names: str) -> Callable[[T], T]:
    """Let attributes of a class be given as functions too, which make their words when somebody reads them.

    >>> @worded("said")
    ... class Note:
    ...     def __init__(self, said): self.said = said
    >>> note = Note(lambda: "late".upper())
    >>> note.said, vars(note)
    ('LATE', {'said': 'LATE'})
    """

    def decorate(cls: T) -> T:
        for name in names:
            type.__setattr__(cls, name, _Words(name))
        return cls

    return decorate


def in_words(told: Told) -> str:
    """What is told, as words."""
    return told if isinstance(told, str) else told()


class _Words:
    """One such attribute; the object holds what it was given until it is read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, thing: object, owner: type) -> Any:
        if thing is None:
            return self
        held = vars(thing)
        told = held[self.name]
        if not isinstance(told, str):
            told = held[self.name] = told()
        return told

    def __set__(self, thing: object, told: Told) -> None:
        vars(thing)[self.name] = told


Cause: TypeAlias = Literal["gap", "relative", "iterations", "seconds", "stalled", "callback", "custom", "interrupted", "ended",
                           "rounding", "sampling", "still", "proof"]


class Reason(NamedTuple):
    """What a stop answers. Where ``words`` tell a gap, ``cause`` and ``advice`` are what stands before and after it.

    What is ``told`` is the words, or a function that makes them: most are never read.

    >>> Reason("custom", "Enough.").words
    'Enough.'
    """

    kind: Cause
    told: Told
    cause: str = ""
    advice: str = ""

    @property
    def words(self) -> str:
        """What is told, in words."""
        return in_words(self.told)

    @property
    def claims(self) -> bool:
        """Whether a request on the gap ended the run."""
        return self.kind in ("gap", "relative")

    def at(self, event: Event) -> str:
        """The words for another event, with its gap in the place of the one that was told."""
        return self.words if self.claims or not self.cause else _sentence(self.cause, self.advice, event)


def because(kind: Cause, cause: str, event: Event, advice: str = "") -> Reason:
    """A reason in one sentence: cause, gap, advice."""
    return Reason(kind, _sentence(cause, advice, event), cause, advice)


def interrupted(event: Event) -> Reason:
    return because("interrupted", "Interrupted", event, "the point is the last certified one. Pass it as start= to go on")


PRESSED = "Ctrl-C was pressed meanwhile."


def raise_if_pressed(words: str) -> None:
    """Raise KeyboardInterrupt where a solve whose reason is ``words`` heard Ctrl-C: it is meant for all that would follow."""
    if words.startswith("Interrupted") or words.endswith(PRESSED):
        raise KeyboardInterrupt


def ended(event: Event) -> Reason:
    return because("ended", "The solver ended by itself,", event)


def together(reasons: Sequence[Reason]) -> Reason:
    """Several reasons that hold at once; the kind is that of a request on the gap, if there is one."""
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


def promised(event: Event) -> str:
    """What a bound promises, in brackets, where that is less than always."""
    return "" if event.kind == "always" else f" ({promise(event.kind, event.delta)})"


def claimed(event: Event) -> str:
    """The same for a bound that meets a request: one in expectation was then chosen by luck."""
    return f" ({promise(event.kind)}, had it not ended the run)" if event.kind == "expectation" else promised(event)


def so_far(event: Event) -> str:
    """The gap in words."""
    return "no bound yet" if event.gap == inf else f"a gap of {event.gap:.3g}{promised(event)}"


def _sentence(cause: str, advice: str, event: Event) -> str:
    return f"{cause} with {so_far(event)}{f'; {advice}' if advice else ''}."


BLURRED = 0.5  # of the gap: where rounding may be a larger share
# so many rounds without a better value or bound before anything is compared, and so many more after; a multiple of 2 to 6,
# for runs may go round among a few points that rounding cannot tell apart
ROUNDS = 60
# they go up even if nothing moves
COUNTERS = ("work", "k", "gap", "calls", "glances", "count", "counts", "asked", "used", "beside", "given", "moves", "spent",
            "proofs")


def standing_still(event: Event, solver: Solver) -> Reason:
    """The end of such a run. Other solvers may do better, unless this one already corrects all weights."""
    from greedyhull.solvers.corrective import Corrective

    others = "" if isinstance(solver, Corrective) else ", or try Corrective or BlendedPairwise"
    return because("still", "The iterates no longer change,", event,
                   f"rounding or the step rule prevents further progress. Ask for a larger gap{others}")


def held_by_rounding(event: Event) -> Reason:
    """The end of a run whose gap is mostly rounding: at a point inside a large set, what cancels there is as large as it."""
    return because("rounding", "Rounding prevents further progress,", event,
                   "ask for a larger gap, or for a smaller set if the minimum lies deep inside it")


def beyond_proof(event: Event, least: float) -> Reason:
    """The end of a run whose point may be good enough, while a proof of it would take too long."""
    return because("proof", f"No gap below {least:.2g} can be proved here: an oracle's proof of the bound that the request "
                   "needs would take too many steps. The run ended", event, f"ask for a gap of {1.2 * least:.2g} or more")


class Standing:
    """Watches the value and the best lower bound, which is cheap, and compares everything else once neither gets better.

    A run ends only where its point, its views, its step rule and all that its solver remembers are the same to the last bit
    as `ROUNDS` rounds before.
    """

    def __init__(self) -> None:
        self.seen: tuple[float, float] | None = None
        self.rounds = 0
        self.print = b""
        # the smallest gap since rounding is most of it, when it was seen, how many looks ago, and when the last look was
        self.gap, self.since, self.looks, self.last = inf, 0, 0, -1

    def blurred(self, event: Event, k: int, rounding: float) -> bool:
        """Whether rounding is most of the gap, and the gap has not fallen for long; the request is still not met."""
        self.looks += k > self.last  # a resumed run looks at its first point again
        self.last = k
        if rounding < BLURRED * event.gap:
            self.gap = inf
        elif event.gap < 0.99 * self.gap:  # of an earlier gap is progress
            self.gap, self.since, self.looks = event.gap, k, 0
        else:
            return self.looks >= 8 and k - self.since >= k // 4  # looks without progress, and a quarter of all rounds at least
        return False

    def still(self, event: Event, w: Iterate, memory: SolverState) -> bool:
        """Whether nothing has changed for so long that nothing will."""
        now = (event.value, memory.lower)
        if self.seen is None or now[0] < self.seen[0] or now[1] > self.seen[1]:
            self.seen, self.rounds = now, 0
            return False
        self.rounds += 1
        if self.rounds % ROUNDS:
            return False
        before, self.print = self.print, fingerprint(w, memory)
        return self.rounds > ROUNDS and before == self.print

    def state(self) -> State:
        """What a resumed run needs in order to end where the whole run would."""
        seen = (nan, nan) if self.seen is None else self.seen
        numbers = np.array([self.gap, self.since, self.looks, self.last, *seen, self.rounds])
        return {"numbers": numbers, "print": np.frombuffer(self.print, dtype=np.uint8)}

    def restore(self, state: State) -> None:
        numbers = state["numbers"].tolist()
        self.gap, (self.since, self.looks, self.last), self.rounds = numbers[0], map(int, numbers[1:4]), int(numbers[6])
        self.seen = None if isnan(numbers[4]) else (numbers[4], numbers[5])
        self.print = _bytes(state["print"])


def fingerprint(w: Iterate, memory: SolverState) -> bytes:
    """A digest of the state of a run without its counters."""
    from hashlib import blake2b

    state: State = {**w.state(), **{f"memory.{name}": array for name, array in memory.state().items()}}
    mark = blake2b(digest_size=16)
    for name in sorted(state):
        if name.rsplit(".", 1)[-1] not in COUNTERS and ".answer" not in name:
            mark.update(name.encode())
            mark.update(_bytes(state[name]))
    return mark.digest()


def _bytes(array: Any) -> bytes:
    return bytes(array.tobytes())
