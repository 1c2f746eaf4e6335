"""When a stochastic solver looks at all the data: at the start, after every pass, and less and less often."""

from __future__ import annotations

import numpy as np

from greedyhull.errors import check
from greedyhull.types import State


class Looks:
    """A look costs as much as one pass over n terms; so many terms must have been spent before the next one.

    The wait is n terms, or a tenth of what has been spent if that is more: looking takes at most half of the work, a
    vanishing part of it in the long run, and a solve goes at most a tenth beyond the point where it should stop. With
    ``every`` the count is one of steps, and looks are at its multiples.

    >>> looks = Looks(100)
    >>> looks.passed(40), looks.due(139), looks.due(140)
    (None, False, True)
    """

    def __init__(self, n: float, every: int | None = None) -> None:
        check(every is None or (isinstance(every, (int, np.integer)) and every >= 1),
              f"every={every!r} was given; a whole number of steps from one look to the next, or None, is wanted.")
        self.n, self.every, self.next = n, every, 0.0

    def due(self, done: float) -> bool:
        """Whether it is time, after ``done`` terms, or steps where ``every`` counts."""
        return done >= self.next

    def passed(self, done: float) -> None:
        """A look has been taken."""
        self.next = done + max(self.n, 0.1 * done) if self.every is None else self.every * (done // self.every + 1.0)

    def state(self) -> State:
        return {"next": np.array(self.next)}

    def restore(self, state: State) -> None:
        self.next = float(state["next"])
