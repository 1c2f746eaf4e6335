"""The simplex: weights that are non-negative and sum to ``total``; optionally within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms.arguments import dimension, positive
from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.geometry.faces import AT, room_above
from greedyhull.atoms.geometry.farthest_pair import farthest_coordinates
from greedyhull.atoms.geometry.row_ranges import row_extremes
from greedyhull.atoms.scores import largest, lowest, total
from greedyhull.atoms.sizes import Sizes
from greedyhull.points.shapes import Basis, BasisBlock
from greedyhull.theory import Constant
from greedyhull.types import Array, Design
from greedyhull.types.override import KeepsFaces, KeepsFinite, override

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class Simplex(AtomSet, KeepsFinite, KeepsFaces):
    """Non-negative weights with a given sum, {w ≥ 0 : Σ w_j = total}.

    Its atoms are total·e_j. With ``lower`` or ``upper`` it is {lower ≤ w ≤ upper : Σ w_j = total}, and an atom fills
    coordinates from their lower to their upper bounds until the total is used up.

    Parameters
    ----------
    d : int
        The number of coordinates.
    total : float, default 1.0
        The sum of the weights.
    lower : float or array_like of shape (d,), optional
        Lower bounds on the weights, 0 by default; they may be negative. They must sum to at most ``total``.
    upper : float or array_like of shape (d,), optional
        Upper bounds on the weights, none by default. They must sum to at least ``total``.

    See Also
    --------
    CappedSimplex : Weights whose sum is at most total.
    Vertices : Mixtures of given points.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Simplex(3).argmin(np.array([1.0, -3.0, 0.5]))
    Basis(index=1, scale=1.0)
    >>> f = gh.least_squares(np.eye(3), np.array([1.0, 0.0, 0.0]))
    >>> gh.minimize(f, gh.Simplex(3, upper=0.6)).x
    array([0.6, 0.2, 0.2])
    """

    def __new__(cls, d: int, total: float = 1.0, *, lower: Any = None, upper: Any = None) -> Simplex:
        if lower is None and upper is None:
            return super().__new__(cls)
        from greedyhull.atoms.bounded_simplex import BoundedSimplex

        return BoundedSimplex(d, total, np.inf if upper is None else upper, 0.0 if lower is None else lower)  # type: ignore[return-value]

    def __init__(self, d: int, total: float = 1.0, *, lower: Any = None, upper: Any = None) -> None:
        self.shape = (dimension(d),)
        self.radius = self.total = positive(total, "total")

    def __getnewargs__(self) -> tuple[int, float]:
        return self.shape[0], self.total

    def __repr__(self) -> str:
        return f"Simplex({self.shape[0]}, total={self.total:g})"

    @override
    def __len__(self) -> int:
        return self.shape[0]

    @override
    def __getitem__(self, j: int) -> Basis:
        return Basis(range(len(self))[j], self.total)

    @override
    def scores(self, g: Array) -> Array:
        return self.total * g

    @override
    def block(self, j: Any) -> BasisBlock:
        """The atoms number j, an index array."""
        return BasisBlock(self.shape[0], j, np.full(len(j), self.total))

    def argmin(self, g: Array) -> Basis:
        return Basis(int(g.argmin()), self.total)

    @override
    def best(self, g: Array, m: int) -> BasisBlock:
        return self.block(lowest(g, m))

    @override
    def centre(self) -> Iterate:
        from greedyhull.points.iterate import Iterate

        d = self.shape[0]
        return Iterate(self.block(np.arange(d)), np.full(d, 1.0 / d), self.shape)

    def _holds(self, x: Array, tol: float) -> bool:
        return bool(x.item(x.argmin()) >= -tol * self.total) and abs(total(x) - self.total) <= tol * self.total

    @override
    def decompose(self, w: Array) -> Iterate:
        from greedyhull.points.iterate import Iterate

        x = self._inside(w)
        index = np.flatnonzero(x > 0)
        return Iterate(self.block(index), x[index] / x[index].sum(), self.shape)

    @override
    def within(self, w: Array, g: Array) -> Basis:
        """The worst atom of the smallest face that holds w: one of those with weight."""
        held = w > AT * self.total
        return Basis(int(np.where(held, g, -np.inf).argmax() if held.any() else w.argmax()), self.total)

    @override
    def room(self, w: Array, v: Array) -> float:
        """The largest t for which w + t·v lies in the set, for v whose entries sum to zero."""
        return room_above(w, v, 0.0, AT * self.total)

    @override
    def max_abs(self, c: Array) -> float:
        return self.total * largest(c)

    @override
    def rescaled(self, radius: float) -> Simplex:
        return Simplex(self.shape[0], radius)

    @override
    def sizes(self) -> Sizes:
        """D = √2·total and r_S = total·√(1 − 1/d) around the centre."""
        d = self.shape[0]
        return Sizes.of(self.total * np.sqrt(2.0) if d > 1 else 0.0, self.total * np.sqrt(1.0 - 1.0 / d))

    @override
    def radius_around(self, x: Array) -> Constant:
        """‖total e_j − x‖² = ‖x‖² + total² − 2 total x_j."""
        u = x / self.total  # of which no square vanishes
        return Constant(self.total * float(np.sqrt(max(u @ u + 1.0 - 2.0 * u.min(), 0.0))), "exact", "R")

    @override
    def curvature(self, form: Any) -> Constant:
        """total² max_ij (H_ii + H_jj − 2H_ij); from above where there are too many pairs."""
        most, status = farthest_coordinates(form)
        return Constant(self.total * (self.total * most), status, "M")

    @override
    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        """total·min_j a_ij and total·max_j a_ij."""
        low, high = row_extremes(design)
        return self.total * low, self.total * high
