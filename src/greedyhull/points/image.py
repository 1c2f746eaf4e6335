"""The view z = Aw that a composite objective φ(Aw) keeps, with what it has computed at this z."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.points.states import count
from greedyhull.types import Array, Design, Loss, State, View
from greedyhull.types.override import KeepsView, keeps, override

PRECISE_IMAGE = "image in double"  # that of float32 data: a point may keep both
NOTHING = np.zeros(0)  # the image of a point that was not looked at yet


class Foreseen(NamedTuple):
    """Where a step would lead: the image there, and what the loss computed at it, if it was asked."""

    move: Direction
    step: float
    z: Array
    pieces: tuple[float, Array, Array] | None = None  # value, residual, curvature

    def of(self, move: Direction, step: float) -> bool:
        """Whether it is this step that was foreseen."""
        return self.move is move and self.step == step


class Image(KeepsView):
    """z = Aw, updated by every move; ``moves`` counts the updates since z was last computed from the atoms."""

    __slots__ = ("A", "_ahead", "curvature", "gradient", "moves", "name", "residual", "value", "z")

    if TYPE_CHECKING:
        keeps(View.name)

    def __init__(self, A: Design, name: str = "image") -> None:
        self.A, self.name, self.moves = A, name, 0
        self.z: Array = NOTHING
        self.clear()

    def clear(self) -> None:
        self.value: float | None = None
        self.residual: Array | None = None
        self.curvature: Array | None = None
        self.gradient: Array | None = None
        self._ahead: Foreseen | None = None

    @property
    def beneath(self) -> Image | None:
        """The view that keeps z, where this one does not."""
        return None

    def know(self, z: Array, value: float, residual: Array, gradient: Array) -> None:
        """Take what somebody has computed from the atoms."""
        self.clear()
        self.z, self.value, self.residual, self.gradient, self.moves = z, value, residual, gradient, 0

    def direction(self, move: Direction) -> Array:
        """Av for a direction v, computed once for each."""
        if move.first is None:
            move.first, move.seen = self, self._direction(move)
        if move.first is self:
            known: Array = move.seen
            return known
        return move.image(self, self._direction)

    def _direction(self, move: Direction) -> Array:
        linear = move.single.image(self.A) if move.single is not None else move.linear(self.A)
        if move.drift == 0.0:
            return linear
        return linear - self.z if move.drift == 1.0 else linear - move.drift * self.z

    def lead(self, move: Direction, z: Array) -> None:
        """Tell that the whole of ``move`` leads to the image ``z``, which was computed from the atoms."""
        self._ahead = Foreseen(move, 1.0, z)
        move.image(self, lambda _: z - self.z)

    def expect(self, move: Direction, step: float, z: Array) -> None:
        """Tell that ``step`` of the move, should it be made, leads to the image ``z``."""
        self._ahead = Foreseen(move, step, z)

    def ahead(self, move: Direction, step: float, loss: Loss) -> float:
        """φ where ``step`` of the move leads; should it be made, value, residual and curvature are known already."""
        seen = self._ahead
        z = seen.z if seen is not None and seen.of(move, step) else self.z + step * self.direction(move)
        pieces = loss.value_gradient_curvature(z)
        self._ahead = Foreseen(move, step, z, pieces)
        return float(pieces[0])

    @override
    def moved(self, move: Direction, step: float) -> None:
        seen = self._ahead
        if seen is not None and seen.of(move, step):
            self.clear()
            self.z, self.moves = seen.z, 0 if step == 1.0 else self.moves + 1
            if seen.pieces is not None:
                self.value, self.residual, self.curvature = seen.pieces
            return
        self.z = self.z + step * self.direction(move)
        self.moves += 1
        self.clear()

    @override
    def refresh(self, w: Iterate) -> None:
        self.z = w.block.combine(self.A, w.weights) if w.keeps_atoms else self.A.matvec(w.array())
        w.work.products += 1.0
        self.moves = 0
        self.clear()

    @override
    def state(self) -> State:
        return {"z": self.z, "moves": np.array(self.moves)}

    @override
    def restore(self, state: State) -> None:
        self.z, self.moves = state["z"], count(state, "moves")
        self.clear()
