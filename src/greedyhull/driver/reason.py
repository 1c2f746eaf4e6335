"""Why a run ended: a kind that programs read, and words for people that fit the certificate which is returned."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Literal, NamedTuple, TypeAlias

from greedyhull.driver.certificate import promise
from greedyhull.driver.words import Told, in_words
from greedyhull.solvers.parts.progress import Event

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
