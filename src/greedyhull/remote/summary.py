"""The first pass over all shards, what it found, and rounding errors of their sums."""

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

ABOVE = 1.0 + 1e-9  # sums of squares are rounded


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
        """How many roundings a sum over all rows has at most: those of the longest shard, and one for each shard."""
        return int(self.rows.max(initial=0)) + len(self.rows)

    @property
    def shallow(self) -> float:
        """How many of them a sum has at most that is made by `expand.total`, in pieces or at once."""
        return 2.0 * float(np.sqrt(self.rows.max(initial=0))) + 2.0 + self.pieces + len(self.rows)


def summary_of(sums: Sums, shards: Shards, kind: Kind, intercept: bool) -> Summary:
    """The summary from the sums of all shards."""
    check(bool(sums), lambda: f"The {shards.count} shards have no rows; at least one is wanted.")
    total = float(sums["weight"])
    check(float(sums["positive"]) > 0.0, "sample_weight is zero in every row of every shard; some must be positive.")
    check(0.0 < total < np.inf, lambda: f"sample_weight sums to {total:g}; weights whose sum is a finite positive number are "
                                        "wanted. Scale them.")
    zero_one = kind.targets == "labels" and _zero_one(sums["labels"], shards, intercept)
    rows, squares, largest = sums["rows"].astype(np.int64), sums["squares"], sums["max columns"]
    n = float(rows.sum())
    # a sum of squares below this may have lost some of them to underflow
    norms = np.where(squares > 1e-280, np.sqrt(squares) * ABOVE, largest * np.sqrt(n) * ABOVE)
    target = float(sums["target"]) / total
    check(not intercept or kind.targets != "counts" or target > 0.0, "All counts are zero: the best intercept is −∞. Leave "
                                                                     "the intercept out.")
    zero = float(sums["zero"]) / total
    alone, farthest = constant(kind, target, sums)
    return Summary(rows, int(sums["max pieces"]), total, float(sums["max weight"]) / total, norms, largest,
                   sums["mean"] / total, target, zero if np.isfinite(zero) else 0.0, zero_one, alone, farthest)


def constant(kind: Kind, target: float, sums: Sums) -> tuple[float, float]:
    """About the best intercept where nothing else predicts, and a number that its absolute value does not exceed.

    For `logistic` it is the logarithm of the odds, for `poisson` that of the mean; sums are rounded by less than a factor e.
    Of labels −1 and +1 the squared hinge has it between these, and all others have it among the targets.
    """
    if kind.name == "logistic":
        plus, minus = np.maximum(sums["sides"], 1e-300).tolist()
        odds = float(np.log(plus) - np.log(minus))
        return odds, abs(odds) + 1.0
    if kind.name == "poisson":
        mean = float(np.log(max(target, 1e-300)))
        return mean, abs(mean) + 1.0
    if kind.targets == "labels":
        return target, 1.0
    return target, float(sums["max target"])


def _zero_one(labels: Array, shards: Shards, intercept: bool) -> bool:
    """Whether labels are 0 and 1, not −1 and +1; the label sets of all shards are taken together."""
    minus, zero, plus = (labels[i].nonzero()[0] for i in range(3))
    check(not (len(minus) and len(zero)), lambda: f"{shards.name(int(minus[0]))} has the label -1 and "
          f"{shards.name(int(zero[0]))} the label 0: together -1, 0 and 1. Labels -1 and +1, or 0 and 1, are wanted, the same "
          "ones in all shards.")
    both = len(plus) and (len(minus) or len(zero))
    check(not intercept or bool(both), "All shards together hold one class only: the best intercept is infinite. Give samples "
                                       "of both classes, with positive weight, or leave the intercept out.")
    return len(zero) > 0


PORTION = 1 << 20  # rows whose squares are added one after the other: more would be off by more than `summary` allows


@dataclass(frozen=True, eq=False)
class FirstPass(RowTask):
    """What a shard says of itself. Numbers of single shards stand in arrays with an entry for each, so that all of it adds."""

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
        sums = _columns(X, s, name) | self._of_one(k, y, s, name)
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
        if self.part.kind.targets == "labels":
            counted = y[weights > 0.0]
            labels[:, k] = [np.count_nonzero(counted == label) for label in (-1.0, 0.0, 1.0)]
            odd = ((y != 1.0) & (y != -1.0) & (y != 0.0)).nonzero()[0]
            check(not len(odd), lambda: f"The target of {name} is {y[odd[0]]:g} in row {odd[0]}; labels -1 and +1, or 0 and "
                                        "1, are wanted.")
        if self.part.kind.targets == "counts":
            odd = (y < 0.0).nonzero()[0]
            check(not len(odd), lambda: f"The target of {name} is {y[odd[0]]:g} in row {odd[0]}; counts of at least 0 are "
                                        "wanted.")
        top, up = float(weights.max()), y > 0.0
        with np.errstate(all="ignore"):
            plain = 2.0 * y - 1.0 if self.part.kind.targets == "labels" and not (y < 0.0).any() else y
            zero = self.part.kind.on(plain, weights).value(np.zeros(n))
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


EPS = float(np.finfo(np.float64).eps)


def allowance(summary: Summary, found: Expansion, reach: float, terms: float, swing: float) -> float:
    """A bound on the rounding of value − lower bound at a point where ``found`` was said."""
    more, n = found.more, float(summary.n)
    depth, b = summary.depth + 16.0, abs(more["b"])
    far, steep = reach + b * n**0.5, steepness(summary, found)
    count = 2.0 * depth + terms
    if far == 0.0 and more["size"] == 0.0:
        return 0.0
    first = EPS * (depth * more["size"] + count * steep * far)
    return float(first + swing + 5e-324 * count * (1.0 + steep + far))  # what a product that underflows may be off by


def steepness(summary: Summary, found: Expansion) -> float:
    """‖r + tc̃‖₂, or a little more."""
    more, lost = found.more, summary.n * 1e-300  # what underflow may have taken from a sum of squares, for each row
    return float(np.sqrt(more["square"] + lost) + abs(more["t"]) * np.sqrt(more["steady_square"] + lost)) * (1.0 + 1e-9)


def uncertain(summary: Summary, found: Expansion, widest: float) -> float:
    """What an intercept that is not the best one adds to a gap, and the rounding of Σ(r + tc̃) with it; see `intercepts`.

    ``widest`` bounds |xᵢ·u| for all rows and all points u of the hull.
    """
    more = found.more
    rounded = EPS * (summary.shallow + 16.0) * float(np.sqrt(summary.n)) * steepness(summary, found)
    apart = abs(more["b"]) + summary.farthest + widest
    return (1.0 + 1e-6) * (more["error"] + (abs(more["left"]) + rounded) * apart)
