"""Many small quadratics over one budget that share their Hessian."""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.kernels.simplex_qp import solve_simplex_qp
from greedyhull.types import Array, Index


@compiled
def budget_batch(H: Array, positive: bool, whole: bool, U: Array, G: Array, tol: Array, without: Index, near: Array,
                 afresh: bool, rounds: int, made: Index) -> None:
    """Minimise ½uᵀHu − cᵀu over Σ|u_j| ≤ 1 for every row of U, to Frank-Wolfe gaps of at most ``tol``.

    With ``positive`` u ≥ 0 too, and with ``whole`` the sum is one. With ``afresh`` the rows of G are −c, the gradients at the
    origin; each problem begins at the answer before it, the first at ``near``, or at a single atom where that is better.
    Else G holds the gradients at U, and problems begin there. The coordinate ``without`` stays zero; −1 names none. U, its
    gradients G, ``near`` and the numbers of rounds ``made`` are written.
    """
    m = len(H)
    for i in range(len(U)):
        allowed = np.delete(np.arange(m), without[i]) if without[i] >= 0 else np.arange(m)
        # the atoms: one for each coordinate, their opposites, and the origin where the sum may be less
        index = allowed if positive else np.concatenate([allowed, allowed])
        sign = np.ones(len(index)) if positive else np.repeat([1.0, -1.0], len(allowed))
        rest = 0 if whole else 1
        signed = np.concatenate([sign, np.zeros(rest)])
        atoms = np.concatenate([index, np.zeros(rest, dtype=np.int64)])
        u, g = np.zeros(m) if afresh else U[i].copy(), G[i]
        alpha = np.maximum(signed * u[atoms], 0.0)
        if not whole:
            alpha[-1] = max(1.0 - float(alpha.sum()), 0.0)
        if whole and afresh and len(alpha):
            first = int((g[atoms] + 0.5 * H[atoms, atoms]).argmin())
            alpha[first], u[atoms[first]] = 1.0, 1.0
            g = g + H[atoms[first]]
        alpha = solve_simplex_qp(signed[:, None] * H[np.ix_(atoms, atoms)] * signed, signed * g[atoms], alpha, float(tol[i]))
        new = np.zeros(m)
        np.add.at(new, atoms, signed * alpha)
        G[i] = g + H @ (new - u)
        U[i], made[i] = new, 1
        if afresh:
            near[:] = new
