"""The simplex with upper bounds: a portfolio in which no asset has more than its share. `Simplex(d, upper=...)` makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms.arguments import dimension, numbers, positive
from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.geometry.faces import AT, room_above
from greedyhull.atoms.geometry.farthest_pair import farthest_coordinates
from greedyhull.atoms.geometry.regions import FillingRegion, as_written
from greedyhull.atoms.geometry.row_ranges import CHUNK, row_blocks
from greedyhull.atoms.scores import lowest
from greedyhull.atoms.sizes import Sizes
from greedyhull.errors import check
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.theory import Constant
from greedyhull.types import Array, Design, Index, SetTraits

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate

TINY = 1e-13  # what is left of ``total`` after filling counts as nothing below this share


class BoundedSimplex(AtomSet):
    """{0 ≤ w ≤ upper : Σ w_j = total}; an atom fills the best coordinates to their bounds until total is used up.

    >>> BoundedSimplex(4, 1.0, upper=0.4).argmin(np.array([1.0, -3.0, 0.5, 0.0]))
    Sparse(places=array([1, 2, 3]), entries=array([0.4, 0.2, 0.4]))
    """

    def __init__(self, d: int, total: float = 1.0, upper: Any = np.inf) -> None:
        self.shape = (dimension(d),)
        self.total = positive(total, "total")
        cap = numbers(upper, "upper", ceiling=self.total)
        check(cap.shape in ((), self.shape), f"upper has shape {cap.shape}; one number, or {d} numbers, are wanted.")
        check(bool((cap >= 0).all()), f"upper has the entry {cap.min(initial=0.0):g}; numbers of at least 0 are wanted.")
        self.upper, self._cap = np.array(upper, dtype=np.float64), np.broadcast_to(cap, self.shape).copy()
        room = float(self._cap.sum())
        check(room >= self.total * (1.0 - TINY),
              f"The upper bounds sum to {room:.6g}, less than total = {self.total:g}, so no weights satisfy both. Raise upper "
              f"(one bound for all must be at least total/d = {self.total / d:.6g}), or lower total.")
        self._open = np.flatnonzero(self._cap > 0)
        self._even = bool(np.ptp(self._cap) == 0.0)
        filled = np.cumsum(np.sort(self._cap[self._open])) < self.total * (1.0 - TINY)
        self._most = min(int(filled.sum()) + 1, len(self._open))  # so many coordinates fill total, whichever they are

    @property
    def traits(self) -> SetTraits:
        """Those of any set, and bounds and sum, unless a derived class answers with other atoms."""
        region = FillingRegion(self._cap, self.total) if as_written(type(self), BoundedSimplex) else None
        return super().traits._replace(region=region)

    def __repr__(self) -> str:
        upper = f"{self.upper:g}" if self.upper.ndim == 0 else "..."
        return f"Simplex({self.shape[0]}, total={self.total:g}, upper={upper})"

    def _filled(self, order: Index) -> Sparse:
        """The vertex that fills the coordinates in this order; its entries do not depend on the order of the full ones."""
        k = int(np.searchsorted(np.cumsum(self._cap[order]), self.total * (1.0 - TINY)))
        full = np.sort(order[:k])
        left = self.total - float(self._cap[full].sum())
        if k == len(order) or left <= TINY * self.total:
            return Sparse(full, self._cap[full])
        places, entries = np.append(full, order[k]), np.append(self._cap[full], min(left, float(self._cap[order[k]])))
        ascending = np.argsort(places)
        return Sparse(places[ascending], entries[ascending])

    def argmin(self, g: Array) -> Sparse:
        return self._filled(self._open[lowest(g[self._open], self._most)])

    def centre(self) -> Iterate:
        """The same share of every upper bound."""
        return self.decompose(self._cap * (self.total / float(self._cap.sum())))

    def _holds(self, x: Array, tol: float) -> bool:
        near = tol * self.total
        return bool((x >= -near).all() and (x <= self._cap + near).all()) and abs(float(x.sum()) - self.total) <= near

    def decompose(self, w: Array) -> Iterate:
        """At most d vertices: each is taken with the largest weight that leaves a point of the set, so that at least one
        more coordinate reaches a bound and stays there."""
        from greedyhull.points.iterate import Iterate

        y, mass = np.clip(self._inside(w), 0.0, self._cap), 1.0
        y *= self.total / float(y.sum())
        atoms: dict[Any, tuple[Sparse, float]] = {}
        while mass > 0.0:
            near = 1e-15 * self.total
            full = np.flatnonzero((y >= mass * self._cap - near) & (self._cap > 0))
            between = np.flatnonzero((y > near) & (y < mass * self._cap - near))
            atom = self._filled(np.concatenate([full, between[np.argsort(-y[between], kind="stable")]]))
            v = np.zeros(self.shape)
            atom.add_to(v, 1.0)
            down, up = between[v[between] > 0], between[v[between] < self._cap[between]]
            weight = min(mass, float((y[down] / v[down]).min(initial=np.inf)),
                         float(((mass * self._cap[up] - y[up]) / (self._cap[up] - v[up])).min(initial=np.inf)))
            weight = mass if len(between) < 2 else max(weight, 0.0)
            atoms[atom.key] = (atom, weight + atoms.get(atom.key, (atom, 0.0))[1])
            y, mass = np.maximum(y - weight * v, 0.0), mass - weight
        weights = np.array([weight for _, weight in atoms.values()])
        keep = np.flatnonzero(weights > 0)
        block = SparseBlock(self.shape[0], [atom for atom, _ in atoms.values()]).take(keep)
        return Iterate(block, weights[keep] / weights.sum(), self.shape)

    def within(self, w: Array, g: Array) -> Sparse:
        """The worst atom of the smallest face that holds w: what is full or empty stays so, the rest is filled worst first."""
        near = AT * self.total
        full = np.flatnonzero((w >= self._cap - near) & (self._cap > 0))
        between = np.flatnonzero((w > near) & (w < self._cap - near))
        empty = np.flatnonzero((w <= near) & (self._cap > near))  # only where rounding has left too little in the others
        return self._filled(np.concatenate([full, between[np.argsort(-g[between], kind="stable")], empty]))

    def room(self, w: Array, v: Array) -> float:
        """The largest t for which w + t·v lies in the set, for v whose entries sum to zero."""
        near = AT * self.total
        return min(room_above(w, v, 0.0, near), room_above(-w, -v, -self._cap, near))

    def max_abs(self, c: Array) -> float:
        return self.argmin(-c).dot(c)

    def rescaled(self, radius: float) -> BoundedSimplex:
        """Another total under the same upper bounds."""
        return BoundedSimplex(self.shape[0], radius, self.upper)

    def sizes(self) -> Sizes:
        """Exact for one bound for all: every vertex has the same norm, and the one that avoids its places is farthest.
        Otherwise ‖s‖² ≤ max Σ upper_j s_j, the greedy filling, bounds both."""
        d, t, cap = self.shape[0], self.total, self._cap / self.total  # relative to total, so that no square vanishes
        if float(cap.sum()) <= 1.0 + TINY:
            return Sizes.of(0.0, 0.0)
        square, middle = self.max_abs(cap) / t, 1.0 / d
        if self._even:
            s = np.zeros(d)
            self._filled(np.arange(d)).add_to(s, 1.0 / t)
            square = float(s @ s)
            apart = 2.0 * max(square - self.argmin(s).dot(s) / t, 0.0)
            return Sizes.of(t * np.sqrt(apart), t * np.sqrt(max(square - middle, 0.0)))
        r = np.sqrt(max(min(square - middle, 0.25 * float(cap @ cap)), 0.0))
        return Sizes.of(t * min(np.sqrt(2.0 * square), 2.0 * r), t * r, "upper bound")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        """Every row's coordinates filled in ascending and in descending order."""
        low, high = np.zeros(design.n), np.zeros(design.n)
        for I, block in row_blocks(design, CHUNK // 4):
            order = np.argsort(block, axis=1)
            ends = []
            for places in (order, order[:, ::-1]):
                cap = self._cap[places]
                filled = np.clip(self.total - (np.cumsum(cap, axis=1) - cap), 0.0, cap)
                ends.append((np.take_along_axis(block, places, axis=1) * filled).sum(axis=1))
            low[I], high[I] = ends
        return low, high

    def curvature(self, form: Any) -> Constant:
        """From above, by the least of three sets around it: the simplex, the ball, and the box of differences."""
        most = farthest_coordinates(form)[0]
        sets = self.total * (self.total * most), self.diameter * (self.diameter * float(form.top())), form.signs(self._cap)
        return Constant(min(sets), "upper bound", "M")
