"""Rows that were read, checked: finite numbers of the right shape, weights not negative; file and row are named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from greedyhull.errors import check
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array, Shard

BLOCK = 1 << 16  # entries that are looked at together


@dataclass(frozen=True, slots=True)
class Place:
    """Where rows come from: a file, the number of its first row here, and the names of the columns if they have any."""

    file: str
    first: int = 0
    columns: tuple[str, ...] | None = None
    target: str = "the target"
    weight: str = "the weights"

    def row(self, i: int) -> str:
        return f"row {self.first + i} of {self.file} (counted from 0)"

    def column(self, j: int) -> str:
        return f"column {j if self.columns is None else self.columns[j]}"


def checked(X: Any, y: Array, sample_weight: Array | None, place: Place) -> Shard:
    """The shard of these rows: X float32 or float64 in C order, or CSR; y and weights float64."""
    if is_sparse(X):
        _check_sparse(X, place)
    else:
        X = np.ascontiguousarray(X)
        i, j = _first_odd(X)
        check(i < 0, lambda: f"{_odd(X[i, j])} stands in {place.column(j)}, {place.row(i)}. {HINT}")
    y = _vector(y, X.shape[0], place.target, place)
    s = None if sample_weight is None else _vector(sample_weight, X.shape[0], place.weight, place)
    if s is not None and len(s) and s.min() < 0.0:
        i = int(np.argmax(s < 0.0))
        check(False, f"{float(s[i])!r} stands in {place.weight}, {place.row(i)}; weights of at least 0 are wanted.")
    return Shard(X, y, s)


HINT = "Finite numbers are wanted: fill the cell, or leave the row or the column out."


def _vector(given: Array, n: int, what: str, place: Place) -> Array:
    found = np.array(given)
    check(found.dtype.kind in "biuf", f"{what} of {place.file} holds {found.dtype}; numbers are wanted. Encode words as "
                                      "numbers.")
    found = found.ravel() if found.size == max(found.shape, default=0) else found
    check(found.shape == (n,), f"{what} of {place.file} has shape {found.shape} where X has {n} rows; one number a row is "
                               "wanted.")
    with np.errstate(over="ignore"):
        found = found.astype(np.float64)
    i, _ = _first_odd(found[:, None])
    check(i < 0, lambda: f"{_odd(found[i])} stands in {what}, {place.row(i)}. {HINT}")
    return found


def _check_sparse(X: Any, place: Place) -> None:
    at = _first_odd(X.data[:, None])[0]
    if at < 0:
        return
    i = int(np.searchsorted(X.indptr, at, side="right")) - 1
    check(False, f"{_odd(X.data[at])} stands in {place.column(int(X.indices[at]))}, {place.row(i)}. {HINT}")


def _first_odd(X: Array) -> tuple[int, int]:
    """Row and column of the first entry that is not finite, (−1, −1) where there is none; by blocks, to take no memory."""
    step = max(1, BLOCK // max(1, X.shape[1]))
    for start in range(0, len(X), step):
        wrong = ~np.isfinite(X[start : start + step])
        if wrong.any():
            i, j = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            return start + int(i), int(j)
    return -1, -1


def _odd(value: Any) -> str:
    return "NaN" if np.isnan(value) else "an infinite number"
