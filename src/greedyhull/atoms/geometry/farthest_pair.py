"""The two atoms that are farthest apart: the diameter of many points in any norm that comes from a product.

Points are looked at from the outside in. A pair can beat the best one so far only if its distances from the middle sum
to more than that, so that most pairs are never looked at where a few points stand out. When the budget is spent, that
sum for the pairs left over is an upper bound.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from greedyhull.atoms.geometry.form import Form
from greedyhull.theory import Status
from greedyhull.types import Array, Index

BUDGET = 1e10  # multiplications that a diameter may cost
TILE, WIDE = 512, 8  # points that are looked at together, against so many times as many


def farthest(squares: Array, cross: Callable[[Index, Index], Array], radii: Array, cost: float) -> tuple[float, Status]:
    """max over i, j of squaresᵢ + squaresⱼ − 2 cross(i, j): exact, or an upper bound if it would cost too much.

    ``cross(I, J)`` are products of points, ``radii`` bound each point's distance from one common point, and ``cost``
    is what one product costs.
    """
    order = np.argsort(-radii, kind="stable")
    outward, best, spent = np.append(radii[order], 0.0), 0.0, 0.0
    for start in range(0, len(order), TILE):
        stop = int(np.searchsorted(-outward[:-1], outward[start] - np.sqrt(best), side="right"))
        I, after = order[start : start + TILE], min(start + TILE, len(order) - 1)
        for column in range(start, stop, WIDE * TILE):
            end = min(column + WIDE * TILE, stop)
            J = order[column:end]
            best = max(best, float((squares[I][:, None] + squares[J] - 2.0 * cross(I, J)).max()))
            spent += cost * len(I) * len(J)
            if spent > BUDGET:
                left = max(outward[start] + outward[end], outward[after] + outward[after + 1])
                return max(best, float(left) ** 2), "exact" if left**2 <= best else "upper bound"
        if stop <= start:
            break
    return best, "exact"


def farthest_points(left: Array, right: Array) -> tuple[float, Status]:
    """The squared diameter of points whose products are left[i]·right[j], from the rows of two matrices."""
    squares = np.einsum("ij,ij->i", left, right)
    middle = left @ right.mean(axis=0), float(left.mean(axis=0) @ right.mean(axis=0))
    return farthest(squares, lambda I, J: left[I] @ right[J].T, _radii(squares, *middle), left.shape[1])


def farthest_coordinates(form: Form) -> tuple[float, Status]:
    """max over i, j of H_ii + H_jj − 2H_ij for a quadratic form H."""
    squares, ones = form.diagonal(), np.full(form.d, 1.0 / form.d)
    H = form.matrix()
    if H is not None:
        return max(float((squares[:, None] + squares - 2.0 * H).max()), 0.0), "exact"
    Hc = form.apply(ones)
    return farthest(squares, form.entries, _radii(squares, Hc, float(ones @ Hc)), form.cost)


def _radii(squares: Array, products: Array, middle: float) -> Array:
    """‖sᵢ − c‖ from ‖sᵢ‖², ⟨sᵢ, c⟩ and ‖c‖², with room for rounding."""
    room = 1e-12 * (float(squares.max()) + middle)
    return np.sqrt(np.maximum(squares - 2.0 * products + middle, 0.0) + room)
