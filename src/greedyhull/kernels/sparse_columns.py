"""Products with a few columns of a sparse matrix, without building the submatrix.

``starts, places, entries`` are the arrays of a compressed matrix: by row for `gram_rows`, by column for the others.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array, Index


@compiled
def add_columns(starts: Index, places: Index, entries: Array, index: Index, c: Array, z: Array) -> None:
    """z ← z + Σₖ cₖ X[:, indexₖ]."""
    for j, ck in zip(index.tolist(), c, strict=True):
        a, b = int(starts[j]), int(starts[j + 1])
        z[places[a:b]] += ck * entries[a:b]  # a row stands once in a column


@compiled
def dot_columns(starts: Index, places: Index, entries: Array, index: Index, r: Array, out: Array) -> None:
    """outₖ ← ⟨X[:, indexₖ], r⟩."""
    for k, j in enumerate(index.tolist()):
        a, b = int(starts[j]), int(starts[j + 1])
        out[k] = entries[a:b].astype(np.float64) @ r[places[a:b]]


@compiled
def gram_rows(starts: Index, places: Index, entries: Array, weights: Array, number: Index, G: Array) -> None:
    """G[number[j], number[l]] ← Σᵢ weightsᵢ Xᵢⱼ Xᵢₗ for number[j] ≥ number[l] ≥ 0; columns numbered −1 are passed over.

    Rows of weight zero cost nothing. Columns are numbered in ascending order.
    """
    from scipy.sparse import csr_array

    named = number[places.astype(np.int64)]
    keep = named >= 0
    ends = np.concatenate([[0], np.cumsum(keep)])[starts]
    X = csr_array((entries[keep].astype(np.float64), named[keep], ends), shape=(len(starts) - 1, len(G)))
    G += np.tril((X.T @ (X * weights[:, None])).toarray())


@compiled
def gram_columns(starts: Index, places: Index, entries: Array, weights: Array, index: Index, G: Array) -> None:
    """G[a, b] ← Σᵢ weightsᵢ X[i, index_a] X[i, index_b] for a ≥ b: for few columns of a large matrix."""
    work = np.zeros(len(weights))
    for b, j in enumerate(index.tolist()):
        rows = places[int(starts[j]) : int(starts[j + 1])]
        work[rows] = weights[rows] * entries[int(starts[j]) : int(starts[j + 1])]
        for a in range(b, len(index)):
            begin, end = int(starts[index[a]]), int(starts[index[a] + 1])
            G[a, b] = entries[begin:end].astype(np.float64) @ work[places[begin:end]]
        work[rows] = 0.0
