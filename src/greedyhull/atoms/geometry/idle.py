"""Quadratics whose least value over all matrices lies inside a nuclear ball: Newton steps, as if there were no ball.

Deep inside a large ball the constraint says nothing, and the gap is about radius·‖∇f‖₂: what descents leave of the gradient is
multiplied by the radius. A Newton step from wherever they end leaves rounding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from greedyhull.kernels.matrix_quadratics import MatrixEquations
from greedyhull.types import Array

STEPS = 4  # the first one finds the minimum, the others what rounding left of it
LESS = 0.5  # of the gradient before is progress
FLAT = 1e-13  # of the largest curvature: directions with less are left as they are


def unconstrained(equations: MatrixEquations, slope: Callable[[Array], Array], x: Array, radius: float) -> Array:
    """From x to a matrix where the gradient ``slope`` of f vanishes up to rounding; x itself where that is no nearer.

    >>> from greedyhull.kernels.matrix_quadratics import NormalEquations
    >>> K, B = np.diag([1.0, 1e-6]), np.array([[3.0], [5.0]])
    >>> unconstrained(NormalEquations(lambda dtype: K.astype(dtype), B), lambda W: K @ W - B, np.zeros((2, 1)), 1e9).ravel()
    array([3.e+00, 5.e+06])
    """
    if equations.unit == 0.0:
        return x
    (form, Q), basis = equations.lasting(radius), equations.basis
    g = slope(x)
    with np.errstate(all="ignore"):
        inner = g if basis is None else basis.T @ g
        bends = equations.unit * form.product(np.ones_like(inner), None)
        steep = bends > FLAT * bends.max()
        for _ in range(STEPS):
            inner = g if basis is None else basis.T @ g
            step = np.where(steep, (inner if Q is None else Q.T @ inner) / np.where(steep, bends, 1.0), 0.0)
            step = step if Q is None else Q @ step
            there = x - (step if basis is None else basis @ step)
            after = slope(there)
            if not np.linalg.norm(after) < LESS * np.linalg.norm(g):
                break
            x, g = there, after
    return x
