"""The mixture of given points that is nearest to a point: membership and decomposition, decided by proof."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.kernels.simplex_qp import solve_simplex_qp
from greedyhull.points.arrays import dense
from greedyhull.points.lengths import length
from greedyhull.types import Array

EPS = float(np.finfo(np.float64).eps)
ROUNDS, STALLED, JOINING = 1000, 10, 32


def nearest_mixture(V: Any, x: Array, near: float, far: float) -> tuple[Array, float]:
    """Weights α that bring Σ αⱼvⱼ as close to x as ``near``, or as is possible, and the distance reached.

    Few points are mixed; those that lead closest to x join them, and weights that are used up leave. The search also ends
    once ⟨g, vⱼ − x⟩ ≥ far·‖g‖ for all j, which proves that no mixture comes within ``far``.

    >>> V = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    >>> nearest_mixture(V, np.array([1.0, 0.0]), 1e-9, 1e-9)[0]
    array([0.5, 0.5, 0. ])
    """
    size = max(float(abs(V).max()), float(np.abs(x).max()), 1e-300)
    here = x / size
    chosen, alpha = np.array([_nearest_row(V, here, size)]), np.ones(1)
    R = dense(V[chosen]) / size - here
    G, distance, stalled = R @ R.T, np.inf, 0
    for _ in range(ROUNDS):
        g = alpha @ R
        before, distance = distance, length(g)
        stalled = 0 if distance < (1.0 - 1e-3) * before else stalled + 1
        if distance <= max(near / size, EPS) or stalled > STALLED:
            break
        ahead = np.asarray(V @ g) / size - float(g @ here)
        least, rounding = float(ahead.min()), 2.0 * EPS * (len(x) + 16.0) * float(np.abs(g).sum())
        if least - rounding > distance * far / size:
            break
        joining = np.setdiff1d(_leading(ahead, distance**2), chosen)
        R = np.concatenate([R, dense(V[joining]) / size - here])
        across = R[len(chosen) :] @ R.T
        G = np.block([[G, across[:, : len(chosen)].T], [across]])
        chosen, alpha = np.append(chosen, joining), np.append(alpha, np.zeros(len(joining)))
        alpha = solve_simplex_qp(G, R @ g, alpha, 0.01 * min(max(distance**2 - least, 0.0), distance**2))
        held = np.flatnonzero(alpha > 0.0)
        chosen, alpha, R, G = chosen[held], alpha[held], R[held], G[np.ix_(held, held)]
    weights = np.zeros(V.shape[0])
    weights[chosen] = alpha
    return weights, size * distance


def _nearest_row(V: Any, here: Array, size: float) -> int:
    """Which row is the nearest to x, as far as squares can tell: that of the least ‖v‖²/size − 2⟨v, x/size⟩."""
    return int((np.asarray((V * V).sum(axis=1)).ravel() / size - 2.0 * np.asarray(V @ here)).argmin())


def _leading(ahead: Array, here: float) -> Array:
    """Which points lead closer, best first; no more than can be weighed at once."""
    m = min(JOINING, len(ahead))
    first = np.argpartition(ahead, m - 1)[:m]
    return first[ahead[first] < here]
