"""A Newton step on a face of the simplex for a small quadratic, with blocking: Cholesky without LAPACK."""

from __future__ import annotations

from typing import Any

from greedyhull.kernels.compiled import compiled


@compiled
def face_newton(G: Any, grad: Any, alpha: Any, H: Any, step: Any, free: Any) -> bool:
    """Minimise over the face {αᵢ = 0 where αᵢ = 0 now}, stopping at its boundary; ``alpha`` and ``grad`` are changed.

    Weights are written relative to the largest one, which takes the constraint Σα = 1 away. ``H`` (m×m), ``step`` and
    ``free`` (m) are scratch. False where the reduced Hessian is not positive definite even after a tiny ridge.
    """
    m, pivot, n = len(alpha), 0, 0
    for i in range(m):
        if alpha[i] > alpha[pivot]:
            pivot = i
    for i in range(m):
        if alpha[i] > 0.0 and i != pivot:
            free[n] = i
            n += 1
    while n > 0:
        ridge = 1e-300
        for a in range(n):
            i = free[a]
            for b in range(a + 1):
                H[a, b] = G[i, free[b]] - G[i, pivot] - G[pivot, free[b]] + G[pivot, pivot]
            ridge += 1e-13 * H[a, a]
            step[a] = grad[pivot] - grad[i]
        for a in range(n):  # Cholesky row by row, and the first triangular solve
            for b in range(a + 1):
                total = H[a, b]
                for t in range(b):
                    total -= H[a, t] * H[b, t]
                if b < a:
                    H[a, b] = total / H[b, b]
                    step[a] -= H[a, b] * step[b]
                elif total + ridge <= 0.0:
                    return False
                else:
                    H[a, a] = (total + ridge) ** 0.5
            step[a] /= H[a, a]
        shift, length = 0.0, 1.0
        for a in range(n - 1, -1, -1):
            step[a] /= H[a, a]
            for t in range(a):
                step[t] -= H[a, t] * step[a]
            shift -= step[a]
            if alpha[free[a]] + step[a] * length < 0.0:
                length = -alpha[free[a]] / step[a]
        if alpha[pivot] + shift * length <= 0.0:
            length = -alpha[pivot] / shift
        step[n] = shift
        free[n] = pivot
        kept, dropped = 0, False
        for a in range(n + 1):
            i = free[a]
            before = alpha[i]
            after = before + length * step[a]
            if length < 1.0 and after <= 1e-15 * before:
                after = 0.0
                dropped = dropped or i == pivot
            alpha[i] = after
            for j in range(m):
                grad[j] += (after - before) * G[i, j]
            if after > 0.0 and i != pivot:
                free[kept] = i
                kept += 1
        if length >= 1.0 or dropped or kept == n:
            return True
        n = kept
    return True
