"""Losses minimised over an intercept, and smoothed piecewise linear losses."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.objectives.losses.base import Loss, Separable, between_corners
from greedyhull.objectives.losses.piecewise import KinkedLine, PiecewiseLinear
from greedyhull.types import Array, Index


class Profiled(Loss):
    """A separable loss minimised over an intercept."""

    loss: Separable
    n: int
    profiles = True

    def __init__(self, loss: Separable) -> None:
        self.loss, self.n, self.quadratic, self.twice_differentiable = loss, loss.n, loss.quadratic, loss.twice_differentiable
        self.smooth: bool = loss.smooth
        self._seen: tuple[Array, float] | None = None

    @property
    def floor(self) -> float:  # type: ignore[override]
        return self.loss.floor

    @property
    def y(self) -> Array:
        return np.asarray(self.loss.y)

    @property
    def p(self) -> Array | float:
        return self.loss.p

    def on(self, rows: Index) -> Loss:
        return self.loss.on(rows).profiled()

    def total(self, terms: Array) -> float:
        return self.loss.total(terms)

    def beta(self, low: Array, high: Array) -> Array | float:
        """Subtracting a mean only lowers the curvature, but the intercept moves z: only global bounds survive."""
        return self.loss.beta(np.full_like(low, -np.inf), np.full_like(high, np.inf))

    def lipschitz(self, low: Array, high: Array) -> Array | float:
        """sup |ℓ'| everywhere, for the intercept moves z; infinite where slopes grow without end."""
        with np.errstate(all="ignore"):
            steepest = np.asarray(self.loss.lipschitz(np.full_like(low, -np.inf), np.full_like(high, np.inf)))
        return np.where(np.isnan(steepest), np.inf, steepest)

    def sampled(self, rows: Index, shift: float = 0.0) -> Loss:
        """A minibatch would have an intercept of its own, and its gradient would not be an unbiased one of φ̄."""
        raise GreedyhullError(f"A minibatch of {self!r} would fit an intercept of its own. Leave the intercept out, or give X "
                              "a constant column.")

    def limit(self, z: Array, dz: Array) -> float:
        """Every intercept is tried, so that the domain has no end along a line."""
        return np.inf

    def intercept(self, z: Array) -> float:
        """b* = argmin_b φ(z + b1), to machine precision, from the same start every time."""
        if self.quadratic:
            return -self.loss.total(self.loss.slopes(z))
        seen = self._seen  # read and written whole: other threads may ask as well
        if seen is None or not np.array_equal(seen[0], z):  # a point is asked about several times in a row
            seen = self._seen = (z.copy(), float(self.loss.shift(z)))
        return seen[1]

    def value(self, z: Array) -> float:
        return self._squares(z)[0] if self.quadratic else float(self.loss.value(z + self._b(z)))

    def gradient(self, z: Array) -> Array:
        return self.first_order(z)[1]

    def curvature(self, z: Array) -> Array:
        """The diagonal of ∇²φ at the profiled point; `hessian_gram` subtracts the rank-one part."""
        return np.asarray(self.loss.curvature(z + self._b(z)))

    def first_order(self, z: Array) -> tuple[float, Array]:
        return self._squares(z) if self.quadratic else self.value_gradient_curvature(z)[:2]

    def energy(self, dz: Array) -> float:
        """dzᵀ ∇²φ̄ dz of a quadratic: the mean of dz costs nothing."""
        return float(self.loss.energy(dz - dz.dtype.type(self.loss.total(dz))))

    def value_gradient_curvature(self, z: Array) -> tuple[float, Array, Array]:
        if self.quadratic:
            return *self._squares(z), self.loss.curvature(z)
        b = self._b(z)
        value, residual, curvature = self.loss.value_gradient_curvature(z + b)
        return value, self._levelled(residual, curvature, max(float(np.abs(z).max()), abs(float(b)))), curvature

    def norm(self, value: float, residual: Array) -> float:
        return float(self.loss.norm(value, residual))

    def size(self, value: float, z: Array) -> float:
        return abs(value) if self.quadratic else float(self.loss.size(value, z + self._b(z)))

    def swing(self, size: float, z: Array, off: float) -> float:
        """That of the loss at the intercept of z: with another one φ̄ is less."""
        return float(self.loss.swing(size, z if self.quadratic else z + self._b(z), off))

    def hessian_gram(self, z: Array, Z: Any, Z2: Any = None) -> Array:
        right = Z if Z2 is None else Z2
        c = self.curvature(z)
        # the curvature may vanish everywhere (Huber far from its targets): then there is nothing to subtract
        return np.asarray(Z.T.dot(right * c[:, None]) - np.outer(Z.T.dot(c), right.T.dot(c)) / max(float(c.sum()), 1e-30))

    def derivatives(self, z: Array, dz: Array) -> tuple[float, float]:
        _, residual, c = self.value_gradient_curvature(z)
        total = float(c.sum())
        mean = float(c.dot(dz)) / total if total > 0 else 0.0
        return float(residual.dot(dz)), float(np.dot(c * (dz - mean), dz - mean))

    def bend(self, z: Array, dz: Array, max_step: float) -> float:
        beta = self.beta(z, z)
        return self.total(beta * (dz - self.total(dz)) ** 2) if np.all(np.isfinite(beta)) else np.inf

    def _b(self, z: Array) -> Any:
        return z.dtype.type(self.intercept(z))

    def _squares(self, z: Array) -> tuple[float, Array]:
        """φ̄ and its gradient from z − y less its mean; the mean of what is left, all rounding, is taken off the gradient."""
        r = z - self.y
        r -= z.dtype.type(self.loss.total(r))
        residual = self.p * r
        residual -= self.p * residual.sum()
        return 0.5 * float(r.dot(residual)), residual.astype(z.dtype, copy=False)

    def _levelled(self, residual: Array, curvature: Array, size: float) -> Array:
        """∇φ where b is a hair better than a float can be: its sum vanishes, so that the lower bound holds for every
        intercept. The hair costs the bound ½ Σcᵢ·hair², which `swing` counts."""
        total = float(curvature.sum(dtype=np.float64)) if self.twice_differentiable else 0.0
        if not 0.0 < total < np.inf:
            return residual
        hair = float(residual.sum(dtype=np.float64)) / total
        # by how many units in its last place an intercept may be off the best one
        if abs(hair) > 16.0 * float(np.finfo(residual.dtype).eps) * size:
            return residual
        return np.asarray(self.loss.within(residual - curvature * residual.dtype.type(hair)))

    def __repr__(self) -> str:
        return f"{self.loss!r} with intercept"


class Balanced(Profiled):
    """A loss that is linear between kinks, minimised over an intercept."""

    loss: PiecewiseLinear

    def __init__(self, loss: PiecewiseLinear) -> None:
        super().__init__(loss)
        self._crossed: tuple[Array, tuple[float, float]] | None = None

    def intercept(self, z: Array) -> float:
        return self._crossing(z)[0]

    def _crossing(self, z: Array) -> tuple[float, float]:
        seen = self._crossed  # read and written whole: other threads may ask as well
        if seen is None or seen[0].dtype != z.dtype or not np.array_equal(seen[0], z):
            seen = self._crossed = (z.copy(), self._searched(z))
        return seen[1]

    def _searched(self, z: Array) -> tuple[float, float]:
        loss, (low, high) = self.loss, self.loss.ends()
        if loss.epsilon > 0.0 or not isinstance(loss.p, float) or np.ndim(low) > 0:
            return loss.kinks(z).crossing(loss.first_slope())
        # equal jumps: the slope passes zero at an order statistic, and nothing need be sorted
        off = (loss.y - z).astype(np.float64)
        rank = min(max(int(np.ceil(len(off) * (-low / (high - low)))) - 1, 0), len(off) - 1)
        b = float(np.partition(off, rank)[rank])
        before, same = np.count_nonzero(off < b), np.count_nonzero(off == b)
        share = (len(off) * -low / (high - low) - before) / same if same else 1.0
        return b, min(max(float(share), 0.0), 1.0)

    def first_order(self, z: Array) -> tuple[float, Array]:
        loss = self.loss
        b, share = self._crossing(z)
        low, high = loss.ends()
        off = (loss.y - z).astype(np.float64)  # kinks are at off ± ε, computed as in `kinks`, so that b is one exactly
        at = (off - loss.epsilon, off + loss.epsilon)
        below, above = (np.where(kink < b, 1.0, np.where(kink == b, share, 0.0)) for kink in at)
        a = (1.0 - below) * low + above * high  # rounding may put both kinks of a sample on b
        return float(loss.value(z + z.dtype.type(b))), np.asarray(loss._weighted(a, z))

    def conjugate(self, residual: Array) -> float:
        """That of the loss, for residuals that sum to zero."""
        return float(self.loss.conjugate(residual))

    def smoothed(self, mu: float) -> Loss:
        return self.loss.smoothed(mu).profiled()

    def value_gradient_curvature(self, z: Array) -> tuple[float, Array, Array]:
        value, residual = self.first_order(z)
        return value, residual, np.full_like(z, np.nan)

    def along(self, z: Array, dz: Array, max_step: float) -> KinkedLine:
        @lru_cache(maxsize=1)  # a search asks for both, one after the other
        def there(step: float) -> tuple[float, float]:
            found, residual = self.first_order(z + step * dz)
            return found, float(residual.dot(dz))

        return KinkedLine(lambda step: there(step)[0], lambda step: there(step)[1], max_step)


class Softened(Separable):
    """φ_μ(z) = Σ pᵢ ℓ_μ(zᵢ, yᵢ), second derivatives 1/μ near a kink and 0 elsewhere."""

    def __init__(self, sharp: PiecewiseLinear, mu: float) -> None:
        super().__init__(sharp.y, sharp.p)
        self.sharp, self.mu = sharp, mu

    def _parts(self, z: Array) -> tuple[Array, Array, Array]:
        """ℓ_μ, its slopes and its second derivatives."""
        low, high = self.sharp.ends()
        r, epsilon = z - self.y, self.sharp.epsilon
        if epsilon > 0.0:
            r = np.sign(r) * np.maximum(np.abs(r) - epsilon, 0.0)
        free = r / self.mu
        a = np.minimum(np.maximum(free, low), high)
        bent = (free == a) & (r != 0.0) if epsilon > 0.0 else free == a
        return a * (r - 0.5 * self.mu * a), a, np.where(bent, 1.0 / self.mu, 0.0)

    def terms(self, z: Array) -> Array:
        return self._parts(z)[0]

    def slopes(self, z: Array) -> Array:
        return self._parts(z)[1]

    def curvatures(self, z: Array) -> Array:
        return self._parts(z)[2].astype(z.dtype, copy=False)

    def value_gradient_curvature(self, z: Array) -> tuple[float, Array, Array]:
        terms, slopes, curvatures = self._parts(z)
        return self.total(terms), self._weighted(slopes, z), self._weighted(curvatures, z)

    def first_order(self, z: Array) -> tuple[float, Array]:
        return self.value_gradient_curvature(z)[:2]

    def beta(self, low: Array, high: Array) -> float:
        return 1.0 / self.mu

    def lipschitz(self, low: Array, high: Array) -> Array | float:
        return self.sharp.lipschitz(low, high)

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
