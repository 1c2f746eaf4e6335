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
SNAPPED = 12  # faces that are tried one after another, each with those coordinates at an end that left their piece
SURE = (1.0, 1e-2, 1e-4)  # how much closer to an end than its multiplier asks a coordinate must be to be put there
OFF = 1e-11  # of the size of the set: by how much a candidate may miss a row
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


def _candidates(H: Form, c: Array, x: Array, near: Near, tol: float) -> Iterator[tuple[Array, Prices]]:
    path = interior_traded(H, c, x, near, tol)
    if path is None:
        return
    bends = H.diagonal()
    steep, prices = float(bends.max(initial=0.0)), Prices(path.y, path.trades)
    if float(bends.min(initial=np.inf)) > FLAT * steep:
        for sure in SURE:
            ends, rows, tight = path.ends(near, steep / sure)
            for found, y, trades in _on_faces(H, c, x, near, ends, rows, tight):
                yield found, Prices(y, trades)
    if near.holds(path.x, OFF):
        yield path.x, prices


def _on_faces(H: Form, c: Array, x: Array, near: Near, ends: Array, rows: Array, tight: bool,
              ) -> Iterator[tuple[Array, Array, float]]:
    """The minimisers where coordinates have these ends, with prices, until one is in the set."""
    ends = ends.copy()
    for _ in range(SNAPPED):
        solved = _on_face(H, c, x, near, ends, rows, tight)
        if solved is None:
            return
        there, y, trades = solved
        down, up = ends == End.DOWN, ends == End.UP
        below, above = np.where(up, near.p, near.low), np.where(down, near.p, near.high)
        under, over = (down | up) & (there < below), (down | up) & (there > above)
        if not (under.any() or over.any()):
            if near.holds(there, OFF):
                yield there, y, trades
            return
        ends[under & down], ends[over & up] = End.LOW, End.HIGH
        ends[(under & up) | (over & down)] = End.STAYS


def _on_face(H: Form, c: Array, x: Array, near: Near, ends: Array, rows: Array, tight: bool,
             ) -> tuple[Array, Array, float] | None:
    """The minimiser where some coordinates are free, and the rows ``rows`` (±1: which end) and, where ``tight``, the limit on
    trades hold with equality; the prices of all rows and of trades."""
    from scipy.linalg.lapack import dposv

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
