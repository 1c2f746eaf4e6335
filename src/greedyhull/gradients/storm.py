"""Recursive momentum: the same minibatch at two points corrects the estimate (one-sample Frank-Wolfe, STORM)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from greedyhull.batch import Source
from greedyhull.errors import check
from greedyhull.gradients.base import Kept, Size, check_size, share
from greedyhull.gradients.momentum import Shifted
from greedyhull.types import Array, Schedule


@dataclass(frozen=True)
class Storm:
    """g ← ∇f_B(x) + (1 − ρ_k)(g − ∇f_B(x⁻)), x⁻ the last point; a_k ≤ (1 − ρ)²a + (ρσ + (1 − ρ)LDη)²/b.

    ρ_k = 1/k with η_k = 1/k gives O(k^−1/2) for convex f. Where two looks at a batch cost a whole pass, the pass is made.
    """

    batch: Size = 32
    rho: Schedule = field(default=Shifted(1.0, 0.0, 1.0))
    unbiased: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_size("batch", self.batch)
        check(callable(self.rho), f"rho={self.rho!r} was given; a schedule such as constant({self.rho!r}) is wanted.")

    def start(self, source: Source) -> _Working:
        return _Working(self, source)


class _Working(Kept):
    def __call__(self, x: Array, k: int) -> Array:
        b, rho = self.size(k), share(self.config.rho, k)
        if "g" not in self.arrays:
            g: Array = self.source.draw(b).gradient(x)
        elif 2 * b >= self.source.f.n:
            g = self.source.full(x)
        else:
            batch = self.source.draw(b)
            before = self.source.again(batch).gradient(self.arrays["x"])
            g = batch.gradient(x) + (1.0 - rho) * (self.arrays["g"] - before)
        self.arrays.update(g=g, x=x.copy())
        return g
