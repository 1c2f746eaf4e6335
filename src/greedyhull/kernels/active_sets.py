"""Quadratics over the simplex in many weights, badly conditioned: guesses of which weights are positive, until they fit.

With the guessed weights free and the others at zero, the minimum under Σα = 1 is one linear system. A guess was wrong where a
weight comes out negative, or where one at zero has a gradient below that of the others; the next guess has these corrected
(the primal-dual active set method: Bergounioux, Ito and Kunisch 1999). Often five to ten guesses end it; nothing promises
that.
"""

from __future__ import annotations

import numpy as np

from greedyhull.types import Array

MOST_SETS = 12  # guesses, each a factorisation
MOST_RISES = 2  # how often a guess may be corrected in more places than the one before
RIDGE = 1e-13


def settle(G: Array, grad: Array, alpha: Array, tol: float) -> bool:
    """Move the weights ``alpha``, and their gradient along, to the minimum; False, and nothing changed, if no guess fits.

    Weights that stay zero promise at most ``tol``.

    >>> G, alpha = np.diag([1.0, 2.0, 4.0]), np.array([0.0, 0.0, 1.0])
    >>> grad = G @ alpha
    >>> settle(G, grad, alpha, 1e-12), alpha.round(6), grad.round(6)
    (True, array([0.571429, 0.285714, 0.142857]), array([0.571429, 0.571429, 0.571429]))
    """
    positive = (alpha > 0.0) | (grad < alpha.dot(grad))
    base = grad - G.dot(alpha)  # the gradient at zero
    pivot, last, rises = int(alpha.argmax()), len(alpha), 0
    for _ in range(MOST_SETS):
        positive[pivot] = True
        found = _minimum(G, base, positive, pivot)
        if found is None:
            return False
        x, there = found
        now = np.where(positive, x > 0.0, there < there[pivot] - tol)
        wrong = int(np.count_nonzero(now != positive))
        if wrong == 0:
            lower = float((x - alpha).dot(grad + there)) <= 0.0
            if lower:
                alpha[:], grad[:] = x, there
            return lower
        rises += wrong > last
        if rises > MOST_RISES:
            return False
        positive, last, pivot = now, wrong, int(x.argmax())
    return False


def _minimum(G: Array, base: Array, positive: Array, pivot: int) -> tuple[Array, Array] | None:
    """The minimum where only the guessed weights are not zero, and the gradient there; None where numbers leave their range.

    Weights are told from the pivot's, so that what all of them have in common does not drown the rest.
    """
    from greedyhull.kernels.lapack import dpotrf, dpotrs

    free = np.flatnonzero(positive & (np.arange(len(base)) != pivot))
    H = G[free][:, free] - G[free, pivot][:, None] - G[pivot, free][None, :] + G[pivot, pivot]
    H.flat[:: len(free) + 1] += RIDGE * float(np.trace(H)) + 1e-300
    factor, info = dpotrf(H) if len(free) else (H, 0)
    if info != 0:
        return None
    x = np.zeros(len(base))
    x[pivot] = 1.0
    grad = base + G[pivot]
    for _ in range(2 if len(free) else 0):  # the second time for what the ridge has cost
        step, _ = dpotrs(factor, grad[pivot] - grad[free])
        x[free] += step
        x[pivot] -= step.sum()
        grad = base + G.dot(x)
    return (x, grad) if np.isfinite(x).all() and np.isfinite(grad).all() else None
