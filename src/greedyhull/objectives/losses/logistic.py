"""Logistic loss log(1 + e^{−yz}) with labels −1 and +1, computed without overflow."""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.logistic import logistic_pieces
from greedyhull.objectives.losses.base import Separable
from greedyhull.types import Array


class Logistic(Separable):
    """φ(z) = Σ pᵢ log(1 + exp(−yᵢzᵢ)).

    >>> round(Logistic(np.array([1.0, -1.0]), 0.5).value(np.zeros(2)), 6)
    0.693147
    """


    @property
    def floor(self) -> float:
        return 0.0

    def terms(self, z: Array) -> Array:
        m = self.y * z
        out: Array = np.log1p(np.exp(-np.abs(m))) + np.maximum(-m, 0.0)
        return out

    def slopes(self, z: Array) -> Array:
        return -self.y * self._wrong(self.y * z)

    def curvatures(self, z: Array) -> Array:
        e = np.exp(-np.abs(z))
        return np.asarray(e / (1.0 + e) ** 2)

    def first_order(self, z: Array) -> tuple[float, Array]:
        return self.value_gradient_curvature(z)[:2]

    def value_gradient_curvature(self, z: Array) -> tuple[float, Array, Array]:
        if not isinstance(self.p, float):
            return self.value(z), self.gradient(z), self.curvature(z)
        residual, curvature = np.empty_like(z), np.empty_like(z)
        value = self.p * logistic_pieces(self.y, z, residual, curvature)
        residual *= self.p
        curvature *= self.p
        return value, residual, curvature

    def beta(self, low: Array, high: Array) -> Array:
        nearest = np.maximum(np.maximum(low, -high), 0.0)  # the least |z| in the interval
        e = np.exp(-nearest)
        return np.asarray(e / (1.0 + e) ** 2)

    def swing(self, size: float, z: Array, off: float) -> float:
        """ℓ'' ≤ ¼, and slopes differ by 1 at most."""
        heaviest = self.heaviest()
        return off * min(0.125 * heaviest * off, float(heaviest**0.5))

    def sway(self, t: float, off: float) -> float:
        """½t²/(1 − |t|)².

        With q the probability of the other label, |r| = pq and c = pq(1 − q). Along r + sc, |s| ≤ |t|, q and 1 − q fall to
        1 − |t| times what they are at most, and (φ*)'' = 1/(pq(1 − q)).
        """
        return 0.5 * (t / (1.0 - abs(t))) ** 2 if abs(t) < 1.0 else np.inf

    def bracket(self, z: Array) -> tuple[float, float, float]:
        """Were all zᵢ equal, b* would be the log-odds of the labels minus z; it rises with no zᵢ."""
        up, down = (max(self.total((sign * self.y > 0.0).astype(np.float64)), 1e-300) for sign in (1.0, -1.0))
        odds = float(np.log(up) - np.log(down))
        low, high = odds - float(z.max()), odds - float(z.min())
        return low, min(max(odds - self.total(z), low), high), high

    @staticmethod
    def _wrong(m: Array) -> Array:
        """1/(1 + e^m), the probability of the other label."""
        e = np.exp(-np.abs(m))
        return np.asarray(np.where(m >= 0.0, e, 1.0) / (1.0 + e))
