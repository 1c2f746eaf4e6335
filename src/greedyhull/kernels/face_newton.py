"""A Newton step on a face of the simplex for a small quadratic, with blocking."""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array


@compiled
def face_newton(G: Array, grad: Array, alpha: Array) -> bool:
    """Minimise over the face {αᵢ = 0 where αᵢ = 0 now}, stopping at its boundary; ``alpha`` and ``grad`` are changed.

    Weights are written relative to the largest one, which takes the constraint Σα = 1 away. Where the boundary blocks, an
    atom leaves and the rest is solved again. False where the reduced Hessian is not positive definite even after a tiny ridge.
    """
    pivot = int(alpha.argmax())
    free = np.flatnonzero((alpha > 0.0) & (np.arange(len(alpha)) != pivot))
    while len(free):
        H = G[np.ix_(free, free)] - G[free, pivot][:, None] - G[pivot, free][None, :] + G[pivot, pivot]
        H.flat[:: len(free) + 1] += 1e-13 * float(np.trace(H)) + 1e-300
        try:
            L = np.linalg.cholesky(H)
        except np.linalg.LinAlgError:
            return False
        change = np.linalg.solve(L.T, np.linalg.solve(L, grad[pivot] - grad[free]))
        face, step = np.append(free, pivot), np.append(change, -change.sum())
        falling = step < 0.0
        length = min(1.0, float((alpha[face[falling]] / -step[falling]).min(initial=np.inf)))
        before = alpha[face]
        after = before + length * step
        if length < 1.0:
            after[after <= 1e-15 * before] = 0.0
        alpha[face] = after
        grad += (after - before) @ G[face]
        kept = free[after[:-1] > 0.0]
        if length >= 1.0 or after[-1] == 0.0 or len(kept) == len(free):
            return True
        free = kept
    return True
