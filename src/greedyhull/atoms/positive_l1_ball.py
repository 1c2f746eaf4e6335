"""The non-negative part of the l1 ball. Its atoms are radius·e_j ((radius/weight_j)·e_j) and the origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.geometry.farthest_pair import farthest_coordinates
from greedyhull.atoms.geometry.row_ranges import row_extremes
from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.scores import lowest
from greedyhull.atoms.sizes import Sizes
from greedyhull.points.arrays import flat
from greedyhull.points.shapes import Basis, BasisBlock
from greedyhull.theory import Constant
from greedyhull.types import Array, Design

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class PositiveL1Ball(AtomSet):
    """{w ≥ 0 : Σ weights_j w_j ≤ radius}; the last of its d + 1 atoms is the origin.

    Without weights it is the `CappedSimplex`; it has in addition the gauge and the scale of an `L1Ball`.

    >>> PositiveL1Ball(3, 2.0).argmin(np.array([1.0, -3.0, 0.5]))
    Basis(index=1, scale=2.0)
    >>> PositiveL1Ball(2, 2.0).argmin(np.array([1.0, 3.0]))
    Basis(index=0, scale=0.0)
    """

    def __init__(self, d: int | tuple[int, ...], radius: float, *, weights: Any = None) -> None:
        ball = L1Ball(d, radius, weights=weights)  # its checks are the ones wanted here
        self.shape, self.radius, self.weights = ball.shape, ball.radius, ball.weights
        self.size = ball.size
        self._scale = np.broadcast_to(np.asarray(ball.scale, dtype=np.float64), self.size)

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weights=..."
        size = self.shape[0] if len(self.shape) == 1 else self.shape
        return f"PositiveL1Ball({size}, radius={self.radius:g}{weighted})"

    def __len__(self) -> int:
        return self.size + 1

    def __getitem__(self, j: int) -> Basis:
        return self.block(np.array([range(len(self))[j]]))[0]

    @property
    def scale(self) -> Array:
        """radius/weight_j: the length of the atom along each coordinate."""
        return self._scale

    def scores(self, g: Array) -> Array:
        return np.append(flat(g) * self._scale, 0.0)

    def block(self, j: Any) -> BasisBlock:
        """The atoms number j, an index array."""
        origin = j == self.size
        i = np.where(origin, 0, j)
        return BasisBlock(self.size, i, np.where(origin, 0.0, self._scale[i]))

    def argmin(self, g: Array) -> Basis:
        j = int((flat(g) * self._scale).argmin())
        return Basis(0, 0.0) if g.item(j) >= 0 else Basis(j, float(self._scale[j]))

    def best(self, g: Array, m: int) -> BasisBlock:
        return self.block(lowest(self.scores(g), m))

    def start(self, rng: np.random.Generator) -> Basis:
        """The origin."""
        return Basis(0, 0.0)

    def centre(self) -> Iterate:
        from greedyhull.points.iterate import Iterate

        m = len(self)
        return Iterate(self.block(np.arange(m)), np.full(m, 1.0 / m), self.shape)

    def _holds(self, x: Array, tol: float) -> bool:
        return bool((flat(x) / self._scale).min() >= -tol) and self.gauge(x) <= 1.0 + tol

    def gauge(self, x: Array) -> float:
        """The least c for which x ≥ 0 lies in c times the set."""
        return float(np.abs(flat(x) / self._scale).sum())

    def decompose(self, w: Array) -> Iterate:
        from greedyhull.points.iterate import Iterate

        x = flat(self._inside(w))
        j = np.flatnonzero(x > 0)
        weights = x[j] / self._scale[j]
        slack = 1.0 - float(weights.sum())
        if slack > 0 or not len(j):  # what is left of the budget stays at the origin
            j, weights = np.append(j, self.size), np.append(weights, slack)
        return Iterate(self.block(j), weights / weights.sum(), self.shape)

    def max_abs(self, c: Array) -> float:
        return float((flat(c) * self._scale).max())

    def rescaled(self, radius: float) -> PositiveL1Ball:
        weights = None if self.weights is None else self.weights.reshape(self.shape)
        return PositiveL1Ball(self.shape[0] if len(self.shape) == 1 else self.shape, radius, weights=weights)

    def sizes(self) -> Sizes:
        """D = √(a² + b²) with the two longest atoms a and b; the ball about the origin that holds all atoms bounds r_S."""
        longest = np.sort(self._scale)[-2:]
        return Sizes(Constant(float(np.hypot(*longest)) if len(longest) == 2 else float(longest[0]), "exact", "D"),
                     Constant(float(longest[-1]), "upper bound", "r_S"))

    def radius_around(self, x: Array) -> Constant:
        """‖scale_j e_j − x‖² = ‖x‖² + scale_j² − 2 scale_j x_j, and ‖x‖² for the origin."""
        longest = float(self._scale.max())
        scale, u = self._scale / longest, flat(x) / longest  # of which no square vanishes
        return Constant(longest * float(np.sqrt(u @ u + max((scale * (scale - 2.0 * u)).max(), 0.0))), "exact", "R")

    def curvature(self, form: Any) -> Constant:
        """max over i, j of ‖scale_i e_i − scale_j e_j‖²_H and scale_j² H_jj; with weights, that of the l1 ball bounds it."""
        if self.weights is not None:
            return Constant(4.0 * float((form.diagonal() * self._scale * self._scale).max()), "upper bound", "M")
        most, status = farthest_coordinates(form)
        return Constant(self.radius * (self.radius * max(most, float(form.diagonal().max()))), status, "M")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        """min and max over j of 0 and scale_j a_ij."""
        low, high = row_extremes(design, self._scale)
        return np.minimum(low, 0.0), np.maximum(high, 0.0)
