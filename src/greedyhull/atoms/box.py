"""The box, and the Euclidean, maximum-norm and other lp balls."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import dimension, is_number, numbers, positive
from greedyhull.atoms.base import AtomSet, Sizes
from greedyhull.atoms.geometry import Form, products, row_norms, row_spans
from greedyhull.atoms.l1_ball import GaugeBall
from greedyhull.atoms.regions import BallRegion, BoxRegion
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.points.aligned import alike, coordinates
from greedyhull.points.arrays import length, locked
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Dense, DenseBlock
from greedyhull.theory import Constant, Status
from greedyhull.types import Array, Design, Index, Region


def cheapest_flips(costs: Array, m: int) -> list[Index]:
    """Return the m subsets of least total cost, the cheapest first; costs are not negative."""
    found: list[tuple[float, list[int]]] = [(0.0, [])]
    for j in np.argsort(costs, kind="stable").tolist():
        cost = float(costs[j])
        if len(found) == m and cost >= found[-1][0]:
            break
        found = sorted(found + [(sum_ + cost, [*subset, j]) for sum_, subset in found], key=lambda one: one[0])[:m]
    return [np.array(subset, dtype=np.intp) for _, subset in found]


def signs_maximum(form: Form, widths: Array) -> tuple[float, Status]:
    """max over x ∈ {±1}^d of (Δx)ᵀH(Δx) for Δ = widths: exactly for few coordinates, or where an upper bound is attained."""
    moving = np.flatnonzero(widths)
    if not len(moving):
        return 0.0, "exact"
    few = len(moving) <= 13  # coordinates, which have at most 4096 corners up to sign
    H = form.entries(moving, moving) if few else form.matrix()
    if H is None:
        return min(form.signs(widths), float(widths @ widths) * float(form.top())), "upper bound"
    if not few:
        H = H[np.ix_(moving, moving)]
    delta = widths[moving]
    scaled = delta[:, None] * H * delta
    if few:  # x and −x give the same value
        signs = 1.0 - 2.0 * ((np.arange(2 ** (len(moving) - 1))[:, None] >> np.arange(len(moving))) & 1)
        return _largest(scaled, signs), "exact"
    bound = min(float(np.abs(scaled).sum()), float(delta @ delta) * float(form.top()))
    x = np.ones(len(moving))
    for _ in range(20):  # x ← sign(Hx) never lowers xᵀHx
        x = np.where(scaled @ x < 0, -1.0, 1.0)
    return bound, "exact" if _largest(scaled, x[None, :]) >= bound * (1.0 - 1e-12) else "upper bound"


def _largest(H: Array, signs: Array) -> float:
    return float(np.einsum("ki,ki->k", signs @ H, signs).max())


AT = 1e-14  # coordinates this near to a bound, relative to the size of the set, are at it: rounding leaves them there


def room_above(w: Array, v: Array, low: Array | float, near: float) -> float:
    """The largest t with w + t·v ≥ low; a coordinate that is at its bound and falls by no more than rounding counts not."""
    left = np.maximum(w - low, 0.0)
    falling = (v < 0.0) & ((left > near) | (v < -near))
    return float((left[falling] / -v[falling]).min(initial=np.inf))


class Box(AtomSet):
    """Box {w : lower ≤ w ≤ upper}.

    Its atoms are the corners. Equal bounds hold a coordinate fixed.

    Parameters
    ----------
    lower : float or array_like
        Lower bounds. One of ``lower`` and ``upper`` may be a single number; the other gives the shape, which may have any
        number of dimensions.
    upper : float or array_like
        Upper bounds, nowhere below ``lower``. Both must be finite.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Box([0.0, -1.0], 2.0)
    >>> S.argmin(np.array([1.0, -3.0])).array
    array([0., 2.])
    """

    dense_atoms = True

    def __init__(self, lower: Any, upper: Any) -> None:
        _, (lower, upper) = alike(("lower", lower, 0), ("upper", upper, 0))
        lower, upper = coordinates(self, lower=lower, upper=upper)
        low, high = numbers(lower, "lower"), numbers(upper, "upper")
        check(low.shape == high.shape or 0 in (low.ndim, high.ndim),
              f"lower has shape {low.shape} and upper {high.shape}; the same shape, or one number for all, is wanted.")
        low, high = np.broadcast_arrays(low, high)
        check(low.ndim > 0 and low.size > 0, f"lower = {lower!r} and upper = {upper!r} have no coordinates. Give an array for "
                                             "one of them, for instance Box(np.zeros(d), 1.0).")
        crossed = np.argwhere(low > high)
        if len(crossed):
            at = tuple(crossed[0].tolist())
            raise GreedyhullError(f"lower exceeds upper at {len(crossed)} places, first at {at}: {low[at]:g} > {high[at]:g}. "
                                  "The set would be empty; exchange the bounds there.")
        self.lower, self.upper, self.shape = locked(low.copy()), locked(high.copy()), low.shape

    def _region(self) -> BoxRegion:
        return BoxRegion(self.lower.ravel(), self.upper.ravel())

    def __repr__(self) -> str:
        return f"Box({_shown(self.lower)}, {_shown(self.upper)}, shape={self.shape})"

    def argmin(self, g: Array) -> Dense:
        return Dense(np.where(g > 0, self.lower, self.upper))

    def best(self, g: Array, m: int) -> DenseBlock:
        first, low, high, slopes = self.argmin(g).array.ravel(), self.lower.ravel(), self.upper.ravel(), g.ravel()
        able = np.flatnonzero(high > low)
        flips = cheapest_flips(np.abs(slopes * (high - low))[able], m)
        rows = np.repeat(first[None, :], len(flips), axis=0)
        for row, flipped in zip(rows, flips, strict=True):
            at = able[flipped]
            row[at] = np.where(slopes[at] > 0, high[at], low[at])
        return DenseBlock(rows, self.shape)

    def centre(self) -> Iterate:
        corners = np.stack([self.lower.ravel(), self.upper.ravel()])
        m = 2 if (self.lower < self.upper).any() else 1
        return Iterate(DenseBlock(corners[:m].copy(), self.shape), np.full(m, 1.0 / m), self.shape)

    def _holds(self, x: Array, tol: float) -> bool:
        near = tol * float((self.upper - self.lower).max()) + 1e-15 * float(np.maximum(-self.lower, self.upper).max())
        return bool((x >= self.lower - near).all() and (x <= self.upper + near).all())

    def decompose(self, w: Array) -> Iterate:
        """At most d + 1 corners: with w = lower + t(upper − lower), corner i is up where t is among the i largest values."""
        x = self._inside(w)
        widths = self.upper - self.lower
        t = np.clip((x - self.lower) / np.where(widths > 0, widths, 1.0), 0.0, 1.0).ravel()
        t[widths.ravel() == 0] = 0.0
        steps = np.unique(np.concatenate([[0.0, 1.0], t]))  # t = Σ of the steps below it
        weights = np.diff(steps)
        up = t[None, :] >= steps[1:, None]
        corners = np.where(up, self.upper.ravel(), self.lower.ravel())
        if not widths.any():
            corners, weights = corners[:1], np.ones(1)
        return Iterate(DenseBlock(corners, self.shape), weights / weights.sum(), self.shape)

    def within(self, w: Array, g: Array) -> Dense:
        """The worst corner of the smallest face that holds w: a coordinate at a bound stays there."""
        near = AT * np.maximum(np.abs(self.lower), np.abs(self.upper))
        low, high = w <= self.lower + near, w >= self.upper - near
        return Dense(np.where(low | (~high & (g <= 0)), self.lower, self.upper))

    def room(self, w: Array, v: Array) -> float:
        near = AT * float(np.maximum(np.abs(self.lower), np.abs(self.upper)).max())
        return min(room_above(w, v, self.lower, near), room_above(-w, -v, -self.upper, near))

    def max_abs(self, c: Array) -> float:
        return float((c * np.maximum(np.abs(self.lower), np.abs(self.upper))).sum())

    def sizes(self) -> Sizes:
        D = length(self.upper - self.lower)
        return Sizes.of(D, 0.5 * D)

    def radius_around(self, x: Array) -> Constant:
        farther = np.maximum(np.abs(self.upper - x), np.abs(self.lower - x))
        return Constant(length(farther), "exact", "R")

    def curvature(self, form: Any) -> Constant:
        return Constant(*signs_maximum(form, self.upper - self.lower), "M")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        if len(self.shape) > 1:
            return super().row_ranges(design)
        half = 0.5 * (self.upper - self.lower)
        middle, span = products(design, (self.lower + half)[None, :])[:, 0], row_spans(design, half)
        return middle - span, middle + span


def _shown(bound: Array) -> str:
    return f"{bound.flat[0]:g}" if np.ptp(bound) == 0.0 else f"[{bound.min():g} … {bound.max():g}]"


class LinfBall(Box):
    """Ball of the maximum norm, {w : max_j |w_j| ≤ radius}.

    Its atoms are the corners of a cube.

    Parameters
    ----------
    d : int
        The number of coordinates.
    radius : float
        The largest absolute value of a coordinate.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.LinfBall(3, 2.0).argmin(np.array([1.0, -3.0, 0.5])).array
    array([-2.,  2., -2.])
    """

    _sizes_given = ("radius",)
    __repr__ = AtomSet.__repr__

    def __init__(self, d: int, radius: float) -> None:
        self.radius = positive(radius, "radius")
        super().__init__(np.full(dimension(d), -self.radius), self.radius)


class L2Ball(AtomSet):
    """Euclidean ball {w : ‖w − centre‖₂ ≤ radius}.

    Every point of the sphere is an atom.

    Parameters
    ----------
    d : int
        The number of coordinates.
    radius : float
        The radius.
    centre : array_like of shape (d,), optional
        The centre, the origin by default. It is kept as the attribute ``middle``.

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
        return on_diameter(self.middle, self.radius * np.eye(1, self.shape[0])[0], 0.0)

    def _holds(self, x: Array, tol: float) -> bool:
        rounding = 1e-15 * float(np.abs(self.middle).max())
        return float(np.linalg.norm((x - self.middle) / self.radius)) <= 1.0 + tol + rounding / self.radius

    def decompose(self, w: Array) -> Iterate:
        v = (self._inside(w) - self.middle) / self.radius
        return on_diameter(self.middle, self.radius * direction(v), min(float(np.linalg.norm(v)), 1.0))

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


def on_diameter(middle: Array | float, half: Array, share: float) -> Iterate:
    """Return middle + share·half as a mixture of middle ± half."""
    ends, weights = np.stack([middle + half, middle - half]), np.array([0.5 * (1.0 + share), 0.5 * (1.0 - share)])
    keep = np.flatnonzero(weights > 0.0)
    return Iterate(DenseBlock(ends[keep], half.shape), weights[keep], half.shape)


def direction(g: Array) -> Array:
    """g/‖g‖ without overflow or underflow; the first unit vector if g = 0."""
    largest = float(np.abs(g).max(initial=0.0))
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
        The largest norm.
    p : float
        The exponent, at least 1; ``np.inf`` for the maximum norm.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.LpBall(2, 1.0, 3.0).argmin(np.array([1.0, -1.0])).array.round(4)
    array([-0.7937,  0.7937])
    """

    dense_atoms = True
    _sizes_given = ("radius", "p")

    def __init__(self, d: int, radius: float, p: float) -> None:
        self._measure(d, radius=radius)
        check(is_number(p) and bool(p >= 1),
              lambda: f"p = {shown(p)} was given; a number of at least 1, or np.inf, is wanted: for p < 1 the set is not "
                      "convex, and its hull is the l1 ball.")
        self.p = float(p)

    def _region(self) -> Region | None:
        if self.p == 2.0:
            return BallRegion(np.zeros(self.shape), self.radius)
        return BoxRegion(np.full(self.shape, -self.radius), np.full(self.shape, self.radius)) if self.p == np.inf else None

    @property
    def dual(self) -> float:
        """q with 1/p + 1/q = 1."""
        return np.inf if self.p == 1.0 else 1.0 if self.p == np.inf else self.p / (self.p - 1.0)

    def argmin(self, g: Array) -> Dense:
        sizes = np.abs(np.asarray(g, dtype=np.float64))
        if self.p == np.inf:
            return Dense(np.where(g > 0, -self.radius, self.radius))
        j = int(sizes.argmax())
        if self.p == 1.0 or sizes[j] == 0.0:
            return Dense((-self.radius if g[j] > 0 else self.radius) * np.eye(1, len(g), j)[0] + 0.0)
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
        return on_diameter(0.0, x / share if share >= 1e-290 else x * 0.0, min(share, 1.0))

    def max_abs(self, c: Array) -> float:
        """radius·‖c‖_q, attained."""
        return self.radius * norm(c, self.dual)

    def sizes(self) -> Sizes:
        """r_S is radius for p ≤ 2, where a unit vector is longest, and radius·d^(1/2 − 1/p) for p ≥ 2; D is twice that."""
        r = self.radius * self.shape[0] ** max(0.5 - 1.0 / self.p, 0.0)
        return Sizes.of(2.0 * r, r)

    def _dual_norms(self, rows: Array) -> Array:
        return np.array([norm(row, self.dual) for row in rows])


def norm(x: Any, p: float) -> float:
    """‖x‖_p without overflow or underflow."""
    sizes = np.abs(x)
    largest = float(sizes.max(initial=0.0))
    if p == np.inf or not 0.0 < largest < np.inf:
        return largest
    return largest * float(((sizes / largest) ** p).sum() ** (1.0 / p))
