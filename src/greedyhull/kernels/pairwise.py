"""Pairwise steps for a small quadratic over the simplex, the inner loop of every corrective round."""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array


@compiled
def pairwise_burst(G: Array, grad: Array, alpha: Array, steps: int, tol: float) -> int:
    """At most ``steps`` exact pairwise steps on h(α) with Hessian G and gradient ``grad``, both arrays changed in place.

    Each step hands weight from the positive atom with the largest gradient to the atom with the least one. Stops
    when they differ by at most ``tol``, which bounds h(α) − min h. Returns the number of steps taken.
    """
    for done in range(steps):
        best, worst = int(grad.argmin()), int(np.where(alpha > 0.0, grad, -np.inf).argmax())
        slope = float(grad[worst] - grad[best])
        if slope <= tol or not alpha[worst] > 0.0:
            return done
        bend, step = float(G[best, best] + G[worst, worst] - 2.0 * G[best, worst]), float(alpha[worst])
        if bend * step > slope:
            step = slope / bend
            alpha[worst] -= step
        else:
            alpha[worst] = 0.0
        alpha[best] += step
        grad += step * (G[best] - G[worst])
    return steps
