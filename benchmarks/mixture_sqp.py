"""A rival for mixtures: sequential quadratic programming with an active set on a low-rank likelihood matrix, as in mixsqp.

The method of Kim, Carbonetto, Stephens and Anitescu (2020): min −mean log(Px) + Σx over x ≥ 0, whose minimiser sums to one. P
is replaced by QR with few columns, found by a random sketch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
RANK = 60
CLOSE = 1e-9  # of the gradient's condition
NEAR = 1e-10  # added to the diagonal of a Hessian that has a low rank


def mixture_weights(P: Array, rank: int = RANK, rounds: int = 100) -> Array:
    """Weights of the columns, to a gap of about `CLOSE` for the low-rank matrix."""
    Q, R = low_rank(P, rank)
    n, m = P.shape
    x = np.full(m, 1.0 / m)
    z = np.maximum(Q @ (R @ x), 1e-300)
    for k in range(rounds):
        g = 1.0 - R.T @ (Q.T @ (1.0 / z)) / n
        if g.min() >= -CLOSE and abs(g @ x) <= CLOSE:
            break
        scaled = Q / z[:, None]
        M = scaled.T @ scaled / n
        y = active_set(R, M, g - R.T @ (M @ (R @ x)), np.zeros(m) if k == 0 else x.copy())
        step, value, slope = 1.0, -np.log(z).mean() + x.sum(), g @ (y - x)
        dz = Q @ (R @ (y - x))
        while step > 1e-10:
            trial = z + step * dz
            if trial.min() > 0.0 and -np.log(trial).mean() + x.sum() + step * (y - x).sum() <= value + 0.01 * step * slope:
                break
            step *= 0.5
        x, z = x + step * (y - x), z + step * dz
    x = np.maximum(x, 0.0)
    return x / x.sum()


def low_rank(P: Array, rank: int) -> tuple[Array, Array]:
    """P ≈ QR with orthonormal columns Q."""
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(P @ rng.standard_normal((P.shape[1], min(rank, *P.shape))))
    return Q, Q.T @ P


def active_set(R: Array, M: Array, b: Array, y: Array, changes: int = 200) -> Array:
    """min ½yᵀRᵀMRy + bᵀy over y ≥ 0, from the support of y."""
    work = np.flatnonzero(y > 1e-12)
    y[y <= 1e-12] = 0.0
    for _ in range(changes):
        if len(work):
            C = R[:, work]
            H = C.T @ M @ C
            best = np.linalg.solve(H + NEAR * np.trace(H) / len(H) * np.eye(len(H)), -b[work])
            short = best <= 0.0
            if short.any():
                share = y[work][short] / np.maximum(y[work][short] - best[short], 1e-300)
                y[work] += min(1.0, float(share.min())) * (best - y[work])
                y[work[short][share <= share.min()]] = 0.0
                work = work[y[work] > 0.0]
                continue
            y[work] = best
        slope = b + R.T @ (M @ (R @ y))
        slope[work] = 0.0
        j = int(slope.argmin())
        if slope[j] >= -CLOSE:
            break
        work = np.append(work, j)
    return y
