"""The ball of the k-support norm: the hull of the vectors with K entries whose l2 norm is at most ``radius``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.atoms.arguments import count_of, dimension, positive
from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.geometry.row_ranges import CHUNK, row_blocks
from greedyhull.atoms.geometry.subsets import mixed_subsets
from greedyhull.atoms.l2_ball import direction
from greedyhull.atoms.scores import top
from greedyhull.atoms.sizes import Sizes
from greedyhull.atoms.swaps import swapped_supports
from greedyhull.points.lengths import length
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.types import Array, Design, Index

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class KSupport(AtomSet):
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
        The largest l2 norm of an atom. `Solution.price` says what one more unit of it is worth.

    See Also
    --------
    KSparse : Sparse vectors whose largest entry is bounded.
    GroupL1Ball : Groups that are known in advance.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.KSupport(4, 2, 5.0).argmin(np.array([1.0, -3.0, 0.5, 4.0]))
    Sparse(places=array([1, 3]), entries=array([ 3., -4.]))
    """

    def __init__(self, d: int, K: int, radius: float) -> None:
        self.shape = (dimension(d),)
        self.K = count_of(K, self.shape[0])
        self.radius = positive(radius, "radius")

    def __repr__(self) -> str:
        return f"KSupport({self.shape[0]}, K={self.K}, radius={self.radius:g})"

    def _on(self, g: Array, places: Index) -> Sparse:
        """The best atom with these places."""
        return Sparse(places, 0.0 - self.radius * direction(g[places]))

    def argmin(self, g: Array) -> Sparse:
        return self._on(g, top(np.abs(g), self.K))

    def best(self, g: Array, m: int) -> SparseBlock:
        """The best atom, and the best ones on supports that differ from its by one exchange."""
        atoms = [self._on(g, places) for places in swapped_supports(np.abs(g), self.K, m)]
        block = SparseBlock(self.shape[0], atoms[1:])
        by = np.argsort(block.dots(g), kind="stable").tolist() if len(block) else []
        return SparseBlock(self.shape[0], [atoms[0], *(atoms[1 + i] for i in by)])

    def start(self, rng: np.random.Generator) -> Sparse:
        """The origin."""
        return Sparse(np.zeros(0, dtype=np.intp), np.zeros(0))

    def centre(self) -> Iterate:
        from greedyhull.points.iterate import Iterate

        return Iterate.at(self.start(np.random.default_rng(0)), self.shape)

    def _holds(self, x: Array, tol: float) -> bool:
        return self.gauge(x) <= 1.0 + tol

    def gauge(self, x: Array) -> float:
        """The least c for which x lies in c times the set: the k-support norm over the radius."""
        largest = float(np.abs(x).max())
        return largest / self.radius * _norm_and_split(np.abs(x) / largest, self.K)[0] if largest > 0.0 else 0.0

    def decompose(self, w: Array) -> Iterate:
        """At most d + 1 atoms. The largest entries stand in all of them; the others are shares of one size, taken in turn."""
        from greedyhull.points.iterate import Iterate

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

    def rescaled(self, radius: float) -> KSupport:
        return KSupport(self.shape[0], self.K, radius)

    def sizes(self) -> Sizes:
        """D = 2·radius and r_S = radius."""
        return Sizes.of(2.0 * self.radius, self.radius)

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        """±radius times the norm of the K largest |a_ij|."""
        most = np.zeros(design.n)
        for I, block in row_blocks(design, CHUNK // 4):
            rows = np.partition(np.abs(block), -self.K, axis=1)[:, -self.K :]
            sizes = np.maximum(rows.max(axis=1), 1e-290)
            most[I] = self.radius * sizes * np.linalg.norm(rows / sizes[:, None], axis=1)
        return -most, most


def _norm_and_split(sizes: Array, K: int) -> tuple[float, int]:
    """The k-support norm of sizes in [0, 1], and r: the K − r − 1 largest count by their squares, the others by their sum.

    ‖·‖² = Σ_{i < K−r} sᵢ² + (Σ_{i ≥ K−r} sᵢ)²/(r + 1) for the r with s_{K−r−1} > Σ_{i ≥ K−r} sᵢ/(r + 1) ≥ s_{K−r}, where
    s₁ ≥ s₂ ≥ … and s₀ is infinite. It is the largest of these expressions over r, of which we take the one whose condition
    rounding breaks least.
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
