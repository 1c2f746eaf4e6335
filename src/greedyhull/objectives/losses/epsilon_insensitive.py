"""ε-insensitive loss (|z − y| − ε)₊: errors up to ε cost nothing; the loss of support vector regression."""

from __future__ import annotations

from greedyhull.objectives.losses.piecewise import PiecewiseLinear
from greedyhull.types import Array


class EpsilonInsensitive(PiecewiseLinear):
    """φ(z) = Σ pᵢ (|zᵢ − yᵢ| − ε)₊.

    >>> import numpy as np
    >>> EpsilonInsensitive(np.array([1.0, 0.0]), 0.5, epsilon=0.5).value(np.array([0.7, 2.0]))
    0.75
    """

    def __init__(self, y: Array, p: Array | float, epsilon: float) -> None:
        super().__init__(y, p)
        self.epsilon = epsilon

    def ends(self) -> tuple[float, float]:
        return -1.0, 1.0
