"""The smallest ball around points: a greedy problem itself, solved with a certificate."""

from __future__ import annotations

import numpy as np

from greedyhull.atoms.scores import lowest
from greedyhull.kernels.simplex_qp import solve_simplex_qp
from greedyhull.theory import Constant
from greedyhull.types import Array

ENOUGH = 1e-9  # the relative error up to which a radius counts as exact
ROUNDS, JOINING = 200, 16


def circumradius(points: Array) -> Constant:
    """r_S for the rows of ``points``: max over weights α of Σ αᵢ‖vᵢ‖² − ‖Σ αᵢvᵢ‖² is r_S², and c = Σ αᵢvᵢ is the centre.

    Any α gives r_S² from below and max ‖vᵢ − c‖² from above; the answer is the upper one, "exact" if they agree. Few
    points touch the ball, so weights are found for a few, and those that stick out of their ball join them.

    >>> circumradius(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5]]))
    r_S = 1 (exact)
    """
    X = points - points.mean(axis=0)
    size = float(np.abs(X).max())
    if size == 0.0:
        return Constant(0.0, "exact", "r_S")
    X /= size
    centre, below, above = X.mean(axis=0), 0.0, np.inf
    chosen = np.zeros(0, dtype=np.intp)
    for _ in range(ROUNDS):
        outward = ((X - centre) ** 2).sum(axis=1)
        above = min(above, float(outward.max()))
        joining = np.setdiff1d(lowest(-outward, JOINING), chosen)
        if above <= below * (1.0 + ENOUGH) or not len(joining):
            break
        chosen = np.append(chosen, joining)
        alpha = _weights(X[chosen])
        chosen, alpha = chosen[alpha > 0], alpha[alpha > 0]
        centre = alpha @ X[chosen]
        below = max(below, float(alpha @ (X[chosen] ** 2).sum(axis=1) - centre @ centre))
    return Constant(size * above**0.5, "exact" if above <= below * (1.0 + ENOUGH) else "upper bound", "r_S")


def _weights(X: Array) -> Array:
    """The maximising α for few points."""
    X = X - X.mean(axis=0)
    squares, alpha = (X**2).sum(axis=1), np.full(len(X), 1.0 / len(X))
    return solve_simplex_qp(2.0 * X @ X.T, -squares, alpha, 0.01 * ENOUGH * float(squares.max()))  # Σ αᵢvᵢ = 0 there
