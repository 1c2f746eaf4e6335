"""An intercept, profiled out: φ̄(z) = min_b φ(z + b1). The hull stays a hull; the intercept follows the point.

φ̄ is convex, its gradient is ∇φ(z + b*1), and its Hessian is C − C11ᵀC/(1ᵀC1) with C = ∇²φ(z + b*1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.objectives.line import Curve
from greedyhull.objectives.losses.base import Separable
from greedyhull.types import Array, Index, Line, Loss, ProfiledLoss
from greedyhull.types.override import KeepsProfiledLoss, keeps, override

ULPS = 16.0  # by how many units in its last place an intercept may be off the best one
TINY = 1e-30  # the curvature may vanish everywhere (Huber far from its targets): then there is nothing to subtract


class Profiled(KeepsProfiledLoss):
    """A separable loss minimised over an intercept.

    >>> from greedyhull.objectives.losses.squared import Squared
    >>> Profiled(Squared(np.array([1.0, 3.0]), 0.5)).intercept(np.zeros(2))
    2.0
    """

    loss: Separable
    n: int

    finite_everywhere = True
    profiles = True
    non_negative = False

    if TYPE_CHECKING:
        keeps(ProfiledLoss.loss, ProfiledLoss.quadratic, ProfiledLoss.smooth, ProfiledLoss.twice_differentiable,
              ProfiledLoss.non_negative, ProfiledLoss.finite_everywhere, ProfiledLoss.profiles, ProfiledLoss.n)

    def __init__(self, loss: Separable) -> None:
        self.loss, self.n, self.quadratic, self.twice_differentiable = loss, loss.n, loss.quadratic, loss.twice_differentiable
        self.smooth: bool = loss.smooth
        self._seen: tuple[Array, float] | None = None

    @property
    @override
    def floor(self) -> float:
        return self.loss.floor

    @property
    @override
    def y(self) -> Array:
        out: Array = self.loss.y
        return out

    @property
    @override
    def p(self) -> Array | float:
        out: Array | float = self.loss.p
        return out

    @override
    def on(self, rows: Index) -> Profiled:
        out: Profiled = self.loss.on(rows).profiled()
        return out

    @override
    def total(self, terms: Array) -> float:
        out: float = self.loss.total(terms)
        return out

    @override
    def beta(self, low: Array, high: Array) -> Array | float:
        """Subtracting a mean only lowers the curvature, but the intercept moves z: only global bounds survive."""
        out: Array | float = self.loss.beta(np.full_like(low, -np.inf), np.full_like(high, np.inf))
        return out

    @override
    def lipschitz(self, low: Array, high: Array) -> Array | float:
        """sup |ℓ'| everywhere, for the intercept moves z; infinite where slopes grow without end.

        >>> from greedyhull.objectives.losses.squared import Squared
        >>> Profiled(Squared(np.array([1.0]), 1.0)).lipschitz(np.zeros(1), np.ones(1))
        array([inf])
        """
        with np.errstate(all="ignore"):
            steepest = np.asarray(self.loss.lipschitz(np.full_like(low, -np.inf), np.full_like(high, np.inf)))
        return np.where(np.isnan(steepest), np.inf, steepest)

    @override
    def sampled(self, rows: Index, shift: float = 0.0) -> Loss:
        """A minibatch would have an intercept of its own, and its gradient would not be an unbiased one of φ̄."""
        raise GreedyhullError(f"A minibatch of {self!r} would fit an intercept of its own. Leave the intercept out, or give X "
                              "a constant column.")

    @override
    def limit(self, z: Array, dz: Array) -> float:
        """Every intercept is tried, so that the domain has no end along a line."""
        return np.inf

    @override
    def intercept(self, z: Array) -> float:
        """b* = argmin_b φ(z + b1), to machine precision, from the same start every time."""
        if self.quadratic:
            out: float = -self.loss.total(self.loss.slopes(z))
            return out
        seen = self._seen  # read and written whole: other threads may ask as well
        if seen is None or not np.array_equal(seen[0], z):  # a point is asked about several times in a row
            seen = self._seen = (z.copy(), float(self.loss.shift(z)))
        return seen[1]

    @override
    def value(self, z: Array) -> float:
        return self._squares(z)[0] if self.quadratic else float(self.loss.value(z + self._b(z)))

    @override
    def gradient(self, z: Array) -> Array:
        return self.first_order(z)[1]

    @override
    def curvature(self, z: Array) -> Array:
        """The diagonal of ∇²φ at the profiled point; `hessian_gram` subtracts the rank-one part."""
        out: Array = self.loss.curvature(z + self._b(z))
        return out

    @override
    def first_order(self, z: Array) -> tuple[float, Array]:
        return self._squares(z) if self.quadratic else self.value_gradient_curvature(z)[:2]

    @override
    def energy(self, dz: Array) -> float:
        """dzᵀ ∇²φ̄ dz of a quadratic: the mean of dz costs nothing."""
        return float(self.loss.energy(dz - dz.dtype.type(self.loss.total(dz))))

    @override
    def value_gradient_curvature(self, z: Array) -> tuple[float, Array, Array]:
        if self.quadratic:
            return *self._squares(z), self.loss.curvature(z)
        b = self._b(z)
        value, residual, curvature = self.loss.value_gradient_curvature(z + b)
        return value, self._levelled(residual, curvature, max(float(np.abs(z).max()), abs(float(b)))), curvature

    @override
    def norm(self, value: float, residual: Array) -> float:
        return float(self.loss.norm(value, residual))

    @override
    def size(self, value: float, z: Array) -> float:
        return abs(value) if self.quadratic else float(self.loss.size(value, z + self._b(z)))

    @override
    def swing(self, size: float, z: Array, off: float) -> float:
        """That of the loss at the intercept of z: with another one φ̄ is less."""
        return float(self.loss.swing(size, z if self.quadratic else z + self._b(z), off))

    def hessian_gram(self, z: Array, Z: Any, Z2: Any = None) -> Array:
        right = Z if Z2 is None else Z2
        c = self.curvature(z)
        return np.asarray(Z.T.dot(right * c[:, None]) - np.outer(Z.T.dot(c), right.T.dot(c)) / max(float(c.sum()), TINY))

    @override
    def along(self, z: Array, dz: Array, max_step: float) -> Line:
        def derivatives(step: float) -> tuple[float, float]:
            _, residual, c = self.value_gradient_curvature(z + step * dz)
            total = float(c.sum())
            mean = float(c.dot(dz)) / total if total > 0 else 0.0
            return float(residual.dot(dz)), float(np.dot(c * (dz - mean), dz - mean))

        def bends() -> float:
            beta = self.beta(z, z)
            if not np.all(np.isfinite(beta)):
                return np.inf
            return self.total(beta * (dz - self.total(dz)) ** 2)

        slope = float(self.gradient(z).dot(dz))
        return Curve(lambda step: self.value(z + step * dz), derivatives, slope, max_step, bends=bends)

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
        if abs(hair) > ULPS * float(np.finfo(residual.dtype).eps) * size:
            return residual
        out: Array = self.loss.within(residual - curvature * residual.dtype.type(hair))
        return out

    def __repr__(self) -> str:
        return f"{self.loss!r} with intercept"
