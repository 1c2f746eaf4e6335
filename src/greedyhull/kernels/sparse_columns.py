"""Products with a few columns of a sparse matrix, without building the submatrix.

``starts, places, entries`` are the arrays of a compressed matrix: by column for the first two kernels, by row for the
last. Indices come as unsigned views: signed ones run almost twice as slow.
"""

from __future__ import annotations

from typing import Any

from greedyhull.kernels.compiled import compiled


@compiled
def add_columns(starts: Any, places: Any, entries: Any, index: Any, c: Any, z: Any) -> None:
    """z ← z + Σₖ cₖ X[:, indexₖ]."""
    for k in range(len(index)):
        j, ck = index[k], c[k]
        for t in range(starts[j], starts[j + 1]):
            z[places[t]] += ck * entries[t]


@compiled
def dot_columns(starts: Any, places: Any, entries: Any, index: Any, r: Any, out: Any) -> None:
    """outₖ ← ⟨X[:, indexₖ], r⟩."""
    for k in range(len(index)):
        j, total = index[k], 0.0
        for t in range(starts[j], starts[j + 1]):
            total += entries[t] * r[places[t]]
        out[k] = total


@compiled
def gram_rows(starts: Any, places: Any, entries: Any, weights: Any, number: Any, found: Any, value: Any, G: Any) -> None:
    """G[number[j], number[l]] ← Σᵢ weightsᵢ Xᵢⱼ Xᵢₗ for number[j] ≥ number[l] ≥ 0; columns numbered −1 are passed over.

    Rows of weight zero cost nothing. Columns are numbered in ascending order. ``found`` and ``value`` are scratch.
    """
    for i in range(len(starts) - 1):
        c = weights[i]
        if c == 0.0:
            continue
        count = 0
        for t in range(starts[i], starts[i + 1]):
            a = number[places[t]]
            if a >= 0:
                x = entries[t]
                found[count] = a
                value[count] = x
                count += 1
                for s in range(count):
                    G[a, found[s]] += c * x * value[s]


@compiled
def gram_columns(starts: Any, places: Any, entries: Any, weights: Any, index: Any, work: Any, G: Any) -> None:
    """G[a, b] ← Σᵢ weightsᵢ X[i, index_a] X[i, index_b] for a ≥ b: for few columns of a large matrix.

    ``work`` is scratch with a zero for every row, and is left so.
    """
    for b in range(len(index)):
        j = index[b]
        for t in range(starts[j], starts[j + 1]):
            work[places[t]] = weights[places[t]] * entries[t]
        for a in range(b, len(index)):
            i, total = index[a], 0.0
            for t in range(starts[i], starts[i + 1]):
                total += entries[t] * work[places[t]]
            G[a, b] = total
        for t in range(starts[j], starts[j + 1]):
            work[places[t]] = 0.0
