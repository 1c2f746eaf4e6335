"""Minibatches, and where they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from greedyhull.types.arrays import Array, State
    from greedyhull.types.objectives import Objective
    from greedyhull.types.sets import Finite


class Minibatch(Protocol):
    """The mean of some terms of a sum, which can be asked at any array."""

    @property
    def size(self) -> int: ...  # how many terms
    def value(self, x: Array) -> float: ...
    def gradient(self, x: Array) -> Array: ...
    def pulls(self, x: Array, S: Finite) -> Array | None: ...


class Supply(Protocol):
    """Where the minibatches of one solve come from, and how many gradients of terms they have cost: ``spent``."""

    spent: int

    @property
    def f(self) -> Objective: ...
    @property
    def n(self) -> float: ...  # how many terms there are: infinity for a stream
    @property
    def terms(self) -> int | None: ...  # the same, None for a stream
    @property
    def whole(self) -> Minibatch: ...  # all terms; the caller counts them
    def draw(self, size: int) -> Minibatch: ...
    def distinct(self, size: int) -> Minibatch: ...
    def again(self, batch: Minibatch) -> Minibatch: ...
    def full(self, x: Array) -> Array: ...
    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...
