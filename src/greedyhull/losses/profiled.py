"""An intercept, profiled out: φ̄(z) = min_b φ(z + b1). The hull stays a hull; the intercept follows the point.

φ̄ is convex, its gradient is ∇φ(z + b*1), and its Hessian is C − C11ᵀC/(1ᵀC1) with C = ∇²φ(z + b*1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import check
from greedyhull.line import Curve
from greedyhull.losses.base import Separable
from greedyhull.types import Array, Index, Line

TINY = 1e-30  # the curvature may vanish everywhere (Huber far from its targets): then there is nothing to subtract


class Profiled:
    """A separable loss minimised over an intercept.

    >>> from greedyhull.losses.squared import Squared
    >>> Profiled(Squared(np.array([1.0, 3.0]), 0.5)).intercept(np.zeros(2))
    2.0
    """

    everywhere = True
    one_sign = False

    def __init__(self, loss: Any) -> None:
        self.loss, self.n, self.quadratic, self.newton = loss, loss.n, loss.quadratic, loss.newton
        self.smooth: bool = loss.smooth

    @property
    def y(self) -> Array:
        out: Array = self.loss.y
        return out

    @property
    def p(self) -> Array | float:
        out: Array | float = self.loss.p
        return out

    def on(self, rows: Index) -> Profiled:
        out: Profiled = self.loss.on(rows).profiled()
        return out

    def total(self, terms: Array) -> float:
        out: float = self.loss.total(terms)
        return out

    def beta(self, low: Array, high: Array) -> Array | float:
        """Subtracting a mean only lowers the curvature, but the intercept moves z: only global bounds survive."""
        out: Array | float = self.loss.beta(np.full_like(low, -np.inf), np.full_like(high, np.inf))
        return out

    def limit(self, z: Array, dz: Array) -> float:
        """Every intercept is tried, so that the domain has no end along a line."""
        return np.inf

    def intercept(self, z: Array) -> float:
        """b* = argmin_b φ(z + b1), to machine precision, from the same start every time."""
        if self.quadratic:
            out: float = -self.loss.total(self.loss.slopes(z))
            return out
        return float(self.loss.shift(z)) if hasattr(self.loss, "shift") else _root(self.loss, z)

    def value(self, z: Array) -> float:
        out: float = self.loss.value(z + self._b(z))
        return out

    def gradient(self, z: Array) -> Array:
        return self._centred(self.loss.gradient(z + self._b(z)))

    def curvature(self, z: Array) -> Array:
        """The diagonal of ∇²φ at the profiled point; `metric` subtracts the rank-one part."""
        out: Array = self.loss.curvature(z + self._b(z))
        return out

    def first_order(self, z: Array) -> tuple[float, Array]:
        value, residual = self.loss.first_order(z + self._b(z))
        return value, self._centred(residual)

    def energy(self, dz: Array) -> float:
        """dzᵀ ∇²φ̄ dz of a quadratic: the mean of dz costs nothing."""
        return float(self.loss.energy(dz - dz.dtype.type(self.loss.total(dz))))

    def pieces(self, z: Array) -> tuple[float, Array, Array]:
        value, residual, curvature = self.loss.pieces(z + self._b(z))
        return value, self._centred(residual), curvature

    def norm(self, value: float, residual: Array) -> float:
        return float(self.loss.norm(value, residual))

    def size(self, value: float, z: Array) -> float:
        return float(self.loss.size(value, z + self._b(z)))

    def metric(self, z: Array, Z: Any, Z2: Any = None) -> Array:
        right = Z if Z2 is None else Z2
        c = self.curvature(z)
        return np.asarray(Z.T.dot(right * c[:, None]) - np.outer(Z.T.dot(c), right.T.dot(c)) / max(float(c.sum()), TINY))

    def along(self, z: Array, dz: Array, max_step: float) -> Line:
        def derivatives(step: float) -> tuple[float, float]:
            _, residual, c = self.pieces(z + step * dz)
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

    def _centred(self, residual: Array) -> Array:
        """Squares: what is left of the residual's sum is removed, so that the lower bound holds for every intercept."""
        return residual - self.p * residual.sum() if self.quadratic else residual

    def __repr__(self) -> str:
        return f"{self.loss!r} with intercept"


def _root(loss: Separable, z: Array) -> float:
    """The root of the increasing b ↦ Σ pᵢ ℓ'(zᵢ + b): Newton, kept in a bracket that is grown first."""
    eps = float(np.finfo(z.dtype).eps)

    def at(b: float) -> tuple[float, float, float]:
        shifted = z + z.dtype.type(b)
        with np.errstate(over="ignore"):
            slopes = loss.slopes(shifted)
            return loss.total(slopes), loss.total(loss.curvatures(shifted)), eps * loss.total(np.abs(slopes))

    low, high, b, reach = -np.inf, np.inf, 0.0, 1.0
    size, most = float(np.abs(z).max()), float(np.abs(loss.y).max())
    for _ in range(200):
        first, second, noise = at(b)
        if abs(first) <= noise:
            break
        low, high = (b, high) if first < 0.0 else (low, b)
        trial = b - first / second if second > 0.0 and np.isfinite(second) else np.nan
        finest = eps * max(size, abs(b))
        if abs(trial - b) <= finest:
            break
        if not low < trial < high or abs(trial - b) > 4.0 * reach:
            reach *= 2.0
            trial = 0.5 * (low + high) if np.isfinite(high - low) else b + (reach if first < 0.0 else -reach)
        if high - low <= 2.0 * finest:
            break
        b = trial
        check(abs(b) < 1e6 * (1.0 + size + most), "The intercept runs off to infinity: the labels have one class only, or "
                                                  "all counts are zero. Give both classes, or leave the intercept out.")
    return float(b)
