"""What is asked of arrays before a solve, in one pass each: whether a matrix is symmetric, whether numbers are finite."""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array

EPS = float(np.finfo(np.float64).eps)


@compiled
def all_finite(x: Array) -> bool:
    """Whether no entry of a contiguous float64 vector is NaN or infinite."""
    return bool(np.isfinite(x).all())


@compiled
def square_facts(Q: Array) -> tuple[bool, bool, float]:
    """Of a square matrix in C order: whether Q = Qᵀ, whether it is dominant, and maxᵢ Σⱼ |Qᵢⱼ|.

    Dominant, with Qᵢᵢ ≥ Σ |Qᵢⱼ| over the other j and rounding included, a symmetric Q has no negative eigenvalue.
    """
    sizes = np.abs(Q)
    sums, diagonal = sizes.sum(axis=1), np.diagonal(Q)
    rest = sums - np.diagonal(sizes)
    return bool((Q == Q.T).all()), bool((diagonal >= (1.0 + len(Q) * EPS) * rest).all()), float(sums.max(initial=0.0))


@compiled
def is_definite(Q: Array, shift: float) -> bool:
    """Whether Q + ``shift``·I has a Cholesky factor, for a symmetric Q in C order; the core's loops are for small ones."""
    shifted = Q.copy()
    shifted.flat[:: len(Q) + 1] += shift
    try:
        np.linalg.cholesky(shifted)
    except np.linalg.LinAlgError:
        return False
    return True
