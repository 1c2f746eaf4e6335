"""Squared hinge ½(1 − yz)₊² with labels −1 and +1."""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.losses.base import Separable, between
from greedyhull.types import Array


class SquaredHinge(Separable):
    """φ(z) = Σ pᵢ ½(1 − yᵢzᵢ)₊².

    >>> SquaredHinge(np.array([1.0, -1.0]), 0.5).value(np.array([0.0, -3.0]))
    0.25
    """


    @property
    def floor(self) -> float:
        return 0.0

    def terms(self, z: Array) -> Array:
        short = np.maximum(1.0 - self.y * z, 0.0)
        return 0.5 * short * short

    def slopes(self, z: Array) -> Array:
        return -self.y * np.maximum(1.0 - self.y * z, 0.0)

    def curvatures(self, z: Array) -> Array:
        return (self.y * z < 1.0).astype(z.dtype)

    def beta(self, low: Array, high: Array) -> float:
        return 1.0

    def swing(self, size: float, z: Array, off: float) -> float:
        """ℓ'' ≤ 1."""
        return 0.5 * self.heaviest() * off * off

    def steady(self, z: Array, c: Array, off: float) -> Array:
        """Slopes that keep their sign."""
        return np.where(1.0 - self.y * z >= off, c, 0.0)

    def sway(self, t: float, off: float) -> float:
        """φ* is a parabola there."""
        return 0.5 * t * t if abs(t) <= off else np.inf

    def within(self, residual: Array) -> Array:
        return np.where(residual * self.y > 0.0, 0.0, residual).astype(residual.dtype, copy=False)

    def bracket(self, z: Array) -> tuple[float, float, float]:
        return between(self.y, z, self.p)

    def corners(self, z: Array) -> Array:
        return (self.y - z).astype(np.float64)
