"""Squared loss ½(z − y)²: a quadratic, so every line is a parabola and every exact step is in closed form."""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.line import Parabola
from greedyhull.objectives.losses.base import FAINT, Separable
from greedyhull.types import Array, Line


class Squared(Separable):
    """φ(z) = Σ pᵢ ½(zᵢ − yᵢ)².

    >>> Squared(np.array([1.0, 0.0]), 0.5).value(np.array([0.0, 2.0]))
    1.25
    """

    quadratic = True

    @property
    def floor(self) -> float:
        return 0.0

    def terms(self, z: Array) -> Array:
        r = z - self.y
        out: Array = 0.5 * r * r
        return out

    def slopes(self, z: Array) -> Array:
        return z - self.y

    def curvatures(self, z: Array) -> Array:
        return np.ones_like(z)

    def value(self, z: Array) -> float:
        return self.first_order(z)[0]

    def first_order(self, z: Array) -> tuple[float, Array]:
        r = z - self.y
        residual = self.p * r
        return 0.5 * float(r.dot(residual)), residual

    def norm(self, value: float, residual: Array) -> float:
        """‖r‖ from ½p‖z − y‖² alone, where all weights are the same."""
        p = self.p
        if value > FAINT and isinstance(p, float):
            out: float = (2.0 * p * value) ** 0.5
            return out
        return super().norm(value, residual)

    def swing(self, size: float, z: Array, off: float) -> float:
        """½ Σ pᵢeᵢ², exactly."""
        return 0.5 * self.heaviest() * off * off

    def sway(self, t: float, off: float) -> float:
        """φ* is a parabola."""
        return 0.5 * t * t

    def energy(self, dz: Array) -> float:
        """dzᵀ ∇²φ dz."""
        return self.p * float(dz.dot(dz)) if isinstance(self.p, float) else float(dz.dot(self.p * dz))

    def beta(self, low: Array, high: Array) -> float:
        return 1.0

    def along(self, z: Array, dz: Array, max_step: float) -> Line:
        value, residual = self.first_order(z)
        return Parabola(value, float(residual.dot(dz)), self.energy(dz), max_step)
