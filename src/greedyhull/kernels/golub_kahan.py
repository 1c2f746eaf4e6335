"""The largest singular values of a matrix by Golub-Kahan-Lanczos bidiagonalisation with full re-orthogonalisation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from greedyhull.types import Array

NOTHING = 1e-14  # of the largest number met: a direction this short is left over from rounding


class Pairs(NamedTuple):
    """Approximate singular pairs, the largest first: ``U`` and ``V`` have unit columns and ``sigma`` = Uᵀ G V ≥ 0."""

    U: Array
    sigma: Array
    V: Array


class Bidiagonal:
    """G V = U B with orthonormal U and V and upper bidiagonal B: V spans a Krylov space of GᵀG from the start.

    Where that space ends before ``steps`` it is left as it is: whatever the start can reach has been found.
    """

    def __init__(self, G: Any, start: Array, steps: int) -> None:
        m, n = G.shape
        self.G, self.Gt, self.most = G, G.T, min(m, n, steps)
        self.U, self.V = np.zeros((self.most, m)), np.zeros((self.most, n))
        self.alpha, self.beta = np.zeros(self.most), np.zeros(self.most)  # beta[j] stands between V[j] and V[j + 1]
        self.done, self.ended = 0, False
        self.next: Array = start / np.linalg.norm(start)

    def run(self, steps: int) -> None:
        """Go on until there are ``steps`` columns, if the space is that large."""
        while self.done < min(steps, self.most) and not self.ended:
            self._step()

    def _step(self) -> None:
        j, v = self.done, self.next
        p = np.asarray(self.G @ v, dtype=np.float64)
        if j:
            p = p - self.beta[j - 1] * self.U[j - 1]
        p = _apart(p, self.U[:j])
        alpha = float(np.linalg.norm(p))
        largest = max(float(self.alpha.max(initial=0.0)), alpha)
        self.V[j], self.alpha[j], self.done = v, alpha, j + 1
        if not alpha > NOTHING * largest:  # v is, up to rounding, in the kernel
            self.alpha[j], self.ended = 0.0, True
            return
        self.U[j] = p / alpha
        q = _apart(np.asarray(self.Gt @ self.U[j], dtype=np.float64) - alpha * v, self.V[: j + 1])
        beta = float(np.linalg.norm(q))
        if not beta > NOTHING * largest:
            self.ended = True
            return
        self.beta[j], self.next = beta, q / beta

    def matrix(self) -> Array:
        """B."""
        k = self.done
        return np.asarray(np.diag(self.alpha[:k]) + np.diag(self.beta[: k - 1], 1))

    def top(self) -> float:
        """The largest singular value of B: of all unit vectors v in the space, the largest ‖Gv‖."""
        return float(np.linalg.svd(self.matrix(), compute_uv=False)[0]) if self.done else 0.0

    def pairs(self, m: int) -> Pairs:
        """The m largest pairs."""
        left, sigma, right = np.linalg.svd(self.matrix())
        m = min(m, int((sigma > NOTHING * sigma[0]).sum()))
        return Pairs(self.U[: self.done].T @ left[:, :m], sigma[:m], self.V[: self.done].T @ right[:m].T)


def _apart(x: Array, basis: Array) -> Array:
    """x without its part in the span of orthonormal rows; twice, for once leaves rounding."""
    for _ in range(2):
        x = x - (basis @ x) @ basis
    return x
