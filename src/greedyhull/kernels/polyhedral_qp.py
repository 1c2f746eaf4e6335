"""Convex quadratics over bounds and rows: the choice of a method, and guesses of the face."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from greedyhull.kernels._core import rows_faces
from greedyhull.kernels.polyhedral_interior import Factored, Hessian, interior_rows, rank_of, size_of, square_of
from greedyhull.types import Array

OFF = 1e-11  # of its size: by how much an equation may be missed
ROWS_QP_RIDGE = 1e-13  # of the diagonal: what makes a semidefinite Hessian definite
SURE = (1.0, 1e-2, 1e-4)  # how much closer to a bound than its multiplier asks a coordinate must be to be put there
ROUNDED = 1e-14  # of a row's size: by how much one is missed before a point is put back on it


class Polyhedron(NamedTuple):
    """low ≤ x ≤ high and l ≤ Ax ≤ u; equal ends of a row make it an equation."""

    low: Array
    high: Array
    A: Array
    l: Array
    u: Array

    def sizes(self) -> Array:
        """What a row's activity is compared with: its ends, or what one coordinate can add to it."""
        ends = np.maximum(size_of(self.low), size_of(self.high))
        most = (np.abs(self.A) * ends).max(axis=1, initial=1e-300)
        return np.asarray(np.maximum(np.maximum(size_of(self.l), size_of(self.u)), most))


class Face(NamedTuple):
    """A guess: −1 at the lower end, 1 at the upper end, 0 between, for coordinates and for rows."""

    sides: Array
    rows: Array


def solve_rows_qp(H: Hessian, c: Array, x: Array, P: Polyhedron, tol: float,
                  ends: tuple[Array, Array] | None = None, gap: float = np.inf) -> Array:
    """Minimise the quadratic over P, as `bounded_qp`; x stays unless a point has a smaller duality gap than ``gap``.

    Where bounds are infinite, ``ends`` has finite ones that hold anyway; without them no gap is known there.
    """
    return priced_rows_qp(H, c, x, P, tol, ends, gap)[0]


def priced_rows_qp(H: Hessian, c: Array, x: Array, P: Polyhedron, tol: float, ends: tuple[Array, Array] | None = None,
                   gap: float = np.inf) -> tuple[Array, Array | None]:
    """The new x as `solve_rows_qp` finds it, and its row prices; None where x stays."""
    best, least, prices = x, gap, None
    if not len(x):
        return x.copy(), None
    low, high = (P.low, P.high) if ends is None else ends
    all_ = P._replace(low=np.maximum(P.low, low), high=np.minimum(P.high, high))
    for found, y in _candidates(H, c, x, P, all_, tol):
        move = found - x
        bend = H.dot(move)
        grad = c + bend
        gap = rows_gap(grad, found, all_, y)
        if gap < least and float((c - y.dot(P.A) + 0.5 * bend).dot(move) + y.dot(P.A.dot(move))) <= 0.0:
            best, least, prices = found, gap, y
        if least <= tol:
            break
    return np.array(best, dtype=np.float64), prices


def rows_gap(grad: Array, x: Array, P: Polyhedron, y: Array) -> float:
    """⟨grad, x⟩ less a bound on its least value that the row prices y prove; none of them where y rewards an open end."""
    low, high, A, l, u = P
    y = np.where(l == -np.inf, np.minimum(y, 0.0), np.where(u == np.inf, np.maximum(y, 0.0), y))
    r, activity = grad - y.dot(A), A.dot(x)
    ends = np.where(r > 0.0, low, np.where(r < 0.0, high, x))
    row_ends = np.where(y > 0.0, l, np.where(y < 0.0, u, activity))
    return float(r.dot(x - ends) + y.dot(activity - row_ends))


def _candidates(H: Hessian, c: Array, x: Array, P: Polyhedron, finite: Polyhedron, tol: float,
                ) -> Iterator[tuple[Array, Array]]:
    """Points of the set with row prices, the last of them near the minimiser; those that take longer come later."""
    # coordinates: of so many the core guesses faces first
    quick = None if isinstance(H, Factored) or len(x) > 1024 else _by_faces(H, c, x, P)
    if quick is not None:
        yield quick
    near = OFF * finite.sizes()
    # one in so many coordinates of a first guess may be wrong, else the interior point method begins at once
    bends, wrong = _bends(H), max(2, len(x) // 16)
    steep = float(bends.max(initial=0.0))
    # of the largest curvature: where coordinates have less, only the interior point method is used
    curved = float(bends.min(initial=np.inf)) > 1e-11 * steep  # else faces have no minimiser of their own, or one far away
    guess = _guess(x, P, near)
    if curved and np.count_nonzero(guess.sides == 0) > np.count_nonzero(guess.rows):  # a vertex does not tell where it is
        yield from _active_set(H, c, x, P, guess, bends, near, wrong)
    path = interior_rows(H, c, x, *P, tol)
    if path is None:
        return
    inside, y, lower, upper, below, above = path
    for sure in SURE:
        sides = _ends(inside, P.low, P.high, lower, upper, steep / sure)
        rows = _ends(P.A.dot(inside), P.l, P.u, below, above, steep / sure)
        if curved:
            yield from _active_set(H, c, x, P, Face(sides, np.where(P.l == P.u, 1, rows)), bends, near, wrong)
        inside = np.where(sides < 0, P.low, np.where(sides > 0, P.high, inside))
    for point in (inside, path.x):
        point = _onto_rows(point, P, near)
        if _is_in(point, P, near):
            yield point, y


def _by_faces(H: Array, c: Array, x: Array, P: Polyhedron) -> tuple[Array, Array] | None:
    """The minimiser and row prices by `rows_faces`; None where its guesses do not settle."""
    low, high, A, l, u = P
    equal = l == u
    E, G = (A, A[:0]) if equal.all() else (A[equal], A[~equal])
    n, q, start = len(x), len(E), c - H.dot(x)
    t, prices, pulls = np.concatenate([x, np.zeros(len(G))]), np.empty(len(A)), np.empty(n + len(G))
    ends = (low, high) if not len(G) else (np.concatenate([low, l[~equal]]), np.concatenate([high, u[~equal]]))
    H, G, E, low, high = (np.ascontiguousarray(part, dtype=np.float64) for part in (H, G, E, *ends))
    if not (np.isfinite(start).all() and rows_faces(H, start, G, E, u[equal], low, high, t, prices, pulls)):
        return None
    y, found = prices, t[:n]
    if len(G):
        y = np.empty(len(A))
        y[equal], y[~equal] = prices[:q], prices[q:]
    sizes = np.abs(A).dot(np.abs(found))
    activity = A.dot(found)
    if (np.maximum(activity - u, l - activity) > ROUNDED * sizes).any():
        found = _onto_rows(found, P, 10.0 * ROUNDED * sizes)
    return found, y


def _onto_rows(x: Array, P: Polyhedron, near: Array) -> Array:
    """x moved until it satisfies the rows that it misses by rounding; coordinates near a bound move least."""
    low, high, A, l, u = P
    for _ in range(3):  # times that a point is put back on rows that it misses
        activity = A.dot(x)
        off = np.where(activity > u, u - activity, np.where(activity < l, l - activity, 0.0))
        if (np.abs(off) <= 0.1 * near).all():
            break
        on = ((off != 0.0) | (l == u)).nonzero()[0]
        room = np.minimum(np.minimum(x - low, high - x), 1.0 + np.abs(x))
        B = A[on] * room
        x = np.clip(x + room * B.T.dot(np.linalg.lstsq(B.dot(B.T), off[on], rcond=1e-13)[0]), low, high)
    return x


def _bends(H: Hessian) -> Array:
    """The curvature in each coordinate, a tiny one where there is none."""
    diagonal = H.diagonal()
    return np.asarray(np.maximum(diagonal, ROWS_QP_RIDGE * float(diagonal.max(initial=0.0)) + 1e-300))


def _ends(at: Array, low: Array, high: Array, lower: Array, upper: Array, steep: float) -> Array:
    """Which ends numbers are put at that have come near them, as the multipliers say."""
    return np.where(steep * (at - low) < lower, -1, np.where(steep * (high - at) < upper, 1, 0))


def _guess(x: Array, P: Polyhedron, near: Array) -> Face:
    """The ends that x is at."""
    low, high, A, l, u = P
    activity = A.dot(x)
    rows = np.where(activity >= u - near, 1, np.where(activity <= l + near, -1, 0))
    return Face(np.where(x <= low, -1, np.where(x >= high, 1, 0)), np.where(l == u, 1, rows))


def _active_set(H: Hessian, c: Array, x: Array, P: Polyhedron, face: Face, bends: Array, near: Array,
                most: int) -> Iterator[tuple[Array, Array]]:
    """The minimisers over faces guessed in turn that are in the set, until more than ``most`` coordinates are wrong."""
    for _ in range(12):  # rounds of the active set method
        solved = on_face(H, c, x, P, face)
        if solved is None:
            return
        there, y, grad, give = solved
        r, activity = grad - y.dot(P.A), P.A.dot(there)
        aim, aimed = there - r / bends, activity - give * y
        sides = np.where(aim <= P.low, -1, np.where(aim >= P.high, 1, 0))
        rows = np.where(aimed >= P.u, 1, np.where(aimed <= P.l, -1, 0))
        new = Face(sides, np.where(P.l == P.u, 1, rows))
        wrong = int((new.sides != face.sides).sum() + (new.rows != face.rows).sum())
        settled = wrong == 0
        inside = np.clip(there, P.low, P.high)
        if _is_in(inside if settled else there, P, near):
            yield inside, y
        if settled or wrong > most:
            return
        face, most = new, min(most, max(wrong, 2))


def _is_in(x: Array, P: Polyhedron, near: Array) -> bool:
    """Whether x satisfies all rows and bounds up to rounding."""
    low, high, A, l, u = P
    if not np.isfinite(x).all() or (x < low).any() or (x > high).any():
        return False
    activity = A.dot(x)
    return bool((activity >= l - near).all() and (activity <= u + near).all())


def on_face(H: Hessian, c: Array, x: Array, P: Polyhedron, face: Face) -> tuple[Array, Array, Array, Array] | None:
    """The minimiser on a face, row prices, the gradient there, and by how much each row gives way to a unit of its price."""
    free, tight = (face.sides == 0).nonzero()[0], face.rows.nonzero()[0]
    there = np.where(face.sides > 0, P.high, P.low)
    there[free] = x[free]
    if not np.isfinite(there).all():
        return None
    grad, give, y = c + H.dot(there - x), np.zeros(len(P.l)), np.zeros(len(P.l))
    if len(free):
        ends = np.where(face.rows[tight] > 0, P.u[tight], P.l[tight])
        found = face_step(H, free, grad[free], P.A[np.ix_(tight, free)], ends - P.A[tight].dot(there))
        if found is None:
            return None
        step, y[tight], give[tight] = found
        there[free] += step
        grad = c + H.dot(there - x)
    _price_rest(y, give, grad, P, face, tight)
    return (there, y, grad, give) if np.isfinite(there).all() and np.isfinite(y).all() else None


def face_step(H: Hessian, free: Array, grad: Array, B: Array, off: Array) -> tuple[Array, Array, Array] | None:
    """The step d of the coordinates ``free`` to the minimum where Bd = off, the prices of these rows, and by how much each row
    gives way to a unit of its price. Rows that depend on others, or have no free coordinate, get what they can. None where
    many steps are as good, or numbers leave their range."""
    from greedyhull.kernels.lapack import dposv

    if len(free) - len(B) > rank_of(H):
        return None
    M = square_of(H, free)
    bends = np.diagonal(M)
    scale = 1.0 / np.sqrt(np.maximum(bends, ROWS_QP_RIDGE * float(bends.max()) + 1e-300))  # equal curvature in all coordinates
    M = M * scale[:, None] * scale
    M.flat[:: len(free) + 1] = 1.0 + ROWS_QP_RIDGE
    right = np.concatenate([-grad[:, None], B.T], axis=1) * scale[:, None]
    _, both, info = dposv(M.T, right, overwrite_a=True)  # it is symmetric, and in LAPACK's order so
    both *= scale[:, None]
    S = B.dot(both[:, 1:])
    if info != 0 or not (np.isfinite(both).all() and np.isfinite(S).all()):
        return None
    give = np.diagonal(S)
    size = np.divide(1.0, np.sqrt(give), out=np.zeros(len(give)), where=give > 0.0)
    y = size * np.linalg.lstsq(S * size[:, None] * size, size * (off - B.dot(both[:, 0])), rcond=1e-13)[0]
    return both[:, 0] + both[:, 1:].dot(y), y, give


def _price_rest(y: Array, give: Array, grad: Array, P: Polyhedron, face: Face, tight: Array) -> None:
    """Prices of tight rows without a free coordinate: the least that keep their coordinates where they are."""
    for i in tight[give[tight] <= 0.0].tolist():
        a = P.A[i]
        on = (a != 0.0).nonzero()[0]
        if not len(on):
            continue
        cuts, down = (grad[on] - y.dot(P.A[:, on])) / a[on], (face.sides[on] < 0) == (a[on] > 0.0)
        most, least = float(cuts[down].min(initial=np.inf)), float(cuts[~down].max(initial=-np.inf))
        y[i] = min(max(0.0, least), most) if least <= most else most
        if face.rows[i] > 0 and P.l[i] < P.u[i]:
            y[i] = min(y[i], 0.0)
        elif P.l[i] < P.u[i]:
            y[i] = max(y[i], 0.0)
        give[i] = 1.0 / max(float((np.abs(a[on])).max()), 1e-300) if y[i] else 0.0
