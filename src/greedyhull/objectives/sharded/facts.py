"""What the first pass found out about all data, and whether a loss can be computed from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.errors import check
from greedyhull.objectives.sharded.part import Kind
from greedyhull.types import Array, Index, Shards, Sums

ABOVE = 1.0 + 1e-9  # sums of squares are rounded
FAINT = 1e-280  # a sum of squares below this may have lost some of them to underflow


@dataclass(frozen=True, eq=False)
class Facts:
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


def facts_of(sums: Sums, shards: Shards, kind: Kind, intercept: bool) -> Facts:
    """The facts from the sums of all shards."""
    check(bool(sums), lambda: f"The {shards.count} shards have no rows; at least one is wanted.")
    total = float(sums["weight"])
    check(float(sums["positive"]) > 0.0, "sample_weight is zero in every row of every shard; some must be positive.")
    check(0.0 < total < np.inf, lambda: f"sample_weight sums to {total:g}; weights whose sum is a finite positive number are "
                                        "wanted. Scale them.")
    zero_one = kind.targets == "labels" and _zero_one(sums["labels"], shards, intercept)
    rows, squares, largest = sums["rows"].astype(np.int64), sums["squares"], sums["max columns"]
    n = float(rows.sum())
    norms = np.where(squares > FAINT, np.sqrt(squares) * ABOVE, largest * np.sqrt(n) * ABOVE)
    target = float(sums["target"]) / total
    check(not intercept or kind.targets != "counts" or target > 0.0, "All counts are zero: the best intercept is −∞. Leave "
                                                                     "the intercept out.")
    zero = float(sums["zero"]) / total
    alone, farthest = constant(kind, target, sums)
    return Facts(rows, int(sums["max pieces"]), total, float(sums["max weight"]) / total, norms, largest, sums["mean"] / total,
                 target, zero if np.isfinite(zero) else 0.0, zero_one, alone, farthest)


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
