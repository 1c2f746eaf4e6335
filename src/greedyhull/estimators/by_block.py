"""Predictions and scores over shards, a block of rows after the other: scores are made from sums, and keep no rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from greedyhull.errors import check
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array, Shard, Shards

AT_ONCE = 1 << 20  # entries of X that are predicted from at once

Predict = Callable[[object], Array]


class Block(NamedTuple):
    """Targets of some rows, what was predicted for them, and their weights."""

    y: Array
    predicted: Array
    weights: Array


def predictions(predict: Predict, data: Shards, names: list[str] | None = None) -> Array:
    """What is predicted for all rows, in order. ``names``: those of the fit's columns."""
    found, n = np.zeros(0), 0
    for part, _ in _predicted(predict, data, names):
        if n == 0:
            found = np.empty((0, *part.shape[1:]), dtype=part.dtype)
        if n + len(part) > len(found):  # room is made in place: a list of parts, put together, would be all of it twice
            found.resize((max(n + len(part), len(found) + len(found) // 8), *part.shape[1:]), refcheck=False)
        found[n : n + len(part)] = part
        n += len(part)
    check(n > 0, "The shards have no rows; at least one is wanted.")
    found.resize((n, *found.shape[1:]), refcheck=False)
    return found


def accuracy(predict: Predict, data: Shards, names: list[str] | None = None) -> float:
    """The weighted share of rows whose label is predicted."""
    right = total = 0.0
    for y, predicted, s in _blocks(predict, data, names):
        right, total = right + float(s[y == predicted].sum()), total + float(s.sum())
    check(total > 0.0, "sample_weight is zero in every row of every shard; some must be positive.")
    return right / total


def r_squared(predict: Predict, data: Shards, names: list[str] | None = None) -> float:
    """R² = 1 − Σs(y − ŷ)²/Σs(y − ȳ)². Means and squares of blocks are put together, so that nothing cancels.

    Targets that are all the same have R² = 1 where they are predicted, else 0.
    """
    total = mean = spread = missed = 0.0
    for y, predicted, s in _blocks(predict, data, names):
        weight = float(s.sum())
        if weight == 0.0:
            continue
        middle, wrong = float(s.dot(y)) / weight, y - predicted
        away, total = middle - mean, total + weight
        missed += float(s.dot(wrong * wrong))
        spread += float(s.dot((y - middle) ** 2)) + away * away * weight * (total - weight) / total
        mean += away * weight / total
    check(total > 0.0, "sample_weight is zero in every row of every shard; some must be positive.")
    return 1.0 - missed / spread if spread > 0.0 else float(missed == 0.0)


def _blocks(predict: Predict, data: Shards, names: list[str] | None) -> Iterator[Block]:
    n = 0
    for predicted, rows in _predicted(predict, data, names):
        y, s = np.asarray(rows.y), rows.sample_weight
        n += len(y)
        yield Block(y, predicted, np.ones(len(y)) if s is None else np.asarray(s, dtype=np.float64))
    check(n > 0, "The shards have no rows; at least one is wanted.")


def _predicted(predict: Predict, data: Shards, names: list[str] | None) -> Iterator[tuple[Array, Shard]]:
    """What is predicted for a block, and its rows; one shard is in memory at a time."""
    check(names is None or data.names is None or data.names == names, lambda: f"The shards have the columns {data.names}, and "
          f"the model was fitted to {names}. Name the same features in the same order.")
    for k in range(data.count):
        for rows in cut(data.load(k)):
            with warnings.catch_warnings():  # the names of the rows' columns were compared here
                warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
                found = predict(rows.X)
            yield found, rows


def cut(shard: Shard) -> Iterator[Shard]:
    """Its rows, some at a time.

    >>> [len(rows) for rows in cut(Shard(np.zeros((5, AT_ONCE // 2)), np.zeros(5)))]
    [2, 2, 1]
    """
    n, X, s = len(shard), shard.X, shard.sample_weight
    if is_sparse(X):
        X = X.tocsr()
    entries = int(X.nnz) if is_sparse(X) else n * int(X.shape[1])
    step = max(n * AT_ONCE // max(entries, n, 1), 1)
    for first in range(0, n, step):
        here = slice(first, first + step)
        yield Shard(X[here], shard.y[here], None if s is None else s[here])
