"""The simplex: weights that are non-negative and sum to ``total``; optionally none above ``upper``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms.base import AtomSet, dimension, positive
from greedyhull.atoms.shapes import Basis, BasisBlock
from greedyhull.types import Array

if TYPE_CHECKING:
    from greedyhull.iterate import Iterate


class Simplex(AtomSet):
    """{w ≥ 0 : Σ w_j = total}; with ``upper``, also w_j ≤ upper_j (then it is a `BoundedSimplex`).

    >>> Simplex(3).argmin(np.array([1.0, -3.0, 0.5]))
    Basis(index=1, scale=1.0)
    """

    def __init__(self, d: int, total: float = 1.0, *, upper: Any = None) -> None:
        self.shape = (dimension(d),)
        self.radius = self.total = positive(total, "total")

    def __repr__(self) -> str:
        return f"Simplex({self.shape[0]}, total={self.total:g})"

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, j: int) -> Basis:
        return Basis(j, self.total)

    def scores(self, g: Array) -> Array:
        return self.total * g

    def block(self, j: Any) -> BasisBlock:
        """The atoms number j, an index array."""
        return BasisBlock(self.shape[0], j, np.full(len(j), self.total))

    def argmin(self, g: Array) -> Basis:
        return Basis(int(g.argmin()), self.total)

    def best(self, g: Array, m: int) -> BasisBlock:
        d = self.shape[0]
        index = np.argpartition(g, m)[:m] if m < d else np.arange(d)
        return self.block(index[np.argsort(g[index], kind="stable")])

    def centre(self) -> Iterate:
        from greedyhull.iterate import Iterate

        d = self.shape[0]
        return Iterate(self.block(np.arange(d)), np.full(d, 1.0 / d), self.shape)

    def _holds(self, x: Array, tol: float) -> bool:
        return bool(x.min() >= -tol * self.total) and abs(float(x.sum()) - self.total) <= tol * self.total

    def decompose(self, w: Array) -> Iterate:
        from greedyhull.iterate import Iterate

        index = np.flatnonzero(w > 0)
        weights = w[index] / w[index].sum()
        return Iterate(self.block(index), weights, self.shape)

    def absolute(self, c: Array) -> float:
        return self.total * float(c.max())

    def rescaled(self, radius: float) -> Simplex:
        return Simplex(self.shape[0], radius)
