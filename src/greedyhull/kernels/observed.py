"""Passes over the observed entries of a matrix, by its factors: their values, and the products of a residual with both.

``starts`` and ``columns`` are the arrays of a matrix by row: the entries of row i have the columns from starts[i] to
starts[i + 1]. Rows of U and V belong to rows and columns of the matrix.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array, Index

CHUNK = 2**20  # numbers gathered at once


@compiled
def observed_entries(starts: Index, columns: Index, U: Array, V: Array, out: Array) -> None:
    """outₑ ← ⟨Uᵢ, Vⱼ⟩ for every entry e = (i, j)."""
    rows, step = np.repeat(np.arange(len(U)), np.diff(starts)), max(1, CHUNK // max(1, U.shape[1]))
    for a in range(0, len(out), step):
        here = slice(a, a + step)
        out[here] = np.einsum("er,er->e", U[rows[here]], V[columns[here]], dtype=np.float64)


@compiled
def observed_products(starts: Index, columns: Index, c: Array, U: Array, V: Array, left: Array, right: Array) -> None:
    """left ← GV and right ← GᵀU, where G has the entries c."""
    from scipy.sparse import csr_array

    G = csr_array((c, columns.astype(np.int64), starts), shape=(len(U), len(V)))
    left[:], right[:] = G @ V, G.T @ U
