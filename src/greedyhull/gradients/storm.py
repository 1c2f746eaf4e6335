"""Recursive momentum: the same minibatch at two points corrects the estimate (one-sample Frank-Wolfe, STORM)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from greedyhull.batch import Source
from greedyhull.gradients.base import Kept, size
from greedyhull.gradients.momentum import Shifted
from greedyhull.types import Array, Schedule


@dataclass(frozen=True)
class Storm:
    """g ← ∇f_B(x) + (1 − ρ_k)(g − ∇f_B(x⁻)), x⁻ the last point; a_k ≤ (1 − ρ)²a + (ρσ + (1 − ρ)LDη)²/b.

    ρ_k = 1/k with η_k = 1/k gives O(k^−1/2) for convex f.
    """

    batch: int | Schedule = 32
    rho: Schedule = Shifted(1.0, 0.0, 1.0)
    unbiased: ClassVar[bool] = False

    def start(self, source: Source) -> _Working:
        return _Working(self, source)


class _Working(Kept):
    def __call__(self, x: Array, k: int) -> Array:
        batch = self.source.draw(size(self.config.batch, k))
        g: Array = batch.gradient(x)
        if "g" in self.arrays:
            self.source.spent += len(batch.index)
            rho = self.config.rho(k)
            g = g + (1.0 - rho) * (self.arrays["g"] - batch.gradient(self.arrays["x"]))
        self.arrays.update(g=g, x=x.copy())
        return g
