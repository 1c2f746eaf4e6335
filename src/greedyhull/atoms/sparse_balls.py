"""Balls whose atoms have few entries: the K-sparse polytope, the k-support norm, few groups."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import Groups, array_of, count_of, grouped_entries, positive
from greedyhull.atoms.base import NEAR, SAME, Sizes
from greedyhull.atoms.box import direction
from greedyhull.atoms.l1_ball import GaugeBall, with_rest
from greedyhull.atoms.neighbours import in_order, lowest, sum_of_largest, swapped_supports, top
from greedyhull.atoms.regions import CoordinateSet
from greedyhull.kernels.bounded_qp import FULL, l1_box_gap, l1_price, nearest_sparse, solve_l1_box_qp
from greedyhull.kernels.group_qp import Latent, latent_norm, nearest_by_norms, solve_group_qp
from greedyhull.points.aligned import coordinates
from greedyhull.points.arrays import flat, length
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.types import Array, Frame, Index


def mixed_subsets(shares: Array) -> list[tuple[Index, float]]:
    """Subsets with weights that sum to one, such that the subsets with j weigh ``shares[j]`` together.

    The shares are laid end to end on a line. For u in [0, 1), those that cover one of the points u, u + 1, u + 2, … are a
    subset: it has ⌊Σ shares⌋ or ⌈Σ shares⌉ members, and changes at most once for each share as u goes from 0 to 1.
    """
    ends = np.cumsum(shares)
    whole = float(np.round(ends[-1])) if len(ends) else 0.0
    if abs(float(ends[-1]) - whole) <= 1e-12 * max(whole, 1.0):
        ends = np.minimum(ends, whole)
        ends[-1] = whole
    cuts = np.unique(np.concatenate([[0.0, 1.0], ends - np.floor(ends)]))
    cuts = cuts[np.concatenate([[True], np.diff(cuts) > 4e-16])]
    cuts[-1] = 1.0
    begins = np.concatenate([[0.0], ends[:-1]])
    found = []
    for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        u = 0.5 * (low + high)
        found.append((np.flatnonzero(np.ceil(ends - u) > np.ceil(begins - u)), high - low))
    return found


@dataclass(slots=True, eq=False)
class SparseRegion(CoordinateSet):
    """|x| ≤ bound with ‖x‖₁ ≤ budget = K·bound, or less."""

    K: int
    bound: float
    budget: float

    def moved(self, c: float, v: Array) -> SparseRegion | None:
        bound = abs(c) * self.bound
        return None if v.any() or c == 0.0 else SparseRegion(self.K, bound, self.K * bound)

    def nearest(self, x: Array) -> Array:
        return nearest_sparse(x, self.bound, self.budget)

    def _price(self, g: Array, x: Array) -> float:
        """What one more unit of the budget is worth: nothing where some is left."""
        left = float(np.abs(x).sum()) < self.budget * (1.0 - FULL)
        return 0.0 if left else l1_price(g, self.bound, self.budget)

    def free(self, g: Array, x: Array) -> Index:
        """Those between their bounds, those at a bound that should leave it, and of those at zero the steepest."""
        price, on = self._price(g, x), x != 0.0
        inward = np.where(x > 0.0, g, -g) + price > 0.0
        free = on & ((np.abs(x) < self.bound) | inward)
        sizes = np.where(on, 0.0, np.abs(g))
        wanted = sizes >= price if price > 0.0 else sizes > 0.0
        # K coordinates are let in while the budget lasts, and as many again as there are
        many = max(self.K, 20, int(on.sum()))  # and so many at least
        steep = top(sizes, many) if many < len(g) else np.arange(len(g))
        free[steep[(wanted & ~on)[steep]]] = True
        return np.flatnonzero(free)

    def shares(self, g: Array, x: Array) -> Array:
        price = self._price(g, x)
        shares: Array = g * x + price * np.abs(x) + self.bound * np.maximum(np.abs(g) - price, 0.0)
        return shares

    def section(self, frame: Frame, x: Array) -> SparseRegion:
        rest = x.copy()
        frame.write(rest, np.zeros(len(frame)))
        used = float(np.abs(rest).sum())
        return SparseRegion(self.K, self.bound, max(self.budget - used, float(np.abs(frame.read(x)).sum())))

    def gap(self, grad: Array, y: Array) -> float:
        return l1_box_gap(grad, y, self.bound, self.budget)

    def slope(self, grad: Array, y: Array, target: Array) -> float:
        """Relative to the price of the budget, which may be large compared with what it is about."""
        price = l1_price(grad, self.bound, self.budget)
        signs = np.where((target > 0.0) | ((target == 0.0) & (y > 0.0)), 1.0, -1.0)
        return float((grad + price * signs).dot(target - y)) - price * float(signs.dot(target) - signs.dot(y))

    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return solve_l1_box_qp(H, grad, y, self.bound, self.budget, tol)


class SupportBall(GaugeBall):
    """A ball whose atoms have K entries."""

    _sizes_given = ("K", "radius")

    def __init__(self, d: int, K: int, radius: float) -> None:
        self._measure(d, radius=radius)
        self.K = count_of(K, self.shape[0])

    def _on(self, g: Array, places: Index) -> Sparse:
        """The best atom with these places."""
        raise NotImplementedError

    def argmin(self, g: Array) -> Sparse:
        return self._on(g, top(np.abs(g), self.K))

    def best(self, g: Array, m: int) -> SparseBlock:
        atoms = [self._on(g, places) for places in swapped_supports(np.abs(g), self.K, m)]
        return in_order(self.shape[0], atoms, g)


class KSparse(SupportBall):
    """K-sparse polytope {w : ‖w‖₁ ≤ K·radius, ‖w‖_∞ ≤ radius}.

    It is the hull of the vectors with K entries ±radius, its atoms; runs start at the origin.

    Parameters
    ----------
    d : int
        The number of coordinates.
    K : int
        The number of entries of an atom, from 1 (an l1 ball) to d (an l∞ ball).
    radius : float
        The size of an entry.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.KSparse(4, 2, 1.5).argmin(np.array([1.0, -3.0, 0.5, 2.0]))
    Sparse(places=array([1, 3]), entries=array([ 1.5, -1.5]))
    """

    def __init__(self, d: int, K: int, radius: float) -> None:
        super().__init__(d, K, radius)

    def _region(self) -> SparseRegion:
        return SparseRegion(self.K, self.radius, self.K * self.radius)

    def _on(self, g: Array, places: Index) -> Sparse:
        return Sparse(places, np.where(g[places] > 0, -self.radius, self.radius))

    def gauge(self, x: Array) -> float:
        sizes = np.abs(x) / self.radius
        return max(float(sizes.max()), float(sizes.sum()) / self.K)

    def decompose(self, w: Array) -> Iterate:
        """At most d + 1 vertices: |w|/radius are shares that sum to at most K."""
        x = self._inside(w)
        on = np.flatnonzero(x)
        if not len(on):
            return self.centre()
        shares = np.minimum(np.abs(x[on]) / self.radius, 1.0)
        shares *= min(1.0, self.K / float(shares.sum()))
        signs = np.where(x > 0, self.radius, -self.radius)
        found = mixed_subsets(shares)
        block = SparseBlock(self.shape[0], [Sparse(on[places], signs[on[places]]) for places, _ in found])
        weights = np.array([weight for _, weight in found])
        return Iterate(block, weights / weights.sum(), self.shape).merged()

    def max_abs(self, c: Array) -> float:
        return self.radius * sum_of_largest(c, self.K)

    def sizes(self) -> Sizes:
        r = self.radius * np.sqrt(self.K)
        return Sizes.of(2.0 * r, r)

    def _dual_norms(self, rows: Array) -> Array:
        return np.asarray(np.partition(np.abs(rows), -self.K, axis=1)[:, -self.K :].sum(axis=1))


class KSupport(SupportBall):
    """Ball of the k-support norm: the hull of {w : at most K entries, ‖w‖₂ ≤ radius}.

    Its atoms are the K-sparse vectors of l2 norm ``radius``; runs start at the origin. It is the tightest convex set around
    sparse vectors of bounded l2 norm (Argyriou, Foygel and Srebro 2012), and keeps correlated coordinates together where an
    l1 ball takes one of them.

    Parameters
    ----------
    d : int
        The number of coordinates.
    K : int
        The number of entries of an atom, from 1 (an l1 ball) to d (an l2 ball).
    radius : float
        The largest l2 norm of an atom.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.KSupport(4, 2, 5.0).argmin(np.array([1.0, -3.0, 0.5, 4.0]))
    Sparse(places=array([1, 3]), entries=array([ 3., -4.]))
    """

    def __init__(self, d: int, K: int, radius: float) -> None:
        super().__init__(d, K, radius)

    def _on(self, g: Array, places: Index) -> Sparse:
        return Sparse(places, 0.0 - self.radius * direction(g[places]))

    def gauge(self, x: Array) -> float:
        """The least c for which x lies in c times the set: the k-support norm over the radius."""
        largest = float(np.abs(x).max())
        return largest / self.radius * _norm_and_split(np.abs(x) / largest, self.K)[0] if largest > 0.0 else 0.0

    def decompose(self, w: Array) -> Iterate:
        """At most d + 1 atoms. The largest entries stand in all of them; the others are shares of one size, taken in turn."""
        x = self._inside(w)
        largest = float(np.abs(x).max())
        if largest == 0.0:
            return self.centre()
        sizes = np.abs(x) / largest
        norm, r = _norm_and_split(sizes, self.K)
        order = np.argsort(-sizes, kind="stable")
        head, tail = order[: self.K - r - 1], order[self.K - r - 1 :]
        tail = tail[sizes[tail] > 0.0]
        each = float(sizes[tail].sum()) / (r + 1)
        found = mixed_subsets(np.minimum(sizes[tail] / each, 1.0)) if len(tail) else [(np.zeros(0, dtype=np.intp), 1.0)]
        atoms, signs, longer = [], np.where(x > 0, 1.0, -1.0), max(norm * largest / self.radius, 1.0)
        for places, _ in found:
            on = np.sort(np.concatenate([head, tail[places]]))
            entries = np.where(np.isin(on, head), sizes[on], each) * signs[on] * (largest / longer)
            atoms.append(Sparse(on, entries))
        weights = np.array([weight for _, weight in found])
        return Iterate(SparseBlock(self.shape[0], atoms), weights / weights.sum(), self.shape).merged()

    def max_abs(self, c: Array) -> float:
        return self.radius * length(c[top(c, self.K)])

    def sizes(self) -> Sizes:
        return Sizes.of(2.0 * self.radius, self.radius)

    def _dual_norms(self, rows: Array) -> Array:
        rows = np.partition(np.abs(rows), -self.K, axis=1)[:, -self.K :]
        sizes = np.maximum(rows.max(axis=1), 1e-290)
        return np.asarray(sizes * np.linalg.norm(rows / sizes[:, None], axis=1))


def _norm_and_split(sizes: Array, K: int) -> tuple[float, int]:
    """Return the k-support norm of sizes in [0, 1], and r: the K − r − 1 largest count by squares, the others by their sum.

    ‖·‖² = Σ_{i < K−r} sᵢ² + (Σ_{i ≥ K−r} sᵢ)²/(r + 1) for the r with s_{K−r−1} > Σ_{i ≥ K−r} sᵢ/(r + 1) ≥ s_{K−r}, where
    s₁ ≥ s₂ ≥ … and s₀ is infinite; the r is chosen whose condition rounding breaks least.
    """
    first = np.sort(sizes[top(sizes, K)])[::-1]
    rest = max(float(sizes.sum()) - float(first.sum()), 0.0) if len(sizes) > K else 0.0
    r = np.arange(K)
    tails = rest + np.cumsum(first[::-1])  # of r: Σ_{i ≥ K−r} sᵢ
    means, above, below = tails / (r + 1), np.append(first[::-1][1:], np.inf), first[::-1]
    broken = np.maximum(np.maximum(means - above, below - means), 0.0)
    at = int(broken.argmin())
    head = first[: K - at - 1]
    return float(np.sqrt(head.dot(head) + tails[at] ** 2 / (at + 1))), at


MOST = 2000  # coordinates of the groups that are solved for together


@dataclass(slots=True, eq=False)
class GroupBallRegion(CoordinateSet):
    """Σ over disjoint groups of ‖x_group‖₂ ≤ radius; ``of`` has the group of each coordinate."""

    of: Index
    radius: float

    def norms(self, x: Array) -> Array:
        size = float(np.abs(x).max(initial=0.0)) or 1.0
        return np.asarray(size * np.sqrt(np.bincount(self.of, (x / size) ** 2)))

    def nearest(self, x: Array) -> Array:
        return nearest_by_norms(x, self.norms(x), self.of, self.radius)

    def free(self, g: Array, x: Array) -> Index:
        """The groups that are not zero, and of those at zero the steepest that are worth more than the budget's price."""
        norms, slopes = self.norms(x), self.norms(g)
        on = norms > 0.0
        left = float(norms.sum()) < self.radius * (1.0 - 1e-9)  # of the budget: what is left of it counts as nothing
        price = 0.0 if left else -float(g.dot(x)) / self.radius
        worth = np.where(on | (slopes <= max(price, 0.0)), 0.0, slopes)
        chosen = on.copy()
        # coordinates in groups at zero that are let in together, the steepest; or as many groups as there are already
        chosen[top(worth, max(1 + 80 * len(norms) // len(x), int(on.sum())))] = True
        chosen &= on | (worth > 0.0)
        sizes = np.bincount(self.of)
        if int(sizes[chosen].sum()) > MOST:  # of too many the steepest
            order = np.argsort(np.where(chosen, -slopes, np.inf), kind="stable")
            chosen[order[np.cumsum(sizes[order]) > max(MOST, sizes[order[0]])]] = False
        return chosen[self.of].nonzero()[0]

    def shares(self, g: Array, x: Array) -> Array:
        """What each coordinate's group promises: on a curved set the gap is no sum over coordinates."""
        return np.asarray(self.norms(g)[self.of])

    def section(self, frame: Frame, x: Array) -> GroupBallRegion:
        of, rest = frame.read(self.of), self.norms(x)
        inside = float(rest[np.unique(of)].sum())
        rest[of] = 0.0
        return GroupBallRegion(of, max(self.radius - float(rest.sum()), inside))

    def moved(self, c: float, v: Array) -> GroupBallRegion | None:
        return None if v.any() or c == 0.0 else GroupBallRegion(self.of, abs(c) * self.radius)

    def gap(self, grad: Array, y: Array) -> float:
        return float(grad.dot(y)) + self.radius * float(self.norms(grad).max())

    def slope(self, grad: Array, y: Array, target: Array) -> float:
        """Relative to the price of the budget, which may be large compared with what it is about."""
        price, before, after = float(self.norms(grad).max()), self.norms(y), self.norms(target)
        worth = np.bincount(self.of, grad * target) + price * after - np.bincount(self.of, grad * y) - price * before
        return float(worth.sum()) - price * float(after.sum() - before.sum())

    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return solve_group_qp(H, grad, y, self.of, self.radius, tol) if self.radius > 0.0 else y.copy()


class GroupL1Ball(GaugeBall):
    """Group l1 ball {w : Σ over the groups of ‖w_group‖₂ ≤ radius}, the constraint form of the group lasso.

    Its atoms are the vectors of l2 norm ``radius`` within one group; runs start at the origin. Groups may overlap: then it is
    the ball of the latent group norm (Obozinski, Jacob and Vert 2011), whose points are sums of one vector for each group,
    with norms that sum to at most ``radius``.

    Parameters
    ----------
    groups : array_like of shape (d,), list of index arrays, or {"rows", "columns"}
        The group of each coordinate, numbers or names. Or a list with the coordinates of each group, which may overlap and
        must leave no coordinate out. For matrices: an array with the group of each entry, or "rows" or "columns" with
        ``shape``.
    radius : float
        The largest sum of norms.
    shape : tuple of int, optional
        The numbers of rows and columns, if points are matrices. Lists then number the entries row by row.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.GroupL1Ball([0, 0, 1], radius=5.0)
    >>> S.argmin(np.array([3.0, -4.0, 1.0]))
    Sparse(places=array([0, 1]), entries=array([-3.,  4.]))
    """

    def __init__(self, groups: Any, radius: float, *, shape: Any = None) -> None:
        self.groups: Groups
        self.groups, self.shape = grouped_entries(groups, shape)
        if len(self.shape) == 1:
            coordinates(self, groups=groups)
        self.radius = positive(radius, "radius")

    def __repr__(self) -> str:
        over = ", overlapping" if self.groups.overlap else ""
        size = " by ".join(map(str, self.shape)) + (" coordinates" if len(self.shape) == 1 else " entries")
        return f"GroupL1Ball({size} in {len(self.groups)} groups{over}, radius={self.radius:g})"

    def _norms(self, x: Array, shares: Array | None = None) -> Array:
        return self.groups.norms(flat(x), shares)

    def _region(self) -> GroupBallRegion | None:
        return None if self.groups.overlap else GroupBallRegion(self.groups.of, self.radius)

    def _on(self, g: Array, k: int) -> Sparse:
        places = self.groups.members(k)
        return Sparse(places, 0.0 - self.radius * direction(flat(g)[places]))

    def argmin(self, g: Array) -> Sparse:
        return self._on(g, int(self._norms(g).argmax()))

    def best(self, g: Array, m: int) -> SparseBlock:
        found: dict[Any, Sparse] = {}
        for k in lowest(-self._norms(g), min(m, len(self.groups))).tolist():
            atom = self._on(g, k)
            found.setdefault(atom.key, atom)
        return SparseBlock(self.groups.d, list(found.values()))

    def _holds(self, x: Array, tol: float) -> bool:
        if self._bound(x) <= 1.0 + tol:
            return True
        if not self.groups.overlap:
            return False
        found = self._latent(x, (1.0 + tol) * self.radius)  # where its bounds stay apart, none says that x is outside
        return found.lower <= (1.0 + tol) * self.radius and found.upper <= (1.0 + max(tol, NEAR)) * self.radius

    @property
    def resolution(self) -> float:
        return NEAR if self.groups.overlap else SAME

    def gauge(self, x: Array) -> float:
        """The least c for which x lies in c times the set; where groups overlap, to about 13 digits and never less."""
        return self._latent(x).upper / self.radius if self.groups.overlap else self._bound(x)

    def _bound(self, x: Array) -> float:
        """What `gauge` is at most, at once: each coordinate is shared out evenly among its groups."""
        return float(self._norms(x, self.groups.shares if self.groups.overlap else None).sum()) / self.radius

    def _latent(self, x: Array, limit: float = np.inf) -> Latent:
        """The norm of x where groups overlap, between two bounds."""
        return latent_norm(flat(x), self.groups.places, self.groups.starts, limit)

    def excludes(self, w: Any, tol: float = 1e-9) -> bool:
        x = array_of(w)
        if x.shape != self.shape or not np.isfinite(x).all():
            return True
        if not self.groups.overlap:
            return not self._holds(x, tol)
        return self._bound(x) > 1.0 + tol and self._latent(x, (1.0 + tol) * self.radius).lower > (1.0 + tol) * self.radius

    def decompose(self, w: Array) -> Iterate:
        """One atom for each group; where groups overlap, by the split whose norms have the least sum."""
        split = self._split(self._inside(w))
        parts = [split[a:b] for a, b in pairwise(self.groups.starts.tolist())]
        norms = np.array([length(part) for part in parts])
        on = np.flatnonzero(norms > 0.0).tolist()
        atoms = [Sparse(self.groups.members(k), self.radius * direction(parts[k])) for k in on]
        return with_rest(self, SparseBlock(self.groups.d, atoms), norms[on] / self.radius).merged()

    def _split(self, x: Array) -> Array:
        """A point as a sum of one vector for each group, one after the other, with a sum of norms of at most ``radius``."""
        if self._bound(x) <= 1.0 or not self.groups.overlap:
            return np.asarray((flat(x) * self.groups.shares)[self.groups.places])
        return self._latent(x).split

    def max_abs(self, c: Array) -> float:
        return self.radius * float(self._norms(c).max())

    def rescaled(self, radius: float) -> GroupL1Ball:
        return GroupL1Ball(self.groups, radius, shape=None if len(self.shape) == 1 else self.shape)

    def sizes(self) -> Sizes:
        return Sizes.of(2.0 * self.radius, self.radius)

    def _dual_norms(self, rows: Array) -> Array:
        return np.asarray(self.groups.norms(rows).max(axis=1))
