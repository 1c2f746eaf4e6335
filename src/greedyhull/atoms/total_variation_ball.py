"""The ball of total variation: signals that change little along the way. Its atoms are steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.base import GaugeBall, Sizes
from greedyhull.atoms.neighbours import lowest
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Dense, DenseBlock
from greedyhull.theory import Constant
from greedyhull.types import Array


class TotalVariationBall(GaugeBall):
    """Signals of bounded variation, {w : |w_1| + Σ |w_{i+1} − w_i| ≤ radius}.

    Its 2d atoms are ±radius times the steps that are zero before a place and one from it on; runs start at the origin.
    Optimal signals are piecewise constant.

    Parameters
    ----------
    d : int
        The number of coordinates, in order.
    radius : float
        The largest variation, that from zero to the first value included. `Solution.price` says what one more unit of it is
        worth.

    See Also
    --------
    L1Ball : The same budget on the values in place of their changes.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.TotalVariationBall(4, 2.0).argmin(np.array([5.0, -1.0, -3.0, 1.0])).array
    array([0., 2., 2., 2.])
    """

    dense_atoms = True

    def __init__(self, d: int, radius: float) -> None:
        self._measure(d, radius=radius)

    def __repr__(self) -> str:
        return f"TotalVariationBall({self.shape[0]}, radius={self.radius:g})"

    def __len__(self) -> int:
        return 2 * self.shape[0]

    def __getitem__(self, j: int) -> Dense:
        j, d = range(len(self))[j], self.shape[0]
        step = np.zeros(d)
        step[j % d :] = self.radius if j < d else -self.radius
        return Dense(step, j)

    def scores(self, g: Array) -> Array:
        """⟨g, ·⟩ at the steps up from places 1 … d, then at the steps down."""
        up = self.radius * suffix_sums(g)
        return np.concatenate([up, -up])

    def block(self, j: Any) -> DenseBlock:
        d = self.shape[0]
        rows = np.where(np.arange(d) >= (j % d)[:, None], np.where(j < d, self.radius, -self.radius)[:, None], 0.0)
        return DenseBlock(rows, self.shape, j.tolist())

    def _slopes(self, g: Array) -> Array:
        """The sums of g from each place on, relative to its largest entry: none overflows."""
        largest = float(np.abs(g).max())
        return suffix_sums(g / largest if largest > 1e290 else g)

    def argmin(self, g: Array) -> Dense:
        sums = self._slopes(g)
        i = int(np.abs(sums).argmax())
        return self[i + self.shape[0] if sums[i] > 0 else i]

    def best(self, g: Array, m: int) -> DenseBlock:
        sums = self._slopes(g)
        if m > self.shape[0]:
            return self.block(lowest(np.concatenate([sums, -sums]), m))
        i = lowest(-np.abs(sums), m)
        return self.block(np.where(sums[i] > 0, i + self.shape[0], i))

    def gauge(self, x: Array) -> float:
        return float(np.abs(np.diff(x / self.radius, prepend=0.0)).sum())

    def decompose(self, w: Array) -> Iterate:
        x = self._inside(w)
        changes = np.diff(x, prepend=0.0) / self.radius
        i = np.flatnonzero(changes)
        block, weights = self.block(np.where(changes[i] > 0, i, i + self.shape[0])), np.abs(changes[i])
        slack = 1.0 - float(weights.sum())
        if slack > 0.0 or not len(i):  # what is left of the budget rests at the origin
            rest = DenseBlock(np.zeros((1, self.shape[0])), self.shape)
            block = DenseBlock(np.vstack([block.matrix, rest.matrix]), self.shape, [*block.keys, *rest.keys])
            weights = np.append(weights, slack)
        return Iterate(block, weights / weights.sum(), self.shape)

    def max_abs(self, c: Array) -> float:
        return self.radius * float(np.sum(c))

    def rescaled(self, radius: float) -> TotalVariationBall:
        return TotalVariationBall(self.shape[0], radius)

    def sizes(self) -> Sizes:
        """D = 2·radius·√d and r_S = D/2: the set is symmetric, and the longest atom is the constant."""
        r = self.radius * np.sqrt(self.shape[0])
        return Sizes.of(2.0 * r, r)

    def radius_around(self, x: Array) -> Constant:
        u, d = x / self.radius, self.shape[0]  # of which no square vanishes
        squares = np.arange(d, 0, -1) + 2.0 * np.abs(suffix_sums(u)) + float(u @ u)
        return Constant(self.radius * float(np.sqrt(squares.max())), "exact", "R")

    def _dual_norms(self, rows: Array) -> Array:
        return np.asarray(np.abs(np.cumsum(rows[:, ::-1], axis=1)).max(axis=1))


def suffix_sums(g: Array) -> Array:
    """Σ_{j ≥ i} g_j for every i, in extended precision where there is one.

    >>> suffix_sums(np.array([1.0, 2.0, -4.0]))
    array([-1., -2., -4.])
    """
    return np.cumsum(g[::-1], dtype=np.longdouble)[::-1].astype(np.float64)
