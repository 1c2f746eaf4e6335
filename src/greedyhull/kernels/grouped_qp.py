"""Convex quadratics over weights with upper bounds, a given sum and caps on the sums of groups.

min ½(x − x₀)ᵀH(x − x₀) + cᵀ(x − x₀) over 0 ≤ x ≤ high, Σx = Σx₀, Σ over a group ≤ room: the heart of a corrective round over
the simplex with caps on groups. These are bounds and rows, of which only those count that can hold something back.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.box_qp import as_given
from greedyhull.kernels.core import compiled
from greedyhull.kernels.rows_qp import Limits, solve_rows_qp
from greedyhull.types import Array, Index


def solve_grouped_qp(H: Array, c: Array, x: Array, high: Array, of: Index, room: Array, tol: float) -> Array:
    """The new x; its duality gap over the set is at most ``tol`` unless rounding ends it first.

    ``H`` is symmetric positive semidefinite, ``c`` is the gradient at the given ``x``, which is in the set, and ``of`` has the
    group of each coordinate. The quadratic never rises.

    >>> solve_grouped_qp(np.eye(3), np.array([-3.0, 0.0, 0.0]), np.array([0.0, 0.5, 0.5]), np.ones(3), np.array([0, 0, 1]),
    ...                  np.array([0.6, 1.0]), 1e-12)
    array([0.6, 0. , 0.4])
    """
    found = np.array(x, dtype=np.float64)
    if len(found):
        grouped_qp(as_given(H), as_given(c), found, as_given(high), of, as_given(room), tol)
    return found


@compiled
def grouped_qp(H: Array, c: Array, x: Array, high: Array, of: Index, room: Array, tol: float) -> None:
    """The same in place: ``x`` becomes the solution."""
    total = x.sum(keepdims=True)
    binding = (np.minimum(np.bincount(of, high, len(room)), total) > room).nonzero()[0]
    A = np.concatenate([np.ones((1, len(x))), of == binding[:, None]])
    l, u = np.concatenate([total, np.full(len(binding), -np.inf)]), np.concatenate([total, room[binding]])
    x[:] = solve_rows_qp(H, c, x, Limits(np.zeros(len(x)), high, A, l, u), tol)
