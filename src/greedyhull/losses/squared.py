"""Squared loss ½(z − y)²: a quadratic, so every line is a parabola and every exact step is in closed form."""

from __future__ import annotations

import numpy as np

from greedyhull.line import Parabola
from greedyhull.losses.base import Separable
from greedyhull.types import Array, Line


class Squared(Separable):
    """φ(z) = Σ pᵢ ½(zᵢ − yᵢ)².

    >>> Squared(np.array([1.0, 0.0]), 0.5).value(np.array([0.0, 2.0]))
    1.25
    """

    quadratic = True

    def terms(self, z: Array) -> Array:
        r = z - self.y
        return 0.5 * r * r

    def slopes(self, z: Array) -> Array:
        return z - self.y

    def curvatures(self, z: Array) -> Array:
        return np.ones_like(z)

    def value(self, z: Array) -> float:
        r = z - self.y
        if isinstance(self.p, float):
            return 0.5 * self.p * float(r.dot(r))
        return 0.5 * float(np.dot(self.p * r, r))

    def beta(self, low: Array, high: Array) -> float:
        return 1.0

    def along(self, z: Array, dz: Array, max_step: float) -> Line:
        r = z - self.y
        if isinstance(self.p, float):
            return Parabola(0.5 * self.p * float(r.dot(r)), self.p * float(r.dot(dz)), self.p * float(dz.dot(dz)), max_step)
        pdz = self.p * dz
        return Parabola(0.5 * float(np.dot(self.p * r, r)), float(r.dot(pdz)), float(dz.dot(pdz)), max_step)
