"""An intercept profiled out of a loss with kinks: a weighted quantile, found exactly.

φ̄(z) = min_b φ(z + b1). The best b puts some samples on their kinks; their slopes are chosen between the two sides so
that the residual sums to zero, which makes it a subgradient of φ̄: the lower bound then holds for every intercept.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from greedyhull.objectives.losses.kinks import KinkedLine, kinked_search
from greedyhull.objectives.losses.piecewise import PiecewiseLinear
from greedyhull.objectives.losses.profiled import Profiled
from greedyhull.types import Array


class Balanced(Profiled):
    """A loss that is linear between kinks, minimised over an intercept.

    >>> from greedyhull.objectives.losses.absolute import Absolute
    >>> Balanced(Absolute(np.array([1.0, 3.0, 9.0]), 1 / 3)).intercept(np.zeros(3))
    3.0
    """

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
            crossing: tuple[float, float] = loss.kinks(z).crossing(loss.first_slope())
            return crossing
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

    def smoothed(self, mu: float) -> Profiled:
        out: Profiled = self.loss.smoothed(mu).profiled()
        return out

    def gradient(self, z: Array) -> Array:
        return self.first_order(z)[1]

    def value_gradient_curvature(self, z: Array) -> tuple[float, Array, Array]:
        value, residual = self.first_order(z)
        return value, residual, np.full_like(z, np.nan)

    def along(self, z: Array, dz: Array, max_step: float) -> KinkedLine:
        @lru_cache(maxsize=1)  # a search asks for both, one after the other
        def there(step: float) -> tuple[float, float]:
            found, residual = self.first_order(z + step * dz)
            return found, float(residual.dot(dz))

        def value(step: float) -> float:
            return there(step)[0]

        def derivative(step: float) -> float:
            return there(step)[1]

        return KinkedLine(value, derivative, lambda: kinked_search(value, derivative, max_step), max_step)
