"""The linear algebra of SciPy. Import it from here: `one_thread` sets the threads of its BLAS from then on."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import _flapack, block_diag, cho_solve, eigvalsh, qr, solve_triangular
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

from greedyhull.kernels.core import bind, blas_missing, core
from greedyhull.types import Array

__all__ = ["block_diag", "cho_solve", "dgetrf", "dgetrs", "dposv", "dpotrf", "dpotri", "dpotrs", "dpstrf", "dtrtrs",
           "eigvalsh", "qr", "solve_triangular", "splu", "spotrf", "spotri", "spotrs"]

bind(_flapack)


def dpotrf(a: Array, lower: int = 0, clean: int = 1, overwrite_a: int = 0) -> tuple[Array, int]:
    """Return LAPACK's Cholesky factor, and where it ended; a large one is shared between threads."""
    if core is None or len(a) < 700 or lower or clean or a.dtype != np.float64 or not a.flags.f_contiguous or blas_missing():
        factor, info = _flapack.dpotrf(a, lower=lower, clean=clean, overwrite_a=overwrite_a)
        return factor, info
    factor = a if overwrite_a else a.copy(order="F")
    return factor, core.shared_cholesky(factor.T)


def splu(matrix: Any, **options: Any) -> Any:
    """Return SciPy's sparse LU factorisation of a matrix."""
    from scipy.sparse.linalg import splu as factorised

    return factorised(matrix, **options)
