"""Small quadratics over the simplex, solved as exactly as rounding allows: the heart of a corrective round.

min ½(α − α₀)ᵀG(α − α₀) + cᵀ(α − α₀) over α ≥ 0, Σα = 1. Bursts of pairwise steps find the face, a Newton step with
blocking solves on it, and the two alternate until the pairwise gap is at most ``tol``.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.face_newton import face_newton
from greedyhull.kernels.pairwise import pairwise_burst
from greedyhull.types import Array

RIDGE = 1e-13
COMPILED_UP_TO = 96  # atoms; above, LAPACK's Cholesky is the faster one


def solve_simplex_qp(G: Array, c: Array, alpha: Array, tol: float, *, rounds: int = 50) -> Array:
    """The new weights α; ``G`` is symmetric positive semidefinite, ``c`` the gradient at the weights ``alpha``.

    >>> solve_simplex_qp(np.diag([1.0, 2.0]), np.array([1.0, 0.0]), np.array([1.0, 0.0]), 1e-12)
    array([0.66666667, 0.33333333])
    """
    start, alpha, grad, m = alpha, alpha.copy(), c.copy(), len(alpha)
    burst = 2 * m + 8
    scratch = (np.empty((m, m)), np.empty(m), np.empty(m, np.int64)) if m <= COMPILED_UP_TO else None
    for _ in range(rounds):
        if pairwise_burst(G, grad, alpha, burst, tol) < burst:
            break
        solved = newton_on_face(G, grad, alpha) if scratch is None else face_newton(G, grad, alpha, *scratch)
        if solved:
            grad = c + G.dot(alpha - start)  # afresh: rounding does not gather
    return np.asarray(alpha / alpha.sum())


def newton_on_face(G: Array, grad: Array, alpha: Array) -> bool:
    """The plain form of `face_newton`, with LAPACK; ``grad`` is left as it is."""
    from scipy.linalg.lapack import dposv

    face = np.flatnonzero(alpha > 0.0)
    if len(face) < 2:
        return False
    pivot = face[int(alpha[face].argmax())]
    free = face[face != pivot]
    grad = grad.copy()
    while len(free):
        H = G[np.ix_(free, free)] - G[free, pivot][:, None] - G[pivot, free][None, :] + G[pivot, pivot]
        H.flat[:: len(free) + 1] += RIDGE * float(np.trace(H)) + 1e-300
        _, change, info = dposv(H, grad[pivot] - grad[free])
        if info != 0:
            return False
        shift, falling = -float(change.sum()), change < 0.0
        step = min(1.0, float((alpha[free[falling]] / -change[falling]).min(initial=np.inf)))
        if alpha[pivot] + step * shift <= 0.0:
            step = -alpha[pivot] / shift
            alpha[free] = np.maximum(alpha[free] + step * change, 0.0)
            alpha[pivot] = 0.0
            return True
        after = alpha[free] + step * change
        if step < 1.0:
            after[after <= 1e-15 * alpha[free]] = 0.0
        alpha[free] = np.maximum(after, 0.0)
        alpha[pivot] += step * shift
        if step >= 1.0 or after.all():
            return True
        grad += step * (G[:, free].dot(change) + G[:, pivot] * shift)
        free = free[after > 0.0]
    return True
