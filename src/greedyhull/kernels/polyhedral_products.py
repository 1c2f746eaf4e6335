"""Convex quadratics over bounds and rows by products with their Hessian."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from greedyhull.kernels._core import face_factor, face_project, face_shift, face_step
from greedyhull.kernels.polyhedral_interior import size_of
from greedyhull.kernels.polyhedral_qp import Polyhedron
from greedyhull.types import Array, Index

FINER, FINEST = 0.1, 1e-4  # the same, each time that a face comes back, and where that is given up
PRODUCTS = 600  # products, at most, before more is added; a few hundred are made
HELD = (1e-3, 0.1, 10.0)  # of the largest curvature: multiples of ½‖x − x₀‖² that may be added
NEARER = 0.3  # of what would do: how much lower the gradient goes where the face stays and the gap is too large
RESTORED = 2  # times that a point is put back on rows that it misses
FLAT = 1e-12  # of the first curvature met: less than this is none
OFF = 1e-11  # of its size: how well a row is kept
EPS = 4 * float(np.finfo(np.float64).eps)


class Rows(NamedTuple):
    """A by its columns: those of column j are at starts[j]:starts[j + 1]."""

    starts: Index
    places: Index
    entries: Array

    @staticmethod
    def of(A: Array) -> Rows:
        """
        >>> Rows.of(np.array([[1.0, 0.0], [2.0, 3.0]]))
        Rows(starts=array([0, 2, 3]), places=array([0, 1, 1]), entries=array([1., 2., 3.]))
        """
        columns, places = A.T.nonzero()
        starts = np.searchsorted(columns, np.arange(A.shape[1] + 1))
        return Rows(starts.astype(np.int64), places.astype(np.int64), A.T[columns, places].astype(np.float64))

    def dot(self, x: Array, m: int) -> Array:
        """Ax for m rows."""
        return np.bincount(self.places, self.entries * np.repeat(x, np.diff(self.starts)), m)

    def largest(self, x: Array, m: int) -> Array:
        """The largest |Aᵢⱼxⱼ| of each of m rows."""
        most = np.zeros(m)
        np.maximum.at(most, self.places, np.abs(self.entries * np.repeat(x, np.diff(self.starts))))
        return most

    def back(self, y: Array) -> Array:
        """Aᵀy."""
        total = np.concatenate([[0.0], np.cumsum(self.entries * y[self.places])])
        return np.asarray(total[self.starts[1:]] - total[self.starts[:-1]])


class Quadratic(NamedTuple):
    """½(x − at)ᵀH(x − at) + cᵀ(x − at), by v ↦ Hv; ``gap(g, x)`` is the duality gap at x where the gradient is g."""

    product: Callable[[Array], Array]
    c: Array
    at: Array
    gap: Callable[[Array, Array], float]


@np.errstate(over="ignore", invalid="ignore")  # numbers that leave their range lead nowhere
def rows_by_products(q: Quadratic, P: Polyhedron, rows: Rows, tol: float, added: tuple[float, ...] = (0.0,),
                     ) -> tuple[Array, Array] | None:
    """A point of a duality gap of at most ``tol`` and row prices; None where none is found, after 600 products at most.

    With ``added``, multiples of ½‖x − x₀‖² are added in turn, and a point that is a tenth as far from optimal as x₀ will do.
    """
    scale = _scale(q) if added == (0.0,) else 1.0
    size = max(float(size_of(end).max(initial=0.0)) for end in (q.at, P.low, P.high))
    faces = _Faces(*_scaled(q, P, rows, scale), size / (scale + np.zeros(len(q.c))))
    if any(added):
        faces.steepest = _steepest(q)
    for held in added:
        faces.begin(held * faces.steepest)
        # of the gap: how well the quadratic is solved with one of these
        if faces.follow(tol if held == 0.0 else max(tol, 0.1 * q.gap(q.c, q.at))):
            settled = faces.settled()
            return None if settled is None else (np.clip(scale * settled[0], P.low, P.high), settled[1])
    return None


def _steepest(q: Quadratic) -> float:
    """About the largest curvature, by a few products."""
    v = q.c + 1e-300
    for _ in range(5):  # products that estimate it
        v = q.product(v / (float(np.abs(v).max()) or 1.0))
    return float(np.abs(v).max())


def _scale(q: Quadratic) -> Array | float:
    """1/√Hⱼⱼ where H is all but diagonal, as two products with random signs say; else 1."""
    bends = [s * q.product(s) for s in _signs(len(q.c))]
    least = float(bends[0].min())
    # of its diagonal: what is off it in a Hessian that is taken for a diagonal one
    if not least > 0.0 or not (np.abs(bends[0] - bends[1]) <= 0.1 * bends[0]).all():
        return 1.0
    return np.asarray(1.0 / np.sqrt(np.maximum(bends[0], FLAT * float(bends[0].max()))))


@lru_cache(maxsize=4)
def _signs(d: int) -> Array:
    """Twice d random numbers 1 and −1, the same for the same d."""
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (2, d))
    signs.flags.writeable = False
    return signs


def _scaled(q: Quadratic, P: Polyhedron, rows: Rows, s: Array | float) -> tuple[Quadratic, Polyhedron, Rows]:
    """The same in coordinates x/s."""
    if isinstance(s, float):
        return q, P, rows
    turned = Quadratic(lambda v: s * q.product(s * v), s * q.c, q.at / s, lambda g, x: q.gap(g / s, s * x))
    entries = rows.entries * np.repeat(s, np.diff(rows.starts))
    return turned, P._replace(low=P.low / s, high=P.high / s), rows._replace(entries=entries)


class _Faces:
    """A face, by the ends of its coordinates and rows, and a point on it; ``size`` is that of coordinates."""

    def __init__(self, q: Quadratic, P: Polyhedron, rows: Rows, size: Array) -> None:
        self.q, self.P, self.rows = q, P, rows
        self.d, self.m = len(q.c), len(P.l)
        self.equal, self.fixed = P.l == P.u, P.low == P.high
        # of its size and of the largest: by how much a coordinate may be beyond its ends
        self.near = 1e-14 * (size + np.abs(q.at))  # by how much a coordinate may miss its ends, as rounding makes it
        self.off = OFF * np.maximum(np.maximum(size_of(P.l), size_of(P.u)), rows.largest(size, self.m))
        self.factor, self.products, self.steepest = np.empty((self.m, self.m)), 0, 0.0

    def begin(self, held: float) -> None:
        """From ``at``, with ½·held·‖x − at‖² added, on the face that it is on, or on the largest where that is a corner."""
        low, high, _, l, u = self.P
        self.held, self.x, self.products = held, self.q.at.copy(), 0
        activity = self.rows.dot(self.x, self.m)
        self.ends = np.where(self.equal | (activity >= u), 1, np.where(activity <= l, -1, 0))
        self.sides = np.where(self.x <= low, -1, np.where(self.x >= high, 1, 0))
        if np.count_nonzero(self.sides == 0) <= np.count_nonzero(self.ends):
            self.sides = np.where(self.fixed, -1, 0)

    def follow(self, tol: float) -> bool:
        """Go from face to face until one stays and the gap is at most ``tol``; whether that was so."""
        # of the gradient of a new face: where conjugate gradients stop and the signs are looked at
        seen, rough = set[bytes](), 0.1
        if not self._stand():
            return False
        goal = rough**2 * self.square
        while len(seen) < 40 and self.products <= PRODUCTS:  # faces that are seen, at most
            if not self._descend(goal):
                return False
            sides, ends = self._turned()
            outside = ((sides != self.sides) & (self.sides == 0)).any() or ((ends != self.ends) & (self.ends == 0)).any()
            gap = np.inf if outside else self.q.gap(self.g, np.clip(self.x, self.P.low, self.P.high))
            if gap <= tol:
                return True
            if (sides == self.sides).all() and (ends == self.ends).all():
                if self.square <= self._blur():
                    return False
                goal = self.square * min(max(NEARER * tol / gap, FINER**2), NEARER) ** 2
                continue
            key = sides.tobytes() + ends.tobytes()
            rough = FINER * rough if key in seen else rough
            if rough < FINEST:
                return False
            seen.add(key)
            self.sides, self.ends = sides, ends
            if not self._stand():
                return False
            goal = rough**2 * self.square
        return False

    def settled(self) -> tuple[Array, Array] | None:
        """The point, back on its rows, and their prices; None where it misses one."""
        for _ in range(RESTORED):
            self.x = np.clip(self.x, self.P.low, self.P.high)
            self._onto_rows()
        x = np.clip(self.x, self.P.low, self.P.high) + 0.0
        activity = self.rows.dot(x, self.m)
        on = (activity <= self.P.u + self.off).all() and (activity >= self.P.l - self.off).all()
        return (x, self.y) if on else None

    def _stand(self) -> bool:
        """The nearest point of the face, its gradient and prices; False where the face has none."""
        low, high = self.P.low, self.P.high
        for _ in range(2):
            self.x = np.where(self.sides < 0, low, np.where(self.sides > 0, high, self.x))
            self.free, self.tight = (self.sides == 0).astype(np.float64), (self.ends != 0).astype(np.float64)
            if not face_factor(*self.rows, self.free, self.tight, self.factor):
                return False
            missed = self._onto_rows()
            if not missed.any():
                break
            alone = np.repeat(np.arange(self.d), np.diff(self.rows.starts))[missed[self.rows.places]]
            self.sides[alone] = np.where(self.fixed[alone], self.sides[alone], 0)  # all that could satisfy these rows
        else:
            return False
        self.g = self.q.c + self._bend(self.x - self.q.at)
        self.r, self.y = self.g.copy(), np.zeros(self.m)
        for _ in range(2):  # prices may be large, and what is left small
            self.square = face_project(*self.rows, self.free, self.tight, self.factor, self.r, self.y)
        self.p = -self.r
        return bool(np.isfinite(self.square))

    def _onto_rows(self) -> Array:
        """Free coordinates move as little as tight rows ask for; which of these are missed all the same."""
        l, u = self.P.l, self.P.u
        end = np.where(self.ends > 0, u, np.where(self.ends < 0, l, 0.0))
        for _ in range(RESTORED):
            off = (end - self.rows.dot(self.x, self.m)) * self.tight
            face_shift(*self.rows, self.free, self.tight, self.factor, off, self.x)
        sizes = np.abs(end) + self.rows._replace(entries=np.abs(self.rows.entries)).dot(np.abs(self.x), self.m)
        return np.asarray(np.abs(end - self.rows.dot(self.x, self.m)) * self.tight > OFF * sizes)

    def _descend(self, goal: float) -> bool:
        """Conjugate gradients until ‖r‖² is at most ``goal``; False where the quadratic is flat."""
        goal = max(goal, self._blur())
        on, least = (*self.rows, self.free, self.tight, self.factor), FLAT * self.steepest
        while self.square > goal and self.products <= PRODUCTS:
            bend = self._bend(self.p)
            if least == 0.0:  # the first of all
                self.steepest = float(self.p.dot(bend)) / float(self.p.dot(self.p))
                least = FLAT * self.steepest
            new = face_step(*on, bend, self.p, self.x, self.g, self.r, self.y, self.square, least)
            if not new >= 0.0:
                return False
            self.square = new
        return True

    def _blur(self) -> float:
        """‖r‖² that rounding leaves."""
        return float((EPS * self.g).dot(EPS * self.g))

    def _bend(self, v: Array) -> Array:
        """The Hessian's product, with what is added."""
        self.products += 1
        Hv = self.q.product(v)
        return Hv + self.held * v if self.held else Hv

    def _turned(self) -> tuple[Array, Array]:
        """The ends that coordinates and rows should have, as their places and the signs of their multipliers say."""
        low, high, _, l, u = self.P
        r = self.g - self.rows.back(self.y)
        beyond = np.where(self.x < low - self.near, -1, np.where(self.x > high + self.near, 1, 0))
        kept = np.where(self.fixed | (self.sides * r <= 0.0), self.sides, 0)
        sides = np.where(self.sides == 0, beyond, kept)
        if self.equal.all():
            return sides, self.ends
        activity = self.rows.dot(self.x, self.m)
        past = np.where(activity > u + self.off, 1, np.where(activity < l - self.off, -1, 0))
        held = np.where(self.equal | (self.ends * self.y <= 0.0), self.ends, 0)
        return sides, np.where(self.ends == 0, past, held)
