"""The weighted mean of the iterates so far, kept in O(non-zeros of an atom) a step."""

from __future__ import annotations

import numpy as np

from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.points.states import numbers
from greedyhull.types import Array, State


class Average:
    """w̄ = Σ aᵢwᵢ / Σ aᵢ, a view that follows w.

    It is kept as c·w + s·u. A move w' = (1 − drift·η)w + ηΣcᵢdᵢ changes c and adds the atoms to u, and including w'
    with weight a changes c and s: no step touches all coordinates.

    >>> from greedyhull.points.shapes import Basis
    >>> w = Iterate.at(Basis(0, 1.0), (2,))
    >>> mean = w.view("mean", lambda: Average(w, 1.0))
    >>> w.move(w.toward(Basis(1, 1.0)), 0.5)
    >>> mean.include(3.0)
    >>> mean.array()
    array([0.625, 0.375])
    """

    def __init__(self, w: Iterate, first: float = 0.0, name: str = "average") -> None:
        self.name, self.w, self.total = name, w, first
        self.c, self.s = 1.0, 1.0
        self.u: Array = np.zeros(w.shape)

    def include(self, weight: float) -> None:
        """Let the point as it is now join the mean with ``weight``."""
        if weight == 0.0:
            return
        self.total += weight
        share = weight / self.total
        self.c = (1.0 - share) * self.c + share
        self.s *= 1.0 - share
        if self.s < 1e-100:  # u is as good as forgotten, or its scale runs out
            self.u *= self.s
            self.s = 1.0

    def moved(self, move: Direction, step: float) -> None:
        shrink = 1.0 - move.drift * step
        if self.c == 0.0 or step == 0.0:
            return
        if abs(self.c) > 4.0 * abs(shrink):  # c·w and s·u would cancel: write c·w down before w goes
            self.u += (self.c / self.s) * self.w.array()
            self.c = 0.0
            return
        self.c /= shrink
        move.add_to(self.u, -self.c * step / self.s)

    def refresh(self, w: Iterate) -> None:
        """The past cannot be recomputed from the present: nothing to do."""

    def array(self) -> Array:
        """The mean as an array."""
        x: Array = self.s * self.u
        if self.c:
            x += self.c * self.w.array()
        return x

    def state(self) -> State:
        return {"u": self.u.copy(), "numbers": np.array([self.total, self.c, self.s])}

    def restore(self, state: State) -> None:
        self.u = numbers(state, "u", self.u.shape).copy()
        self.total, self.c, self.s = (float(x) for x in numbers(state, "numbers", (3,)))
