"""Whether a run stands still: a whole round that changes nothing, random numbers included, will change nothing for ever."""

from __future__ import annotations

from typing import Any

from greedyhull.driver.reason import Reason, because
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Solver, State

ROUNDS = 64  # so many rounds with the same value and bound before anything is compared, and so many more after
# they go up even if nothing moves
COUNTERS = ("work", "k", "gap", "calls", "glances", "counts", "used", "beside", "given", "moves", "spent", "proofs")


def standing_still(event: Event, solver: Solver) -> Reason:
    """The end of such a run. Other solvers may do better, unless this one already corrects all weights."""
    from greedyhull.solvers.corrective import Corrective

    others = "" if isinstance(solver, Corrective) else ", or try Corrective or BlendedPairwise"
    return because("still", "The iterates no longer change,", event,
                   f"rounding or the step rule prevents further progress. Ask for a larger gap{others}")


class Standing:
    """Watches the value and the best lower bound, which is cheap, and compares everything else once they no longer change.

    A run ends only where its point, its views, its step rule and all that its solver remembers are the same to the last bit
    as `ROUNDS` rounds before.
    """

    def __init__(self) -> None:
        self.seen: tuple[float, float] | None = None
        self.rounds = 0
        self.print = b""

    def still(self, event: Event, w: Iterate, memory: Memory) -> bool:
        """Whether nothing has changed for so long that nothing will."""
        now = (event.value, memory.lower)
        if now != self.seen:
            self.seen, self.rounds = now, 0
            return False
        self.rounds += 1
        if self.rounds % ROUNDS:
            return False
        before, self.print = self.print, fingerprint(w, memory)
        return self.rounds > ROUNDS and before == self.print


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
