"""The largest singular value: Lanczos bidiagonalisation, and upper bounds with a proof."""

from __future__ import annotations

from collections.abc import Callable
from math import acosh, ceil, cosh, log1p, pi, sinh, sqrt
from typing import Any, NamedTuple

import numpy as np

from greedyhull.kernels.data_passes import product
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


UNIT = 2.0**-53
TRIES = 12  # factorisations, each with a bound that is eight times as far from what is known to be reached
WIDER = 8.0
ROWS = 512  # of GGᵀ that are made at once
SPARSE = 0.1  # a matrix with a larger share of entries is multiplied as a dense one
CLOSE = 1e-12  # of σ₁: no bound is sharper


def gamma(k: float) -> float:
    """k·u/(1 − k·u): what a sum of k products may be off by, relative to the sum of their sizes."""
    return k * UNIT / (1.0 - k * UNIT)


def proved_norm(G: Any, reached: float | None, slack: float) -> float:
    """A number that σ₁(G) does not exceed, at most about ``slack`` above it if ``reached`` is σ₁.

    G has p rows and at least as many columns, and is scaled: its largest entry has size 1. ``reached`` is a lower bound of
    σ₁, None where the eigenvalues of GGᵀ are to tell. The work is p³/3 and making GGᵀ.
    """
    B, formed = _square(G)
    p = len(B)
    if reached is None:
        reached = sqrt(max(float(np.linalg.eigvalsh(B)[-1]), 0.0))
    most = sqrt(float(np.trace(B)) * (1.0 + 4.0 * p * UNIT) + formed) * (1.0 + 4.0 * UNIT)  # ‖G‖_F
    slack = max(slack, CLOSE * reached)
    for _ in range(TRIES):
        mu = (reached + slack) ** 2
        if mu >= most * most:
            break
        if _definite(B, mu):
            off = gamma(p + 1) / (1.0 - gamma(p + 1)) * p * mu * (1.0 + 1e-9) + 4.0 * UNIT * mu + formed
            return min(sqrt(mu + off) * (1.0 + 4.0 * UNIT), most)
        slack *= WIDER
    return most


def proved_floor(A: Array, reached: float, slack: float) -> float:
    """A number that the eigenvalues of a symmetric matrix are not below, at most about ``slack`` below ``reached`` if that is
    the least of them. Entries of A have size 1 at most, and its two triangles are rounded alike, by a unit in the last place.
    """
    p, size = len(A), float(np.linalg.norm(A)) * (1.0 + 1e-9)
    formed = 4.0 * UNIT * size
    slack = max(slack, CLOSE * max(abs(reached), size / p**0.5))
    for _ in range(TRIES):
        shift = slack - reached
        if _definite(-A, shift):
            trace = float(np.trace(A)) + p * shift
            off = gamma(p + 1) / (1.0 - gamma(p + 1)) * trace * (1.0 + 1e-9) + 4.0 * UNIT * (abs(shift) + size) + formed
            return -shift - off
        slack *= WIDER
    return -size


def _square(G: Any) -> tuple[Array, float]:
    """GGᵀ as an array, and how far it may be from the true one in the spectral norm."""
    p, n = G.shape
    if isinstance(G, np.ndarray):
        B, sizes = product(G, G.T), np.abs(G)
        k = int((G != 0.0).sum(axis=1).max(initial=0))  # products with zero are exact
    else:
        B, sizes = np.empty((p, p)), abs(G)
        k = int(np.diff(G.indptr).max(initial=0))
        full = G.nnz > SPARSE * p * n
        Gt = G.T.toarray() if full else G.T.tocsr()
        for a in range(0, p, ROWS):
            part = G[a : a + ROWS] @ Gt
            B[a : a + ROWS] = part if full else part.toarray()
    spread = float((sizes @ (sizes.T @ np.ones(p))).max())  # the largest row sum of |G||G|ᵀ
    return B, gamma(k + 2) * min(spread, float(np.trace(B))) * (1.0 + 1e-6) + (k + p) * 1e-300


def _definite(B: Array, mu: float) -> bool:
    """Whether the factorisation of μI − B succeeds."""
    from greedyhull.kernels.lapack import dpotrf

    A = -B
    A[np.diag_indices_from(A)] += mu
    _, info = dpotrf(A.T, lower=1, clean=0, overwrite_a=1)
    return bool(info == 0)


TRUST = 1.0 - 1e-9  # for the rounding of s, cosh and ‖y₀‖ = 1
ROOM = 2.0  # times the length that y has if μ bounds all eigenvalues: what it is allowed to have
NEVER = 2**31  # steps
MOST_GROWTH = 600.0  # of q·acosh ξ₀, so that cosh is finite


class Grown(NamedTuple):
    """Whether the bound is proved, and the last vector: where it is not, nearly the top eigenvector."""

    proved: bool
    last: Array


def component(n: int, delta: float) -> float:
    """s: a random unit vector has a smaller component along a given direction with a probability of at most δ."""
    return delta / sqrt(2.0 * (max(n, 3) - 1) / pi)


def steps_to_prove(mu: float, limit: float, s: float) -> int:
    """q: after so many steps a vector that has not grown is a proof."""
    angle = _angle(mu, limit)
    return max(1, ceil(acosh(ROOM / s) / angle)) if angle > 0.0 else NEVER


def limit_of_steps(mu: float, q: int, s: float) -> float:
    """The least limit that q steps can prove."""
    return 0.5 * mu * (cosh(acosh(ROOM / s) / q) + 1.0) * (1.0 + 1e-12)


def grown(multiply: Callable[[Array], Array], off: float, z: Array, mu: float, limit: float, s: float, q: int) -> Grown:
    """Whether λ₁ ≤ limit is proved by q steps from z. ``multiply`` computes By with an error of at most off·‖y‖."""
    angle = _angle(mu, limit)
    if angle == 0.0:
        return Grown(False, z)
    if q * angle > MOST_GROWTH:
        q = int(MOST_GROWTH / angle)
    before, y = np.zeros_like(z), z / float(np.linalg.norm(z))
    gathered, length, last = 0.0, 1.0, 0.0
    for k in range(q):
        by = 2.0 / mu if k == 0 else 4.0 / mu
        t = multiply(y)
        wide = by * float(np.linalg.norm(t))
        gathered += (by * off * length + 8.0 * UNIT * (wide + 2.0 * length + last)) * (1.0 + 1e-6)
        before, y = y, by * t - y if k == 0 else by * t - 2.0 * y - before
        last, length = length, float(np.linalg.norm(y))
        if not length < 1e100:  # a vector this long proves that μ is far too small
            return Grown(False, before)
    left = s * TRUST - gathered / sinh(angle)
    return Grown(bool(left > 0.0 and length * (1.0 + 1e-9) < cosh(q * angle) * TRUST * left), y)


def _angle(mu: float, limit: float) -> float:
    """acosh(ξ₀), a little less; nothing where ξ₀ − 1 is not known to several digits."""
    x = 2.0 * (limit - mu) / mu
    return log1p(x + sqrt(x * (2.0 + x))) * TRUST if x > 1e-6 else 0.0  # of μ: a limit that is nearer is not tried
