"""The least ⟨g, x⟩ of weights under caps on groups that are near given ones: Σ|xⱼ − pⱼ| ≤ most.

With a price λ on trades, ⟨g, x⟩ + λΣ|xⱼ − pⱼ| is piecewise linear in each coordinate: up to pⱼ a unit costs gⱼ − λ, beyond it
gⱼ + λ. So the least of it is found by filling 2d pieces in the order of their costs, as over any polymatroid. Each filling is
a line λ ↦ ⟨g, x⟩ + λΣ|xⱼ − pⱼ| that lies nowhere below the least; the λ at which two lines meet is tried next, until no line
is lower there. A mixture of the last two then uses up ``most``, and the value at λ proves that it is the best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.kernels.box_qp import as_given
from greedyhull.kernels.grouped_filling import grouped_levels, grouped_vertex
from greedyhull.types import Array, Index

EPS = float(np.finfo(np.float64).eps)
TRIED = 200  # lines, at most; about ten are needed
ROUNDED = 64.0  # times eps times the size of costs: by how much sums over pieces may be off


class Pieces(NamedTuple):
    """0 ≤ x ≤ high with the sum total and sums over groups of at most room; p is between the bounds.

    ``ends`` and ``groups`` have the pieces below p, then those beyond it.
    """

    p: Array
    room: Array
    total: float
    most: float
    ends: Array
    groups: Index

    @staticmethod
    def of(p: Array, high: Array, of: Index, room: Array, total: float, most: float) -> Pieces:
        return Pieces(p, room, total, most, np.concatenate([p, high - p]), np.concatenate([of, of]))

    def costs(self, g: Array, price: float) -> Array:
        return np.concatenate([g - price, g + price], dtype=np.float64)

    def filled(self, g: Array, price: float) -> Array:
        """A point with the least ⟨g, x⟩ + price·Σ|xⱼ − pⱼ|."""
        d = len(self.p)
        places, entries = np.empty(2 * d, dtype=np.intp), np.empty(2 * d)
        many = grouped_vertex(self.costs(g, price), self.ends, self.groups, self.room, self.total, 0.0, places, entries)
        assert many >= 0  # there is room for the total
        return np.bincount(places[:many] % d, entries[:many], d)

    def traded(self, x: Array) -> float:
        return float(np.abs(x - self.p).sum())


class Traded(NamedTuple):
    """A point, the price of trades, and a number that ⟨g, ·⟩ is nowhere below, all rounding counted."""

    x: Array
    price: float
    lower: float


def traded_vertex(g: Array, pieces: Pieces) -> Traded:
    """The best point for g.

    >>> pieces = Pieces.of(np.array([0.5, 0.5]), np.ones(2), np.zeros(2, dtype=np.intp), np.ones(1), 1.0, 0.2)
    >>> traded_vertex(np.array([1.0, 3.0]), pieces).x
    array([0.6, 0.4])
    """
    g, near = as_given(g), pieces.most * (1.0 + 4.0 * EPS)
    first = pieces.filled(g, 0.0)
    if pieces.traded(first) <= near:
        return Traded(first, 0.0, _lower(g, 0.0, first, pieces))
    spread = float(g.max() - g.min())
    price = spread
    over, under = first, pieces.filled(g, spread + EPS * float(np.abs(g).max()))
    x = under
    for _ in range(TRIED):
        less = pieces.traded(over) - pieces.traded(under)
        price = min(max(float(g.dot(under - over)) / less, 0.0), spread) if less > 0.0 else price
        x = pieces.filled(g, price)
        trades = pieces.traded(x)
        best = float(g.dot(over)) + price * pieces.traded(over)
        if float(g.dot(x)) + price * trades >= best - 16.0 * EPS * (abs(best) + price) or not less > 0.0:
            break
        over, under = (x, under) if trades > near else (over, x)
    share = (pieces.most - pieces.traded(under)) / max(pieces.traded(over) - pieces.traded(under), 1e-300)
    share = min(max(share, 0.0), 1.0)
    return Traded(share * over + (1.0 - share) * under, price, _lower(g, price, x, pieces))


def _lower(g: Array, price: float, x: Array, pieces: Pieces) -> float:
    """The least of ⟨g, ·⟩ + price·Σ|·ⱼ − pⱼ| less price·most: a bound for any price.

    Costs were rounded before they were put in order, which changes each by eps of its size; sums are off by a little more.
    """
    size = (float(np.abs(g).max(initial=0.0)) + price) * (pieces.total + pieces.most + pieces.traded(x))
    off = min(ROUNDED, 8.0 + len(x)) * EPS * size + 5e-324 * len(x)
    return float((g * x).sum()) + price * (pieces.traded(x) - pieces.most) - off  # in pairs: a dot product may round more


def traded_levels(g: Array, price: float, pieces: Pieces) -> tuple[float, Array]:
    """The multiplier of the sum, and the cost up to which each group takes weights, where trades have this price.

    >>> pieces = Pieces.of(np.array([0.5, 0.5]), np.ones(2), np.zeros(2, dtype=np.intp), np.ones(1), 1.0, 0.2)
    >>> traded_levels(np.array([1.0, 3.0]), 1.0, pieces)
    (2.0, array([2.]))
    """
    level = np.empty(len(pieces.room))
    nu = grouped_levels(pieces.costs(g, price), pieces.ends, pieces.groups, pieces.room, pieces.total, level)
    return float(nu), level
