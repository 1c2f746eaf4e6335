"""The coordinates of a moving point, updated in place: what stochastic solvers ask their minibatches at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.points.states import numbers
from greedyhull.types import Array, State, View
from greedyhull.types.override import KeepsView, keeps, override


class Position(KeepsView):
    """``array`` is the point; it changes under the eyes of whoever keeps it."""

    name = "position"

    if TYPE_CHECKING:
        keeps(View.name)

    def __init__(self) -> None:
        self.array: Array = np.zeros(0)

    @override
    def moved(self, move: Direction, step: float) -> None:
        if move.drift:
            self.array *= 1.0 - move.drift * step
        move.add_to(self.array, step)

    @override
    def refresh(self, w: Iterate) -> None:
        self.array = w.array()

    @override
    def state(self) -> State:
        return {"array": self.array.copy()}

    @override
    def restore(self, state: State) -> None:
        self.array = numbers(state, "array", (None,) * np.ndim(state["array"])).copy()
