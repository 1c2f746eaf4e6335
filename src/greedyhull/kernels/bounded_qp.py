"""Convex quadratics over boxes, balls, bounded weights with a given sum, and l1 budgets with bounds.

A solver of this package takes a symmetric positive semidefinite H and the gradient c at x, a point of the set. It returns a
point with a duality gap of at most ``tol``, unless rounding ends the search first, where the quadratic is no larger.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels._core import ball_qp, box_qp, sum_qp
from greedyhull.types import Array, Index


def solve_box_qp(H: Array, c: Array, x: Array, low: Array, high: Array, tol: float) -> Array:
    """Minimise the quadratic over low ≤ x ≤ high."""
    found = np.array(x, dtype=np.float64)
    if len(found):
        box_qp(as_given(H), as_given(c), found, as_given(low), as_given(high), tol)
    return found


def as_given(array: Array) -> Array:
    """An array as the core takes it: contiguous, in float64."""
    return np.ascontiguousarray(array, dtype=np.float64)


def gap_shares(grad: Array, x: Array, low: Array, high: Array) -> Array:
    """What each coordinate adds to the duality gap: gradⱼ(xⱼ − bound), for the bound toward which the function falls."""
    shares: Array = np.where(grad > 0.0, grad * (x - low), grad * (x - high))
    return shares


def free_coordinates(grad: Array, x: Array, low: Array, high: Array) -> Index:
    """The coordinates that are not at a bound toward which the function falls; none whose bounds are equal."""
    return (((x > low) | (grad < 0.0)) & ((x < high) | (grad > 0.0)) & (low < high)).nonzero()[0]


NEAR = 1e-12  # a sum that is off by a smaller share of it is put right in one coordinate


def solve_sum_qp(H: Array, c: Array, x: Array, high: Array, tol: float) -> Array:
    """Minimise the quadratic over 0 ≤ x ≤ high with the sum of x."""
    found = np.array(x, dtype=np.float64)
    if len(found):
        sum_qp(as_given(H), as_given(c), found, as_given(high), tol)
    return found


def threshold(grad: Array, high: Array, total: float) -> float:
    """The ν at which the cheapest coordinates, filled to their bounds, use up ``total``."""
    order = np.argsort(grad, kind="stable")
    place = int(np.searchsorted(np.cumsum(high[order]), total * (1.0 - NEAR)))
    return float(grad[order[min(place, len(order) - 1)]])


def sum_gap(grad: Array, x: Array, high: Array) -> float:
    """⟨grad, x⟩ less its least value over 0 ≤ · ≤ high with the sum of x."""
    shifted = grad - threshold(grad, high, float(x.sum()))
    return float(gap_shares(shifted, x, np.zeros_like(x), high).sum())


def project_capped_simplex(x: Array, high: Array, total: float) -> Array:
    """The point nearest to x of 0 ≤ · ≤ high with the sum ``total``; where rounding is all that is off, zeros stay zeros."""
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


def solve_ball_qp(H: Array, c: Array, x: Array, middle: Array, radius: float, tol: float) -> tuple[Array, float]:
    """Minimise the quadratic over a ball; return the point and its duality gap."""
    found = np.array(x, dtype=np.float64)
    return found, ball_qp(as_given(H), as_given(c), found, as_given(middle), radius, tol) if len(found) else 0.0


def ball_gap(grad: Array, t: Array) -> float:
    """⟨grad, t⟩ + ‖grad‖ for t in the unit ball: ‖grad‖(‖grad/‖grad‖ + t‖² + 1 − ‖t‖²)/2, which is exact where it is small.

    >>> ball_gap(np.array([0.0, -2.0]), np.array([0.0, 0.5]))
    1.0
    """
    largest = float(np.abs(grad).max(initial=0.0))
    if not largest > 0.0:
        return 0.0 if largest == 0.0 else np.inf
    unit = grad / largest
    norm = float(np.sqrt(unit.dot(unit)))
    across = unit / norm + t
    return largest * norm * 0.5 * (float(across.dot(across)) + max(1.0 - float(t.dot(t)), 0.0))


def into_unit_ball(t: Array) -> Array:
    """t, or the nearest point of the sphere if it lies outside."""
    largest = float(np.abs(t).max(initial=0.0))
    if largest <= 1.0 and float(t.dot(t)) <= 1.0:
        return t
    scaled = t / largest
    return scaled / float(np.sqrt(scaled.dot(scaled)))


FULL = 1e-12  # a budget of which a smaller share is left is used up


def solve_l1_box_qp(H: Array, c: Array, y: Array, bound: float, budget: float, tol: float) -> Array:
    """Minimise the quadratic over |y| ≤ bound, ‖y‖₁ ≤ budget."""
    best, least, lowest = y, l1_box_gap(c, y, bound, budget), 0.0
    x = y
    for _ in range(40):  # sets of signs, at most; each lowers the quadratic
        if not tol < least < np.inf:
            break
        grad = c + H.dot(x - y)
        # a coordinate that is a smaller share of the bound, and would rather have the other sign, is put to zero
        turning = (np.abs(x) <= 1e-5 * bound) & (x * grad > 0.0)
        if turning.any():  # an interior point method leaves them beside zero, where no sign changes
            x = np.where(turning, 0.0, x)
            grad = c + H.dot(x - y)
        x = _with_signs(H, grad, x, bound, budget, 0.5 * tol)
        move = x - y
        rise = H.dot(move)
        gap, value = l1_box_gap(c + rise, x, bound, budget), float(c.dot(move) + 0.5 * move.dot(rise))
        if not value < lowest and not gap < least:
            break
        best, least, lowest = x, gap, min(value, lowest)
    return best


def _with_signs(H: Array, grad: Array, x: Array, bound: float, budget: float, tol: float) -> Array:
    """The minimiser among the points with the signs of x; where x is zero, with those toward which the quadratic falls."""
    signs = np.where((x > 0.0) | ((x == 0.0) & (grad < 0.0)), 1.0, -1.0)
    z, slopes, high = np.abs(x), signs * grad, np.full(len(x), bound)
    M = H * signs[:, None] * signs
    if float(z.sum()) >= budget * (1.0 - FULL):
        on_budget = solve_sum_qp(M, slopes, z, high, tol)
        if threshold(slopes + M.dot(on_budget - z), high, budget) <= 0.0:  # one unit more of it would lower the quadratic
            return signs * on_budget + 0.0  # not −0.0
    there = solve_box_qp(M, slopes, z, np.zeros(len(x)), high, tol)
    if float(there.sum()) <= budget:
        return signs * there + 0.0
    used = float(z.sum())
    share = min(max((budget - used) / (float(there.sum()) - used), 0.0), 1.0)
    begin = project_capped_simplex(z + share * (there - z), high, budget)
    return signs * solve_sum_qp(M, slopes + M.dot(begin - z), begin, high, tol) + 0.0


def l1_box_gap(grad: Array, y: Array, bound: float, budget: float) -> float:
    """⟨grad, y⟩ less its least value over |·| ≤ bound, ‖·‖₁ ≤ budget."""
    price = l1_price(grad, bound, budget)
    shares = grad * y + price * np.abs(y) + bound * np.maximum(np.abs(grad) - price, 0.0)
    return float(shares.sum()) + price * max(budget - float(np.abs(y).sum()), 0.0)


def l1_price(grad: Array, bound: float, budget: float) -> float:
    """What one more unit of the budget is worth to ⟨grad, ·⟩: the |grad| at which the largest ones use it up."""
    k = int(np.floor(budget / bound * (1.0 - FULL)))  # so many are filled to the bound, and the next one in part
    return float(np.partition(np.abs(grad), len(grad) - 1 - k)[len(grad) - 1 - k]) if k < len(grad) else 0.0


def nearest_sparse(x: Array, bound: float, budget: float) -> Array:
    """The point nearest to x of |·| ≤ bound, ‖·‖₁ ≤ budget."""
    sizes = np.abs(x)
    near = np.minimum(sizes, bound)
    if float(near.sum()) > budget:
        near = project_capped_simplex(sizes, np.full(len(x), bound), budget)
    return np.where(x < 0.0, -near, near)
