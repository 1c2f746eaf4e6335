"""Passes over data: large products, observed entries, rows of a shard, columns of a sparse matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.kernels.core import blas_missing, compiled, core
from greedyhull.types import Array, Index


def product(A: Any, B: Any) -> Array:
    """Return A·B for a matrix A and a matrix or vector B, sparse ones as SciPy multiplies them.

    Below 10⁸ multiplications, or four million entries for a vector, one thread is as fast as several.

    >>> product(np.array([[1.0, 2.0]]), np.array([3.0, 4.0]))
    array([11.])
    """
    if core is not None and isinstance(A, np.ndarray) and isinstance(B, np.ndarray) and A.ndim == 2 and A.size >= 10_000:
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
    return A.dtype == B.dtype and len(B) == A.shape[1] and not blas_missing()


@compiled
def observed_entries(starts: Index, columns: Index, U: Array, V: Array, out: Array) -> None:
    """outₑ ← ⟨Uᵢ, Vⱼ⟩ for every entry e = (i, j)."""
    # numbers gathered at once
    rows, step = np.repeat(np.arange(len(U)), np.diff(starts)), max(1, (2**20) // max(1, U.shape[1]))
    for a in range(0, len(out), step):
        here = slice(a, a + step)
        out[here] = np.einsum("er,er->e", U[rows[here]], V[columns[here]], dtype=np.float64)


@compiled
def observed_products(starts: Index, columns: Index, c: Array, U: Array, V: Array, left: Array, right: Array) -> None:
    """left ← GV and right ← GᵀU, where G has the entries c."""
    from scipy.sparse import csr_array

    G = csr_array((c, columns.astype(np.int64), starts), shape=(len(U), len(V)))
    left[:], right[:] = G @ V, G.T @ U


BLOCK = 1 << 13  # rows whose entries are copied at once
OUTSIDE = "a column of a sparse matrix lies outside its shape"


@compiled
def dot_rows(starts: Index, places: Index, entries: Array, w: Array, z: Array) -> None:
    """zᵢ ← ⟨xᵢ, w⟩."""
    here, place = _entries(starts, places, len(w))
    z[:] = np.bincount(_row_of(starts), entries[here].astype(np.float64) * w[place], len(z))


@compiled
def add_rows(starts: Index, places: Index, entries: Array, r: Array, g: Array) -> None:
    """g ← g + Σᵢ rᵢxᵢ."""
    here, place = _entries(starts, places, len(g))
    g += np.bincount(place, entries[here].astype(np.float64) * r[_row_of(starts)], len(g))


@compiled
def pick_rows(starts: Index, places: Index, entries: Array, named: Index, number: Index, heads: Index, columns: Index,
              values: Array) -> int:
    """The entries of the columns that have a number, ≥ 0, as a matrix by rows of its own; how many there are.

    It is −1 − count where numbers do not ascend within a row: columns that stand in no order, or twice. ``named`` has a bit
    for each column, set where it has a number. ``columns`` and ``values`` have room for one entry more than the rows have.
    """
    here, place = _entries(starts, places, len(number))
    named = number[place]
    keep = (named >= 0).nonzero()[0]
    count = len(keep)
    columns[:count], values[:count] = named[keep], entries[here][keep]
    rows = _row_of(starts)[keep]
    heads[:] = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(heads) - 1))])
    ascending = ((np.diff(rows) > 0) | (np.diff(named[keep]) > 0)).all()
    return count if ascending else -1 - count


@compiled
def sparse_column_facts(starts: Index, places: Index, entries: Array, weights: Array, facts: Array) -> int:
    """For each column j, factsⱼ ← (max |xᵢⱼ|, factsⱼ₁ + Σxᵢⱼ², factsⱼ₂ + Σ weightsᵢxᵢⱼ), the maximum with what was there.

    Returns the place of the first entry that is not finite, −1 where all are.
    """
    for first in range(0, len(weights), BLOCK):
        some, s = starts[first : first + BLOCK + 1], weights[first : first + BLOCK]
        here, place = _entries(some, places, len(facts))
        entry = entries[here].astype(np.float64)
        bad = (~np.isfinite(entry)).nonzero()[0]
        if len(bad):
            return int(some[0] + bad[0])
        np.maximum.at(facts[:, 0], place, np.abs(entry))
        facts[:, 1] += np.bincount(place, entry * entry, len(facts))
        facts[:, 2] += np.bincount(place, entry * s[_row_of(some)], len(facts))
    return -1


@compiled
def dense_column_facts(X: Array, weights: Array, largest: Array, squares: Array, mean: Array) -> int:
    """The same of dense rows in C order; returns the first row with an entry that is not finite, or −1."""
    exact = X.astype(np.float64, copy=False)
    bad = np.flatnonzero(~np.isfinite(exact).all(axis=1))
    if len(bad):
        return int(bad[0])
    np.maximum(largest, np.abs(exact).max(axis=0, initial=0.0), out=largest)
    squares += np.einsum("ij,ij->j", exact, exact)
    mean += exact.T @ weights
    return -1


def _entries(starts: Index, places: Index, d: int) -> tuple[slice, Any]:
    """Which entries the rows have, and their columns, all of them below d."""
    here = slice(int(starts[0]), int(starts[-1]))
    place = places[here].astype(np.int64)
    if len(place) and int(place.max()) >= d:
        raise ValueError(OUTSIDE)
    return here, place


def _row_of(starts: Index) -> Any:
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


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
