"""A small quadratic over the simplex, solved in one call: pairwise bursts and Newton steps on the face."""

from __future__ import annotations

from typing import Any

from greedyhull.kernels.compiled import compiled


@compiled
def simplex_qp(G: Any, c: Any, start: Any, alpha: Any, grad: Any, H: Any, step: Any, free: Any, tol: float, rounds: int) -> int:
    """Minimise ½(α − start)ᵀG(α − start) + cᵀ(α − start) over the simplex, from α = start; ``alpha`` is changed in place.

    ``grad``, ``H``, ``step`` and ``free`` are scratch of length m (m×m for H). Returns the rounds taken, or −1 where a
    Newton step met a Hessian that is not positive definite and ``rounds`` of pairwise steps did not suffice.
    """
    m = len(alpha)
    singular = False
    for done in range(rounds):
        # --- a burst of pairwise steps: find the face ---
        settled = False
        for _ in range(2 * m + 8):
            best, worst = 0, -1
            for i in range(m):
                if grad[i] < grad[best]:
                    best = i
                if alpha[i] > 0.0 and (worst < 0 or grad[i] > grad[worst]):
                    worst = i
            slope = grad[worst] - grad[best]
            if slope <= tol:
                settled = True
                break
            bend = G[best, best] + G[worst, worst] - 2.0 * G[best, worst]
            length = alpha[worst]
            if bend * length > slope:
                length = slope / bend
                alpha[worst] -= length
            else:
                alpha[worst] = 0.0
            alpha[best] += length
            for i in range(m):
                grad[i] += length * (G[best, i] - G[worst, i])
        if settled:
            return done
        if singular:
            continue
        # --- Newton on the face, relative to its largest weight, with blocking ---
        pivot, n = 0, 0
        for i in range(m):
            if alpha[i] > alpha[pivot]:
                pivot = i
        for i in range(m):
            if alpha[i] > 0.0 and i != pivot:
                free[n] = i
                n += 1
        while n > 0:
            trace = 0.0
            for a in range(n):
                for b in range(a + 1):
                    H[a, b] = G[free[a], free[b]] - G[free[a], pivot] - G[pivot, free[b]] + G[pivot, pivot]
                trace += H[a, a]
                step[a] = grad[pivot] - grad[free[a]]
            ridge = 1e-13 * trace + 1e-300
            for a in range(n):  # Cholesky, row by row; then two triangular solves
                for b in range(a + 1):
                    total = H[a, b]
                    if a == b:
                        total += ridge
                    for t in range(b):
                        total -= H[a, t] * H[b, t]
                    if a == b:
                        if total <= 0.0:
                            singular = True
                            break
                        H[a, a] = total**0.5
                    else:
                        H[a, b] = total / H[b, b]
                if singular:
                    break
            if singular:
                break
            for a in range(n):
                for t in range(a):
                    step[a] -= H[a, t] * step[t]
                step[a] /= H[a, a]
            for a in range(n - 1, -1, -1):
                step[a] /= H[a, a]
                for t in range(a):
                    step[t] -= H[a, t] * step[a]
            shift, length = 0.0, 1.0
            for a in range(n):
                shift -= step[a]
                if alpha[free[a]] + step[a] * length < 0.0:
                    length = -alpha[free[a]] / step[a]
            dropped = False
            if alpha[pivot] + shift * length <= 0.0:
                length = -alpha[pivot] / shift
                dropped = True
            kept = 0
            for a in range(n):
                i = free[a]
                after = alpha[i] + length * step[a]
                if length < 1.0 and not dropped and after <= 1e-15 * alpha[i]:
                    after = 0.0
                alpha[i] = after if after > 0.0 else 0.0
                if alpha[i] > 0.0:
                    free[kept] = i
                    kept += 1
            alpha[pivot] += length * shift
            if dropped:
                alpha[pivot] = 0.0
            for i in range(m):  # the gradient afresh: rounding does not gather
                total = c[i]
                for j in range(m):
                    total += G[i, j] * (alpha[j] - start[j])
                grad[i] = total
            if length >= 1.0 or dropped or kept == n:
                break
            n = kept
    return -1
