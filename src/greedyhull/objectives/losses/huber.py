"""Huber loss: quadratic within δ of the target, linear beyond."""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.losses.base import Separable, between
from greedyhull.types import Array


class Huber(Separable):
    """φ(z) = Σ pᵢ ℓ(zᵢ − yᵢ), ℓ(r) = ½r² for |r| ≤ δ and δ|r| − ½δ² beyond.

    >>> Huber(np.zeros(2), 0.5, delta=1.0).value(np.array([0.5, 3.0]))
    1.3125
    """


    def __init__(self, y: Array, p: Array | float, delta: float) -> None:
        super().__init__(y, p)
        self.delta = delta

    @property
    def floor(self) -> float:
        return 0.0

    def terms(self, z: Array) -> Array:
        size = np.abs(z - self.y)
        near = np.minimum(size, self.delta)
        out: Array = near * (size - 0.5 * near)
        return out

    def slopes(self, z: Array) -> Array:
        out: Array = np.minimum(np.maximum(z - self.y, -self.delta), self.delta)
        return out

    def curvatures(self, z: Array) -> Array:
        out: Array = (np.abs(z - self.y) <= self.delta).astype(z.dtype)
        return out

    def beta(self, low: Array, high: Array) -> float:
        return 1.0

    def swing(self, size: float, z: Array, off: float) -> float:
        """ℓ'' ≤ 1, and slopes differ by 2δ at most."""
        heaviest = self.heaviest()
        return off * min(0.5 * heaviest * off, 2.0 * self.delta * float(heaviest**0.5))

    def steady(self, z: Array, c: Array, off: float) -> Array:
        """Slopes that stay between −δ and δ."""
        return np.where(np.abs(z - self.y) <= self.delta - min(off, 0.5 * self.delta), c, 0.0)

    def sway(self, t: float, off: float) -> float:
        """φ* is a parabola there."""
        return 0.5 * t * t if abs(t) <= min(off, 0.5 * self.delta) else np.inf

    def within(self, residual: Array) -> Array:
        most = self.p * self.delta
        return np.minimum(np.maximum(residual, -most), most).astype(residual.dtype, copy=False)

    def bracket(self, z: Array) -> tuple[float, float, float]:
        return between(self.y, z, self.p)

    def corners(self, z: Array) -> Array:
        off = (self.y - z).astype(np.float64)
        return np.concatenate([off - self.delta, off + self.delta])
