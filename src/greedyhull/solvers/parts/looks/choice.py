"""Which point a look is about: the last one, or, where f is not convex, one that is drawn."""

from __future__ import annotations

import numpy as np

from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.memory import Memory
from greedyhull.types import Array, Objective, State

MANY = 1024  # random numbers that are made at once


def choice_of(f: Objective, memory: Memory) -> Latest | Drawn:
    """The last point of a convex f; for another one theory is about a point drawn from all of them."""
    return Latest() if f.traits.convex else Drawn(memory)


class Latest:
    """The point as it is."""

    def seen(self, x: Array, eta: float) -> None:
        """Nothing need be kept."""

    def point(self, w: Iterate) -> Iterate:
        return seen_from(w, w.copy())

    def state(self) -> State:
        return {}

    def restore(self, state: State) -> None:
        pass


class Drawn:
    """One of the points so far, w_i with probability η_i/Σ η: its expected gap is the mean Σ η_i g(w_i)/Σ η_i, of which the
    theorem is. A new point takes the place of the one that is kept with probability η_k/(η_1 + … + η_k).
    """

    def __init__(self, memory: Memory) -> None:
        self.memory, self.kept = memory, np.zeros(0)
        self.total, self.steps = 0.0, 0
        self._numbers: Array = np.zeros(0)

    def seen(self, x: Array, eta: float) -> None:
        """x joins with weight η."""
        block, place = divmod(self.steps, MANY)
        if place == 0 or not len(self._numbers):
            self._numbers = self.memory.fresh(4, block).random(MANY)
        self.steps += 1
        self.total += eta
        if self._numbers[place] * self.total < eta:
            self.kept = x.copy()

    def point(self, w: Iterate) -> Iterate:
        return seen_from(w, CoordinateIterate(self.kept.copy()) if len(self.kept) else w.copy())

    def state(self) -> State:
        return {"kept": self.kept.copy(), "drawn": np.array([self.total, self.steps])}

    def restore(self, state: State) -> None:
        self.kept = state["kept"].copy()
        self.total, self.steps = float(state["drawn"][0]), int(state["drawn"][1])


def seen_from(w: Iterate, point: Iterate) -> Iterate:
    """``point`` with the work and the step of the run that w is in."""
    point.work, point.step = w.work, w.step
    return point
