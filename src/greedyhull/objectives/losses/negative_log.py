"""−log z, the loss of mixtures and of log-optimal portfolios; finite only for z > 0."""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.sparse import SparseDesign
from greedyhull.objectives.losses.base import Separable
from greedyhull.types import Array, Design


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
    """φ(z) = −Σ pᵢ (log zᵢ − yᵢ), where y are the logarithms of what the rows were multiplied by.

    >>> NegativeLog(np.zeros(2), 0.5).value(np.ones(2)) == 0
    True
    """

    finite_everywhere = False

    def __init__(self, y: Array, p: Array | float) -> None:
        super().__init__(y, p)
        self.lift = float(np.abs(y).max())
    non_negative = True

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
