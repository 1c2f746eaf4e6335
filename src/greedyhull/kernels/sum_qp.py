"""Convex quadratics over weights with upper bounds and a given sum: the heart of a corrective round over a bounded simplex.

min ½(x − x₀)ᵀH(x − x₀) + cᵀ(x − x₀) over 0 ≤ x ≤ high, Σx = Σx₀. With the multiplier ν of the sum subtracted from the
gradient, this is a box. An active set method solves for ν and the coordinates that are thought to be free, then corrects that
guess by the signs of the multipliers. Mostly a few rounds of this are all; where they do not settle, the interior point
method for boxes takes over, with the sum as an equation.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from greedyhull.kernels.box_interior import central_path
from greedyhull.kernels.box_qp import as_given, gap_shares
from greedyhull.kernels.core import compiled
from greedyhull.types import Array

RIDGE = 1e-13  # of the diagonal: what makes a semidefinite Hessian definite
QUICK = 10  # rounds of the active set method
SURE = (1.0, 1e-2, 1e-4)  # how much closer to a bound than its multiplier asks a coordinate must be to be put there
NEAR = 1e-12  # a sum that is off by a smaller share of it is put right in one coordinate


def solve_sum_qp(H: Array, c: Array, x: Array, high: Array, tol: float) -> Array:
    """The new x; its duality gap over the set is at most ``tol`` unless rounding ends it first.

    ``H`` is symmetric positive semidefinite, ``c`` is the gradient at the given ``x``, which is in the set. The quadratic
    never rises.

    >>> solve_sum_qp(np.eye(3), np.array([-3.0, -1.0, 0.0]), np.array([0.0, 0.5, 0.5]), np.full(3, 0.8), 1e-12)
    array([0.8, 0.2, 0. ])
    """
    found = np.array(x, dtype=np.float64)
    if len(found):
        sum_qp(as_given(H), as_given(c), found, as_given(high), tol)
    return found


@compiled
def sum_qp(H: Array, c: Array, x: Array, high: Array, tol: float) -> None:
    """The same in place: ``x`` becomes the solution."""
    start, least = x.copy(), sum_gap(c, x, high)
    if not tol < least < np.inf:
        return
    slopes = c - threshold(c, high, float(x.sum()))  # the multiplier may be large compared with what it is about
    for found in _candidates(H, c, start, high, tol):
        move = found - start
        gap = sum_gap(c + H.dot(move), found, high)
        if gap < least and float(slopes.dot(move) + 0.5 * move.dot(H.dot(move))) <= 0.0:
            x[:], least = found, gap
        if least <= tol:
            break


def _candidates(H: Array, c: Array, x: Array, high: Array, tol: float) -> Iterator[Array]:
    """Points of the set, the last of them near the minimiser; those that take longer come later."""
    total = float(x.sum())
    yield from _active_set(H, c, x, high, _sides(x, c - threshold(c, high, total), H, high))
    wide = (high > 0.0).nonzero()[0]
    width = high[wide]
    share = total / float(width.sum())
    if not 0.0 < share < 1.0:
        return  # the set is a point
    M = H[np.ix_(wide, wide)] * width[:, None] * width
    t, u, v = central_path(M, width * c[wide], x[wide] / width, tol, width / float(width.max()), share)
    if not np.isfinite(t).all():
        return
    inside, bend = np.zeros_like(x), float(np.diagonal(M).max())
    inside[wide] = width * t
    yield nearest_filling(inside, high, total)
    for sure in SURE:
        sides = np.full(len(x), -1)
        sides[wide] = np.where(bend * t < sure * u, -1, np.where(bend * (1.0 - t) < sure * v, 1, 0))
        yield from _active_set(H, c, x, high, sides)


def threshold(grad: Array, high: Array, total: float) -> float:
    """The ν at which the cheapest coordinates, filled to their bounds, use up ``total``.

    >>> threshold(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 1.0]), 1.5)
    2.0
    """
    order = np.argsort(grad, kind="stable")
    place = int(np.searchsorted(np.cumsum(high[order]), total * (1.0 - NEAR)))
    return float(grad[order[min(place, len(order) - 1)]])


def sum_gap(grad: Array, x: Array, high: Array) -> float:
    """⟨grad, x⟩ less its least value over 0 ≤ · ≤ high with the sum of x.

    >>> sum_gap(np.array([3.0, 1.0]), np.array([0.5, 0.5]), np.array([1.0, 1.0]))
    1.0
    """
    shifted = grad - threshold(grad, high, float(x.sum()))
    return float(gap_shares(shifted, x, np.zeros_like(x), high).sum())


def nearest_filling(x: Array, high: Array, total: float) -> Array:
    """The point nearest to x of 0 ≤ · ≤ high with the sum ``total``; where rounding is all that is off, zeros stay zeros.

    >>> nearest_filling(np.array([2.0, 1.0, 0.0]), np.array([0.9, 1.0, 1.0]), 1.5)
    array([0.9, 0.6, 0. ])
    """
    near = np.clip(x, 0.0, high)
    off = total - float(near.sum())
    if abs(off) > NEAR * total or not np.array_equal(near, x):
        cuts = np.sort(np.concatenate([x, x - high]))  # Σ clip(x − τ) is linear in τ between these
        low, up = 0, len(cuts) - 1
        while up - low > 1:
            middle = (low + up) // 2
            low, up = (middle, up) if float(np.clip(x - cuts[middle], 0.0, high).sum()) >= total else (low, middle)
        below, above = (float(np.clip(x - cuts[i], 0.0, high).sum()) for i in (low, up))
        part = (below - total) / (below - above) if below > above else 0.0
        near = np.clip(x - (cuts[low] + part * (cuts[up] - cuts[low])), 0.0, high)
        off = total - float(near.sum())
    room = np.minimum(near, high - near)
    place = int(room.argmax())
    if abs(off) <= room[place]:
        near[place] += off
    return near


def _sides(x: Array, grad: Array, H: Array, high: Array) -> Array:
    """−1 where the lower bound should hold, 1 where the upper, 0 where neither: by where a step in each coordinate ends."""
    bend = np.diagonal(H)
    step = np.where(bend > 0.0, -grad / np.where(bend > 0.0, bend, 1.0), -np.sign(grad) * high)
    return np.where(x + step <= 0.0, -1, np.where(x + step >= high, 1, 0))


def _active_set(H: Array, c: Array, x: Array, high: Array, sides: Array) -> Iterator[Array]:
    """The minimiser over the face that ``sides`` ends at, if it settles."""
    total, bounds = float(x.sum()), np.where(sides > 0, high, 0.0)
    for _ in range(QUICK):
        bounds = np.where(sides > 0, high, 0.0)
        solved = _on_face(H, c, x, bounds, (sides == 0).nonzero()[0], total)
        if solved is None:
            return
        there, nu = solved
        new = _sides(there, c + H.dot(there - x) - nu, H, high)
        settled = np.array_equal(new, sides)
        if settled or bool(((there >= 0.0) & (there <= high)).all()):
            yield nearest_filling(np.clip(there, 0.0, high), high, total)
        if settled:
            return
        sides = new


def _on_face(H: Array, c: Array, x: Array, bounds: Array, free: Array, total: float) -> tuple[Array, float] | None:
    """The minimiser over Σ = total where all but the free coordinates are at their bounds, and ν."""
    from greedyhull.kernels.lapack import dposv

    there = bounds.copy()
    there[free] = x[free]
    bends = np.diagonal(H)[free]
    if not len(free) or not (bends > 0.0).all():
        return None
    grad, scale = c[free] + H[free].dot(there - x), 1.0 / np.sqrt(bends)  # equal curvature in all coordinates
    M = H[np.ix_(free, free)] * scale[:, None] * scale
    M.flat[:: len(free) + 1] = 1.0 + RIDGE
    _, both, info = dposv(M, np.stack([-scale * grad, scale], axis=1), overwrite_a=True)
    if info != 0 or not np.isfinite(both).all():
        return None
    down, level = scale * both[:, 0], scale * both[:, 1]
    rise = float(level.sum())
    nu = (total - float(there.sum()) - float(down.sum())) / rise if rise > 0.0 else np.inf
    there[free] += down + nu * level
    return (there, nu) if np.isfinite(nu) else None
