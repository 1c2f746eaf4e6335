"""Absolute loss |z − y|: least absolute deviations, the median's loss."""

from __future__ import annotations

from greedyhull.objectives.losses.piecewise import PiecewiseLinear


class Absolute(PiecewiseLinear):
    """φ(z) = Σ pᵢ |zᵢ − yᵢ|.

    >>> import numpy as np
    >>> Absolute(np.array([1.0, 0.0]), 0.5).value(np.array([0.0, 2.0]))
    1.5
    """

    def ends(self) -> tuple[float, float]:
        return -1.0, 1.0
