"""Swaps of weight between two atoms of an l1 ball, for a quadratic whose matrix is at hand."""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array


@compiled
def l1_swaps(Q: Array, scale: Array, g: Array, w: Array, r: float, tol: float, steps: int) -> float:
    """At most ``steps`` exact swaps for ½wᵀQw − bᵀw over Σ|w_j|/scale_j ≤ r; ``w`` and its gradient ``g`` are changed.

    Each hands weight from the active atom with the largest score, the origin included, to the atom with the least; to an
    active one if that is at least half as good, so that few are active. Returns the gap ⟨g, w⟩ + r max_j scale_j|g_j| and
    stops where it is at most ``tol``.
    """
    gap = 0.0
    for k in range(steps):
        scores, rest = g * scale, r - float((np.abs(w) / scale).sum())  # what is not used of the budget lies at the origin
        best = int(np.abs(scores).argmax())
        least = abs(float(scores[best]))
        own = np.where(w != 0.0, scores * np.sign(w), -np.inf)
        worst, near = int(own.argmax()), int(np.where(w != 0.0, -own, -np.inf).argmax())
        most, close, active = float(own[worst]), -float(own[near]), bool(w[worst] != 0.0)
        if not active or (rest > 1e-15 * r and most < 0.0):
            worst, most = -1, 0.0
        if k % 8 == 0 or r * (least + most) <= tol:  # the gap is at most r(least + most)
            gap = float(g @ w) + r * least
            if gap <= tol:
                return gap
        if active and close + most >= 0.5 * (least + most):
            best, least = near, close
            up = float(np.copysign(scale[best], w[best]))
        else:
            up = -float(np.copysign(scale[best], g[best])) if g[best] else float(scale[best])
        down, room, bend = 0.0, rest, up * up * Q[best, best]
        if worst >= 0:
            down, room = float(np.copysign(scale[worst], w[worst])), float(abs(w[worst]) / scale[worst])
            bend += down * down * Q[worst, worst] - 2.0 * up * down * Q[best, worst]
        step = (least + most) / bend if bend * room > least + most else room
        if worst >= 0 and worst != best:
            w[worst] = w[worst] - step * down if step < room else 0.0
            w[best] += step * up
        else:
            w[best] += step * (up - down)
        g += step * (up * Q[best] - down * Q[max(worst, 0)])
    return gap
