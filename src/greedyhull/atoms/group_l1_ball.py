"""The group l1 ball: few groups of coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import Groups, array_of, grouped_entries, positive
from greedyhull.atoms.base import NEAR, SAME, GaugeBall, Sizes
from greedyhull.atoms.lp_ball import direction
from greedyhull.atoms.neighbours import lowest, top
from greedyhull.atoms.regions import CoordinateSet
from greedyhull.kernels.group_qp import Latent, latent_norm, solve_group_qp
from greedyhull.points.aligned import coordinates
from greedyhull.points.arrays import flat, length
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.types import Array, Frame, Index

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
        """Norms fall by one threshold, directions stay."""
        norms = self.norms(x)
        if float(norms.sum()) <= self.radius:
            return x
        down = np.sort(norms)[::-1]
        cuts = (np.cumsum(down) - self.radius) / np.arange(1, len(down) + 1)
        cut = float(cuts[int((down > cuts).nonzero()[0][-1])])
        return np.asarray(x * np.where(norms > cut, 1.0 - cut / np.where(norms > 0.0, norms, 1.0), 0.0)[self.of])

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
        The largest sum of norms. `Solution.price` says what one more unit of it is worth.
    shape : tuple of int, optional
        The numbers of rows and columns, if points are matrices. Lists then number the entries row by row.

    See Also
    --------
    L1Ball : The case of groups with one coordinate each.
    KSupport : Groups that are any K coordinates.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.GroupL1Ball([0, 0, 1], radius=5.0)
    >>> S.argmin(np.array([3.0, -4.0, 1.0]))
    Sparse(places=array([0, 1]), entries=array([-3.,  4.]))
    >>> gh.GroupL1Ball([[0, 1], [1, 2]], radius=1.0).contains(np.array([0.0, 1.0, 0.0]))
    True
    >>> gh.GroupL1Ball("rows", radius=5.0, shape=(2, 2)).argmin(np.array([[3.0, -4.0], [1.0, 0.0]]))
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
        """‖x_group‖₂ for every group of a point."""
        return self.groups.norms(flat(x), shares)

    def _region(self) -> GroupBallRegion | None:
        return None if self.groups.overlap else GroupBallRegion(self.groups.of, self.radius)

    def _on(self, g: Array, k: int) -> Sparse:
        """The best atom within group k."""
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
        weights = norms[on] / self.radius
        slack = 1.0 - float(weights.sum())
        if slack > 0.0 or not on:  # what is left of the budget rests at the origin
            origin = Sparse(np.zeros(0, dtype=np.intp), np.zeros(0))
            atoms, weights = [*atoms, origin], np.append(weights, max(slack, 0.0) or 1.0)
        return Iterate(SparseBlock(self.groups.d, atoms), weights / weights.sum(), self.shape).merged()

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
