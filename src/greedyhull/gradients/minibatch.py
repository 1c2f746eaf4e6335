"""A fresh minibatch gradient at every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from greedyhull.batch import Source
from greedyhull.gradients.base import Kept, size
from greedyhull.types import Array, Schedule


@dataclass(frozen=True)
class Minibatch:
    """g = ∇f_B(x) with |B| = b_k; E‖g − ∇f‖² ≤ σ²/b_k. With b_k = k and η_k = k^−1/2 it is the paper's ASFW."""

    batch: int | Schedule = 32
    unbiased: ClassVar[bool] = True

    def start(self, source: Source) -> _Working:
        return _Working(self, source)


class _Working(Kept):
    def __call__(self, x: Array, k: int) -> Array:
        g: Array = self.source.draw(size(self.config.batch, k)).gradient(x)
        return g
