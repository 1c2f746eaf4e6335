"""How far a polytope reaches: finite bounds of every variable, and of sums of all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.points.lengths import length
from greedyhull.types import Array


@dataclass(frozen=True, eq=False)
class Extent:
    """Proved bounds lower ≤ x ≤ upper, all finite, and max Σ|xⱼ| ≤ total over the polytope."""

    lower: Array
    upper: Array
    total: float = np.inf

    @property
    def most(self) -> Array:
        """The largest |xⱼ| that the bounds allow."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))

    def max_abs(self, c: Array) -> float:
        """The least of three bounds on max Σ cⱼ|xⱼ|: coordinate by coordinate, by the sum of all, and by the longest x."""
        size, largest = self.most, float(c.max(initial=0.0))
        bounds = [float((c * size).sum())]
        if self.total < np.inf:
            longest = np.sqrt(self.total) * np.sqrt(float(size.max(initial=0.0)))  # ‖x‖² ≤ ‖x‖₁‖x‖_∞
            bounds += [largest * self.total, length(c) * longest * (1.0 + 1e-12)]
        return min(bounds)
