"""Logistic loss, slope and curvature in one pass over the margins."""

from __future__ import annotations

import math
from typing import Any

from greedyhull.kernels.compiled import compiled


@compiled
def logistic_pieces(y: Any, z: Any, residual: Any, curvature: Any) -> float:
    """Σ log(1 + e^{−yz}), to a few eps; ``residual`` ← −y/(1 + e^{yz}), ``curvature`` ← e^{yz}/(1 + e^{yz})²."""
    total, excess = 0.0, 0.0
    for i in range(len(z)):
        m = y[i] * z[i]
        e = math.exp(-abs(m))
        inverse = 1.0 / (1.0 + e)
        excess += e * (1.0 + excess)  # Π(1 + e) − 1, no digit lost: one logarithm for 32 factors
        if i & 31 == 31:
            total += math.log1p(excess)
            excess = 0.0
        if m >= 0.0:
            residual[i] = -y[i] * e * inverse
        else:
            total -= m
            residual[i] = -y[i] * inverse
        curvature[i] = e * inverse * inverse
    return total + math.log1p(excess)
