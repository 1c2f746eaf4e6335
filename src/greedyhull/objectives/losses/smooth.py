"""Smooth losses: squared, logistic, squared hinge, Huber, Poisson, powers, negative log."""

from __future__ import annotations

from functools import cached_property
from math import exp, inf

import numpy as np

from greedyhull.kernels._core import logistic_pieces
from greedyhull.objectives.designs.stored import DenseDesign, SparseDesign
from greedyhull.objectives.lines import Parabola
from greedyhull.objectives.losses.base import FAINT, Separable, between
from greedyhull.types import Array, Design, Line


class Squared(Separable):
    """φ(z) = Σ pᵢ ½(zᵢ − yᵢ)²."""

    core_name = "squared"
    floor = 0.0
    quadratic = True
    curvature_bound = 1.0

    def terms(self, z: Array) -> Array:
        r = z - self.y
        return np.asarray(0.5 * r * r)

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
        if value > FAINT and isinstance(self.p, float):
            return float((2.0 * self.p * value) ** 0.5)
        return super().norm(value, residual)

    def sway(self, t: float, off: float) -> float:
        """φ* is a parabola."""
        return 0.5 * t * t

    def energy(self, dz: Array) -> float:
        return self.p * float(dz.dot(dz)) if isinstance(self.p, float) else float(dz.dot(self.p * dz))

    def along(self, z: Array, dz: Array, max_step: float) -> Line:
        value, residual = self.first_order(z)
        return Parabola(value, float(residual.dot(dz)), self.energy(dz), max_step)


class Logistic(Separable):
    """φ(z) = Σ pᵢ log(1 + exp(−yᵢzᵢ))."""

    targets = "labels"
    core_name = "logistic"
    floor = 0.0

    def terms(self, z: Array) -> Array:
        m = self.y * z
        return np.asarray(np.log1p(np.exp(-np.abs(m))) + np.maximum(-m, 0.0))

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
        far = 30.0 - float(np.log(min(up, down)))  # σ(−far) is less than 1e-13 of either share
        if high - low > 4.0 * far:
            low, high = self._quantile(z, up, far)
        return low, min(max(odds - self.total(z), low), high), high

    def _quantile(self, z: Array, up: float, far: float) -> tuple[float, float]:
        """The bracket for scores far apart: Σ pᵢσ(zᵢ + b) = Σ pᵢ[yᵢ = 1] nearly counts the −zᵢ ≤ b, so b is their quantile."""
        order = np.argsort(-z, kind="stable")
        share = np.cumsum(self.p[order]) if isinstance(self.p, np.ndarray) else self.p * np.arange(1, len(z) + 1)
        first, last = np.searchsorted(share, [up * (1.0 - 1e-12), up * (1.0 + 1e-12)])  # sums of shares are rounded
        return -float(z[order[first]]) - far, -float(z[order[min(int(last), len(z) - 1)]]) + far

    @staticmethod
    def _wrong(m: Array) -> Array:
        """1/(1 + e^m), the probability of the other label."""
        e = np.exp(-np.abs(m))
        return np.asarray(np.where(m >= 0.0, e, 1.0) / (1.0 + e))


class SquaredHinge(Separable):
    """φ(z) = Σ pᵢ ½(1 − yᵢzᵢ)₊²."""

    targets = "labels"
    core_name = "squared_hinge"
    floor = 0.0
    curvature_bound = 1.0

    def terms(self, z: Array) -> Array:
        short = np.maximum(1.0 - self.y * z, 0.0)
        return 0.5 * short * short

    def slopes(self, z: Array) -> Array:
        return -self.y * np.maximum(1.0 - self.y * z, 0.0)

    def curvatures(self, z: Array) -> Array:
        return (self.y * z < 1.0).astype(z.dtype)

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


class Huber(Separable):
    """φ(z) = Σ pᵢ ℓ(zᵢ − yᵢ), ℓ(r) = ½r² for |r| ≤ δ and δ|r| − ½δ² beyond."""

    parameters = ("delta",)
    core_name = "huber"
    floor = 0.0
    curvature_bound = 1.0

    def __init__(self, y: Array, p: Array | float, delta: float) -> None:
        super().__init__(y, p)
        self.delta = delta

    def terms(self, z: Array) -> Array:
        size = np.abs(z - self.y)
        near = np.minimum(size, self.delta)
        return np.asarray(near * (size - 0.5 * near))

    def slopes(self, z: Array) -> Array:
        return np.asarray(np.minimum(np.maximum(z - self.y, -self.delta), self.delta))

    def curvatures(self, z: Array) -> Array:
        return np.asarray((np.abs(z - self.y) <= self.delta).astype(z.dtype))

    def swing(self, size: float, z: Array, off: float) -> float:
        """ℓ'' ≤ 1, and slopes differ by 2δ at most."""
        heaviest = self.heaviest()
        return off * min(0.5 * heaviest * off, 2.0 * self.delta * float(heaviest**0.5))

    def steady(self, z: Array, c: Array, off: float) -> Array:
        """Slopes that stay between −δ and δ."""
        return np.where(np.abs(z - self.y) <= self.delta - min(off, 0.5 * self.delta), c, 0.0)

    def sway(self, t: float, off: float) -> float:
        """φ* is a parabola there."""
        return 0.5 * t * t if abs(t) <= min(off, 0.5 * self.delta) else np.inf

    def within(self, residual: Array) -> Array:
        most = self.p * self.delta
        return np.minimum(np.maximum(residual, -most), most).astype(residual.dtype, copy=False)

    def bracket(self, z: Array) -> tuple[float, float, float]:
        return between(self.y, z, self.p)

    def corners(self, z: Array) -> Array:
        off = (self.y - z).astype(np.float64)
        return np.concatenate([off - self.delta, off + self.delta])


EPS = float(np.finfo(np.float64).eps)
HIGHEST, HIGHEST_32 = 300.0, 40.0  # above, the square of e^z would overflow: φ counts as infinite there


class Poisson(Separable):
    """φ(z) = Σ pᵢ (e^{zᵢ} − yᵢzᵢ)."""

    targets = "counts"
    core_name = "poisson"

    def core_numbers(self) -> tuple[float, ...]:
        return (HIGHEST,)

    @cached_property
    def floor(self) -> float:  # type: ignore[override]
        """Σ pᵢ (yᵢ − yᵢ log yᵢ), rounded down: each term is least at zᵢ = log yᵢ."""
        y = self.y.astype(np.float64)
        with np.errstate(all="ignore"):
            most = y * np.log(np.where(y > 0.0, y, 1.0))
            return self.total(y - most) - EPS * (self.n + 16) * self.total(y + np.abs(most))

    def terms(self, z: Array) -> Array:
        return np.asarray(self._exp(z) - self.y * z)

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
        return np.asarray(np.maximum(np.abs(self._exp(low) - self.y), np.abs(self._exp(high) - self.y)))

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


class Power(Separable):
    """φ(z) = Σ pᵢ |zᵢ − yᵢ|^p / p."""

    parameters = ("power",)
    core_name = "power"
    floor = 0.0

    def __init__(self, y: Array, p: Array | float, power: float) -> None:
        super().__init__(y, p)
        self.power = power
        self.twice_differentiable = power >= 2.0

    def terms(self, z: Array) -> Array:
        return np.asarray(np.abs(z - self.y) ** self.power / self.power)

    def slopes(self, z: Array) -> Array:
        r = z - self.y
        return np.asarray(np.sign(r) * np.abs(r) ** (self.power - 1.0))

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


def levelled(design: Design) -> tuple[Design, Array]:
    """P with rows of ordinary size, and the logarithms of what they were multiplied by, which the loss adds.

    1/z² overflows where z is tiny. Rows are multiplied by powers of two, which is exact; an operator is left as it is.
    """
    none = np.zeros(design.n)
    if not isinstance(design, (DenseDesign, SparseDesign)):
        return design, none
    largest = design.extremes()[1].astype(np.float64)
    far = float(np.finfo(design.dtype).max) ** (1 / 3)
    odd = (largest > 0.0) & ((largest < 1.0 / far) | (largest > far))
    if not odd.any():
        return design, none
    aim = np.where(largest > far, np.log2(far), 0.0)  # large rows stay large: their small entries would vanish
    power = np.where(odd, np.floor(aim - np.log2(np.where(odd, largest, 1.0))), 0.0).astype(np.int32)
    if isinstance(design, DenseDesign):
        return DenseDesign(np.ldexp(design.X, power[:, None])), power * np.log(2.0)
    P = design.by_column.copy()
    P.data = np.ldexp(P.data, power[P.indices])
    return SparseDesign(P), power * np.log(2.0)


class NegativeLog(Separable):
    """φ(z) = −Σ pᵢ (log zᵢ − yᵢ), where y are the logarithms of what the rows were multiplied by."""

    core_name = "negative_log"
    finite_everywhere = False
    non_negative = True

    def __init__(self, y: Array, p: Array | float) -> None:
        super().__init__(y, p)
        self.lift = float(np.abs(y).max())

    def terms(self, z: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(z > 0.0, self.y - np.log(z), np.inf)

    def slopes(self, z: Array) -> Array:
        with np.errstate(divide="ignore"):  # at the edge of the domain, where the value is infinite
            return -1.0 / z

    def curvatures(self, z: Array) -> Array:
        return 1.0 / (z * z)

    def beta(self, low: Array, high: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.where(low > 0.0, 1.0 / np.maximum(low, 0.0) ** 2, np.inf)

    def lipschitz(self, low: Array, high: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.where(low > 0.0, 1.0 / np.maximum(low, 0.0), np.inf)

    def limit(self, z: Array, dz: Array) -> float:
        falling = dz < 0
        room = z[falling] / -dz[falling]
        if not room.size:
            return np.inf
        return float(room.min()) * (1.0 - 16.0 * float(np.finfo(z.dtype).eps))  # z + ηdz may round to zero a hair before

    def swing(self, size: float, z: Array, off: float) -> float:
        """Nothing: z is known up to a few eps of itself, so that the second order is eps² beside eps."""
        return 0.0

    def size(self, value: float, z: Array) -> float:
        return self.total(np.abs(np.log(z))) + self.lift
