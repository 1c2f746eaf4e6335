"""Poisson loss e^z − yz, the negative log-likelihood of counts y with rate e^z."""

from __future__ import annotations

import numpy as np

from greedyhull.losses.base import Separable
from greedyhull.types import Array

HIGHEST = 700.0  # e^z overflows just above 709: no step goes there


class Poisson(Separable):
    """φ(z) = Σ pᵢ (e^{zᵢ} − yᵢzᵢ).

    >>> Poisson(np.array([2.0]), 1.0).value(np.zeros(1))
    1.0
    """

    def terms(self, z: Array) -> Array:
        return self._exp(z) - self.y * z

    def slopes(self, z: Array) -> Array:
        return self._exp(z) - self.y

    def curvatures(self, z: Array) -> Array:
        return self._exp(z)

    @staticmethod
    def _exp(z: Array) -> Array:
        """e^z; where it overflows the value is infinite, and says so."""
        with np.errstate(over="ignore"):
            return np.exp(z)

    def beta(self, low: Array, high: Array) -> Array:
        return self._exp(high)

    def lipschitz(self, low: Array, high: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.maximum(np.abs(np.exp(low) - self.y), np.abs(np.exp(high) - self.y))

    def shift(self, z: Array) -> float:
        """argmin_b φ(z + b1) = log Σ pᵢyᵢ − log Σ pᵢe^{zᵢ}, computed relative to the largest z."""
        top = float(z.max())
        return float(np.log(self.total(self.y)) - np.log(self.total(np.exp(z - z.dtype.type(top))))) - top

    def limit(self, z: Array, dz: Array) -> float:
        rising = dz > 0
        room = (self._highest(z) - z[rising]) / dz[rising]
        return float(room.min()) if room.size else np.inf

    def size(self, value: float, z: Array) -> float:
        return self.total(np.exp(z) + np.abs(self.y * z))

    @staticmethod
    def _highest(z: Array) -> float:
        return HIGHEST if z.dtype == np.float64 else 85.0
