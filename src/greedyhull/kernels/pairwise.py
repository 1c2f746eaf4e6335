"""Pairwise steps for a small quadratic over the simplex, the inner loop of every corrective round."""

from __future__ import annotations

from typing import Any

from greedyhull.kernels.compiled import compiled


@compiled
def pairwise_burst(G: Any, grad: Any, alpha: Any, steps: int, tol: float) -> int:
    """At most ``steps`` exact pairwise steps on h(α) with Hessian G and gradient ``grad``, both arrays changed in place.

    Each step hands weight from the positive atom with the largest gradient to the atom with the least one. Stops
    when they differ by at most ``tol``, which bounds h(α) − min h. Returns the number of steps taken.
    """
    m = len(alpha)
    for done in range(steps):
        best, worst = 0, -1
        for i in range(m):
            if grad[i] < grad[best]:
                best = i
            if alpha[i] > 0.0 and (worst < 0 or grad[i] > grad[worst]):
                worst = i
        slope = grad[worst] - grad[best]
        if slope <= tol:
            return done
        bend = G[best, best] + G[worst, worst] - 2.0 * G[best, worst]
        step = alpha[worst]
        if bend * step > slope:
            step = slope / bend
            alpha[worst] -= step
        else:
            alpha[worst] = 0.0
        alpha[best] += step
        for i in range(m):
            grad[i] += step * (G[best, i] - G[worst, i])
    return steps
