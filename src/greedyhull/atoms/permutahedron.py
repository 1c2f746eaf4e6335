"""The permutahedron: all orders of some numbers, and their mixtures."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import numbers
from greedyhull.atoms.base import AtomSet, Sizes
from greedyhull.atoms.geometry import CHUNK, row_blocks
from greedyhull.atoms.neighbours import lowest
from greedyhull.errors import check
from greedyhull.points.arrays import length
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Dense, DenseBlock
from greedyhull.theory import Constant
from greedyhull.types import Array, Design, Index


class Permutahedron(AtomSet):
    """Hull of all permutations of the entries of v: rankings, and mixtures of rankings.

    An atom gives the largest entry of v to the least entry of g, the next to the next: one sort. A point belongs to it if
    it has the same sum as v and its k largest entries sum to at most those of v, for every k.

    Parameters
    ----------
    v : array_like of shape (d,)
        The numbers, in any order; some may be equal.

    See Also
    --------
    Simplex : The permutations of (1, 0, …, 0).
    HyperSimplex : The permutations of K equal numbers and zeros.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Permutahedron([1, 2, 3]).argmin(np.array([0.5, -1.0, 0.0])).array
    array([1., 3., 2.])
    """

    dense_atoms = True

    def __init__(self, v: Any) -> None:
        given = numbers(v, "v")
        check(given.ndim == 1 and given.size > 0, f"v has shape {given.shape}; a vector of at least one number is wanted.")
        self.v = np.sort(given)[::-1].copy() + 0.0  # the largest first; −0.0 is 0.0
        self.v.flags.writeable = False
        self.shape = (len(self.v),)
        self._sums = np.cumsum(self.v)
        self._size = float(np.abs(self.v).max())

    def __repr__(self) -> str:
        return f"Permutahedron({self.shape[0]} numbers from {self.v[-1]:g} to {self.v[0]:g})"

    def _placed(self, order: Index) -> Array:
        """The largest number at the first of these places, the next at the next."""
        x = np.empty(self.shape)
        x[order] = self.v
        return x

    def argmin(self, g: Array) -> Dense:
        return Dense(self._placed(np.argsort(g, kind="stable")))

    def best(self, g: Array, m: int) -> DenseBlock:
        """The best order, and those that exchange two neighbours in it, the cheapest first."""
        order = np.argsort(g, kind="stable")
        drops, rises = self.v[:-1] - self.v[1:], np.diff(np.asarray(g, dtype=np.float64)[order])
        able = np.flatnonzero(drops > 0.0)
        chosen = able[lowest((drops * rises)[able], m - 1)] if m > 1 and len(able) else able[:0]
        rows = np.repeat(self._placed(order)[None, :], 1 + len(chosen), axis=0)
        for row, k in zip(rows[1:], chosen.tolist(), strict=True):
            row[order[k]], row[order[k + 1]] = self.v[k + 1], self.v[k]
        return DenseBlock(rows, self.shape)

    def centre(self) -> Iterate:
        """The mean of the numbers everywhere, by turning them round; of many, the middle of an order and its reverse."""
        d = self.shape[0]
        # numbers; the centre of more of them is written in two atoms, not in as many as there are numbers
        rows = np.stack([self.v, self.v[::-1]] if d > 512 else [np.roll(self.v, k) for k in range(d)])
        return Iterate(DenseBlock(rows, self.shape), np.full(len(rows), 1.0 / len(rows)), self.shape).merged()

    def _holds(self, x: Array, tol: float) -> bool:
        """Majorisation."""
        sums = np.cumsum(np.sort(x)[::-1])
        near = tol * max(self._size, 1e-300) * len(x) + 1e-15 * self._size * len(x)
        return bool((sums <= self._sums + near).all()) and abs(float(sums[-1] - self._sums[-1])) <= near

    def decompose(self, w: Array) -> Iterate:
        """At most some d vertices: each has the order of what is left, and the largest weight that leaves a point of the set,
        so that one more sum of largest entries reaches its bound."""
        y, mass = self._inside(w) + 0.0, 1.0
        near = 1e-15 * self._size * len(y)
        rows, weights = [], []
        for _ in range(4 * len(y)):
            vertex = self._placed(np.argsort(-y, kind="stable"))
            weight = self._most_of(vertex, y, mass, near)
            if weight > 0.0:
                rows.append(vertex)
                weights.append(weight)
            y, mass = y - weight * vertex, mass - weight
            if mass <= 1e-15:
                break
        return Iterate(DenseBlock(np.stack(rows), self.shape), np.array(weights) / sum(weights), self.shape).merged()

    def _most_of(self, vertex: Array, y: Array, mass: float, near: float) -> float:
        """The largest weight for which y − weight·vertex is a point of what is left of ``mass`` times the set: Newton's
        method on the sum of largest entries that is farthest above its bound."""
        weight = mass
        for _ in range(4 * len(y)):
            left = y - weight * vertex
            order = np.argsort(-left, kind="stable")
            over = np.cumsum(left[order]) - (mass - weight) * self._sums
            k = int(over[:-1].argmax()) if len(over) > 1 else 0
            if len(over) == 1 or over[k] <= near:
                return weight
            room = float(self._sums[k] - vertex[order[: k + 1]].sum())
            if room <= near:
                return weight
            smaller = (mass * float(self._sums[k]) - float(y[order[: k + 1]].sum())) / room
            if not smaller < weight:
                return weight
            weight = max(smaller, 0.0)
        return weight

    def max_abs(self, c: Array) -> float:
        return float(np.sort(np.abs(self.v)).dot(np.sort(c)))

    def sizes(self) -> Sizes:
        """All vertices are as far from the mean of the numbers as v is, and farthest from v is its reverse."""
        return Sizes.of(length(self.v - self.v[::-1]), length(self.v - self.v.mean()))

    def radius_around(self, x: Array) -> Constant:
        return Constant(length(self._placed(np.argsort(x, kind="stable")) - x), "exact", "R")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        low, high = np.zeros(design.n), np.zeros(design.n)
        for I, block in row_blocks(design, CHUNK // 4):
            ascending = np.sort(block, axis=1)
            low[I], high[I] = ascending @ self.v, ascending @ self.v[::-1]
        return low, high
