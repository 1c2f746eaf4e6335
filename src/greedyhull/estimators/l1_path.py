"""Least squares over l1 balls of many radii."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.neighbours import lowest
from greedyhull.kernels.simplex_qp import l1_swaps, solve_simplex_qp
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.restricted import beside
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.solvers.parts.paths import FEW, matrix_path, square_path
from greedyhull.types import Array, Index

BATCH, ROUNDS = 60, 200  # coordinates that join in a round, at least; rounds that a radius may take
INNER, LAST = 0.002, 0.5  # the working coordinates are solved to this part of the gap, or of what is wanted in the end


class Stage(NamedTuple):
    """The point w over the ball of one radius; f(w) − min f ≤ gap, up to rounding."""

    radius: float
    w: Array
    value: float
    gap: float


class Covariance:
    """f(w) = f₀ − ⟨b, w⟩ + ½⟨w, Qw⟩ with Q made from data: the whole of H is at hand, and every coordinate works."""

    whole = True

    def __init__(self, Q: Array, b: Array, f0: float) -> None:
        self.H, self.g0, self.f0, self.domain = Q, -b, f0, b.shape
        self.index, self.rank = np.arange(len(b)), len(b)

    def product(self, w: Array) -> Array:
        """Hw."""
        out: Array = self.H.dot(w)
        return out

    def join(self, new: Index) -> None:
        """Nothing: every coordinate is there."""

    def keep(self, places: Index) -> None:
        """Nothing: every coordinate stays."""


class Data:
    """A quadratic objective φ(Aw), seen from zero, with the images of the working coordinates and their part of H."""

    whole = False

    def __init__(self, f: Composite) -> None:
        self.f, self.domain = f, f.domain
        self.zero = Iterate.at(BasisBlock(f.domain[0], [0], [0.0])[0], f.domain)
        self.g0, self.f0 = f.gradient(self.zero).astype(np.float64), float(f.value(self.zero))
        self.index, self.H, self.rank = np.zeros(0, dtype=np.intp), np.zeros((0, 0)), f.n
        self.Z: Any = None

    def _block(self, index: Index) -> BasisBlock:
        return BasisBlock(self.domain[0], index, np.ones(len(index)))

    def product(self, w: Array) -> Array:
        """Hw for w with entries at the working coordinates."""
        u = np.asarray(self.Z @ w.astype(self.Z.dtype, copy=False))
        return np.asarray(self.f.hessian_product(self.zero, u), dtype=np.float64)

    def join(self, new: Index) -> None:
        """Let coordinates join."""
        f, block, m = self.f, self._block(new), len(self.index)
        Z = block.images(f.design)
        H = np.empty((m + len(new), m + len(new)))
        H[:m, :m], H[m:, m:] = self.H, f.hessian_gram(self.zero, block, Z)
        if m:
            H[:m, m:] = f.hessian_gram(self.zero, self._block(self.index), self.Z, Z)
            H[m:, :m] = H[:m, m:].T
        self.Z = Z if self.Z is None else beside(self.Z, Z)
        self.H, self.index = H, np.append(self.index, new)

    def keep(self, places: Index) -> None:
        """Let all others go."""
        self.index, self.H, self.Z = self.index[places], self.H[np.ix_(places, places)], self.Z[:, places]


class Trail:
    """The points over one ball after the other, ``scale_j`` e_j the atoms of the ball of radius one.

    >>> f = Covariance(np.eye(2), np.array([3.0, 1.0]), 5.0)
    >>> trail = Trail(f, np.ones(2))
    >>> trail.to(1.0, 1e-9).w, trail.to(3.0, 1e-9).w
    (array([1., 0.]), array([2.5, 0.5]))
    """

    def __init__(self, f: Covariance | Data, scale: Array) -> None:
        self.f, self.f0, self.scale, self.radius = f, f.f0, scale, 1.0
        self.w, self.Hw = np.zeros(len(f.index)), np.zeros(f.domain)
        self.before: tuple[float, Array, Array] | None = None  # radius, w and Hw of the point before

    @property
    def rest(self) -> float:
        """The share of the budget that is not used."""
        return 1.0 - float((np.abs(self.w) / self.scale[self.f.index]).sum()) / self.radius

    def to(self, r: float, tol: float) -> Stage:
        """The point for radius r, to a gap of ``tol`` times the larger of f and what has been gained since zero."""
        f = self.f
        self._begin(r)
        for _ in range(ROUNDS):
            g = f.g0 + self.Hw
            size = self._size(g)
            half = 0.5 * float(self.w.dot(self.Hw[f.index]))
            linear = float(self.w.dot(f.g0[f.index]))
            value, gap = f.f0 + linear + half, linear + 2.0 * half + r * float(size.max())
            wanted = tol * max(abs(value), f.f0 - value + gap)
            if gap <= wanted:
                break
            before = len(f.index)
            if before < len(g):
                self._join(g, size, (0.05 * gap - linear - 2.0 * half) / r)
            inner = max(INNER * gap, LAST * wanted) if len(f.index) < len(g) else 0.9 * wanted
            if not self._swap(g[f.index], inner) and len(f.index) == before:
                break
        w = np.zeros(f.domain)
        w[f.index] = self.w
        return Stage(r, w, value, gap)

    def walk(self, radii: Array, tol: float) -> Array:
        """The points for growing radii, a row for each."""
        return np.array([self.to(float(r), tol).w for r in radii])

    def _begin(self, r: float) -> None:
        """Where the search for radius r begins: the last point scaled to it, or the end of the line through the last two.

        Between two kinks the path is such a line; of the two, f tells which is better.
        """
        c, here = r / self.radius, np.zeros(self.f.domain)
        here[self.f.index] = self.w
        begin, line = (c * self.w, c * self.Hw), self._along(r, here)
        # and only if f is lower by this share of f₀: rounding must not decide
        if line is not None and self._value(*line) < self._value(*begin) - 1e-6 * self.f.f0:
            begin = line
        self.before = (self.radius, here, self.Hw)
        (self.w, self.Hw), self.radius = begin, r

    def _along(self, r: float, here: Array) -> tuple[Array, Array] | None:
        """w and Hw where the line through the last two points comes to radius r; None where there is no such line."""
        if self.before is None or not self.before[0] < self.radius < r or not self.before[1].any():
            return None
        radius, there, Hw = self.before
        # times the last step, at most, is the line through two points followed
        t = min((r - self.radius) / (self.radius - radius), 3.0)
        w = here + t * (here - there)
        turned = w * here <= 0.0  # what would change its sign, or was given up before, rests at zero
        given = bool((w[turned] != 0.0).any())
        w[turned] = 0.0
        new = w[self.f.index]
        image = self.f.product(new) if given else self.Hw + t * (self.Hw - Hw)
        shrink = min(1.0, r / max(float((np.abs(w) / self.scale).sum()), 1e-300))
        return shrink * new, shrink * image

    def _value(self, w: Array, Hw: Array) -> float:
        """f less f₀."""
        return float(w.dot(self.f.g0[self.f.index] + 0.5 * Hw[self.f.index]))

    def _size(self, g: Array) -> Array:
        """What a unit of radius is worth at each coordinate: −⟨g, ·⟩ at its better atom of unit radius."""
        return np.asarray(np.abs(g) * self.scale)

    def _swap(self, g: Array, tol: float) -> bool:
        """Swap weight among the working coordinates; whether anything changed."""
        scale, w = self.scale[self.f.index], self.w.copy()
        # swaps for each working coordinate, before a Newton step is tried
        slow = l1_swaps(self.f.H, scale, g, w, self.radius, tol, 20 * len(w) + 1000) > tol
        changed = not np.array_equal(w, self.w)
        if slow or np.count_nonzero(w) > self.f.rank:  # swaps spread weight over more atoms than a vertex has
            on = w.nonzero()[0]
            self.w = self._newton(g, w, tol, on, self.radius * np.sign(w[on]) * scale[on])
            self.Hw = self.f.product(self.w)
            return True
        self.w = w
        if changed:  # the swaps have carried the gradient along; where all coordinates work, it is the whole of it
            self.Hw = g - self.f.g0 if self.f.whole else self.f.product(w)
        return changed

    def _newton(self, g: Array, w: Array, tol: float, on: Index, atoms: Array) -> Array:
        """Where swaps are slow, the small problem on atoms along the coordinates ``on`` is solved by Newton steps."""
        G = np.zeros((len(on) + 1, len(on) + 1))
        G[1:, 1:] = self.f.H[np.ix_(on, on)] * np.outer(atoms, atoms)
        alpha = np.append(0.0, w[on] / atoms)
        alpha[0] = max(1.0 - float(alpha.sum()), 0.0)
        w = w.copy()
        w[on] = solve_simplex_qp(G, np.append(0.0, g[on] * atoms), alpha / alpha.sum(), tol)[1:] * atoms
        return w

    @property
    def price(self) -> float:
        """What one more unit of radius is worth."""
        return float(self._size(self.f.g0 + self.Hw).max())

    def _join(self, g: Array, size: Array, least: float) -> None:
        """The best coordinates join, if their ``size`` exceeds ``least``; where too many wait in vain, those leave first."""
        f, active = self.f, int(np.count_nonzero(self.w))
        best = lowest(-size, min(max(BATCH, active), len(size)))
        # and only those that score this share of the best: what the next radius may ask for
        best = best[size[best] > max(least, 0.85 * float(size.max()))]
        if len(self.w) > 3 * (active + len(best)):
            on = self.w.nonzero()[0]
            f.keep(on)
            self.w = self.w[on]
        waiting = np.zeros(len(size), dtype=bool)
        waiting[f.index] = True
        new = best[~waiting[best]]
        if len(new):
            f.join(new)
            self.w = np.append(self.w, np.zeros(len(new)))


class PositiveTrail(Trail):
    """The same with w ≥ 0: the balls without the atoms of negative sign.

    >>> trail = PositiveTrail(Covariance(np.eye(2), np.array([3.0, -1.0]), 5.0), np.ones(2))
    >>> trail.to(1.0, 1e-9).w, trail.to(4.0, 1e-9).w
    (array([1., 0.]), array([3., 0.]))
    """

    def _size(self, g: Array) -> Array:
        return np.maximum(-g, 0.0) * self.scale

    def _swap(self, g: Array, tol: float) -> bool:
        """Solve on the active coordinates and the best others; whether anything changed."""
        scale = self.scale[self.f.index]
        gains = np.maximum(-g, 0.0) * scale
        on = np.zeros(len(g), dtype=bool)
        on[lowest(-gains, min(BATCH, len(g)))] = True
        on = np.flatnonzero((on & (gains > 0.0)) | (self.w > 0.0))
        w = self._newton(g, self.w, tol, on, self.radius * scale[on])
        changed = not np.array_equal(w, self.w)
        if changed:
            self.w, self.Hw = w, self.f.product(w)
        return changed


def trail_of(f: Covariance | Data, scale: Array, *, positive: bool) -> Trail | CompiledTrail:
    """The points over balls with the unit atoms ``scale``_j e_j, by the core where it can.

    >>> trail = trail_of(Covariance(np.eye(2), np.array([3.0, 1.0]), 5.0), np.ones(2), positive=False)
    >>> trail.to(1.0, 1e-9).w, trail.to(3.0, 1e-9).w
    (array([1., 0.]), array([2.5, 0.5]))
    """
    made = (matrix_path(f.H, -f.g0, f.f0, scale, positive=positive) if isinstance(f, Covariance)
            else square_path(f.f, scale, positive=positive, roughly=min(f.f.design.n, len(scale)) > FEW))
    by_hand = (PositiveTrail if positive else Trail)
    return by_hand(f, scale) if made is None else CompiledTrail(made, scale, lambda: by_hand(f, scale))


class CompiledTrail:
    """A path of the core, as a trail; where its numbers are not finite, ``by_hand`` makes another."""

    def __init__(self, path: Any, scale: Array, by_hand: Callable[[], Trail]) -> None:
        self.path, self.scale, self.by_hand = path, scale, by_hand
        self.other: Trail | None = None
        self.f0, self.price = path.first()
        self.rest = 0.0  # the share of the budget that is not used

    def to(self, r: float, tol: float) -> Stage:
        """The point for radius r, to a gap of ``tol`` times the larger of f and what has been gained since zero."""
        if self.other is None:
            value, gap, self.price, used = self.path.to(r, tol, never)
            self.rest = 1.0 - used / r
        if self.other is not None or not (isfinite(value) and isfinite(gap) and isfinite(used)):
            return self._by_hand(r, tol)
        w = np.zeros(len(self.scale))
        index, v = self.path.point()
        w[index] = v * self.scale[index]
        return Stage(r, w, value, gap)

    def walk(self, radii: Array, tol: float) -> Array:
        """The points for growing radii, a row for each."""
        W = np.empty((len(radii), len(self.scale)))
        self.path.walk(np.ascontiguousarray(radii, dtype=np.float64), tol, self.scale, W, never)
        return W if np.isfinite(W).all() else self.by_hand().walk(radii, tol)

    def _by_hand(self, r: float, tol: float) -> Stage:
        if self.other is None:
            self.other = self.by_hand()
        found = self.other.to(r, tol)
        self.price, self.rest = self.other.price, self.other.rest
        return found


def never() -> bool:
    """Nobody ends a trail but Ctrl-C."""
    return False
