"""The view that is a point's own coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.points.direction import Direction
from greedyhull.types import Array, Atom, State

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class Coordinates:
    """The view that is the point's own coordinates, for objectives that are given arrays.

    Every coordinate stays between the least and the largest of the atoms met so far, whatever rounding does: a function
    that is defined on the simplex only is never asked at −1e-17.
    """

    __slots__ = ("gradient", "high", "low", "name", "value", "x")

    def __init__(self, name: str = "coordinates") -> None:
        self.name = name
        self.x: Array = np.zeros(0)
        self.low: Array = self.x
        self.high: Array = self.x
        self.clear()

    def clear(self) -> None:
        self.value: float | None = None
        self.gradient: Array | None = None

    def direction(self, move: Direction) -> Array:
        """v as an array."""
        return move.image(self, self._direction)

    def _direction(self, move: Direction) -> Array:
        v = -move.drift * self.x
        move.add_to(v, 1.0)
        for i in range(len(move.terms)):
            self._meet(move.terms[i])
        return v

    def _meet(self, atom: Atom) -> None:
        d = np.zeros_like(self.x)
        atom.add_to(d, 1.0)
        self.low, self.high = np.minimum(self.low, d), np.maximum(self.high, d)

    def moved(self, move: Direction, step: float) -> None:
        self.direction(move)
        x = (1.0 - move.drift * step) * self.x  # a new array: a user may have kept the old one
        move.add_to(x, step)
        self.x = np.clip(x, self.low, self.high)
        self.clear()

    def refresh(self, w: Iterate) -> None:
        x = w.array()
        if w.keeps_atoms:
            self.x, self.low, self.high = x, np.full_like(x, np.inf), np.full_like(x, -np.inf)
            for i in range(len(w)):
                self._meet(w.block[i])
        elif self.low.shape != x.shape:
            self.low = self.high = x
        self.x = np.clip(x, self.low, self.high)
        self.clear()

    def state(self) -> State:
        return {"x": self.x, "low": self.low, "high": self.high}

    def restore(self, state: State) -> None:
        self.x, self.low, self.high = state["x"], state["low"], state["high"]
        self.clear()
