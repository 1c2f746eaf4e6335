"""Large products, shared between threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.kernels import _core as core
from greedyhull.types import Array


def product(A: Any, B: Any) -> Array:
    """Return A·B for a matrix A and a matrix or vector B, by several threads where that is faster."""
    if isinstance(A, np.ndarray) and isinstance(B, np.ndarray) and A.ndim == 2 and A.size >= 10_000:
        if B.ndim == 1 and A.size >= 4_000_000 and A.dtype == np.float64 and _fit(A, B):
            y = np.empty(len(A))
            core.shared_pass(A, np.ascontiguousarray(B), y)
            return y
        if B.ndim == 2 and A.size * B.shape[1] >= 100_000_000 and A.dtype in (np.float64, np.float32) and _fit(A, B):
            C = np.empty((len(A), B.shape[1]), dtype=A.dtype)
            core.shared_product(A, B, C)
            return C
    made: Array = A @ B
    return made


def _fit(A: Array, B: Array) -> bool:
    """Whether the core can multiply A and B where they lie, with 32-bit sizes."""
    matrices = (A,) if B.ndim == 1 else (A, B)
    if not all(M.flags.forc and M.flags.aligned and min(M.shape) > 1 and max(M.shape) < 2**31 for M in matrices):
        return False
    from greedyhull.kernels import lapack as lapack  # which gives the core SciPy's BLAS

    return A.dtype == B.dtype and len(B) == A.shape[1]
