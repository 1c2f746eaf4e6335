"""Descent over the factors of a matrix: W = ABᵀ, or AAᵀ, with (A, B) on a sphere, so that the constraint takes care of itself.

‖ABᵀ‖_* ≤ (‖A‖² + ‖B‖²)/2, so every point of the sphere ‖A‖² + ‖B‖² + t² = 2r lies in the nuclear ball of radius r; t is
what is left of the radius where the optimum is inside. L-BFGS works on θ/‖θ‖ (Burer and Monteiro 2003; Boyd, Schiebinger and
Recht 2017). Stationary points of the factors need not be optima; a gap tells, and new atoms lead away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import RankOneBlock
from greedyhull.types import Array, Objective

ITERATIONS = 60
MEMORY = 8  # pairs of vectors that L-BFGS keeps
FLAT = 1e-13  # a fall of f by less, relative to f, ends the descent
STEEP = 0.03  # a gradient that has become so much smaller ends it too: new atoms help more then
SLACK = 0.02  # the share of the radius that is left free where the gradient points outwards and none was

Pair = tuple[Array, Array]


def descend(f: Objective, A: Array, B: Array, radius: float) -> Pair | None:
    """Factors with a smaller f(ABᵀ) and ‖A‖² + ‖B‖² ≤ 2·radius; None where f does not fall."""
    shape, here = (len(A), len(B)), _Last(f, A, B)
    size = float(np.vdot(A, A) + np.vdot(B, B))
    free = max(2.0 * radius - size, 0.0)
    if free < SLACK * radius and here.inward > 0.0:
        free = 2.0 * SLACK * radius

    def split(theta: Array) -> Pair:
        a = A.size
        return theta[:a].reshape(shape[0], -1), theta[a : a + B.size].reshape(shape[1], -1)

    def push(at: _Last, theta: Array) -> Array:
        return np.concatenate([at.left.ravel(), at.right.ravel(), [0.0]])

    start = np.concatenate([A.ravel(), B.ravel(), [free**0.5]])
    return _on_sphere(f, start, (2.0 * radius) ** 0.5, split, push)


def descend_symmetric(f: Objective, A: Array, trace: float) -> Array | None:
    """A factor with a smaller f(AAᵀ) and ‖A‖² = trace; None where f does not fall."""

    def split(theta: Array) -> Pair:
        return theta.reshape(A.shape), theta.reshape(A.shape)

    def push(at: _Last, theta: Array) -> Array:
        return (at.left + at.right).ravel()

    found = _on_sphere(f, A.ravel(), trace**0.5, split, push)
    return None if found is None else found[0]


class _Last:
    """f and its gradient at ABᵀ: ``left`` = GB and ``right`` = GᵀA."""

    def __init__(self, f: Objective, A: Array, B: Array) -> None:
        shape, r = (len(A), len(B)), A.shape[1]
        w = Iterate(RankOneBlock(A.T, B.T, np.full(r, float(r))), np.full(r, 1.0 / r), shape)
        self.value = float(f.value(w))
        G: Any = f.gradient(w)
        G = G.reshape(shape) if isinstance(G, np.ndarray) else G
        self.left, self.right = np.asarray(G @ B, dtype=np.float64), np.asarray(G.T @ A, dtype=np.float64)
        self.inward = float(np.vdot(self.left, A))  # ⟨G, W⟩: positive where f falls toward zero


def _on_sphere(f: Objective, start: Array, length: float, split: Callable[[Array], Pair],
               push: Callable[[_Last, Array], Array]) -> Pair | None:
    """L-BFGS for F(length·θ/‖θ‖) from ``start``."""
    from scipy.optimize import minimize

    def value(theta: Array) -> tuple[float, Array]:
        norm = float(np.linalg.norm(theta))
        unit = theta / norm
        at = _Last(f, *split(length * unit))
        g = push(at, theta)
        return at.value / scale, (length / (norm * scale)) * (g - float(unit.dot(g)) * unit)

    begin, scale = start * (length / float(np.linalg.norm(start))), 1.0
    first, slope = value(begin)
    scale = max(abs(first), 1e-300)
    with np.errstate(all="ignore"):
        found = minimize(value, begin, jac=True, method="L-BFGS-B",
                         options={"maxiter": ITERATIONS, "maxcor": MEMORY, "ftol": FLAT,
                                  "gtol": STEEP * float(np.abs(slope).max()) / scale})
    theta = np.asarray(found.x, dtype=np.float64)
    norm = float(np.linalg.norm(theta))
    return split(length / norm * theta) if 0.0 < norm < np.inf and np.isfinite(theta).all() else None
