"""What the gradient estimators share."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np

from greedyhull.batch import Source
from greedyhull.types import Array, Schedule, State


class Estimate(Protocol):
    """An estimator at work in one solve: g ≈ ∇f(x) at step k."""

    def __call__(self, x: Array, k: int) -> Array: ...
    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...


class Estimator(Protocol):
    """A frozen estimator. ``unbiased`` says that E[g | past] = ∇f(x), which regret certificates need."""

    unbiased: ClassVar[bool]

    def start(self, source: Source) -> Estimate: ...


class Kept:
    """An estimate that keeps some arrays from step to step, by name."""

    def __init__(self, config: Any, source: Source) -> None:
        self.config, self.source = config, source
        self.arrays: State = {}

    def state(self) -> State:
        return {name: np.array(array) for name, array in self.arrays.items()}

    def restore(self, state: State) -> None:
        self.arrays = {name: np.array(array) for name, array in state.items()}


def size(batch: int | Schedule, k: int) -> int:
    """How many terms the batch of step k has."""
    return int(batch) if isinstance(batch, (int, np.integer)) else max(1, int(np.ceil(batch(k))))
