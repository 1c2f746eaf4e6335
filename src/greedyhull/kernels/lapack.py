"""The linear algebra of SciPy. Importing it gives the core SciPy's BLAS, and lets `one_thread` set its threads."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import _flapack, block_diag, cho_solve, cython_blas, cython_lapack, eigvalsh, qr, solve_triangular
from scipy.linalg.lapack import (
    dgetrf,
    dgetrs,
    dposv,
    dpotri,
    dpotrs,
    dpstrf,
    dtrtrs,
    spotrf,
    spotri,
    spotrs,
)

from greedyhull.kernels._core import bind_blas, shared_cholesky
from greedyhull.kernels.core import bind
from greedyhull.types import Array

__all__ = ["block_diag", "cho_solve", "dgetrf", "dgetrs", "dposv", "dpotrf", "dpotri", "dpotrs", "dpstrf", "dtrtrs",
           "eigvalsh", "qr", "solve_triangular", "splu", "spotrf", "spotri", "spotrs"]

bind(_flapack)
if (reason := bind_blas({**cython_blas.__pyx_capi__, **cython_lapack.__pyx_capi__})):
    raise ImportError(f"greedyhull needs a SciPy with 32-bit BLAS integers, but {reason}.")


def dpotrf(a: Array, lower: int = 0, clean: int = 1, overwrite_a: int = 0) -> tuple[Array, int]:
    """Return LAPACK's Cholesky factor, and where it ended; a large one is shared between threads."""
    if len(a) < 700 or lower or clean or a.dtype != np.float64 or not a.flags.f_contiguous:
        factor, info = _flapack.dpotrf(a, lower=lower, clean=clean, overwrite_a=overwrite_a)
        return factor, info
    factor = a if overwrite_a else a.copy(order="F")
    return factor, shared_cholesky(factor.T)


def splu(matrix: Any, **options: Any) -> Any:
    """Return SciPy's sparse LU factorisation of a matrix."""
    from scipy.sparse.linalg import splu as factorised

    return factorised(matrix, **options)
