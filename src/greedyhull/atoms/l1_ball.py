"""The l1 ball: an l1 budget. Its atoms are ±radius·e_j (±(radius/weight_j)·e_j) and the origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms.arguments import dimension, numbers, positive
from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.geometry.row_ranges import row_extremes
from greedyhull.atoms.scores import largest, lowest, total
from greedyhull.atoms.sizes import Sizes
from greedyhull.errors import check
from greedyhull.points.shapes import Basis, BasisBlock
from greedyhull.theory import Constant
from greedyhull.types import Array, Design
from greedyhull.types.override import KeepsFinite, override

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class L1Ball(AtomSet, KeepsFinite):
    """Weighted l1 ball {w : Σ weights_j |w_j| ≤ radius}.

    Its atoms are ±(radius/weights_j)·e_j and the origin, where runs start. It is the constraint form of the lasso penalty.

    Parameters
    ----------
    d : int
        The number of coordinates.
    radius : float
        The largest weighted sum of absolute values. `Solution.price` says what one more unit of it is worth.
    weights : array_like of shape (d,), optional
        Positive weights, 1 by default. A coordinate with a large weight uses more of the budget.

    See Also
    --------
    CappedSimplex : The part with non-negative coordinates.
    path : Solutions for many radii.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.L1Ball(3, 2.0).argmin(np.array([1.0, -3.0, 0.5]))
    Basis(index=1, scale=2.0)
    """

    def __init__(self, d: int, radius: float, *, weights: Any = None) -> None:
        self.shape = (dimension(d),)
        self.radius = positive(radius, "radius")
        self.weights: Array | None = None
        self._scale: Any = self.radius
        if weights is not None:
            self.weights = numbers(weights, "weights")
            check(self.weights.shape == self.shape and bool((self.weights > 0).all()),
                  f"weights has shape {self.weights.shape} and least entry {self.weights.min(initial=np.inf):g}; {d} positive "
                  "numbers are wanted, one for each coordinate.")
            with np.errstate(all="ignore"):
                self._scale = self.radius / self.weights
            check(bool(np.isfinite(self._scale).all() and (self._scale > 0).all()),
                  "radius/weights overflows or vanishes for some coordinate. Bring radius and weights to a common scale.")

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weights=..."
        return f"L1Ball({self.shape[0]}, radius={self.radius:g}{weighted})"

    @override
    def __len__(self) -> int:
        return 2 * self.shape[0]

    @override
    def __getitem__(self, j: int) -> Basis:
        j, d = range(len(self))[j], self.shape[0]
        size = self.radius if self.weights is None else float(self._scale[j % d])
        return Basis(j % d, size if j < d else -size)

    @property
    def scale(self) -> Any:
        """radius/weight_j: how long the atoms along each coordinate are."""
        return self._scale

    @override
    def scores(self, g: Array) -> Array:
        """⟨g, ·⟩ at +e_1 … +e_d, −e_1 … −e_d."""
        up = g * self._scale
        return np.concatenate([up, -up])

    @override
    def block(self, j: Any) -> BasisBlock:
        """The atoms number j, an index array."""
        i = j % self.shape[0]
        size = self.radius if self.weights is None else self._scale[i]
        return BasisBlock(self.shape[0], i, np.where(j < self.shape[0], size, -size))

    def argmin(self, g: Array) -> Basis:
        if self.weights is None:
            i = int(np.abs(g).argmax())
            return Basis(i, -self.radius if g[i] > 0 else self.radius)
        i = int((np.abs(g) * self._scale).argmax())
        return Basis(i, float(-self._scale[i] if g[i] > 0 else self._scale[i]))

    @override
    def best(self, g: Array, m: int) -> BasisBlock:
        """The m best atoms; the worse ones of the coordinates follow only after all the better ones."""
        if m > self.shape[0]:
            return self.block(lowest(self.scores(g), m))
        index = lowest(-np.abs(g) if self.weights is None else -np.abs(g) * self._scale, m)
        scale = self.radius if self.weights is None else self._scale[index]
        return BasisBlock(self.shape[0], index, np.where(g[index] > 0, -scale, scale))

    @override
    def start(self, rng: np.random.Generator) -> Basis:
        """The origin."""
        return Basis(0, 0.0)

    @override
    def centre(self) -> Iterate:
        from greedyhull.points.iterate import Iterate

        return Iterate.at(Basis(0, 0.0), self.shape)

    def _holds(self, x: Array, tol: float) -> bool:
        return self.gauge(x) <= 1.0 + tol

    def gauge(self, x: Array) -> float:
        """The least c for which x lies in c times the ball."""
        if self.weights is None:
            return total(np.abs(x)) / self.radius
        return total(np.abs(x / self._scale))

    @override
    def decompose(self, w: Array) -> Iterate:
        from greedyhull.points.iterate import Iterate

        x = self._inside(w)
        index = np.flatnonzero(x)
        scale = np.where(x[index] > 0, 1.0, -1.0) * np.broadcast_to(self._scale, self.shape)[index]
        weights = x[index] / scale
        slack = 1.0 - float(weights.sum())
        if slack > 0 or not len(index):  # what is left of the budget rests at the origin
            index, scale, weights = np.append(index, 0), np.append(scale, 0.0), np.append(weights, slack)
        return Iterate(BasisBlock(self.shape[0], index, scale), weights / weights.sum(), self.shape)

    @override
    def max_abs(self, c: Array) -> float:
        if self.weights is None:
            return self.radius * largest(c)
        return float((c * self._scale).max())

    @override
    def rescaled(self, radius: float) -> L1Ball:
        return L1Ball(self.shape[0], radius, weights=self.weights)

    @override
    def sizes(self) -> Sizes:
        """D = 2 max_j scale_j and r_S = D/2: the set is symmetric, and its longest atom is opposite to another."""
        longest = float(np.max(self._scale))
        return Sizes.of(2.0 * longest, longest)

    @override
    def radius_around(self, x: Array) -> Constant:
        """‖±scale_j e_j − x‖² = ‖x‖² + scale_j² ∓ 2 scale_j x_j."""
        longest = float(np.max(self._scale))
        scale, u = np.asarray(self._scale) / longest, x / longest  # of which no square vanishes
        return Constant(longest * float(np.sqrt(u @ u + (scale * (scale + 2.0 * np.abs(u))).max())), "exact", "R")

    @override
    def curvature(self, form: Any) -> Constant:
        """4 max_j scale_j² H_jj: the set is symmetric."""
        return Constant(4.0 * float((form.diagonal() * self._scale * self._scale).max()), "exact", "M")

    @override
    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        """±max_j scale_j |a_ij|."""
        low, high = row_extremes(design, None if self.weights is None else self._scale)
        most = np.maximum(-low, high) * (self.radius if self.weights is None else 1.0)
        return -most, most
