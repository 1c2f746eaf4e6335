"""What follows a moving point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from greedyhull.points.direction import Direction
    from greedyhull.points.iterate import Iterate
    from greedyhull.types.arrays import State


class View(Protocol):
    """A linear image of the iterate that follows its moves."""

    name: str

    def moved(self, move: Direction, step: float) -> None: ...
    def refresh(self, w: Iterate) -> None: ...
    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...
