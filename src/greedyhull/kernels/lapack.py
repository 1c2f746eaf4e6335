"""The linear algebra of SciPy. Import it from here: `one_thread` sets the threads of its BLAS from then on."""

from __future__ import annotations

from typing import Any

from scipy.linalg import _flapack, block_diag, cho_solve, eigvalsh, qr, solve_triangular
from scipy.linalg.lapack import (
    dgetrf,
    dgetrs,
    dposv,
    dpotrf,
    dpotri,
    dpotrs,
    dpstrf,
    dtrtrs,
    spotrf,
    spotri,
    spotrs,
)

from greedyhull.kernels.threads import bind

__all__ = ["block_diag", "cho_solve", "dgetrf", "dgetrs", "dposv", "dpotrf", "dpotri", "dpotrs", "dpstrf", "dtrtrs",
           "eigvalsh", "qr", "solve_triangular", "splu", "spotrf", "spotri", "spotrs"]

bind(_flapack)


def splu(matrix: Any, **options: Any) -> Any:
    """Return SciPy's sparse LU factorisation of a matrix."""
    from scipy.sparse.linalg import splu as factorised

    return factorised(matrix, **options)
