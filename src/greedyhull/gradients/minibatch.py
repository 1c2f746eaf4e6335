"""A fresh minibatch gradient at every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from greedyhull.batch import Source
from greedyhull.gradients.base import Kept, Size, check_size
from greedyhull.types import Array


@dataclass(frozen=True)
class Minibatch:
    """g = ∇f_B(x) with |B| = b_k, at most n; E‖g − ∇f‖² ≤ σ²/b_k, times (n − b)/(n − 1) without replacement.

    With b_k = k and η_k = k^−1/2 it is the paper's ASFW.
    """

    batch: Size = 32
    replace: bool = True
    unbiased: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_size("batch", self.batch)

    def start(self, source: Source) -> _Working:
        return _Working(self, source)


class _Working(Kept):
    def __call__(self, x: Array, k: int) -> Array:
        draw = self.source.draw if self.config.replace else self.source.distinct
        g: Array = draw(self.size(k)).gradient(x)
        return g
