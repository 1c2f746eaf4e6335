"""A running mean of minibatch gradients (Mokhtari, Hassani and Karbasi)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from greedyhull.batch import Source
from greedyhull.gradients.base import Kept, size

from greedyhull.types import Array, Schedule


@dataclass(frozen=True)
class Shifted:
    """min(1, scale·(k + shift)^−p)."""

    scale: float
    shift: float
    p: float

    def __call__(self, k: int, gap: float | None = None) -> float:
        return float(min(1.0, self.scale * (k + self.shift) ** -self.p))


@dataclass(frozen=True)
class Momentum:
    """g ← (1 − ρ_k)g + ρ_k ∇f_B(x) with ρ_k = 4/(k + 8)^{2/3}; a_k ≤ (1 − ρ)²(√a + LDη)² + ρ²σ²/b."""

    batch: int | Schedule = 32
    rho: Schedule = Shifted(4.0, 8.0, 2.0 / 3.0)
    unbiased: ClassVar[bool] = False

    def start(self, source: Source) -> _Working:
        return _Working(self, source)


class _Working(Kept):
    def __call__(self, x: Array, k: int) -> Array:
        fresh = self.source.draw(size(self.config.batch, k)).gradient(x)
        rho = self.config.rho(k) if "g" in self.arrays else 1.0
        g: Array = fresh if rho == 1.0 else (1.0 - rho) * self.arrays["g"] + rho * fresh
        self.arrays["g"] = g
        return g


