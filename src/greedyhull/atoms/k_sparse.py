"""The K-sparse polytope: an l1 budget with a bound on every coordinate. Its atoms have K entries ±radius."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.atoms.arguments import count_of, dimension, positive
from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.geometry.regions import as_written
from greedyhull.atoms.geometry.row_ranges import CHUNK, row_blocks
from greedyhull.atoms.geometry.sparse_region import SparseRegion
from greedyhull.atoms.geometry.subsets import mixed_subsets
from greedyhull.atoms.scores import sum_of_largest, top
from greedyhull.atoms.sizes import Sizes
from greedyhull.atoms.swaps import swapped_supports
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.types import Array, Design, Index, SetTraits

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class KSparse(AtomSet):
    """K-sparse polytope {w : ‖w‖₁ ≤ K·radius, ‖w‖_∞ ≤ radius}.

    It is the hull of the vectors with K entries ±radius, its atoms; runs start at the origin. `Corrective`, the default
    where f has a Hessian, works on the coordinates; ``point.atoms`` of its solution are computed when asked for.

    Parameters
    ----------
    d : int
        The number of coordinates.
    K : int
        The number of entries of an atom, from 1 (an l1 ball) to d (an l∞ ball).
    radius : float
        The size of an entry. `Solution.price` says what one more unit of it is worth.

    See Also
    --------
    KSupport : Sparse vectors whose l2 norm is bounded.
    HyperSimplex : Non-negative weights of at most 1/K of their sum.
    L1Ball : The case K = 1.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.KSparse(4, 2, 1.5).argmin(np.array([1.0, -3.0, 0.5, 2.0]))
    Sparse(places=array([1, 3]), entries=array([ 1.5, -1.5]))
    """

    def __init__(self, d: int, K: int, radius: float) -> None:
        self.shape = (dimension(d),)
        self.K = count_of(K, self.shape[0])
        self.radius = positive(radius, "radius")

    def __repr__(self) -> str:
        return f"KSparse({self.shape[0]}, K={self.K}, radius={self.radius:g})"

    @property
    def traits(self) -> SetTraits:
        """Those of any set, and budget and bounds, unless a derived class answers with other atoms."""
        region = SparseRegion(self.K, self.radius) if as_written(type(self), KSparse) else None
        return super().traits._replace(region=region)

    def _corner(self, g: Array, places: Index) -> Sparse:
        return Sparse(places, np.where(g[places] > 0, -self.radius, self.radius))

    def argmin(self, g: Array) -> Sparse:
        return self._corner(g, top(np.abs(g), self.K))

    def best(self, g: Array, m: int) -> SparseBlock:
        """The best vertex, and those that exchange one entry: the least of its K for the largest of the others."""
        return SparseBlock(self.shape[0], [self._corner(g, places) for places in swapped_supports(np.abs(g), self.K, m)])

    def start(self, rng: np.random.Generator) -> Sparse:
        """The origin."""
        return Sparse(np.zeros(0, dtype=np.intp), np.zeros(0))

    def centre(self) -> Iterate:
        from greedyhull.points.iterate import Iterate

        return Iterate.at(self.start(np.random.default_rng(0)), self.shape)

    def _holds(self, x: Array, tol: float) -> bool:
        return self.gauge(x) <= 1.0 + tol

    def gauge(self, x: Array) -> float:
        """The least c for which x lies in c times the set."""
        sizes = np.abs(x) / self.radius
        return max(float(sizes.max()), float(sizes.sum()) / self.K)

    def decompose(self, w: Array) -> Iterate:
        """At most d + 1 vertices: |w|/radius are shares that sum to at most K."""
        from greedyhull.points.iterate import Iterate

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

    def rescaled(self, radius: float) -> KSparse:
        return KSparse(self.shape[0], self.K, radius)

    def sizes(self) -> Sizes:
        """D = 2·radius·√K and r_S = D/2: the set is symmetric, and all vertices have the same norm."""
        r = self.radius * np.sqrt(self.K)
        return Sizes.of(2.0 * r, r)

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        """±radius times the sum of the K largest |a_ij|."""
        most = np.zeros(design.n)
        for I, block in row_blocks(design, CHUNK // 4):
            most[I] = self.radius * np.partition(np.abs(block), -self.K, axis=1)[:, -self.K :].sum(axis=1)
        return -most, most
