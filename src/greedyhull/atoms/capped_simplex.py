"""The capped simplex: non-negative weights that sum to at most ``total``. Its atoms are total·e_j and the origin."""

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

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class CappedSimplex(AtomSet):
    """Non-negative weights with a budget, {w ≥ 0 : Σ w_j ≤ total}.

    Its d + 1 atoms are total·e_j and the origin, where runs start.

    Parameters
    ----------
    d : int
        The number of coordinates.
    total : float, default 1.0
        The largest sum. `Solution.price` says what one more unit of it is worth.

    See Also
    --------
    Simplex : Weights whose sum is exactly total.
    L1Ball : Weights of both signs.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.CappedSimplex(2).argmin(np.array([1.0, 3.0]))      # the origin
    Basis(index=0, scale=0.0)
    """

    def __init__(self, d: int, total: float = 1.0) -> None:
        self.shape = (dimension(d),)
        self.radius = self.total = positive(total, "total")

    def __repr__(self) -> str:
        return f"CappedSimplex({self.shape[0]}, total={self.total:g})"

    def __len__(self) -> int:
        return self.shape[0] + 1

    def __getitem__(self, j: int) -> Basis:
        return self.block(np.array([range(len(self))[j]]))[0]

    def scores(self, g: Array) -> Array:
        return np.append(self.total * g, g.dtype.type(0.0))

    def block(self, j: Any) -> BasisBlock:
        """The atoms number j, an index array."""
        origin = j == self.shape[0]
        return BasisBlock(self.shape[0], np.where(origin, 0, j), np.where(origin, 0.0, self.total))

    def argmin(self, g: Array) -> Basis:
        j = int(g.argmin())
        return Basis(0, 0.0) if g[j] >= 0 else Basis(j, self.total)

    def best(self, g: Array, m: int) -> BasisBlock:
        scores = self.scores(g)
        return self.block(lowest(scores, m))

    def start(self, rng: np.random.Generator) -> Basis:
        """The origin."""
        return Basis(0, 0.0)

    def centre(self) -> Iterate:
        from greedyhull.points.iterate import Iterate

        m = len(self)
        return Iterate(self.block(np.arange(m)), np.full(m, 1.0 / m), self.shape)

    def _holds(self, x: Array, tol: float) -> bool:
        return bool(x.item(x.argmin()) >= -tol * self.total) and total(x) <= (1.0 + tol) * self.total

    def decompose(self, w: Array) -> Iterate:
        from greedyhull.points.iterate import Iterate

        x = self._inside(w)
        j = np.flatnonzero(x > 0)
        weights = x[j] / self.total
        slack = 1.0 - float(weights.sum())
        if slack > 0:
            j, weights = np.append(j, self.shape[0]), np.append(weights, slack)
        return Iterate(self.block(j), weights / weights.sum(), self.shape)

    def within(self, w: Array, g: Array) -> Basis:
        """The worst atom of the smallest face that holds w: one of those with weight, or the origin below the total."""
        near = AT * self.total
        scores = np.where(w > near, self.total * g, -np.inf)
        j = int(scores.argmax())
        below = float(w.sum()) < self.total - near
        return Basis(0, 0.0) if scores[j] == -np.inf or (below and scores[j] < 0.0) else Basis(j, self.total)

    def room(self, w: Array, v: Array) -> float:
        """The largest t for which w + t·v lies in the set."""
        near, rise = AT * self.total, float(v.sum())
        above = max(self.total - float(w.sum()), 0.0) / rise if rise > near else np.inf
        return min(above, room_above(w, v, 0.0, near))

    def max_abs(self, c: Array) -> float:
        return self.total * largest(c)

    def rescaled(self, radius: float) -> CappedSimplex:
        return CappedSimplex(self.shape[0], radius)

    def sizes(self) -> Sizes:
        """Those of the simplex, whose ball holds the origin too; a segment for d = 1."""
        d = self.shape[0]
        if d == 1:
            return Sizes.of(self.total, 0.5 * self.total)
        return Sizes.of(self.total * np.sqrt(2.0), self.total * np.sqrt(1.0 - 1.0 / d))

    def radius_around(self, x: Array) -> Constant:
        """‖total e_j − x‖² = ‖x‖² + total² − 2 total x_j, and ‖x‖² for the origin."""
        u = x / self.total  # of which no square vanishes
        return Constant(self.total * float(np.sqrt(u @ u + max(1.0 - 2.0 * u.min(), 0.0))), "exact", "R")

    def curvature(self, form: Any) -> Constant:
        """total² max over i, j of H_ii + H_jj − 2H_ij and H_jj; from above where there are too many pairs."""
        most, status = farthest_coordinates(form)
        return Constant(self.total * (self.total * max(most, float(form.diagonal().max()))), status, "M")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        """total·min(0, min_j a_ij) and total·max(0, max_j a_ij)."""
        low, high = row_extremes(design)
        return self.total * np.minimum(low, 0.0), self.total * np.maximum(high, 0.0)
