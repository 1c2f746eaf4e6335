"""The simplex, with bounds, with a sum of at most a total, and the hypersimplex."""

from __future__ import annotations

from math import prod
from operator import attrgetter
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import count_of, dimension, numbers, positive
from greedyhull.atoms.base import AtomSet, Budget, Sizes, one_scale
from greedyhull.atoms.box import AT, room_above
from greedyhull.atoms.geometry import CHUNK, row_blocks, row_extremes
from greedyhull.atoms.l1_ball import L1Ball, given_size, with_rest
from greedyhull.atoms.neighbours import best_of, lowest, total
from greedyhull.atoms.regions import CappedSimplexRegion
from greedyhull.atoms.vertices import farthest_coordinates
from greedyhull.errors import check
from greedyhull.points.aligned import coordinates
from greedyhull.points.arrays import flat
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis, BasisBlock, Sparse, SparseBlock
from greedyhull.theory import Constant
from greedyhull.types import Array, Design, Index


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

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Simplex(3).argmin(np.array([1.0, -3.0, 0.5]))
    Basis(index=1, scale=1.0)
    >>> f = gh.least_squares(np.eye(3), np.array([1.0, 0.0, 0.0]))
    >>> gh.minimize(f, gh.Simplex(3, upper=0.6)).x.round(6)
    array([0.6, 0.2, 0.2])
    """

    _sizes_given = ("total",)

    def __new__(cls, d: int, total: float = 1.0, *, lower: Any = None, upper: Any = None) -> Simplex:
        if lower is None and upper is None:
            return super().__new__(cls)
        return BoundedSimplex(d, total, np.inf if upper is None else upper, 0.0 if lower is None else lower)  # type: ignore[return-value]

    def __init__(self, d: int, total: float = 1.0, *, lower: Any = None, upper: Any = None) -> None:
        self._measure(d, total=total)
        self.__dict__["radius"] = self.total

    def __getnewargs__(self) -> tuple[int, float]:
        return self.shape[0], self.total

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
        held = w > AT * self.total
        return Basis(int(np.where(held, g, -np.inf).argmax() if held.any() else w.argmax()), self.total)

    def room(self, w: Array, v: Array) -> float:
        return room_above(w, v, 0.0, AT * self.total)

    def max_abs(self, c: Array) -> float:
        return float(self.total * c.item(c.argmax()))

    def sizes(self) -> Sizes:
        d = self.shape[0]
        return Sizes.of(self.total * np.sqrt(2.0) if d > 1 else 0.0, self.total * np.sqrt(1.0 - 1.0 / d))

    def radius_around(self, x: Array) -> Constant:
        """‖total e_j − x‖² = ‖x‖² + total² − 2 total x_j."""
        u = x / self.total  # of which no square vanishes
        return Constant(self.total * float(np.sqrt(max(u @ u + 1.0 - 2.0 * u.min(), 0.0))), "exact", "R")

    def curvature(self, form: Any) -> Constant:
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
        The largest sum.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.CappedSimplex(2).argmin(np.array([1.0, 3.0]))      # the origin
    Basis(index=0, scale=0.0)
    """

    _sizes_given = ("total",)

    def __init__(self, d: int, total: float = 1.0) -> None:
        self._measure(d, total=total)
        self.__dict__["radius"] = self.total

    def __len__(self) -> int:
        return prod(self.shape) + 1

    def __getitem__(self, j: int) -> Basis:
        return self.block(np.array([range(len(self))[j]]))[0]

    scale: Any = property(attrgetter("total"), doc="The length of the atoms: one number, or one for each coordinate.")

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
        return with_rest(self, self.block(j), u[j])

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


TINY = 1e-13  # bounds that miss ``total`` by a smaller share still have points: they are off by rounding
FRAGMENT = 8.0 * float(np.finfo(np.float64).eps)  # a smaller share of ``total`` is not filled: certificates allow for more


class BoundedSimplex(AtomSet):
    """{lower ≤ w ≤ upper : Σ w_j = total}; an atom fills the best coordinates to their bounds until total is used up.

    It is ``lower`` and what is filled: {0 ≤ v ≤ upper − lower : Σ v_j = total − Σ lower_j}.

    >>> BoundedSimplex(3, 1.0, lower=[0.1, 0.0, 0.2]).argmin(np.array([1.0, -3.0, 0.5]))
    Sparse(places=array([0, 1, 2]), entries=array([0.1, 0.7, 0.2]))
    """

    def __init__(self, d: int, total: float = 1.0, upper: Any = np.inf, lower: Any = 0.0) -> None:
        self._measure(d, total=total)
        lower, upper = coordinates(self, lower=lower, upper=upper)
        self.lower, self._low = _bounds(lower, "lower", self.shape)
        below = float(self._low.sum())
        self._size = max(self.total, float(np.abs(self._low).sum()))
        self._sum = self.total - below  # what is filled
        check(self._sum >= -TINY * self._size,
              f"The lower bounds sum to {below:.6g}, {-self._sum:.3g} more than total = {self.total:g}, so no weights satisfy "
              "both. Reduce lower, or raise total.")
        self._sum = self._sum if self._sum > TINY * self._size else 0.0
        self.upper, high = _bounds(upper, "upper", self.shape, self.total + self._size)
        check(bool(self._low.any() or (high >= 0).all()),
              f"upper has the entry {high.min():g}; numbers of at least 0 are wanted.")
        crossed = np.flatnonzero(high < self._low)
        check(not len(crossed), lambda: f"lower exceeds upper at coordinate {int(crossed[0])}: {self._low[crossed[0]]:g} > "
                                        f"{high[crossed[0]]:g}.")
        self._cap = np.minimum(high - self._low, self._sum)
        room = float(self._cap.sum())
        check(room >= self._sum * (1.0 - TINY),
              f"The upper bounds sum to {room + below:.6g}, less than total = {self.total:g}, so no weights satisfy both. "
              f"Raise upper (one bound for all must be at least total/d = {self.total / d:.6g}), or lower total.")
        self._open = np.flatnonzero(self._cap > 0)
        self._even = bool(np.ptp(self._cap) == 0.0)
        filled = np.cumsum(np.sort(self._cap[self._open])) < self._sum * (1.0 - TINY)
        self._most = min(int(filled.sum()) + 1, len(self._open))  # so many coordinates fill it, whichever they are

    def _region(self) -> CappedSimplexRegion:
        return CappedSimplexRegion(self._cap, self._sum, self._low if self._low.any() else None)

    def __repr__(self) -> str:
        given = {"lower": (self.lower, 0.0), "upper": (self.upper, np.inf)}
        bounds = [f", {name}={bound:g}" if bound.ndim == 0 else f", {name}=..."
                  for name, (bound, none) in given.items() if (bound != none).any()]
        return f"Simplex({self.shape[0]}, total={self.total:g}{''.join(bounds)})"

    def _filled(self, order: Index) -> Sparse | None:
        """What a vertex that fills the coordinates in this order has above ``lower``; None if they do not use up the total."""
        if self._sum == 0.0:
            return Sparse(np.zeros(0, dtype=np.intp), np.zeros(0))
        sums = np.cumsum(self._cap[order])
        k = int(np.searchsorted(sums, self._sum * (1.0 - FRAGMENT)))
        if k == len(order) and not (k and sums[-1] >= self._sum * (1.0 - 2.0 * TINY)):
            return None
        full = np.sort(order[:k])
        left = self._sum - float(self._cap[full].sum())
        if k == len(order) or left <= FRAGMENT * self._sum:
            return Sparse(full, self._cap[full])
        places, entries = np.append(full, order[k]), np.append(self._cap[full], min(left, float(self._cap[order[k]])))
        ascending = np.argsort(places)
        return Sparse(places[ascending], entries[ascending])

    def _raised(self, filled: Sparse | None) -> Sparse:
        """The vertex: ``lower`` and what is filled."""
        assert filled is not None
        if not self._low.any():
            return filled
        x = self._low.copy()
        filled.add_to(x, 1.0)
        places = np.flatnonzero(x)
        return Sparse(places, x[places])

    def argmin(self, g: Array) -> Sparse:
        return self._raised(self._filled(self._open[lowest(g[self._open], self._most)]))

    def best(self, g: Array, m: int) -> SparseBlock:
        """The best vertex, and some beside it: one of its coordinates left out, or another one filled first."""
        order = self._open[lowest(g[self._open], self._most + m)]
        found = best_of(self._filled, order, g, m)
        if not self._low.any():
            return found
        return SparseBlock(self.shape[0], [self._raised(found[i]) for i in range(len(found))])

    def centre(self) -> Iterate:
        room = float(self._cap.sum())
        return self.decompose(self._low + self._cap * (self._sum / room if room > 0.0 else 0.0))

    def _holds(self, x: Array, tol: float) -> bool:
        near = tol * self._size
        v = x - self._low
        return bool((v >= -near).all() and (v <= self._cap + near).all()) and abs(float(x.sum()) - self.total) <= near

    def decompose(self, w: Array) -> Iterate:
        """At most d vertices, each with the largest weight that leaves a point: one more coordinate stays at a bound."""
        y, mass = np.clip(self._inside(w) - self._low, 0.0, self._cap), 1.0
        if self._sum == 0.0 or not y.any():
            return Iterate.at(self._raised(self._filled(self._open)), self.shape)
        y *= self._sum / float(y.sum())
        atoms, weights = [], []
        while mass > 0.0:
            near = 1e-15 * self._sum
            full = np.flatnonzero((y >= mass * self._cap - near) & (self._cap > 0))
            between = np.flatnonzero((y > near) & (y < mass * self._cap - near))
            atom = self._filled(np.concatenate([full, between[np.argsort(-y[between], kind="stable")]]))
            if atom is None:  # rounding left too little of them
                break
            v = np.zeros(self.shape)
            atom.add_to(v, 1.0)
            down, up = between[v[between] > 0], between[v[between] < self._cap[between]]
            weight = min(mass, float((y[down] / v[down]).min(initial=np.inf)),
                         float(((mass * self._cap[up] - y[up]) / (self._cap[up] - v[up])).min(initial=np.inf)))
            weight = mass if len(between) < 2 else max(weight, 0.0)
            if weight > 0.0:
                atoms.append(self._raised(atom))
                weights.append(weight)
            y, mass = np.maximum(y - weight * v, 0.0), mass - weight
        return Iterate(SparseBlock(self.shape[0], atoms), np.array(weights) / sum(weights), self.shape).merged()

    def within(self, w: Array, g: Array) -> Sparse:
        """The worst atom of the smallest face that holds w: what is full or empty stays so, the rest is filled worst first."""
        near, v = AT * self._size, w - self._low
        full = np.flatnonzero((v >= self._cap - near) & (self._cap > 0))
        between = np.flatnonzero((v > near) & (v < self._cap - near))
        empty = np.flatnonzero((v <= near) & (self._cap > near))  # only where rounding has left too little in the others
        return self._raised(self._filled(np.concatenate([full, between[np.argsort(-g[between], kind="stable")], empty])))

    def room(self, w: Array, v: Array) -> float:
        near, above = AT * self._size, w - self._low
        return min(room_above(above, v, 0.0, near), room_above(-above, -v, -self._cap, near))

    def max_abs(self, c: Array) -> float:
        """Σ c_j |lower_j + v_j| is at most what its chords from v_j = 0 to the bound say: exact for lower ≥ 0."""
        if not self._low.any():
            return self.argmin(-c).dot(c)
        with np.errstate(invalid="ignore", divide="ignore"):
            slopes = np.where(self._cap > 0, (np.abs(self._low + self._cap) - np.abs(self._low)) / self._cap, 0.0) * c
        filled = self._filled(self._open[np.argsort(-slopes[self._open], kind="stable")])
        assert filled is not None
        return float(np.abs(self._low).dot(c)) + filled.dot(slopes)

    def rescaled(self, radius: float) -> BoundedSimplex:
        return BoundedSimplex(self.shape[0], radius, self.upper, self.lower)

    def sizes(self) -> Sizes:
        """Exact where all bounds are the same: all vertices have one norm. Else ‖s‖² ≤ max Σ upper_j s_j bounds both."""
        d, t = self.shape[0], self._sum
        cap = self._cap / (t or 1.0)  # relative to what is filled, so that no square vanishes
        if float(cap.sum()) <= 1.0 + TINY:
            return Sizes.of(0.0, 0.0)
        steep = self._filled(self._open[np.argsort(-cap[self._open], kind="stable")])
        assert steep is not None
        square, middle = steep.dot(cap) / t, 1.0 / d
        if self._even:
            s = np.zeros(d)
            steep.add_to(s, 1.0 / t)
            square = float(s @ s)
            other = self._filled(self._open[lowest(s[self._open], self._most)])
            assert other is not None
            apart = 2.0 * max(square - other.dot(s) / t, 0.0)
            return Sizes.of(t * np.sqrt(apart), t * np.sqrt(max(square - middle, 0.0)))
        r = np.sqrt(max(min(square - middle, 0.25 * float(cap @ cap)), 0.0))
        return Sizes.of(t * min(np.sqrt(2.0 * square), 2.0 * r), t * r, "upper bound")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        low, high = np.zeros(design.n), np.zeros(design.n)
        for I, block in row_blocks(design, CHUNK // 4):
            order = np.argsort(block, axis=1)
            ends = []
            for places in (order, order[:, ::-1]):
                cap = self._cap[places]
                filled = np.clip(self._sum - (np.cumsum(cap, axis=1) - cap), 0.0, cap)
                ends.append((np.take_along_axis(block, places, axis=1) * filled).sum(axis=1) + block @ self._low)
            low[I], high[I] = ends
        return low, high

    def curvature(self, form: Any) -> Constant:
        """From above, by the least of three sets around it: the simplex, the ball, and the box of differences."""
        most = farthest_coordinates(form)[0]
        sets = self._sum * (self._sum * most), self.diameter * (self.diameter * float(form.top())), form.signs(self._cap)
        return Constant(min(sets), "upper bound", "M")


def _bounds(given: Any, name: str, shape: tuple[int, ...], ceiling: float = np.inf) -> tuple[Array, Array]:
    """Bounds as they were given, and one for each coordinate, cut off at ``ceiling``."""
    each = numbers(given, name, ceiling)
    check(each.shape in ((), shape), f"{name} has shape {each.shape}; one number, or {shape[0]} numbers, are wanted.")
    return np.array(given, dtype=np.float64), np.broadcast_to(each, shape) + 0.0


class HyperSimplex(BoundedSimplex):
    """Weights of at most 1/K of their sum, {0 ≤ w ≤ total/K : Σ w_j = total}.

    Its atoms have K entries total/K: the choices of K out of d, whose mixtures it holds. It is a `Simplex` with upper bounds.

    Parameters
    ----------
    d : int
        The number of coordinates.
    K : int
        The number of entries of an atom, from 1 (a simplex) to d (a single point).
    total : float, default 1.0
        The sum of the weights.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.HyperSimplex(4, 2).argmin(np.array([1.0, -3.0, 0.5, 2.0]))
    Sparse(places=array([1, 2]), entries=array([0.5, 0.5]))
    """

    def __init__(self, d: int, K: int, total: float = 1.0) -> None:
        self.K = count_of(K, dimension(d))
        super().__init__(d, total, positive(total, "total") / self.K)
        self.radius = self.total

    def __repr__(self) -> str:
        return f"HyperSimplex({self.shape[0]}, K={self.K}, total={self.total:g})"

    def rescaled(self, radius: float) -> HyperSimplex:
        return HyperSimplex(self.shape[0], self.K, radius)


class PositiveL1Ball(CappedSimplex):
    """{w ≥ 0 : Σ weights_j w_j ≤ radius}: a `CappedSimplex` with the weights, the gauge and the shapes of an `L1Ball`.

    >>> PositiveL1Ball(3, 2.0).argmin(np.array([1.0, -3.0, 0.5]))
    Basis(index=1, scale=2.0)
    """

    def __init__(self, d: int | tuple[int, ...], radius: float, *, weights: Any = None) -> None:
        ball = L1Ball(d, radius, weights=weights)  # which checks them
        self.shape, self.radius, self.weights, self.size = ball.shape, ball.radius, ball.weights, ball.size
        self._scale = np.broadcast_to(np.asarray(ball.scale, dtype=np.float64), self.size) + 0.0

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weights=..."
        return f"PositiveL1Ball({given_size(self)}, radius={self.radius:g}{weighted})"

    scale = property(attrgetter("_scale"))

    def gauge(self, x: Array) -> float:
        """The least c for which x ≥ 0 lies in c times the set."""
        return float(np.abs(flat(x) / self._scale).sum())

    def rescaled(self, radius: float) -> PositiveL1Ball:
        weights = None if self.weights is None else self.weights.reshape(self.shape)
        return PositiveL1Ball(given_size(self), radius, weights=weights)

    def sizes(self) -> Sizes:
        """D = √(a² + b²) with the two longest atoms a and b; the ball about the origin that holds all atoms bounds r_S."""
        longest = np.sort(self._scale)[-2:]
        return Sizes(Constant(float(np.hypot(*longest)) if len(longest) == 2 else float(longest[0]), "exact", "D"),
                     Constant(float(longest[-1]), "upper bound", "r_S"))

    def curvature(self, form: Any) -> Constant:
        """With weights, that of the l1 ball bounds it."""
        if self.weights is None:
            return super().curvature(form)
        return Constant(4.0 * float((form.diagonal() * self._scale * self._scale).max()), "upper bound", "M")
