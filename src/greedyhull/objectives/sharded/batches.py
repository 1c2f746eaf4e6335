"""Minibatches over shards: rows drawn from all data alike, fetched in one trip; and all rows, asked by trips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.sharded.facts import Facts
from greedyhull.objectives.sharded.part import Part
from greedyhull.objectives.sharded.task import RowTask
from greedyhull.objectives.sharded.trip import Trips
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array, Finite, Index, Minibatch, Shard, Sums
from greedyhull.types.override import KeepsMinibatch, keeps, override

if TYPE_CHECKING:
    from greedyhull.objectives.sharded.model import ShardedModel


@dataclass(frozen=True, eq=False)
class Fetch(RowTask):
    """Some rows of each shard, with their targets and weights; shards of which none are wanted are not loaded."""

    rows: dict[int, Index]

    @override
    def wants(self, k: int) -> bool:
        return k in self.rows

    def __call__(self, shard: Shard, k: int) -> Sums:
        index = self.rows[k]
        A, loss = self.part.on(Shard(shard.X[index], shard.y[index],
                                     None if shard.sample_weight is None else shard.sample_weight[index]))
        p: Array = np.broadcast_to(np.asarray(loss.p, dtype=np.float64), len(index)).copy()
        X: Any = A.X
        found = {"y": loss.y.copy(), "p": p}
        if is_sparse(X):
            return found | {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        return found | {"X": np.array(X)}


def fetched(trips: Trips, part: Part, facts: Facts, index: Index) -> tuple[Any, Separable]:
    """The rows with these numbers among all rows, in this order, and their loss: n/b times the weight of each.

    Every row is drawn from all data alike and independently of the others, so that its shard is drawn in proportion to its
    rows. Rows of one drawn shard would be a cluster sample: its variance is not that of b independent rows.
    """
    ends = np.cumsum(facts.rows)
    home = np.searchsorted(ends, index, side="right")
    order = np.argsort(home, kind="stable")
    begins = ends - facts.rows
    wanted = {int(k): index[order[home[order] == k]] - begins[k] for k in np.unique(home)}
    found = [sums for sums in trips.each(Fetch(part, wanted), facts.rows) if sums]
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    y, p = (np.concatenate([sums[name] for sums in found])[back] for name in ("y", "p"))
    rows = _stacked(found, part.shards.d)[back]
    return rows, part.kind.on(y, p * (facts.n / len(index)))


def _stacked(found: list[Sums], d: int) -> Any:
    if all("X" in sums for sums in found):
        return np.concatenate([sums["X"] for sums in found])
    from scipy.sparse import csr_array, vstack

    return vstack([csr_array(sums["X"]) if "X" in sums else
                   csr_array((sums["data"], sums["indices"], sums["indptr"]), shape=(len(sums["y"]), d)) for sums in found],
                  format="csr")


class AllRows(KeepsMinibatch):
    """All terms as one batch: a trip a question."""

    size: int

    if TYPE_CHECKING:
        keeps(Minibatch.size)

    def __init__(self, f: ShardedModel) -> None:
        self.f, self.size = f, f.n

    @override
    def value(self, x: Array) -> float:
        return self.f.expansion(np.array(x), None).value

    @override
    def gradient(self, x: Array) -> Array:
        return self.f.expansion(np.array(x), None).gradient

    @override
    def pulls(self, x: Array, S: Finite) -> Array:
        raise GreedyhullError(f"{self.f!r} was asked for the gradient of every single row, which would not fit in one place. "
                              "Use FullGap(), or a smaller batch.")
