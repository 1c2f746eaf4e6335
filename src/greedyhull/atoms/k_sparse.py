"""The K-sparse polytope and the ball of the k-support norm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.atoms.arguments import count_of
from greedyhull.atoms.base import GaugeBall, Sizes
from greedyhull.atoms.lp_ball import direction
from greedyhull.atoms.neighbours import sum_of_largest, swapped_supports, top
from greedyhull.atoms.regions import CoordinateSet
from greedyhull.kernels.bounded_qp import FULL, l1_box_gap, l1_price, nearest_sparse, solve_l1_box_qp
from greedyhull.points.arrays import length
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.types import Array, Frame, Index


def mixed_subsets(shares: Array) -> list[tuple[Index, float]]:
    """Subsets with weights that sum to one, such that the subsets with j weigh ``shares[j]`` together.

    The shares are laid end to end on a line. For u in [0, 1), those that cover one of the points u, u + 1, u + 2, … are a
    subset: it has ⌊Σ shares⌋ or ⌈Σ shares⌉ members, and changes at most once for each share as u goes from 0 to 1.

    >>> [(subset.tolist(), weight) for subset, weight in mixed_subsets(np.array([0.5, 0.75, 0.75]))]
    [([0, 1], 0.25), ([0, 2], 0.25), ([1, 2], 0.5)]
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
        """What one more unit of the budget is worth; nothing, where some is left."""
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

    def __init__(self, d: int, K: int, radius: float) -> None:
        self._measure(d, radius=radius)
        self.K = count_of(K, self.shape[0])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shape[0]}, K={self.K}, radius={self.radius:g})"

    def rescaled(self, radius: float) -> SupportBall:
        return type(self)(self.shape[0], self.K, radius)

    def _on(self, g: Array, places: Index) -> Sparse:
        """The best atom with these places."""
        raise NotImplementedError

    def argmin(self, g: Array) -> Sparse:
        return self._on(g, top(np.abs(g), self.K))

    def best(self, g: Array, m: int) -> SparseBlock:
        """The best atom, and the best ones on supports that differ from its by one exchange."""
        atoms = [self._on(g, places) for places in swapped_supports(np.abs(g), self.K, m)]
        block = SparseBlock(self.shape[0], atoms[1:])
        by = np.argsort(block.dots(g), kind="stable").tolist() if len(block) else []
        return SparseBlock(self.shape[0], [atoms[0], *(atoms[1 + i] for i in by)])


class KSparse(SupportBall):
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
        """D = 2·radius·√K and r_S = D/2: the set is symmetric, and all vertices have the same norm."""
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
