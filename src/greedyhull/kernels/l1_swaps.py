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
    d = len(w)
    gap = 0.0
    for _ in range(steps):
        used, along, best, least, near, close = 0.0, 0.0, 0, -1.0, -1, 0.0
        worst, most = -1, 0.0  # the origin scores zero
        for j in range(d):
            size = abs(g[j]) * scale[j]
            if size > least:
                best, least = j, size
            if w[j] != 0.0:
                used += abs(w[j]) / scale[j]
                along += g[j] * w[j]
                score = g[j] * scale[j] if w[j] > 0.0 else -g[j] * scale[j]
                if worst < 0 or score > most:
                    worst, most = j, score
                if near < 0 or -score > close:
                    near, close = j, -score
        gap = along + r * least
        if gap <= tol:
            return gap
        rest = r - used
        if rest > 1e-15 * r and (worst < 0 or most < 0.0):
            worst, most = -1, 0.0
        if near >= 0 and close + most >= 0.5 * (least + most):
            best, least = near, close
            up = scale[best] if w[best] > 0.0 else -scale[best]
        else:
            up = -scale[best] if g[best] > 0.0 else scale[best]
        if worst < 0:
            down, room = 0.0, rest
            bend = up * up * Q[best, best]
        else:
            down = scale[worst] if w[worst] > 0.0 else -scale[worst]
            room = abs(w[worst]) / scale[worst]
            bend = up * up * Q[best, best] + down * down * Q[worst, worst] - 2.0 * up * down * Q[best, worst]
        step = room
        if bend * room > least + most:
            step = (least + most) / bend
        w[best] += step * up
        if worst >= 0:
            w[worst] = w[worst] - step * down if step < room or worst == best else 0.0
        for j in range(d):
            g[j] += step * up * Q[best, j]
        if worst >= 0:
            for j in range(d):
                g[j] -= step * down * Q[worst, j]
    return gap
