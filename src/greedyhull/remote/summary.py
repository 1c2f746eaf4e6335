"""The first pass over all shards, its result, and rounding errors of their sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.points.arrays import compressed, is_sparse, masked
from greedyhull.points.views import Expansion
from greedyhull.remote.rows import Kind, RowTask, blank_measures, pieces_of, rows_at_once
from greedyhull.remote.worker import fingerprint
from greedyhull.types import Array, Index, Shard, Shards, Sums


@dataclass(frozen=True, eq=False)
class Summary:
    """Rows of each shard, Σs, the Euclidean norm of each column, the mean row and target, the loss of predicting zero."""

    rows: Index
    pieces: int  # in which a shard is worked on, at most
    total: float  # Σs
    heaviest: float  # the largest sᵢ/Σs
    norms: Array  # of the columns, or a little more
    largest: Array  # max |xᵢⱼ| of each column
    mean: Array
    target: float
    zero: float
    zero_one: bool
    alone: float  # about the best intercept where nothing else predicts
    farthest: float  # no less than its absolute value

    @property
    def n(self) -> int:
        return int(self.rows.sum())

    @property
    def depth(self) -> int:
        """The largest number of roundings in a sum over all rows: those of the longest shard, and one for each shard."""
        return int(self.rows.max(initial=0)) + len(self.rows)

    @property
    def shallow(self) -> float:
        """The same for a sum that `tasks.total` computes, in pieces or at once."""
        return 2.0 * float(np.sqrt(self.rows.max(initial=0))) + 2.0 + self.pieces + len(self.rows)


def summary_of(sums: Sums, shards: Shards, kind: Kind, intercept: bool) -> Summary:
    check(bool(sums), lambda: f"The {shards.count} shards have no rows; at least one is wanted.")
    total = float(sums["weight"])
    check(float(sums["positive"]) > 0.0, "sample_weight is zero in every row of every shard; some must be positive.")
    check(0.0 < total < np.inf, lambda: f"sample_weight sums to {total:g}; weights whose sum is a finite positive number are "
                                        "wanted. Scale them.")
    zero_one = kind.targets == "labels" and _zero_one(sums["labels"], shards, intercept)
    rows, squares, largest = sums["rows"].astype(np.int64), sums["squares"], sums["max columns"]
    n = float(rows.sum())
    # sums of squares are rounded; one below 1e-280 may have lost some of them to underflow
    norms = np.where(squares > 1e-280, np.sqrt(squares), largest * np.sqrt(n)) * (1.0 + 1e-9)
    target = float(sums["target"]) / total
    check(not intercept or kind.targets != "counts" or target > 0.0, "All counts are zero: the best intercept is −∞. Leave "
                                                                     "the intercept out.")
    zero = float(sums["zero"]) / total
    alone, farthest = _constant(kind, target, sums)
    return Summary(rows, int(sums["max pieces"]), total, float(sums["max weight"]) / total, norms, largest,
                   sums["mean"] / total, target, zero if np.isfinite(zero) else 0.0, zero_one, alone, farthest)


def _constant(kind: Kind, target: float, sums: Sums) -> tuple[float, float]:
    """Return about the best intercept where nothing else predicts, and a bound on its absolute value."""
    if kind.name in ("logistic", "poisson"):
        plus, minus = np.maximum(sums["sides"], 1e-300) if kind.name == "logistic" else (max(target, 1e-300), 1.0)
        best = float(np.log(plus) - np.log(minus))
        return best, abs(best) + 1.0
    return target, 1.0 if kind.targets == "labels" else float(sums["max target"])


def _zero_one(labels: Array, shards: Shards, intercept: bool) -> bool:
    """Whether labels are 0 and 1, not −1 and +1, in all shards together."""
    minus, zero, plus = (labels[i].nonzero()[0] for i in range(3))
    check(not (len(minus) and len(zero)), lambda: f"{shards.name(int(minus[0]))} has the label -1 and "
          f"{shards.name(int(zero[0]))} the label 0: together -1, 0 and 1. Use -1 and +1, or 0 and 1, in all shards.")
    both = len(plus) and (len(minus) or len(zero))
    check(not intercept or bool(both), "All shards together hold one class only: the best intercept is infinite. Give samples "
                                       "of both classes, with positive weight, or leave the intercept out.")
    return len(zero) > 0


PORTION = 1 << 20  # rows whose squares are added one after the other: more would be off by more than `summary_of` allows


@dataclass(frozen=True, eq=False)
class FirstPass(RowTask):
    """Check and summarise a shard. Numbers of single shards are in arrays with an entry for each, so that all of it adds."""

    def __call__(self, shard: Shard, k: int) -> Sums:
        name, d = self.shards.name(k), self.shards.d
        X = _matrix(shard.X, d, name)
        n = int(X.shape[0])
        y, s = _vector(shard.y, n, f"The target of {name}"), shard.sample_weight
        weights = np.ones(n) if s is None else _vector(s, n, f"sample_weight of {name}")
        _none(weights < 0.0, weights, f"sample_weight of {name}", "weights must be at least 0.")
        if n == 0:
            return {}
        counts, prints, labels = np.zeros(self.shards.count), np.zeros(self.shards.count), np.zeros((3, self.shards.count))
        counts[k], prints[k] = n, fingerprint(shard)
        kind, plain = self.part.kind, y
        if kind.targets == "labels":
            counted = y[weights > 0.0]
            labels[:, k] = [np.count_nonzero(counted == label) for label in (-1.0, 0.0, 1.0)]
            _none(~np.isin(y, (-1.0, 0.0, 1.0)), y, f"The target of {name}", "labels must be -1 and +1, or 0 and 1.")
            plain = y if (y < 0.0).any() else 2.0 * y - 1.0
        if kind.targets == "counts":
            _none(y < 0.0, y, f"The target of {name}", "counts must be at least 0.")
        up = y > 0.0
        with np.errstate(all="ignore"):
            zero = kind.on(plain, weights).value(np.zeros(n))
        numbers = {"weight": weights.sum(), "max weight": weights.max(), "target": weights.dot(y), "zero": zero,
                   "positive": np.count_nonzero(weights), "max target": np.abs(y).max(),
                   "max pieces": -(-n // rows_at_once(X))}
        sums = {entry: np.asarray(number, dtype=np.float64) for entry, number in numbers.items()} | _columns(X, weights, name)
        return sums | {"rows": counts, "prints": prints, "labels": labels,
                       "sides": np.array([weights[up].sum(), weights[~up].sum()])}


def _matrix(X: Any, d: int, name: str) -> Any:
    if is_sparse(X) and X.shape[0] > 0:
        X = compressed(X.tocsr(), f"X of {name}")
    check(isinstance(X, np.ndarray) or is_sparse(X), lambda: f"X of {name} must be a matrix of numbers, dense or CSR; got a "
                                                             f"{type(X).__name__}.")
    check(X.ndim == 2 and X.shape[1] == d, lambda: f"X of {name} must have {d} columns, as in the other shards; got shape "
                                                   f"{X.shape}.")
    check(X.dtype.kind in "biuf", lambda: f"X of {name} must hold numbers; got dtype {X.dtype}. Encode the columns first.")
    return X


def _vector(values: Any, n: int, name: str) -> Array:
    array = np.asarray(values)
    check(not masked(values) and array.dtype.kind in "biuf",
          lambda: f"{name} must hold numbers; got dtype {array.dtype}. Encode its entries first.")
    check(array.shape == (n,), lambda: f"{name} must hold one number for each of the {n} rows; got shape {array.shape}.")
    array = array.astype(np.float64)
    _none(~np.isfinite(array), array, name, "numbers must be finite. Drop such rows first.")
    return array


def _none(wrong: Array, values: Array, name: str, wanted: str) -> None:
    """Raise where an entry is wrong, and name the first one."""
    if wrong.any():
        i = int(wrong.argmax())
        raise GreedyhullError(f"{name} is {values[i]:g} in row {i}; {wanted}")


def _columns(X: Any, weights: Array, name: str) -> Sums:
    """Compute Σxᵢⱼ², max |xᵢⱼ| and Σ sᵢxᵢⱼ for every column j, in one pass over the entries; all of them must be finite."""
    n, d = X.shape
    measures, squares, mean, added = blank_measures(X), np.zeros(d), np.zeros(d), 0
    with np.errstate(over="ignore"):
        for here, rows in pieces_of(X):
            odd = rows.measure(weights[here], measures)
            if odd is not None:
                raise GreedyhullError(f"X of {name} holds {odd.entry} in row {here.start + odd.row}, column {odd.column}; "
                                      "numbers must be finite. Drop those rows, or fill them, first.")
            if here.stop - added >= PORTION or here.stop == n:
                squares += measures[1]
                mean += measures[2]
                measures[1:], added = 0.0, here.stop
    largest = np.array(measures[0])
    check(bool(np.isfinite(squares).all()), lambda: f"X of {name} has entries of up to {largest.max():.3g}, whose squares "
                                                    "overflow. Scale the columns down.")
    return {"squares": squares, "max columns": largest, "mean": mean}


EPS = float(np.finfo(np.float64).eps)


def allowance(summary: Summary, found: Expansion, reach: float, terms: float, swing: float) -> float:
    """Bound the rounding of value − lower bound at a point with the expansion ``found``."""
    more, n = found.more, float(summary.n)
    depth, b = summary.depth + 16.0, abs(more["b"])
    far, steep = reach + b * n**0.5, steepness(summary, found)
    count = 2.0 * depth + terms
    if far == 0.0 and more["size"] == 0.0:
        return 0.0
    first = EPS * (depth * more["size"] + count * steep * far)
    return float(first + swing + 5e-324 * count * (1.0 + steep + far))  # what a product that underflows may be off by


def steepness(summary: Summary, found: Expansion) -> float:
    """Return ‖r + tc̃‖₂, or a little more."""
    more, lost = found.more, summary.n * 1e-300  # what underflow may have taken from a sum of squares, for each row
    return float(np.sqrt(more["square"] + lost) + abs(more["t"]) * np.sqrt(more["steady_square"] + lost)) * (1.0 + 1e-9)


def uncertain(summary: Summary, found: Expansion, widest: float) -> float:
    """Bound what an intercept that is not the best one adds to a gap, and the rounding of Σ(r + tc̃); see `intercepts`.

    ``widest`` bounds |xᵢ·u| for all rows and all points u of the hull.
    """
    more = found.more
    rounded = EPS * (summary.shallow + 16.0) * float(np.sqrt(summary.n)) * steepness(summary, found)
    apart = abs(more["b"]) + summary.farthest + widest
    return (1.0 + 1e-6) * (more["error"] + (abs(more["left"]) + rounded) * apart)
