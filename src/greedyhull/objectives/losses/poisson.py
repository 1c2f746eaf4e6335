"""Poisson loss e^z − yz, the negative log-likelihood of counts y with rate e^z."""

from __future__ import annotations

from math import exp, inf

import numpy as np

from greedyhull.objectives.losses.base import Separable
from greedyhull.types import Array

EPS = float(np.finfo(np.float64).eps)
HIGHEST, HIGHEST_32 = 300.0, 40.0  # above, the square of e^z would overflow: φ counts as infinite there


class Poisson(Separable):
    """φ(z) = Σ pᵢ (e^{zᵢ} − yᵢzᵢ).

    >>> Poisson(np.array([2.0]), 1.0).value(np.zeros(1))
    1.0
    """

    _floor: tuple[Array, Array | float, float] | None = None

    @property
    def floor(self) -> float:
        """Σ pᵢ (yᵢ − yᵢ log yᵢ), rounded down, looked for once: each term is least at zᵢ = log yᵢ."""
        known = self._floor
        if known is None or known[0] is not self.y or known[1] is not self.p:
            y = self.y.astype(np.float64)
            with np.errstate(all="ignore"):
                most = y * np.log(np.where(y > 0.0, y, 1.0))
                floor = self.total(y - most) - EPS * (self.n + 16) * self.total(y + np.abs(most))
            known = self._floor = (self.y, self.p, floor)
        return known[2]

    def terms(self, z: Array) -> Array:
        out: Array = self._exp(z) - self.y * z
        return out

    def slopes(self, z: Array) -> Array:
        return self._exp(z) - self.y

    def curvatures(self, z: Array) -> Array:
        return self._exp(z)

    @staticmethod
    def _exp(z: Array) -> Array:
        """e^z; infinite, without a warning, where it is too large to compute with."""
        highest = Poisson._highest(z)
        return np.where(z <= highest, np.exp(np.minimum(z, highest)), np.inf)

    def beta(self, low: Array, high: Array) -> Array:
        return self._exp(high)

    def lipschitz(self, low: Array, high: Array) -> Array:
        out: Array = np.maximum(np.abs(self._exp(low) - self.y), np.abs(self._exp(high) - self.y))
        return out

    def shift(self, z: Array) -> float:
        """argmin_b φ(z + b1) = log Σ pᵢyᵢ − log Σ pᵢe^{zᵢ}, computed relative to the largest z."""
        top = float(z.max())
        return float(np.log(self.total(self.y)) - np.log(self.total(np.exp(z - z.dtype.type(top))))) - top

    def limit(self, z: Array, dz: Array) -> float:
        rising = dz > 0
        room = (self._highest(z) - z[rising]) / dz[rising]
        return float(room.min()) if room.size else np.inf

    def size(self, value: float, z: Array) -> float:
        return self.total(self._exp(z) + np.abs(self.y * z))

    def swing(self, size: float, z: Array, off: float) -> float:
        """e^{z+e} − e^z(1 + e) ≤ ½e²·e^{z+|e|}, and pᵢe^{zᵢ} is part of the size."""
        return 0.5 * off * off * exp(off) * size if off <= HIGHEST else inf

    def sway(self, t: float, off: float) -> float:
        """(1 + t)log(1 + t) − t, exactly: r + tc is the slope at z + log(1 + t). Near zero a little more, free of rounding."""
        if abs(t) < 1e-2:
            return 0.5 * t * t * (1.0 + abs(t))
        return float((1.0 + t) * np.log1p(t) - t) if t > -1.0 else inf

    @staticmethod
    def _highest(z: Array) -> float:
        return HIGHEST if z.dtype == np.float64 else HIGHEST_32
