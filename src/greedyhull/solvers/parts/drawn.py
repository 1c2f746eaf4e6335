"""A supply of minibatches that remembers which one the estimate of a step was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.types import Array, Minibatch, Objective, State, Supply
from greedyhull.types.override import KeepsSupply, keeps, override


class Drawn(KeepsSupply):
    """Another supply, and the first batch that was drawn from it since `take` was called last."""

    if TYPE_CHECKING:
        keeps(Supply.spent)

    def __init__(self, supply: Supply) -> None:
        self.supply, self.size = supply, 1
        self._batch: Minibatch | None = None

    def take(self) -> Minibatch:
        """The batch of this step; a fresh one, as large as the last, where the estimate drew none."""
        batch = self.supply.draw(self.size) if self._batch is None else self._batch
        self._batch, self.size = None, batch.size
        return batch

    def _noted(self, batch: Minibatch) -> Minibatch:
        self._batch = batch if self._batch is None else self._batch
        return batch

    @property
    def spent(self) -> int:
        return self.supply.spent

    @spent.setter
    def spent(self, spent: int) -> None:
        self.supply.spent = spent

    @property
    @override
    def f(self) -> Objective:
        return self.supply.f

    @property
    @override
    def n(self) -> float:
        return self.supply.n

    @property
    @override
    def terms(self) -> int | None:
        return self.supply.terms

    @property
    @override
    def whole(self) -> Minibatch:
        return self.supply.whole

    @override
    def draw(self, size: int) -> Minibatch:
        return self._noted(self.supply.draw(size))

    @override
    def distinct(self, size: int) -> Minibatch:
        return self._noted(self.supply.distinct(size))

    @override
    def again(self, batch: Minibatch) -> Minibatch:
        """The same batch; all terms count as drawn."""
        return self._noted(self.supply.again(batch))

    @override
    def full(self, x: Array) -> Array:
        return np.asarray(self.again(self.whole).gradient(x))

    @override
    def state(self) -> State:
        return {"size": np.array(self.size)}

    @override
    def restore(self, state: State) -> None:
        self.size = int(state["size"])
