"""Swaps of weight between two atoms of an l1 ball, for a quadratic whose matrix is at hand."""

from __future__ import annotations

from typing import Any

from greedyhull.kernels.compiled import compiled


@compiled
def l1_swaps(Q: Any, scale: Any, g: Any, w: Any, r: float, tol: float, steps: int) -> float:
    """At most ``steps`` exact swaps for ½wᵀQw − bᵀw over Σ|w_j|/scale_j ≤ r; ``w`` and its gradient ``g`` are changed.

    Each hands weight from the active atom with the largest score, the origin included, to the atom with the least; to an
    active one if that is at least half as good, so that few are active. Returns the gap ⟨g, w⟩ + r max_j scale_j|g_j| and
    stops where it is at most ``tol``.
    """
    d, rest, gap = len(w), r, 0.0
    for j in range(d):
        rest -= abs(w[j]) / scale[j]  # what is not used of the budget lies at the origin
    for k in range(steps):
        best, least, near, close, worst, most = 0, -1.0, -1, 0.0, -1, 0.0
        for j in range(d):
            score = g[j] * scale[j]
            if abs(score) > least:
                best, least = j, abs(score)
            if w[j] != 0.0:
                if w[j] < 0.0:
                    score = -score
                if worst < 0 or score > most:
                    worst, most = j, score
                if near < 0 or -score > close:
                    near, close = j, -score
        if rest > 1e-15 * r and (worst < 0 or most < 0.0):
            worst, most = -1, 0.0
        if k % 8 == 0 or r * (least + most) <= tol:  # the gap is at most r(least + most)
            gap = r * least
            for j in range(d):
                gap += g[j] * w[j]
            if gap <= tol:
                return gap
        if near >= 0 and close + most >= 0.5 * (least + most):
            best, least = near, close
            up = scale[best] if w[best] > 0.0 else -scale[best]
        else:
            up = -scale[best] if g[best] > 0.0 else scale[best]
        down, room, bend = 0.0, rest, up * up * Q[best, best]
        if worst >= 0:
            down = scale[worst] if w[worst] > 0.0 else -scale[worst]
            room = abs(w[worst]) / scale[worst]
            bend += down * down * Q[worst, worst] - 2.0 * up * down * Q[best, worst]
        step = room
        if bend * room > least + most:
            step = (least + most) / bend
        rest += abs(w[best]) / scale[best]
        if worst >= 0 and worst != best:
            rest += abs(w[worst]) / scale[worst]
            w[worst] = w[worst] - step * down if step < room else 0.0
            rest -= abs(w[worst]) / scale[worst]
            w[best] += step * up
        else:
            w[best] += step * (up - down)
        rest -= abs(w[best]) / scale[best]
        for j in range(d):
            g[j] += step * (up * Q[best, j] - down * Q[max(worst, 0), j])
    return gap
