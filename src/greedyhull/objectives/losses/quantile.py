"""Quantile loss (the pinball loss): its least value is at the q-quantile of the targets."""

from __future__ import annotations

from greedyhull.objectives.losses.piecewise import PiecewiseLinear
from greedyhull.types import Array


class Quantile(PiecewiseLinear):
    """φ(z) = Σ pᵢ max{q(yᵢ − zᵢ), (1 − q)(zᵢ − yᵢ)}.

    >>> import numpy as np
    >>> Quantile(np.array([1.0, 0.0]), 0.5, q=0.75).value(np.array([0.0, 2.0]))
    0.625
    """

    def __init__(self, y: Array, p: Array | float, q: float) -> None:
        super().__init__(y, p)
        self.q = q

    def ends(self) -> tuple[float, float]:
        return -self.q, 1.0 - self.q
