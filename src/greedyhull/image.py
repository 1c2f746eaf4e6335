"""The view z = Aw that a composite objective φ(Aw) keeps, with what it has computed at this z."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.iterate import Direction, Iterate
from greedyhull.types import Array, Design, State


class Image:
    """z = Aw, updated by every move; ``moves`` counts the updates since z was last computed from the atoms."""

    __slots__ = ("A", "_ahead", "curvature", "gradient", "moves", "name", "residual", "value", "z")

    def __init__(self, A: Design, name: str = "image") -> None:
        self.A, self.name, self.moves = A, name, 0
        self.z: Array = np.zeros(0)
        self.clear()

    def clear(self) -> None:
        self.value: float | None = None
        self.residual: Array | None = None
        self.curvature: Array | None = None
        self.gradient: Array | None = None
        self._ahead: tuple[Direction, float, Array, tuple[float, Array, Array]] | None = None

    def direction(self, move: Direction) -> Array:
        """Av for a direction v, computed once for each."""
        return move.image(self, self._direction)

    def _direction(self, move: Direction) -> Array:
        linear = move.linear(self.A)
        if move.drift == 0.0:
            return linear
        return linear - self.z if move.drift == 1.0 else linear - move.drift * self.z

    def ahead(self, move: Direction, step: float, loss: Any) -> float:
        """φ at z + step·Av; should the move be made, value, residual and curvature there are known already."""
        z = self.z + step * self.direction(move)
        pieces = loss.pieces(z)
        self._ahead = (move, step, z, pieces)
        return float(pieces[0])

    def moved(self, move: Direction, step: float) -> None:
        self.moves += 1
        seen = self._ahead
        if seen is not None and seen[0] is move and seen[1] == step:
            self.clear()
            self.z, (self.value, self.residual, self.curvature) = seen[2], seen[3]
            return
        self.z = self.z + step * self.direction(move)
        self.clear()

    def refresh(self, w: Iterate) -> None:
        self.z = w.block.combine(self.A, w.weights) if w.keeps_atoms else self.A.matvec(w.array())
        w.work.products += 1.0
        self.moves = 0
        self.clear()

    def state(self) -> State:
        return {"z": self.z, "moves": np.array(self.moves)}

    def restore(self, state: State) -> None:
        self.z, self.moves = state["z"], int(state["moves"])
        self.clear()
