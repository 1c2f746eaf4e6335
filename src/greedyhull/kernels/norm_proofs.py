"""Upper bounds on the largest singular value of a matrix, proved by a Cholesky factorisation.

The factorisation of μI − GGᵀ succeeds only if σ₁² ≤ μ, up to rounding that is counted in full: that of forming GGᵀ, at most
γ_k‖ |G||G|ᵀ ‖ (Higham, Accuracy and Stability, 3.5), and that of the factorisation, at most γ_{p+1}/(1 − γ_{p+1}) times the
trace (Rump 2006, Verification of positive definiteness). Where a factorisation would take too long: `growth_proof`.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from greedyhull.kernels.products import product
from greedyhull.types import Array

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

    >>> 5.0 <= proved_norm(np.array([[3.0, 4.0]]), None, 0.0) <= 5.0 + 1e-11
    True
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

    >>> bool(-1.0 - 1e-11 <= proved_floor(np.diag([3.0, -1.0]), -1.0, 0.0) <= -1.0)
    True
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
