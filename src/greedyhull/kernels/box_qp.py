"""Convex quadratics over a box: the heart of a corrective round over a box.

min ½(x − x₀)ᵀH(x − x₀) + cᵀ(x − x₀) over low ≤ x ≤ high. A Newton step on the free coordinates, those that are not at a bound
toward which the quadratic falls, is projected onto the box; where bounds cut it, a sweep of exact coordinate steps follows,
which settles which coordinates are free. Mostly a few rounds of this are all. Where H is so ill conditioned that they make
slow progress, `interior_point` solves the problem in some twenty factorisations, whatever H is.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.box_interior import interior_point
from greedyhull.kernels.core import compiled
from greedyhull.types import Array, Index

RIDGE = 1e-13  # of the diagonal: what makes a semidefinite Hessian definite
LENGTHS = (1.0, 0.5, 0.25, 0.0625)  # shares of a Newton step that are projected and compared
QUICK = 8  # rounds of projected Newton steps before the interior point method is asked


def solve_box_qp(H: Array, c: Array, x: Array, low: Array, high: Array, tol: float) -> Array:
    """The new x; its duality gap over the box is at most ``tol`` unless rounding ends it first.

    ``H`` is symmetric positive semidefinite, ``c`` is the gradient at the given ``x``. The quadratic never rises.

    >>> solve_box_qp(np.eye(2), np.array([-3.0, 0.5]), np.zeros(2), np.zeros(2), np.ones(2), 1e-12)
    array([1., 0.])
    """
    found = np.array(x, dtype=np.float64)
    if len(found):
        box_qp(as_given(H), as_given(c), found, as_given(low), as_given(high), tol)
    return found


def as_given(array: Array) -> Array:
    """An array as the core takes it: contiguous, in float64."""
    return np.ascontiguousarray(array, dtype=np.float64)


@compiled
def box_qp(H: Array, c: Array, x: Array, low: Array, high: Array, tol: float) -> None:
    """The same in place: ``x`` becomes the solution. The core begins with sweeps, which find most of the bounds that hold."""
    start = np.clip(x, low, high)
    c = c + H.dot(start - x)
    best, gap = _projected_newton(H, c, start, start, low, high, tol)
    if gap > tol:
        inside = interior_point(H, c + H.dot(best - start), best, low, high, tol)
        if inside is not None:
            found, left = _projected_newton(H, c, start, inside, low, high, tol)
            best = found if left < gap and _value(H, c, found - start) <= _value(H, c, best - start) + left else best
    x[:] = best if np.isfinite(best).all() and _value(H, c, best - start) <= 0.0 else start


def _value(H: Array, c: Array, move: Array) -> float:
    return float(c.dot(move) + 0.5 * move.dot(H.dot(move)))


def _projected_newton(H: Array, c: Array, start: Array, x: Array, low: Array, high: Array, tol: float) -> tuple[Array, float]:
    """The x of the least duality gap met in at most `QUICK` rounds, or until two of them in a row do not halve it, and that
    gap; 0 where rounding allows no more."""
    best, least, slow = x, np.inf, 0
    for _ in range(QUICK + 1):
        grad = c + H.dot(x - start)  # afresh: rounding does not gather
        gap = float(gap_shares(grad, x, low, high).sum())
        slow = slow + 1 if gap > 0.5 * least else 0
        best, least = (x, gap) if not gap >= least else (best, least)
        if not gap > tol or slow == 2:  # NaN, where numbers overflow, ends it too
            break
        found, whole = _newton(H, grad, x, low, high)
        if slow or not whole:
            found = _sweep(H, grad + H.dot(found - x), found, low, high)
        if np.array_equal(found, x):
            return x, 0.0
        x = found
    return best, least


def gap_shares(grad: Array, x: Array, low: Array, high: Array) -> Array:
    """What each coordinate adds to the duality gap: gradⱼ(xⱼ − bound), for the bound toward which the function falls.

    >>> gap_shares(np.array([2.0, -2.0, 2.0]), np.array([0.5, 0.5, 0.0]), np.zeros(3), np.ones(3))
    array([1., 1., 0.])
    """
    shares: Array = np.where(grad > 0.0, grad * (x - low), grad * (x - high))
    return shares


def free_coordinates(grad: Array, x: Array, low: Array, high: Array) -> Index:
    """The coordinates that are not at a bound toward which the function falls; none whose bounds are equal."""
    return (((x > low) | (grad < 0.0)) & ((x < high) | (grad > 0.0)) & (low < high)).nonzero()[0]


def _newton(H: Array, grad: Array, x: Array, low: Array, high: Array) -> tuple[Array, bool]:
    """The lowest of a few projected shares of the Newton step, and whether it is the whole step, not cut by a bound."""
    from greedyhull.kernels.lapack import dposv

    free = free_coordinates(grad, x, low, high)
    if not len(free):
        return x, True
    bends = np.diagonal(H)[free]
    scale = np.where(bends > 0.0, 1.0 / np.sqrt(np.where(bends > 0.0, bends, 1.0)), 0.0)  # equal curvature in all coordinates
    M = H[np.ix_(free, free)] * scale[:, None] * scale
    M.flat[:: len(free) + 1] = 1.0 + RIDGE
    _, change, info = dposv(M, -scale * grad[free], overwrite_a=True)
    if info != 0 or not np.isfinite(change).all():
        return x, False
    step = np.zeros_like(x)
    step[free] = np.where(bends > 0.0, scale * change, -np.sign(grad[free]) * (high - low)[free])
    found, lowest, whole = x, 0.0, False
    for share in LENGTHS:
        reached = x + share * step
        there = np.minimum(np.maximum(reached, low), high)
        move = there - x
        value = _value(H, grad, move)
        if value < lowest:
            found, lowest, whole = there, value, share == 1.0 and np.array_equal(there, reached)
        if whole:
            break
    return found, whole


def _sweep(H: Array, grad: Array, x: Array, low: Array, high: Array) -> Array:
    """x after an exact step in every free coordinate, one after the other; ``grad``, that at x, is changed in place."""
    x = x.copy()
    for j in free_coordinates(grad, x, low, high).tolist():
        slope, bend, here = float(grad[j]), float(H[j, j]), float(x[j])
        if bend > 0.0:
            there = min(max(here - slope / bend, float(low[j])), float(high[j]))
        else:
            there = here if slope == 0.0 else float(low[j] if slope > 0.0 else high[j])
        if there != here:
            grad += (there - here) * H[j]
            x[j] = there
    return x
