"""The simplex, weights that sum to a total, and the capped simplex, weights that sum to at most one."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from greedyhull.atoms.base import AtomSet, Budget, Sizes, one_scale
from greedyhull.atoms.box import AT, room_above
from greedyhull.atoms.geometry import row_extremes
from greedyhull.atoms.neighbours import lowest, total
from greedyhull.atoms.vertices import farthest_coordinates
from greedyhull.points.arrays import flat
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis, BasisBlock
from greedyhull.theory import Constant
from greedyhull.types import Array, Design


class Simplex(AtomSet):
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
        self._measure(d, total=total)
        self.__dict__["radius"] = self.total

    def __getnewargs__(self) -> tuple[int, float]:
        return self.shape[0], self.total

    def __repr__(self) -> str:
        return f"Simplex({self.shape[0]}, total={self.total:g})"

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, j: int) -> Basis:
        return Basis(range(len(self))[j], self.total)

    def scores(self, g: Array) -> Array:
        return self.total * g

    def block(self, j: Any) -> BasisBlock:
        return BasisBlock(self.shape[0], j, np.full(len(j), self.total))

    def budget(self) -> Budget | None:
        return Budget(one_scale(self.total), positive=True, whole=True) if type(self) is Simplex else None

    def argmin(self, g: Array) -> Basis:
        return Basis(int(g.argmin()), self.total)

    def best(self, g: Array, m: int) -> BasisBlock:
        return self.block(lowest(g, m))

    def _holds(self, x: Array, tol: float) -> bool:
        return bool(x.item(x.argmin()) >= -tol * self.total) and abs(total(x) - self.total) <= tol * self.total

    def decompose(self, w: Array) -> Iterate:
        x = self._inside(w)
        index = np.flatnonzero(x > 0)
        return Iterate(self.block(index), x[index] / x[index].sum(), self.shape)

    def within(self, w: Array, g: Array) -> Basis:
        """The worst atom of the smallest face that holds w: one of those with weight."""
        held = w > AT * self.total
        return Basis(int(np.where(held, g, -np.inf).argmax() if held.any() else w.argmax()), self.total)

    def room(self, w: Array, v: Array) -> float:
        return room_above(w, v, 0.0, AT * self.total)

    def max_abs(self, c: Array) -> float:
        return float(self.total * c.item(c.argmax()))

    def rescaled(self, radius: float) -> Simplex:
        return Simplex(self.shape[0], radius)

    def sizes(self) -> Sizes:
        d = self.shape[0]
        return Sizes.of(self.total * np.sqrt(2.0) if d > 1 else 0.0, self.total * np.sqrt(1.0 - 1.0 / d))

    def radius_around(self, x: Array) -> Constant:
        """‖total e_j − x‖² = ‖x‖² + total² − 2 total x_j."""
        u = x / self.total  # of which no square vanishes
        return Constant(self.total * float(np.sqrt(max(u @ u + 1.0 - 2.0 * u.min(), 0.0))), "exact", "R")

    def curvature(self, form: Any) -> Constant:
        """total² max_ij (H_ii + H_jj − 2H_ij); from above where there are too many pairs."""
        most, status = farthest_coordinates(form)
        return Constant(self.total * (self.total * most), status, "M")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        low, high = row_extremes(design)
        return self.total * low, self.total * high


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
        self._measure(d, total=total)
        self.__dict__["radius"] = self.total

    def __repr__(self) -> str:
        return f"CappedSimplex({self.shape[0]}, total={self.total:g})"

    def __len__(self) -> int:
        return prod(self.shape) + 1

    def __getitem__(self, j: int) -> Basis:
        return self.block(np.array([range(len(self))[j]]))[0]

    @property
    def scale(self) -> Any:
        """The length of the atom along each coordinate: one number, or one for each."""
        return self.total

    def scores(self, g: Array) -> Array:
        return np.append(self.scale * flat(g), g.dtype.type(0.0))

    def block(self, j: Any) -> BasisBlock:
        d = len(self) - 1
        i = np.where(j == d, 0, j)
        return BasisBlock(d, i, np.where(j == d, 0.0, np.broadcast_to(self.scale, d)[i]))

    def budget(self) -> Budget | None:
        if not self._ships or len(self.shape) > 1:  # the core works on vectors
            return None
        return Budget(one_scale(self.scale) if type(self.scale) is float else self.scale, positive=True, whole=False)

    def argmin(self, g: Array) -> Basis:
        scale = self.scale
        j = int((g if type(scale) is float else flat(g) * scale).argmin())
        return Basis(0, 0.0) if g.item(j) >= 0 else Basis(j, scale if type(scale) is float else float(scale[j]))

    def best(self, g: Array, m: int) -> BasisBlock:
        return self.block(lowest(self.scores(g), m))

    def start(self, rng: np.random.Generator) -> Basis:
        return Basis(0, 0.0)

    def _holds(self, x: Array, tol: float) -> bool:
        u = flat(x) / self.scale
        return bool(u.item(u.argmin()) >= -tol) and total(u) <= 1.0 + tol

    def decompose(self, w: Array) -> Iterate:
        u = flat(self._inside(w)) / self.scale
        j = np.flatnonzero(u > 0)
        weights = u[j]
        slack = 1.0 - float(weights.sum())
        if slack > 0:  # what is left of the budget rests at the origin
            j, weights = np.append(j, len(self) - 1), np.append(weights, slack)
        return Iterate(self.block(j), weights / weights.sum(), self.shape)

    def within(self, w: Array, g: Array) -> Basis:
        """The worst atom of the smallest face that holds w: one of those with weight, or the origin below the total."""
        u = flat(w) / self.scale
        scores = np.where(u > AT, flat(g) * self.scale, -np.inf)
        j = int(scores.argmax())
        below = float(u.sum()) < 1.0 - AT
        return self[len(self) - 1 if scores[j] == -np.inf or (below and scores[j] < 0.0) else j]

    def room(self, w: Array, v: Array) -> float:
        u, way = flat(w) / self.scale, flat(v) / self.scale
        rise = float(way.sum())
        above = max(1.0 - float(u.sum()), 0.0) / rise if rise > AT else np.inf
        return min(above, room_above(u, way, 0.0, AT))

    def max_abs(self, c: Array) -> float:
        return float((flat(c) * self.scale).max())

    def rescaled(self, radius: float) -> CappedSimplex:
        return CappedSimplex(self.shape[0], radius)

    def sizes(self) -> Sizes:
        d = self.shape[0]
        if d == 1:
            return Sizes.of(self.total, 0.5 * self.total)
        return Sizes.of(self.total * np.sqrt(2.0), self.total * np.sqrt(1.0 - 1.0 / d))

    def radius_around(self, x: Array) -> Constant:
        """‖scale_j e_j − x‖² = ‖x‖² + scale_j² − 2 scale_j x_j, and ‖x‖² for the origin."""
        longest = float(np.max(self.scale))
        scale, u = np.asarray(self.scale) / longest, flat(x) / longest  # of which no square vanishes
        return Constant(longest * float(np.sqrt(u @ u + max((scale * (scale - 2.0 * u)).max(), 0.0))), "exact", "R")

    def curvature(self, form: Any) -> Constant:
        """radius² max over i, j of H_ii + H_jj − 2H_ij and H_jj; from above where there are too many pairs."""
        most, status = farthest_coordinates(form)
        return Constant(self.radius * (self.radius * max(most, float(form.diagonal().max()))), status, "M")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        plain = type(self.scale) is float
        low, high = row_extremes(design, None if plain else self.scale)
        ends = np.minimum(low, 0.0), np.maximum(high, 0.0)
        return (self.scale * ends[0], self.scale * ends[1]) if plain else ends
