"""Whether a run stands still: nothing changes any more, or nothing but rounding.

A whole round that changes nothing, random numbers included, will change nothing for ever. And where rounding is most of the
gap, rounds that leave the gap as it is only move the point among those that rounding cannot tell apart.
"""

from __future__ import annotations

from math import inf, isnan, nan
from typing import Any

import numpy as np

from greedyhull.driver.reason import Reason, because
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Solver, State

BLURRED = 0.5  # of the gap: where rounding may be a larger share
LESS = 0.99  # of an earlier gap is progress
PATIENCE = 8  # looks without progress, and a quarter of all rounds at least
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
        elif event.gap < LESS * self.gap:
            self.gap, self.since, self.looks = event.gap, k, 0
        else:
            return self.looks >= PATIENCE and k - self.since >= k // 4
        return False

    def still(self, event: Event, w: Iterate, memory: Memory) -> bool:
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


def fingerprint(w: Iterate, memory: Memory) -> bytes:
    """A digest of the state of a run without its counters."""
    from hashlib import blake2b  # few runs stand still

    state: State = {**w.state(), **{f"memory.{name}": array for name, array in memory.state().items()}}
    mark = blake2b(digest_size=16)
    for name in sorted(state):
        if name.rsplit(".", 1)[-1] not in COUNTERS and ".answer" not in name:
            mark.update(name.encode())
            mark.update(_bytes(state[name]))
    return mark.digest()


def _bytes(array: Any) -> bytes:
    return bytes(array.tobytes())
