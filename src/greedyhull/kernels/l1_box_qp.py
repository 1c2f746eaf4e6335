"""Convex quadratics over an l1 budget with bounds: the heart of a corrective round over the K-sparse polytope.

min ½(y − y₀)ᵀH(y − y₀) + cᵀ(y − y₀) over |y| ≤ bound, ‖y‖₁ ≤ budget. With the signs of y held, it is a quadratic over a box
and, where the box alone would use more than the budget, over weights with upper bounds and a given sum. Signs change only at
zero: a coordinate that is zero gets the sign toward which the quadratic falls, and the next round begins there.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.box_qp import solve_box_qp
from greedyhull.kernels.sum_qp import nearest_filling, solve_sum_qp, threshold
from greedyhull.types import Array

ROUNDS = 20  # sets of signs, at most; each lowers the quadratic
NEAR = 1e-6  # a coordinate that is a smaller share of the bound, and would rather have the other sign, is put to zero
FULL = 1e-12  # a budget of which a smaller share is left is used up


def solve_l1_box_qp(H: Array, c: Array, y: Array, bound: float, budget: float, tol: float) -> Array:
    """The new y; its duality gap over the set is at most ``tol`` unless rounding ends it first.

    ``H`` is symmetric positive semidefinite, ``c`` is the gradient at the given ``y``, which is in the set. The quadratic
    never rises.

    >>> solve_l1_box_qp(np.eye(3), np.array([-3.0, 1.0, 0.1]), np.zeros(3), 1.0, 1.5, 1e-12)
    array([ 1. , -0.5,  0. ])
    """
    best, least, lowest = y, l1_box_gap(c, y, bound, budget), 0.0
    x = y
    for _ in range(ROUNDS):
        if not tol < least < np.inf:
            break
        grad = c + H.dot(x - y)
        turning = (np.abs(x) <= NEAR * bound) & (x * grad > 0.0)
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
    begin = nearest_filling(z + share * (there - z), high, budget)
    return signs * solve_sum_qp(M, slopes + M.dot(begin - z), begin, high, tol) + 0.0


def l1_box_gap(grad: Array, y: Array, bound: float, budget: float) -> float:
    """⟨grad, y⟩ less its least value over |·| ≤ bound, ‖·‖₁ ≤ budget.

    >>> l1_box_gap(np.array([3.0, -1.0, 0.5]), np.zeros(3), 1.0, 1.5)
    3.5
    """
    price = l1_price(grad, bound, budget)
    shares = grad * y + price * np.abs(y) + bound * np.maximum(np.abs(grad) - price, 0.0)
    return float(shares.sum()) + price * max(budget - float(np.abs(y).sum()), 0.0)


def l1_price(grad: Array, bound: float, budget: float) -> float:
    """What one more unit of the budget is worth to ⟨grad, ·⟩: the |grad| at which the largest ones use it up.

    >>> l1_price(np.array([3.0, -1.0, 0.5]), 1.0, 1.5)
    1.0
    """
    k = int(np.floor(budget / bound * (1.0 - FULL)))  # so many are filled to the bound, and the next one in part
    return float(np.partition(np.abs(grad), len(grad) - 1 - k)[len(grad) - 1 - k]) if k < len(grad) else 0.0


def nearest_sparse(x: Array, bound: float, budget: float) -> Array:
    """The point nearest to x of |·| ≤ bound, ‖·‖₁ ≤ budget.

    >>> nearest_sparse(np.array([2.0, -1.0, 0.1]), 1.0, 1.5)
    array([ 1. , -0.5,  0. ])
    """
    sizes = np.abs(x)
    near = np.minimum(sizes, bound)
    if float(near.sum()) > budget:
        near = nearest_filling(sizes, np.full(len(x), bound), budget)
    return np.where(x < 0.0, -near, near)
