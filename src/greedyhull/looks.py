"""When a stochastic solver looks at all the data: at the start, after every pass, and less and less often."""

from __future__ import annotations

import numpy as np

from greedyhull.types import State


class Looks:
    """A look costs as much as one pass over n terms; so many terms must have been spent before the next one.

    The wait grows with what has been spent, so that looking takes at most half of the work, and in the long run a tenth.
    """

    def __init__(self, n: int) -> None:
        self.n, self.next = n, 0.0

    def due(self, spent: float) -> bool:
        return spent >= self.next

    def passed(self, spent: float) -> None:
        """A look has been taken."""
        self.next = spent + max(self.n, 0.1 * spent)

    def state(self) -> State:
        return {"next": np.array(self.next)}

    def restore(self, state: State) -> None:
        self.next = float(state["next"])
