"""A loss on one shard: its rows as a design, its targets and weights as a loss whose weights are shares of all data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.sharded.rows import DenseRows, SparseRows, pieces_of, rows_of
from greedyhull.types import Array, Shard, Shards


@dataclass(frozen=True)
class Kind:
    """Which loss: its class, its numbers, and whether targets are labels, or counts."""

    loss: type[Separable]
    name: str
    numbers: tuple[float, ...] = ()
    targets: str = "numbers"  # "labels": −1 and +1, or 0 and 1; "counts": at least 0
    mu: float = 0.0  # by how much kinks are smoothed

    def on(self, y: Array, p: Array | float) -> Separable:
        loss = self.loss(y, p, *self.numbers)  # each loss knows which numbers it takes
        return loss if self.mu == 0.0 else softened(loss, self.mu)


def softened(loss: Separable, mu: float) -> Separable:
    """A loss with kinks, smoothed."""
    from greedyhull.objectives.losses.piecewise import PiecewiseLinear

    assert isinstance(loss, PiecewiseLinear)  # nobody smooths others
    return loss.smoothed(mu)


@dataclass(frozen=True)
class Part:
    """How a shard becomes (A, φ): φ has the weights sᵢ/Σs, the sum over *all* shards."""

    shards: Shards = field(repr=False)
    token: str
    kind: Kind
    total: float  # Σs
    zero_one: bool = False  # labels are 0 and 1

    def on(self, shard: Shard) -> tuple[Any, Separable]:
        """The design of a shard's rows as they are, and its loss in float64."""
        y, s = self._terms(shard)
        return rows_of(shard.X), self._loss(y, s)

    def chunks(self, shard: Shard) -> Iterator[tuple[DenseRows | SparseRows, Separable]]:
        """`on` of as many rows at a time as caches hold."""
        y, s = self._terms(shard)
        for here, rows in pieces_of(shard.X):
            yield rows, self._loss(y[here], None if s is None else s[here])

    def _terms(self, shard: Shard) -> tuple[Array, Array | None]:
        """Targets and weights."""
        y, s = np.asarray(shard.y, dtype=np.float64), shard.sample_weight
        return 2.0 * y - 1.0 if self.zero_one else y, None if s is None else np.asarray(s, dtype=np.float64)

    def _loss(self, y: Array, s: Array | None) -> Separable:
        return self.kind.on(y, 1.0 / self.total if s is None else s / self.total)
