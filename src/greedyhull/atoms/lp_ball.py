"""The Euclidean ball and the other lp balls."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import numbers
from greedyhull.atoms.base import AtomSet, GaugeBall, Sizes
from greedyhull.atoms.geometry import products, row_norms
from greedyhull.atoms.regions import BallRegion, BoxRegion
from greedyhull.errors import check, shown
from greedyhull.points.aligned import coordinates
from greedyhull.points.arrays import length
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Dense, DenseBlock
from greedyhull.theory import Constant
from greedyhull.types import Array, Design, Region


class L2Ball(AtomSet):
    """Euclidean ball {w : ‖w − centre‖₂ ≤ radius}.

    Every point of the sphere is an atom. `Corrective`, the default where f has a Hessian, works on the coordinates;
    ``point.atoms`` of its solution are the two ends of a diameter, computed when asked for.

    Parameters
    ----------
    d : int
        The number of coordinates.
    radius : float
        The radius.
    centre : array_like of shape (d,), optional
        The centre, the origin by default. It is kept as the attribute ``middle``.

    See Also
    --------
    L1Ball : A ball whose minimisers are sparse.
    LinfBall : Bounds on each coordinate.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.L2Ball(2, 5.0).argmin(np.array([3.0, -4.0])).array
    array([-3.,  4.])
    """

    dense_atoms = True

    def __init__(self, d: int, radius: float, *, centre: Any = None) -> None:
        self._measure(d, radius=radius)
        centre, = coordinates(self, centre=centre)
        self.middle = np.zeros(self.shape) if centre is None else numbers(centre, "centre")
        check(self.middle.shape == self.shape, f"centre has shape {self.middle.shape}; {d} numbers are wanted.")
        self.middle.flags.writeable = False

    def _region(self) -> BallRegion:
        return BallRegion(self.middle, self.radius)

    def __repr__(self) -> str:
        return f"L2Ball({self.shape[0]}, radius={self.radius:g}{', centre=...' if self.middle.any() else ''})"

    def argmin(self, g: Array) -> Dense:
        return Dense(self.middle - self.radius * direction(g))

    def worst(self, g: Array, epsilon: float) -> Dense:
        """The best atom turned by the angle θ at which radius·‖g‖(1 − cos θ) = epsilon."""
        u = direction(g)
        length = self.radius * float(np.dot(u, g))
        cosine = max(-1.0, 1.0 - epsilon * (1.0 - 1e-12) / length) if length > 0 else -1.0
        side = np.zeros(self.shape)
        side[int(np.abs(u).argmin())] = 1.0
        side = direction(side - u[int(side.argmax())] * u) if self.shape[0] > 1 else 0.0 * u
        if self.shape[0] == 1 and cosine > -1.0:
            cosine = 1.0  # on a line there is nothing between the two ends
        return Dense(self.middle - self.radius * (cosine * u + np.sqrt(max(1.0 - cosine * cosine, 0.0)) * side))

    def centre(self) -> Iterate:
        return self._between(np.eye(1, self.shape[0])[0], 0.0)

    def _between(self, u: Array, share: float) -> Iterate:
        """centre + share·radius·u for a unit vector u, as the two ends of that diameter."""
        ends = np.stack([self.middle + self.radius * u, self.middle - self.radius * u])
        weights = np.array([0.5 * (1.0 + share), 0.5 * (1.0 - share)])
        keep = np.flatnonzero(weights > 0)
        return Iterate(DenseBlock(ends[keep], self.shape), weights[keep], self.shape)

    def _holds(self, x: Array, tol: float) -> bool:
        rounding = 1e-15 * float(np.abs(self.middle).max())
        return float(np.linalg.norm((x - self.middle) / self.radius)) <= 1.0 + tol + rounding / self.radius

    def decompose(self, w: Array) -> Iterate:
        v = (self._inside(w) - self.middle) / self.radius
        return self._between(direction(v), min(float(np.linalg.norm(v)), 1.0))

    def max_abs(self, c: Array) -> float:
        """Σ c_j |centre_j| + radius·‖c‖, attained where the atom has the centre's signs."""
        return float((c * np.abs(self.middle)).sum() + self.radius * length(c))

    def rescaled(self, radius: float) -> L2Ball:
        return L2Ball(self.shape[0], radius, centre=self.middle)

    def sizes(self) -> Sizes:
        return Sizes.of(2.0 * self.radius, self.radius)

    def radius_around(self, x: Array) -> Constant:
        return Constant(self.radius + length(x - self.middle), "exact", "R")

    def curvature(self, form: Any) -> Constant:
        top = form.top()
        return Constant(4.0 * self.radius * (self.radius * float(top)), top.status, "M")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        middle, reach = products(design, self.middle[None, :])[:, 0], self.radius * row_norms(design)
        return middle - reach, middle + reach


def direction(g: Array) -> Array:
    """g/‖g‖ without overflow or underflow; the first unit vector if g = 0."""
    largest = float(np.abs(g).max())
    if largest == 0.0:
        return np.asarray(np.eye(1, len(g))[0])
    scaled = np.asarray(g, dtype=np.float64) / largest
    return np.asarray(scaled / np.linalg.norm(scaled))


class LpBall(GaugeBall):
    """Ball of the lp norm, {w : ‖w‖_p ≤ radius}, 1 ≤ p ≤ ∞.

    For 1 < p < ∞ every point of the sphere is an atom: opposite to g it is the one with |w_j| proportional to
    |g_j|^(q − 1), 1/p + 1/q = 1. For p = 1, 2 and ∞ it is the same set as `L1Ball`, `L2Ball` and `LinfBall`, which are quicker
    for p = 1.

    Parameters
    ----------
    d : int
        The number of coordinates.
    radius : float
        The largest norm. `Solution.price` says what one more unit of it is worth.
    p : float
        The exponent, at least 1; ``np.inf`` for the maximum norm.

    See Also
    --------
    L1Ball : The case p = 1, with sparse atoms.
    L2Ball : The case p = 2, about any centre.
    LinfBall : The case p = ∞.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.LpBall(2, 1.0, 3.0).argmin(np.array([1.0, -1.0])).array.round(4)
    array([-0.7937,  0.7937])
    """

    dense_atoms = True

    def __init__(self, d: int, radius: float, p: float) -> None:
        self._measure(d, radius=radius)
        good = isinstance(p, (int, float, np.integer, np.floating)) and not isinstance(p, bool) and bool(p >= 1)
        check(good, lambda: f"p = {shown(p)} was given; a number of at least 1, or np.inf, is wanted: for p < 1 the set is "
                            "not convex, and its hull is the l1 ball.")
        self.p = float(p)

    def __repr__(self) -> str:
        return f"LpBall({self.shape[0]}, radius={self.radius:g}, p={self.p:g})"

    def _region(self) -> Region | None:
        if self.p == 2.0:
            return BallRegion(np.zeros(self.shape), self.radius)
        ends = np.full(self.shape, -self.radius), np.full(self.shape, self.radius)
        return BoxRegion(*ends) if self.p == np.inf else None

    @property
    def dual(self) -> float:
        """q with 1/p + 1/q = 1."""
        return np.inf if self.p == 1.0 else 1.0 if self.p == np.inf else self.p / (self.p - 1.0)

    def argmin(self, g: Array) -> Dense:
        sizes = np.abs(np.asarray(g, dtype=np.float64))
        if self.p == np.inf:
            return Dense(np.where(g > 0, -self.radius, self.radius))
        atom = np.zeros(self.shape)
        j = int(sizes.argmax())
        if self.p == 1.0 or sizes[j] == 0.0:
            atom[j] = -self.radius if g[j] > 0 else self.radius
            return Dense(atom)
        shares = (sizes / sizes[j]) ** (self.dual - 1.0)
        atom = shares * (self.radius / norm(shares, self.p))
        return Dense(np.where(g > 0, 0.0 - atom, atom))

    def gauge(self, x: Array) -> float:
        return norm(x / self.radius, self.p)

    def decompose(self, w: Array) -> Iterate:
        x = self._inside(w)
        share = self.gauge(x)
        if share == 0.0:
            return self.centre()
        end = x / max(share, 1e-300) if share >= 1e-290 else x * 0.0
        share = min(share, 1.0)
        ends, weights = np.stack([end, 0.0 - end]), np.array([0.5 * (1.0 + share), 0.5 * (1.0 - share)])
        keep = np.flatnonzero(weights > 0.0)
        return Iterate(DenseBlock(ends[keep], self.shape), weights[keep], self.shape)

    def max_abs(self, c: Array) -> float:
        """radius·‖c‖_q, attained."""
        return self.radius * norm(c, self.dual)

    def rescaled(self, radius: float) -> LpBall:
        return LpBall(self.shape[0], radius, self.p)

    def sizes(self) -> Sizes:
        """r_S is radius for p ≤ 2, where a unit vector is longest, and radius·d^(1/2 − 1/p) for p ≥ 2; D is twice that."""
        r = self.radius * self.shape[0] ** max(0.5 - 1.0 / self.p, 0.0)
        return Sizes.of(2.0 * r, r)

    def _dual_norms(self, rows: Array) -> Array:
        return np.array([norm(row, self.dual) for row in rows])


def norm(x: Any, p: float) -> float:
    """‖x‖_p without overflow or underflow.

    >>> norm(np.array([1e200, 0.0]), 2.0), norm(np.array([1.0, -2.0]), np.inf)
    (1e+200, 2.0)
    """
    sizes = np.abs(x)
    largest = float(sizes.max(initial=0.0))
    if p == np.inf or not 0.0 < largest < np.inf:
        return largest
    return largest * float(((sizes / largest) ** p).sum() ** (1.0 / p))
