"""Logistic loss, slope and curvature in one pass over the margins."""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array


@compiled
def logistic_pieces(y: Array, z: Array, residual: Array, curvature: Array) -> float:
    """Σ log(1 + e^{−yz}), to a few eps; ``residual`` ← −y/(1 + e^{yz}), ``curvature`` ← e^{yz}/(1 + e^{yz})²."""
    m = y * z.astype(np.float64)
    e = np.exp(-np.abs(m))
    inverse = 1.0 / (1.0 + e)
    residual[:] = -y * np.where(m >= 0.0, e * inverse, inverse)
    curvature[:] = e * inverse * inverse
    return float((np.log1p(e) + np.maximum(-m, 0.0)).sum())
