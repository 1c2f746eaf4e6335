"""Convex quadratics over bounds and rows, near a given point: the heart of a round over portfolios that trade little.

min ½(x − x₀)ᵀH(x − x₀) + cᵀ(x − x₀) over low ≤ x ≤ high, l ≤ Ax ≤ u and Σ|xⱼ − pⱼ| ≤ most, where p is between the bounds.
An interior point method (see `traded_interior`) says which coordinates stay at p, at a bound, or between; the minimiser where
these stay is then found by one linear system.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from greedyhull.kernels.rows_systems import Form, rank_of, square_of
from greedyhull.kernels.traded_interior import End, Near, interior_traded
from greedyhull.types import Array, Index

RIDGE = 1e-13  # of the diagonal: what makes a semidefinite Hessian definite
TRIED = 12  # faces, one after another
MUCH = 8  # one in so many coordinates of a guess may be wrong, else the interior point method begins
SURE = (1.0, 1e-2, 1e-4)  # how much closer to an end than its multiplier asks a coordinate must be to be put there
OFF = 1e-12  # of the size of the set: by how much a candidate may miss a row
FLAT = 1e-11  # of the largest curvature: where coordinates have less, faces have no minimiser of their own


class Prices(NamedTuple):
    """Of the rows, and of trades, which is at least 0."""

    y: Array
    trades: float


def solve_traded_qp(H: Form, c: Array, x: Array, near: Near, tol: float) -> Array:
    """The new x; its duality gap over the set is at most ``tol`` unless rounding ends it first. The quadratic never rises.

    >>> near = Near(np.zeros(2), np.ones(2), np.ones((1, 2)), np.ones(1), np.ones(1), np.full(2, 0.5), 0.2)
    >>> solve_traded_qp(np.eye(2), np.array([0.5, -3.0]), np.full(2, 0.5), near, 1e-12)
    array([0.4, 0.6])
    """
    best, least = x, np.inf
    for found, prices in _candidates(H, c, x, near, tol):
        move = found - x
        bend = H.dot(move)
        gap = traded_gap(c + bend, found, near, prices)
        if gap < least and float((c - prices.y.dot(near.A) + 0.5 * bend).dot(move) + prices.y.dot(near.A.dot(move))) <= 0.0:
            best, least = found, gap
        if least <= tol:
            break
    return np.array(best, dtype=np.float64)


def traded_gap(grad: Array, x: Array, near: Near, prices: Prices) -> float:
    """⟨grad, x⟩ less a bound on its least value over the set, which any prices prove.

    A coordinate costs rⱼxⱼ + λ|xⱼ − pⱼ| where r = grad − Aᵀy: that is least at an end, or at p.

    >>> near = Near(np.zeros(2), np.ones(2), np.ones((1, 2)), np.ones(1), np.ones(1), np.full(2, 0.5), 0.2)
    >>> round(traded_gap(np.array([1.0, 3.0]), np.full(2, 0.5), near, Prices(np.full(1, 2.0), 1.0)), 12)
    0.2
    """
    y = np.where(near.l == -np.inf, np.minimum(prices.y, 0.0), np.where(near.u == np.inf, np.maximum(prices.y, 0.0), prices.y))
    lam = max(prices.trades, 0.0)
    r, activity, off = grad - y.dot(near.A), near.A.dot(x), x - near.p
    least = np.minimum(np.minimum(r * (near.low - near.p) + lam * (near.p - near.low),
                                  r * (near.high - near.p) + lam * (near.high - near.p)), 0.0)
    rows = np.where(y > 0.0, near.l, np.where(y < 0.0, near.u, activity))
    return float((r * off - least).sum() + lam * near.most + y.dot(activity - rows))


class Face(NamedTuple):
    """A guess: where each coordinate is (see `End`), which end rows are at (0 for neither), and whether trades are used up."""

    ends: Array
    rows: Array
    tight: bool


def _candidates(H: Form, c: Array, x: Array, near: Near, tol: float) -> Iterator[tuple[Array, Prices]]:
    """Points of the set with prices: from the face that x is on, then from the one that the interior point method names."""
    bends = H.diagonal()
    steep = float(bends.max(initial=0.0))
    curved = float(bends.min(initial=np.inf)) > FLAT * steep
    here = _face_of(x, near)
    if curved and np.count_nonzero(np.abs(here.ends) == 1) > np.count_nonzero(here.rows) + here.tight:  # else it is a vertex
        yield from _on_faces(H, c, x, near, here)
    path = interior_traded(H, c, x, near, tol)
    if path is None:
        return
    for sure in SURE if curved else ():
        yield from _on_faces(H, c, x, near, Face(*path.ends(near, steep / sure)))
    if near.holds(path.x, OFF):
        yield path.x, Prices(path.y, path.trades)


def _face_of(x: Array, near: Near) -> Face:
    """What x is at."""
    ends = np.where(x > near.p, End.UP, np.where(x < near.p, End.DOWN, End.STAYS))
    ends = np.where((x >= near.high) & (x > near.p), End.HIGH, np.where((x <= near.low) & (x < near.p), End.LOW, ends))
    activity, off = near.A.dot(x), OFF * max(float(np.abs(x).sum()), 1e-300)
    rows = np.where((near.l == near.u) | (activity >= near.u - off), 1, np.where(activity <= near.l + off, -1, 0))
    return Face(ends, rows, float(np.abs(x - near.p).sum()) >= near.most * (1.0 - OFF))


def _on_faces(H: Form, c: Array, x: Array, near: Near, face: Face) -> Iterator[tuple[Array, Prices]]:
    """The minimisers over faces that are guessed one after another, those of them that are in the set.

    Coordinates that leave their piece are put at its end first; then those are let go that want to.
    """
    most = max(4, len(x) // MUCH)
    for _ in range(TRIED):
        solved = _on_face(H, c, x, near, *face)
        if solved is None:
            return
        there, y, trades = solved
        ends = _kept(there, near, face.ends)
        if (ends == face.ends).all():
            if near.holds(there, OFF):
                yield there, Prices(y, trades)
            new = _released(c + H.dot(there - x), there, near, face, y, trades)
        else:
            new = face._replace(ends=ends)
        wrong = int((new.ends != face.ends).sum() + (new.rows != face.rows).sum()) + (new.tight != face.tight)
        if wrong == 0 or wrong > most:
            return
        face = new


def _kept(there: Array, near: Near, ends: Array) -> Array:
    """The same ends, with those coordinates at the end of their piece that have left it."""
    down, up = ends == End.DOWN, ends == End.UP
    below, above = np.where(up, near.p, near.low), np.where(down, near.p, near.high)
    under, over = (down | up) & (there < below), (down | up) & (there > above)
    ends = np.where(under & down, End.LOW, np.where(over & up, End.HIGH, ends))
    return np.where((under & up) | (over & down), End.STAYS, ends)


def _released(grad: Array, there: Array, near: Near, face: Face, y: Array, trades: float) -> Face:
    """Coordinates, rows and trades that prices say should be free, and rows and trades that are missed."""
    r, tiny = grad - y.dot(near.A), 1e-12 * float(np.abs(grad).max(initial=0.0))
    lam = trades if face.tight else 0.0
    stays = face.ends == End.STAYS
    up = (stays & (r < -lam - tiny) & (near.p < near.high)) | ((face.ends == End.HIGH) & (r + lam > tiny))
    down = (stays & (r > lam + tiny) & (near.p > near.low)) | ((face.ends == End.LOW) & (r - lam < -tiny))
    activity, off = near.A.dot(there), OFF * max(float(np.abs(there).sum()), 1e-300)
    rows = np.where(face.rows > 0, np.where(y > tiny, 0, 1), np.where(face.rows < 0, np.where(y < -tiny, 0, -1), 0))
    rows = np.where(activity > near.u + off, 1, np.where(activity < near.l - off, -1, rows))
    over = float(np.abs(there - near.p).sum()) > near.most * (1.0 + OFF)
    return Face(np.where(up, End.UP, np.where(down, End.DOWN, face.ends)), np.where(near.l == near.u, 1, rows),
                over or (face.tight and trades >= 0.0))


def _on_face(H: Form, c: Array, x: Array, near: Near, ends: Array, rows: Array, tight: bool,
             ) -> tuple[Array, Array, float] | None:
    """The minimiser where some coordinates are free, and the rows ``rows`` (±1: which end) and, where ``tight``, the limit on
    trades hold with equality; the prices of all rows and of trades."""
    from greedyhull.kernels.lapack import dposv

    free: Index = ((ends == End.DOWN) | (ends == End.UP)).nonzero()[0]
    there = np.where(ends == End.LOW, near.low, np.where(ends == End.HIGH, near.high, near.p))
    held = rows.nonzero()[0]
    if not len(free) or len(free) - len(held) - tight > rank_of(H):
        return None
    signs = np.where(ends == End.UP, 1.0, -1.0)[free]
    B = near.A[np.ix_(held, free)]
    goal = np.where(rows[held] > 0, near.u[held], near.l[held])
    there[free] = x[free]
    fixed = there.copy()
    fixed[free] = near.p[free]
    off = goal - near.A[held].dot(there)
    if tight:
        B = np.vstack([B, signs])
        spent = float(np.abs(fixed - near.p).sum())
        off = np.append(off, near.most - spent - float(signs.dot(there[free] - near.p[free])))
    grad = c + H.dot(there - x)
    M = square_of(H, free)
    scale = 1.0 / np.sqrt(np.maximum(np.diagonal(M), 1e-300))
    M = M * scale[:, None] * scale
    M.flat[:: len(free) + 1] = 1.0 + RIDGE
    right = np.concatenate([-grad[free, None], B.T], axis=1) * scale[:, None]
    _, both, info = dposv(M, right)
    if info != 0:
        return None
    both *= scale[:, None]
    found = np.linalg.lstsq(B.dot(both[:, 1:]), off - B.dot(both[:, 0]), rcond=1e-13)[0] if len(B) else np.zeros(0)
    there[free] += both[:, 0] + both[:, 1:].dot(found)
    y = np.zeros(len(rows))
    y[held] = found[: len(held)]
    return (there, y, float(-found[-1]) if tight else 0.0) if np.isfinite(there).all() else None
