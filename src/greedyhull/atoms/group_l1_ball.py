"""The group l1 ball: few groups, whole. Its atoms are the vectors of length ``radius`` within one group.

Points may be vectors or matrices; the entries of a matrix are numbered row by row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms.arguments import array_of, positive
from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.geometry.group_ball_region import GroupBallRegion
from greedyhull.atoms.geometry.regions import as_written
from greedyhull.atoms.geometry.row_ranges import CHUNK, row_blocks
from greedyhull.atoms.l2_ball import direction
from greedyhull.atoms.labels import Groups, grouped_entries
from greedyhull.atoms.scores import lowest
from greedyhull.atoms.sizes import Sizes
from greedyhull.points.arrays import flat
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.types import Array, Design, SetTraits

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class GroupL1Ball(AtomSet):
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
        self.radius = positive(radius, "radius")

    def __repr__(self) -> str:
        over = ", overlapping" if self.groups.overlap else ""
        size = " by ".join(map(str, self.shape)) + (" coordinates" if len(self.shape) == 1 else " entries")
        return f"GroupL1Ball({size} in {len(self.groups)} groups{over}, radius={self.radius:g})"

    def _norms(self, x: Array, shares: Array | None = None) -> Array:
        """‖x_group‖₂ for every group of a point."""
        return self.groups.norms(flat(x), shares)

    @property
    def traits(self) -> SetTraits:
        """Those of any set, and groups and budget where groups are disjoint, unless a derived class answers otherwise."""
        plain = not self.groups.overlap and as_written(type(self), GroupL1Ball)
        region = GroupBallRegion(self.groups, self.groups.of, self.radius) if plain else None
        return super().traits._replace(region=region)

    def _on(self, g: Array, k: int) -> Sparse:
        """The best atom within group k."""
        places = self.groups.members(k)
        return Sparse(places, 0.0 - self.radius * direction(flat(g)[places]))

    def argmin(self, g: Array) -> Sparse:
        return self._on(g, int(self._norms(g).argmax()))

    def best(self, g: Array, m: int) -> SparseBlock:
        """The best atoms of the m steepest groups."""
        found: dict[Any, Sparse] = {}
        for k in lowest(-self._norms(g), min(m, len(self.groups))).tolist():
            atom = self._on(g, k)
            found.setdefault(atom.key, atom)
        return SparseBlock(self.groups.d, list(found.values()))

    def start(self, rng: np.random.Generator) -> Sparse:
        """The origin."""
        return Sparse(np.zeros(0, dtype=np.intp), np.zeros(0))

    def centre(self) -> Iterate:
        from greedyhull.points.iterate import Iterate

        return Iterate.at(self.start(np.random.default_rng(0)), self.shape)

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        """Whether the point lies in the set: by its norm or, where groups overlap, by a search for a mixture within 1e-7."""
        return self._has(array_of(w), tol)

    def _holds(self, x: Array, tol: float) -> bool:
        return super()._holds(x, tol) if self.groups.overlap else self.gauge(x) <= 1.0 + tol

    def gauge(self, x: Array) -> float:
        """The least c for which x lies in c times the set; where groups overlap, an upper bound."""
        if not self.groups.overlap:
            return float(self._norms(x).sum()) / self.radius
        return float(self._norms(x, self.groups.shares).sum()) / self.radius

    def contains_quickly(self, w: Iterate) -> bool | None:
        """By the norm; where groups overlap, only if a sum of norms that bounds it says yes."""
        x = w.array()
        if x.shape != self.shape:
            return False
        inside = bool(np.isfinite(x).all()) and self.gauge(x) <= 1.0 + 1e-9
        return inside if inside or not self.groups.overlap else None

    def excludes(self, w: Any, tol: float = 1e-9) -> bool:
        """Whether the point certainly lies outside; where groups overlap, the best atom for w as a linear form tells."""
        x = array_of(w)
        if x.shape != self.shape or not np.isfinite(x).all():
            return True
        if not self.groups.overlap:
            return not self._holds(x, tol)
        u = direction(x)  # ⟨u, ·⟩ is at most radius times the largest norm of a group
        return bool(flat(x).dot(flat(u)) > (1.0 + max(tol, 1e-7)) * self.radius * float(self._norms(u).max()))

    def decompose(self, w: Array) -> Iterate:
        """One atom for each group; where groups overlap, each coordinate is shared out among its groups if that will do."""
        from greedyhull.points.iterate import Iterate

        x = array_of(w)
        if self.groups.overlap and not (x.shape == self.shape and np.isfinite(x).all() and self.gauge(x) <= 1.0 + 1e-9):
            return super().decompose(w)
        x = x if self.groups.overlap else self._inside(w)
        norms = self._norms(x, self.groups.shares)
        on = np.flatnonzero(norms > 0.0)
        atoms = [Sparse(places, self.radius * direction(flat(x)[places] * self.groups.shares[places]))
                 for places in (self.groups.members(k) for k in on.tolist())]
        weights = norms[on] / self.radius
        slack = 1.0 - float(weights.sum())
        if slack > 0.0 or not len(on):  # what is left of the budget rests at the origin
            atoms, weights = [*atoms, self.start(np.random.default_rng(0))], np.append(weights, max(slack, 0.0) or 1.0)
        return Iterate(SparseBlock(self.groups.d, atoms), weights / weights.sum(), self.shape).merged()

    def max_abs(self, c: Array) -> float:
        return self.radius * float(self._norms(c).max())

    def rescaled(self, radius: float) -> GroupL1Ball:
        return GroupL1Ball(self.groups, radius, shape=None if len(self.shape) == 1 else self.shape)

    def sizes(self) -> Sizes:
        """D = 2·radius and r_S = radius."""
        return Sizes.of(2.0 * self.radius, self.radius)

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        """±radius times the largest norm of a group of a row."""
        most = np.zeros(design.n)
        for I, block in row_blocks(design, CHUNK // 4):
            most[I] = self.radius * self.groups.norms(block).max(axis=1)
        return -most, most
