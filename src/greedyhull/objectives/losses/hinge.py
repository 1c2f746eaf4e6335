"""Hinge loss (1 − yz)₊ with labels −1 and +1: the loss of support vector machines."""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.losses.piecewise import PiecewiseLinear
from greedyhull.types import Array


class Hinge(PiecewiseLinear):
    """φ(z) = Σ pᵢ (1 − yᵢzᵢ)₊; as y² = 1, that is max {a(z − y)} over a between −y and 0.

    >>> Hinge(np.array([1.0, -1.0]), 0.5).value(np.array([0.0, -3.0]))
    0.5
    """

    def ends(self) -> tuple[Array, Array]:
        return np.minimum(-self.y, 0.0), np.maximum(-self.y, 0.0)
