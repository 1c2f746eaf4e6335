"""The first pass over all shards: how many rows there are, how large their entries, and what is wrong with which of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.sharded.fingerprint import fingerprint
from greedyhull.objectives.sharded.part import Kind
from greedyhull.objectives.sharded.rows import blank_measures, pieces_of, rows_at_once
from greedyhull.points.arrays import is_sparse, masked
from greedyhull.points.given import compressed
from greedyhull.types import Array, Shard, Shards, Sums

PORTION = 1 << 20  # rows whose squares are added one after the other: more would be off by more than `facts` allows


@dataclass(frozen=True, eq=False)
class FirstLook:
    """What a shard says of itself. Numbers of single shards stand in arrays with an entry for each, so that all of it adds."""

    shards: Shards = field(repr=False)
    token: str
    kind: Kind
    together: bool = False
    paired: bool = False

    def wants(self, k: int) -> bool:
        return True

    def __call__(self, shard: Shard, k: int) -> Sums:
        name, d = self.shards.name(k), self.shards.d
        X = _matrix(shard.X, d, name)
        n = int(X.shape[0])
        y, s = _vector(shard.y, n, f"The target of {name}"), shard.sample_weight
        if s is not None:
            s = _vector(s, n, f"sample_weight of {name}")
            low = (s < 0.0).nonzero()[0]
            check(not len(low), lambda: f"sample_weight of {name} is {s[low[0]]:g} in row {low[0]}; weights of at least 0 are "
                                        "wanted.")
        if n == 0:
            return {}
        sums = _columns(X, s, name)
        sums.update(self._of_one(k, y, s, name))
        prints = np.zeros(self.shards.count)
        prints[k] = fingerprint(shard)
        sums["prints"] = prints
        sums["max pieces"] = np.asarray(float(-(-n // rows_at_once(X))))
        return sums

    def _of_one(self, k: int, y: Array, s: Array | None, name: str) -> Sums:
        """Rows, Σs, the mean target, labels, the loss of predicting zero."""
        n, K = len(y), self.shards.count
        weights = np.ones(n) if s is None else s
        rows, labels = np.zeros(K), np.zeros((3, K))
        rows[k] = n
        if self.kind.targets == "labels":
            counted = y[weights > 0.0]
            labels[:, k] = [np.count_nonzero(counted == label) for label in (-1.0, 0.0, 1.0)]
            odd = ((y != 1.0) & (y != -1.0) & (y != 0.0)).nonzero()[0]
            check(not len(odd), lambda: f"The target of {name} is {y[odd[0]]:g} in row {odd[0]}; labels -1 and +1, or 0 and "
                                        "1, are wanted.")
        if self.kind.targets == "counts":
            odd = (y < 0.0).nonzero()[0]
            check(not len(odd), lambda: f"The target of {name} is {y[odd[0]]:g} in row {odd[0]}; counts of at least 0 are "
                                        "wanted.")
        top, up = float(weights.max()), y > 0.0
        with np.errstate(all="ignore"):
            plain = 2.0 * y - 1.0 if self.kind.targets == "labels" and not (y < 0.0).any() else y
            zero = self.kind.on(plain, weights).value(np.zeros(n))
        return {"rows": rows, "labels": labels, "weight": np.asarray(weights.sum()), "max weight": np.asarray(top),
                "target": np.asarray(weights.dot(y)), "zero": np.asarray(zero, dtype=np.float64),
                "positive": np.asarray(float(np.count_nonzero(weights))), "max target": np.asarray(np.abs(y).max()),
                "sides": np.array([weights[up].sum(), weights[~up].sum()])}


def _matrix(X: Any, d: int, name: str) -> Any:
    """X as it is, after looking at its shape, its dtype and its entries."""
    if is_sparse(X) and X.shape[0] > 0:
        X = compressed(X.tocsr(), f"X of {name}")
    check(isinstance(X, np.ndarray) or is_sparse(X), lambda: f"X of {name} is a {type(X).__name__}; a matrix of numbers, "
                                                             "dense or CSR, is wanted.")
    check(X.ndim == 2 and X.shape[1] == d, lambda: f"X of {name} has shape {X.shape}; {d} columns are wanted, as in the other "
                                                   "shards.")
    check(X.dtype.kind in "biuf", lambda: f"X of {name} has dtype {X.dtype}; numbers are wanted. Encode the columns first.")
    return X


def _vector(values: Any, n: int, name: str) -> Array:
    array = np.asarray(values)
    check(not masked(values) and array.dtype.kind in "biuf", lambda: f"{name} has dtype {array.dtype}; numbers are wanted. "
                                                                     "Encode its entries first.")
    check(array.shape == (n,), lambda: f"{name} has shape {array.shape}, and there are {n} rows; one number for each row is "
                                       "wanted.")
    array = array.astype(np.float64)
    bad = (~np.isfinite(array)).nonzero()[0]
    check(not len(bad), lambda: f"{name} is {array[bad[0]]} in row {bad[0]}; finite numbers are wanted. Drop such rows first.")
    return array


def _columns(X: Any, s: Array | None, name: str) -> Sums:
    """Σxᵢⱼ², max |xᵢⱼ| and Σ sᵢxᵢⱼ for every column j, in one pass over the entries; all of them must be finite."""
    n, d = X.shape
    weights = np.ones(n) if s is None else s
    measures, squares, mean, added = blank_measures(X), np.zeros(d), np.zeros(d), 0
    with np.errstate(over="ignore"):
        for here, rows in pieces_of(X):
            odd = rows.measure(weights[here], measures)
            if odd is not None:
                raise GreedyhullError(f"X of {name} holds {odd.entry} in row {here.start + odd.row}, column {odd.column}; "
                                      "finite numbers are wanted. Drop those rows, or fill them, first.")
            if here.stop - added >= PORTION or here.stop == n:
                squares += measures[1]
                mean += measures[2]
                measures[1:], added = 0.0, here.stop
    largest = np.array(measures[0])
    check(bool(np.isfinite(squares).all()), lambda: f"X of {name} has entries of up to {largest.max():.3g}, whose squares "
                                                    "overflow. Scale the columns down.")
    return {"squares": squares, "max columns": largest, "mean": mean}
