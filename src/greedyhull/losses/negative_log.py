"""−log z, the loss of mixtures and of log-optimal portfolios; finite only for z > 0."""

from __future__ import annotations

import numpy as np

from greedyhull.losses.base import Separable
from greedyhull.types import Array


class NegativeLog(Separable):
    """φ(z) = −Σ pᵢ log zᵢ; there is no target y.

    >>> NegativeLog(np.zeros(2), 0.5).value(np.ones(2)) == 0
    True
    """

    everywhere = False
    one_sign = True

    def terms(self, z: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(z > 0.0, -np.log(z), np.inf)

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

    def swing(self, value: float, z: Array, off: float) -> float:
        """Nothing: z is known up to a few eps of itself, so that the second order is eps² beside eps."""
        return 0.0

    def size(self, value: float, z: Array) -> float:
        return self.total(np.abs(np.log(z)))
