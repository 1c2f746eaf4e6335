"""A running mean of minibatch gradients (Mokhtari, Hassani and Karbasi)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from greedyhull.batch import Source
from greedyhull.errors import check
from greedyhull.gradients.base import Kept, Size, check_size, share
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
    """g ← (1 − ρ_k)g + ρ_k ∇f_B(x) with ρ_k = 4/(k + 7)^{2/3}, k from one; a_k ≤ (1 − ρ)²(√a + LDη)² + ρ²σ²/b."""

    batch: Size = 32
    rho: Schedule = Shifted(4.0, 7.0, 2.0 / 3.0)
    unbiased: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_size("batch", self.batch)
        check(callable(self.rho), f"rho={self.rho!r} was given; a schedule such as constant({self.rho!r}) is wanted.")

    def start(self, source: Source) -> _Working:
        return _Working(self, source)


class _Working(Kept):
    def __call__(self, x: Array, k: int) -> Array:
        g: Array = self.source.draw(self.size(k)).gradient(x)
        if "g" in self.arrays:  # the first gradient counts in full
            rho = share(self.config.rho, k)
            g = (1.0 - rho) * self.arrays["g"] + rho * g
        self.arrays["g"] = g
        return g
