"""A loss with kinks, smoothed: ℓ_μ(z) = max { a(z − y) − ε|a| − μa²/2 : low ≤ a ≤ high }.

For the absolute loss that is Huber's, divided by its δ = μ. The slope is the dual variable a itself, so the residual of
the smoothed loss is feasible for the dual of the loss with kinks: it gives lower bounds for that one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.losses.piecewise import PiecewiseLinear
from greedyhull.objectives.losses.profiled import Profiled
from greedyhull.objectives.losses.root import between_corners
from greedyhull.types import Array, Index


class Softened(Separable):
    """φ_μ(z) = Σ pᵢ ℓ_μ(zᵢ, yᵢ), second derivatives 1/μ near a kink and 0 elsewhere.

    >>> from greedyhull.objectives.losses.absolute import Absolute
    >>> Softened(Absolute(np.zeros(2), 0.5), mu=1.0).value(np.array([0.5, 3.0]))
    1.3125
    """

    def __init__(self, sharp: PiecewiseLinear, mu: float) -> None:
        super().__init__(sharp.y, sharp.p)
        self.sharp, self.mu = sharp, mu

    def _parts(self, z: Array) -> tuple[Array, Array, Array]:
        """How far z is beyond ε from y, the slope before it is cut to its interval, and the slope."""
        low, high = self.sharp.ends()
        r, epsilon = z - self.y, self.sharp.epsilon
        if epsilon > 0.0:
            r = np.sign(r) * np.maximum(np.abs(r) - epsilon, 0.0)
        free = r / self.mu
        return r, free, np.minimum(np.maximum(free, low), high)

    def terms(self, z: Array) -> Array:
        r, _, a = self._parts(z)
        out: Array = a * (r - 0.5 * self.mu * a)
        return out

    def slopes(self, z: Array) -> Array:
        return self._parts(z)[2]

    def curvatures(self, z: Array) -> Array:
        r, free, a = self._parts(z)
        bent = free == a
        if self.sharp.epsilon > 0.0:
            bent &= r != 0.0
        return np.where(bent, 1.0 / self.mu, 0.0).astype(z.dtype, copy=False)

    def value_gradient_curvature(self, z: Array) -> tuple[float, Array, Array]:
        r, free, a = self._parts(z)
        bent = free == a
        if self.sharp.epsilon > 0.0:
            bent &= r != 0.0
        value = self.total(a * (r - 0.5 * self.mu * a))
        return value, self._weighted(a, z), self._weighted(np.where(bent, 1.0 / self.mu, 0.0), z)

    def first_order(self, z: Array) -> tuple[float, Array]:
        r, _, a = self._parts(z)
        return self.total(a * (r - 0.5 * self.mu * a)), self._weighted(a, z)

    def beta(self, low: Array, high: Array) -> float:
        return 1.0 / self.mu

    def lipschitz(self, low: Array, high: Array) -> Array | float:
        out: Array | float = self.sharp.lipschitz(low, high)
        return out

    def shift(self, z: Array) -> float:
        """argmin_b φ_μ(z + b1): Σ pᵢaᵢ rises in b, straight between known ends; first the piece is found, then its root."""
        low, high = self.sharp.ends()
        off, epsilon = (self.y - z).astype(np.float64), self.sharp.epsilon
        inner = [off - epsilon, off + epsilon] if epsilon > 0.0 else []
        outer = [off - epsilon + self.mu * low, off + epsilon + self.mu * high]
        return between_corners(self, z, np.concatenate(outer + inner))

    def size(self, value: float, z: Array) -> float:
        return float(self.sharp.size(value, z))

    def swing(self, size: float, z: Array, off: float) -> float:
        """ℓ'' ≤ 1/μ, and slopes do not leave their intervals."""
        return min(0.5 * self.heaviest() * off * off / self.mu, 2.0 * off * float(self.sharp.norm(size, z)))

    def cast(self, dtype: Any) -> Separable:
        return self if self.y.dtype == dtype else self._around(self.sharp.cast(dtype))

    def on(self, rows: Index) -> Separable:
        return self._around(self.sharp.on(rows))

    def sampled(self, rows: Index, shift: float = 0.0) -> Separable:
        return self._around(self.sharp.sampled(rows, shift))

    def _around(self, sharp: Separable) -> Softened:
        """The same smoothing of another loss of its kind."""
        assert isinstance(sharp, PiecewiseLinear)  # cast, on and sampled do not change what a loss is
        return Softened(sharp, self.mu)

    def profiled(self) -> Profiled:
        return Levelled(self)

    def __repr__(self) -> str:
        return f"{self.sharp!r} smoothed by {self.mu:g}"


class Levelled(Profiled):
    """A smoothed loss with its best intercept. Rounding of b, divided by a small μ, is left in the sum of the residual; the
    samples whose slopes are free take it up, within their intervals, so that the lower bound holds for every intercept."""

    loss: Softened

    def _levelled(self, residual: Array, curvature: Array, size: float) -> Array:
        low, high = (self.p * end for end in self.loss.sharp.ends())
        free = (residual > low) & (residual < high) & (residual != 0.0)
        share = self.p * free
        total = float(np.sum(share))
        if total == 0.0:
            return residual
        level = residual - share * (float(residual.sum(dtype=np.float64)) / total)
        return np.asarray(np.clip(level, low, high), dtype=residual.dtype)
