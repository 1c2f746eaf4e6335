"""Piecewise linear losses: hinge, absolute, quantile, epsilon-insensitive."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from greedyhull.objectives.lines import Curve
from greedyhull.objectives.losses.base import Loss, Separable
from greedyhull.types import Array


class Kinks(NamedTuple):
    """Kinks in order, and by how much the slope jumps at each."""

    at: Array
    jumps: Array

    @staticmethod
    def sorted(at: Array, jumps: Array) -> Kinks:
        order = np.argsort(at, kind="stable")
        return Kinks(at[order], jumps[order])

    def argmin(self, first: float, top: float) -> float:
        """The least minimiser on [0, top]; ``first`` is the slope before all kinks."""
        passed = int(np.searchsorted(self.at, 0.0, side="right"))
        slopes = first + np.cumsum(self.jumps)
        if (slopes[passed - 1] if passed else first) >= 0.0:
            return 0.0
        i = int(np.searchsorted(slopes, 0.0))
        return min(float(self.at[i]), top) if i < len(self.at) else top

    def crossing(self, first: float) -> tuple[float, float]:
        """The s at which the slope passes zero, and the share of the jump there, in [0, 1], that leads to zero."""
        slopes = first + np.cumsum(self.jumps)
        i = min(int(np.searchsorted(slopes, 0.0)), len(slopes) - 1)
        same = np.flatnonzero(self.at == self.at[i])
        if not len(same):  # overflow has left no number
            return float(self.at[i]), 1.0
        before = slopes[same[0] - 1] if same[0] else first
        jump = float(slopes[same[-1]] - before)
        return float(self.at[i]), min(max(-float(before) / jump, 0.0), 1.0) if jump > 0.0 else 1.0


class KinkedLine(Curve):
    """h(η) known by values, subderivatives and an exact ``argmin``, `kinked_search` by default; its bend has no bound.

    ``slope`` is one subderivative at 0, as ⟨g, v⟩ is for a subgradient g: it says nothing about where h is least.
    """

    __slots__ = ("_argmin",)

    def __init__(self, value: Callable[[float], float], derivative: Callable[[float], float], max_step: float,
                 argmin: Callable[[], float] | None = None) -> None:
        super().__init__(value, lambda step: (derivative(step), np.nan), derivative(0.0), max_step)
        self._argmin = argmin

    def argmin(self) -> float:
        return kinked_search(self.value, self.derivative, self.max_step) if self._argmin is None else self._argmin()


def kinked_search(value: Callable[[float], float], derivative: Callable[[float], float], top: float) -> float:
    """argmin of a convex h on [0, top] that is linear between kinks, from values and subderivatives.

    Two tangents meet below h; where they meet on h, that is the minimum. Every other trial halves the bracket.
    """
    low, high = 0.0, top
    tangents = [(0.0, value(0.0), derivative(0.0)), (top, value(top), derivative(top))]
    if tangents[0][2] >= 0.0:  # a subderivative at a kink may hide a fall behind it
        inside = 1e-10 * top
        tangents[0] = (inside, value(inside), derivative(inside))
    if tangents[1][2] <= 0.0:
        return top if tangents[1][1] <= tangents[0][1] else 0.0
    if tangents[0][2] >= 0.0:
        return 0.0
    best = min((v, s) for s, v, _ in [(0.0, value(0.0), 0.0), *tangents])
    for i in range(200):
        (a, at_a, slope_a), (b, at_b, slope_b) = tangents
        meet = (at_b - at_a + slope_a * a - slope_b * b) / (slope_a - slope_b)
        floor = at_a + slope_a * (meet - a)
        step = meet if i % 2 == 0 and low < meet < high else 0.5 * (low + high)
        here, slope = value(step), derivative(step)
        best = min(best, (here, step))
        if best[0] <= floor + 4e-16 * abs(floor) or not low < step < high or slope == 0.0:
            break
        if slope < 0.0:
            low, tangents[0] = step, (step, here, slope)
        else:
            high, tangents[1] = step, (step, here, slope)
    return best[1]


class PiecewiseLinear(Separable):
    """φ(z) = Σ pᵢ ℓ(zᵢ, yᵢ); ``slopes`` are subgradients, 0 at a kink."""

    smooth = False
    twice_differentiable = False
    epsilon = 0.0
    floor = 0.0

    @abstractmethod
    def ends(self) -> tuple[Any, Any]:
        """low and high, the least and the largest slope of each term."""

    def core_numbers(self) -> tuple[float, ...]:
        return (*self.ends(), self.epsilon)

    def terms(self, z: Array) -> Array:
        low, high = self.ends()
        r = z - self.y
        return np.asarray(high * np.maximum(r - self.epsilon, 0.0) + low * np.minimum(r + self.epsilon, 0.0))

    def slopes(self, z: Array) -> Array:
        low, high = self.ends()
        r = z - self.y
        return np.where(r > self.epsilon, high, np.where(r < -self.epsilon, low, 0.0)).astype(z.dtype, copy=False)

    def lipschitz(self, low: Array, high: Array) -> Array | float:
        """max{−low, high}, wherever z is."""
        least, most = self.ends()
        return np.maximum(-least, most)  # type: ignore[no-any-return]

    def size(self, value: float, z: Array) -> float:
        """z − y may cancel: errors are relative to |z| + |y| + ε."""
        steepest = self.lipschitz(z, z)
        return self.total(steepest * (np.abs(z) + np.abs(self.y) + self.epsilon))

    def norm(self, value: float, residual: Array) -> float:
        """The largest ‖r‖₂ of all dual residuals, for lower bounds are made from other ones than ∇φ too."""
        steepest = np.broadcast_to(self.p * self.lipschitz(self.y, self.y), self.n)
        return float(np.sqrt(steepest.dot(steepest)))

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

    def along(self, z: Array, dz: Array, max_step: float) -> KinkedLine:
        return KinkedLine(lambda step: self.value(z + step * dz), lambda step: float(self.gradient(z + step * dz).dot(dz)),
                          max_step, lambda: self.kinks(z, dz).argmin(self.first_slope(dz), max_step))

    # --- duality --------------------------------------------------------------------------------------------------

    def conjugate(self, residual: Array) -> float:
        """φ*(r) = Σ yᵢrᵢ + ε|rᵢ| for rᵢ = pᵢaᵢ, low ≤ aᵢ ≤ high; who asks has made sure of that."""
        r = residual.astype(np.float64, copy=False)
        return float(r.dot(self.y) + self.epsilon * np.abs(r).sum())

    def smoothed(self, mu: float) -> Separable:
        """φ_μ ≤ φ ≤ φ_μ + (μ/2)·Σ pᵢ max aᵢ², with second derivatives up to 1/μ."""
        from greedyhull.objectives.losses.intercepts import Softened

        return Softened(self, mu)

    def profiled(self) -> Loss:
        from greedyhull.objectives.losses.intercepts import Balanced

        return Balanced(self)


class Absolute(PiecewiseLinear):
    """φ(z) = Σ pᵢ |zᵢ − yᵢ|."""

    core_name = "piecewise"

    def ends(self) -> tuple[float, float]:
        return -1.0, 1.0


class Hinge(PiecewiseLinear):
    """φ(z) = Σ pᵢ (1 − yᵢzᵢ)₊; as y² = 1, that is max {a(z − y)} over a between −y and 0."""

    targets = "labels"
    core_name = "hinge"

    def core_numbers(self) -> tuple[float, ...]:
        return (0.0,)

    def ends(self) -> tuple[Array, Array]:
        return np.minimum(-self.y, 0.0), np.maximum(-self.y, 0.0)


class Quantile(PiecewiseLinear):
    """φ(z) = Σ pᵢ max{q(yᵢ − zᵢ), (1 − q)(zᵢ − yᵢ)}."""

    parameters = ("q",)
    core_name = "piecewise"

    def __init__(self, y: Array, p: Array | float, q: float) -> None:
        super().__init__(y, p)
        self.q = q

    def ends(self) -> tuple[float, float]:
        return -self.q, 1.0 - self.q


class EpsilonInsensitive(PiecewiseLinear):
    """φ(z) = Σ pᵢ (|zᵢ − yᵢ| − ε)₊."""

    parameters = ("epsilon",)
    core_name = "piecewise"

    def __init__(self, y: Array, p: Array | float, epsilon: float) -> None:
        super().__init__(y, p)
        self.epsilon = epsilon

    def ends(self) -> tuple[float, float]:
        return -1.0, 1.0
