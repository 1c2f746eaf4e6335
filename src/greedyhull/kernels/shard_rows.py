"""Passes over some rows of a shard, each entry read once.

``starts, places, entries`` are the arrays of a matrix by rows; a part of ``starts`` stands for some of the rows. Sums are in
float64, whatever the entries are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array, Index

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
