"""Losses that are linear between kinks: hinge, absolute, quantile and ε-insensitive are one formula.

ℓ(z) = max { a(z − y) − ε|a| : low ≤ a ≤ high } with low ≤ 0 ≤ high. The slope a is the dual variable of a sample: any a
in its interval supports ℓ from below, and ℓ*(a) = ay + ε|a|. Subtracting μa²/2 inside the maximum smooths the loss.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.losses.kinks import KinkedLine, Kinks
from greedyhull.types import Array
from greedyhull.types.override import KeepsKinkedLoss, override


class PiecewiseLinear(Separable, KeepsKinkedLoss):
    """φ(z) = Σ pᵢ ℓ(zᵢ, yᵢ); ``slopes`` are subgradients, 0 at a kink."""

    smooth = False
    twice_differentiable = False
    epsilon = 0.0

    @property
    @override
    def floor(self) -> float:
        return 0.0

    @abstractmethod
    def ends(self) -> tuple[Any, Any]:
        """low and high, the least and the largest slope of each term."""

    def terms(self, z: Array) -> Array:
        low, high = self.ends()
        r = z - self.y
        out: Array = high * np.maximum(r - self.epsilon, 0.0) + low * np.minimum(r + self.epsilon, 0.0)
        return out

    def slopes(self, z: Array) -> Array:
        low, high = self.ends()
        r = z - self.y
        return np.where(r > self.epsilon, high, np.where(r < -self.epsilon, low, 0.0)).astype(z.dtype, copy=False)

    @override
    def lipschitz(self, low: Array, high: Array) -> Array | float:
        """max{−low, high}, wherever z is."""
        least, most = self.ends()
        out: Array | float = np.maximum(-least, most)
        return out

    @override
    def size(self, value: float, z: Array) -> float:
        """z − y may cancel: errors are relative to |z| + |y| + ε."""
        steepest = self.lipschitz(z, z)
        return self.total(steepest * (np.abs(z) + np.abs(self.y) + self.epsilon))

    @override
    def norm(self, value: float, residual: Array) -> float:
        """The largest ‖r‖₂ of all dual residuals, for lower bounds are made from other ones than ∇φ too."""
        steepest = np.broadcast_to(self.p * self.lipschitz(self.y, self.y), self.n)
        return float(np.sqrt(steepest.dot(steepest)))

    @override
    def swing(self, size: float, z: Array, off: float) -> float:
        """Nothing: `norm` is that of every slope there is, and so first-order errors leave nothing out."""
        return 0.0

    # --- kinks ----------------------------------------------------------------------------------------------------

    def kinks(self, z: Array, dz: Array | float = 1.0) -> Kinks:
        """Where Σ pᵢ ℓ(zᵢ + s·dzᵢ) has kinks in s, and by how much its slope jumps there."""
        low, high = (np.broadcast_to(self.p * end, self.n) for end in self.ends())
        speed = np.broadcast_to(np.asarray(dz, dtype=np.float64), self.n)
        moving = (speed != 0.0) & (high > low)
        r, v = (self.y - z).astype(np.float64)[moving], speed[moving]
        low, high = low[moving], high[moving]
        with np.errstate(over="ignore"):
            if self.epsilon == 0.0:
                return Kinks.sorted(r / v, (high - low) * np.abs(v))
            at = np.concatenate([(r - self.epsilon) / v, (r + self.epsilon) / v])
        return Kinks.sorted(at, np.concatenate([-low * np.abs(v), high * np.abs(v)]))

    def first_slope(self, dz: Array | float = 1.0) -> float:
        """The slope of s ↦ Σ pᵢ ℓ(zᵢ + s·dzᵢ) before all of its kinks."""
        low, high = self.ends()
        speed = np.asarray(dz, dtype=np.float64)
        return self.total(np.broadcast_to(np.where(speed > 0.0, low, high) * speed, self.n))

    @override
    def along(self, z: Array, dz: Array, max_step: float) -> KinkedLine:
        return KinkedLine(lambda step: self.value(z + step * dz), lambda step: float(self.gradient(z + step * dz).dot(dz)),
                          lambda: self.kinks(z, dz).argmin(self.first_slope(dz), max_step), max_step)

    # --- duality --------------------------------------------------------------------------------------------------

    @override
    def conjugate(self, residual: Array) -> float:
        """φ*(r) = Σ yᵢrᵢ + ε|rᵢ| for rᵢ = pᵢaᵢ, low ≤ aᵢ ≤ high; who asks has made sure of that."""
        r = residual.astype(np.float64, copy=False)
        return float(r.dot(self.y) + self.epsilon * np.abs(r).sum())

    @override
    def smoothed(self, mu: float) -> Separable:
        """φ_μ ≤ φ ≤ φ_μ + (μ/2)·Σ pᵢ max aᵢ², with second derivatives up to 1/μ."""
        from greedyhull.objectives.losses.softened import Softened

        return Softened(self, mu)

    def profiled(self) -> Any:
        from greedyhull.objectives.losses.balanced import Balanced

        return Balanced(self)
