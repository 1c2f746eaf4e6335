"""l_p loss |z − y|^p / p for p > 1; for p < 2 it is differentiable but its curvature is infinite at the target."""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.losses.base import Separable, between
from greedyhull.types import Array


class Power(Separable):
    """φ(z) = Σ pᵢ |zᵢ − yᵢ|^p / p.

    >>> Power(np.zeros(1), 1.0, power=3.0).value(np.array([2.0]))
    2.6666666666666665
    """


    def __init__(self, y: Array, p: Array | float, power: float) -> None:
        super().__init__(y, p)
        self.power = power
        self.twice_differentiable = power >= 2.0

    @property
    def floor(self) -> float:
        return 0.0

    def terms(self, z: Array) -> Array:
        out: Array = np.abs(z - self.y) ** self.power / self.power
        return out

    def slopes(self, z: Array) -> Array:
        r = z - self.y
        out: Array = np.sign(r) * np.abs(r) ** (self.power - 1.0)
        return out

    def curvatures(self, z: Array) -> Array:
        size = np.abs(z - self.y)
        if self.power < 2.0:  # at the target there is none, and close to it more than floats can hold
            size = np.where(size == 0.0, np.nan, size)
        with np.errstate(over="ignore"):
            return np.asarray((self.power - 1.0) * size ** (self.power - 2.0))

    def beta(self, low: Array, high: Array) -> Array | float:
        if self.power < 2.0:
            return np.inf
        farthest = np.maximum(np.abs(low - self.y), np.abs(high - self.y))
        return np.asarray((self.power - 1.0) * farthest ** (self.power - 2.0))

    def steady(self, z: Array, c: Array, off: float) -> Array:
        """Slopes r that stay between ½r and 1½r: tc/r = t(p − 1)/(z − y)."""
        return np.where(np.abs(z - self.y) >= 2.0 * (self.power - 1.0) * off, c, 0.0) if off > 0.0 else np.zeros_like(c)

    def sway(self, t: float, off: float) -> float:
        """(φ*)'' is 1/c times |slope/r|^{(2−p)/(p−1)}."""
        e = (2.0 - self.power) / (self.power - 1.0)
        return 0.5 * t * t * (2.0 ** -e if e < 0.0 else 1.5**e) if abs(t) <= off else np.inf

    def bracket(self, z: Array) -> tuple[float, float, float]:
        return between(self.y, z, self.p)
