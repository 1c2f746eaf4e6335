"""Least squares with few columns over shards: one pass makes XᵀPX and XᵀPy, and the rest is a quadratic on the driver.

½ Σ pᵢ(xᵢ·w + b − yᵢ)² = ½wᵀQw − cᵀw + ½s with Q = XᵀPX, c = XᵀPy, s = yᵀPy, all of them centred where there is an
intercept. Sums of chunks and shards are compensated: what is lost in an addition is kept beside it. What rounding does to Q, c
and s is in no certificate. They steer; the point that they lead to is certified over the shards themselves, in one more trip.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.objectives.quadratic import QuadraticForm
from greedyhull.objectives.sharded.rows import DenseRows
from greedyhull.objectives.sharded.task import RowTask
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, Crew, Index, Minibatch, Objective, Shard, Sums, Traits

if TYPE_CHECKING:
    from greedyhull.objectives.sharded.model import ShardedModel

WIDEST = 3000  # columns, at most, for which XᵀX is made
CHUNK = 1 << 21  # entries that are multiplied at once


@dataclass(frozen=True, eq=False)
class Products(RowTask):
    """[X y 1]ᵀP[X y 1] of a shard, in two parts: the sum, and what was lost in its additions."""

    centre: Array  # subtracted from rows, and from targets: nothing cancels later

    def __call__(self, shard: Shard, k: int) -> Sums:
        if len(shard) == 0:
            return {}
        A, loss = self.part.on(shard)
        d = A.domain[0]
        total, lost = np.zeros((d + 1, d + 1)), np.zeros((d + 1, d + 1))
        step = max(CHUNK // (d + 1), 1)
        for start in range(0, A.n, step):
            here = slice(start, start + step)
            X = A.X[here] if isinstance(A, DenseRows) else A.X[here].toarray()
            M = np.concatenate([np.asarray(X, dtype=np.float64), loss.y[here, None]], axis=1) - self.centre
            p = loss.p if isinstance(loss.p, float) else loss.p[here, None]
            add_exactly(total, lost, M.T @ (p * M))
        return {"products": total, "lost": lost}


def add_exactly(total: Array, lost: Array, more: Array) -> None:
    """total + more, what the additions lose going to ``lost`` (Knuth's two-sum).

    >>> total, lost = np.array([1.0]), np.array([0.0])
    >>> add_exactly(total, lost, np.array([1e-17]))
    >>> total, lost
    (array([1.]), array([1.e-17]))
    """
    old = total.copy()
    total += more
    rest = total - old
    lost += (old - (total - rest)) + (more - rest)


class GramSquares(QuadraticForm):
    """Least squares as ½wᵀQw − cᵀw + ½s, Q made in one pass over the shards; ``precise()`` is the objective over them."""

    name = "least_squares"

    def __init__(self, model: ShardedModel) -> None:
        self._model = model
        Q, c, s = gathered(model)
        self._constant = 0.5 * s
        super().__init__(Q, c, None)
        self.scale, self.l2, self.has_intercept, self.marks = model.scale, model.l2, model.has_intercept, model.marks
        self.traits = Traits(terms="finite", quadratic=True, second_order=True, images=True, remote=True,
                             intercept=model.has_intercept)

    def __repr__(self) -> str:
        return repr(self._model)

    @property
    def crew(self) -> Crew:
        return self._model.crew

    @property
    def trips(self) -> int:
        return self._model.trips

    def shard_marks(self) -> dict[str, str]:
        return self._model.shard_marks()

    def reduced(self) -> tuple[Objective, str]:
        return self, ""

    def value(self, w: Iterate) -> float:
        return super().value(w) + self._constant

    @property
    def n(self) -> int:
        return self._model.n

    def batch(self, index: Index) -> Minibatch:
        return self._model.batch(index)

    def singles(self, index: Index) -> list[Minibatch]:
        return self._model.singles(index)

    def everything(self) -> Minibatch:
        return self._model.everything()

    def intercept(self, w: Iterate) -> float:
        return self._model.intercept(w.copy())

    def precise(self) -> ShardedModel:  # type: ignore[override]
        """The objective over the shards, which certificates are computed with."""
        return self._model


def gathered(model: ShardedModel) -> tuple[Array, Array, float]:
    """Q, c and s of a least-squares objective over shards."""
    facts, d = model.facts, model.domain[0]
    centre = np.append(facts.mean, facts.target) if model.has_intercept else np.zeros(d + 1)
    total, lost = np.zeros((d + 1, d + 1)), np.zeros((d + 1, d + 1))
    for sums in model.each(Products(model.part, centre), 2 * (d + 1) ** 2):
        if sums:
            add_exactly(total, lost, sums["products"])
            lost += sums["lost"]
    total += lost
    total = 0.5 * (total + total.T)
    Q = total[:d, :d] + model.l2 * np.eye(d)
    return Q, total[:d, d].copy(), float(total[d, d])
