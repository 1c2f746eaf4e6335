"""Descent over the factors of a matrix: W = ABᵀ, or AAᵀ, with (A, B) on a sphere, so that the constraint takes care of itself.

‖ABᵀ‖_* ≤ (‖A‖² + ‖B‖²)/2, so every point of the sphere ‖A‖² + ‖B‖² + t² = 2r lies in the nuclear ball of radius r; t is
what is left of the radius where the optimum is inside. L-BFGS works on θ/‖θ‖ (Burer and Monteiro 2003; Boyd, Schiebinger and
Recht 2017). Stationary points of the factors need not be optima; a gap tells, and new atoms lead away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.kernels import limited_memory
from greedyhull.kernels.observed import observed_products
from greedyhull.points.arrays import is_sparse
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import RankOneBlock
from greedyhull.types import Array, Objective
from greedyhull.types.kinds import bilinear, linear_model

ITERATIONS = 60
FLAT = 1e-14  # a fall of f by less, relative to f, ends the descent
SLOW = 0.01  # a fall by less of what all iterations brought ends it too: new atoms help more then
STEEP = 0.1  # while the gradient is longer than that, of what it was, it goes on
SLACK = 0.02  # the share of the radius that is left free where the gradient points outwards and none was
FAR = 0.1  # of its length a vector moves at first where the multiplier of the constraint does not say how far

Pair = tuple[Array, Array]


def descend(f: Objective, A: Array, B: Array, radius: float, inward: bool) -> Pair | None:
    """Factors with a smaller f(ABᵀ) and ‖A‖² + ‖B‖² ≤ 2·radius; None where f does not fall.

    ``inward``, f falls toward zero, and some of the radius is set free. All is computed in the precision of A and B.
    """
    m, n, r = len(A), len(B), A.shape[1]
    free = max(2.0 * radius - float(np.vdot(A, A) + np.vdot(B, B)), 0.0)
    if free < SLACK * radius and inward:
        free = 2.0 * SLACK * radius

    def split(theta: Array) -> Pair:
        return theta[: m * r].reshape(m, r), theta[m * r : (m + n) * r].reshape(n, r)

    def push(at: _Last, theta: Array) -> Array:
        return np.concatenate([at.left.ravel(), at.right.ravel(), [0.0]], dtype=theta.dtype)

    start = np.concatenate([A.ravel(), B.ravel(), [free**0.5]], dtype=A.dtype)
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
        shape, r, model = (len(A), len(B)), A.shape[1], linear_model(f)
        design = None if model is None or model.l2 else bilinear(model.design)
        G: Any
        if model is not None and design is not None:  # straight to the entries
            value, residual = model.loss.first_order(design.bilinear(A, B, np.ones(r, A.dtype)))
            self.value, G = float(value), model.design.adjoint(residual)
        else:
            w = Iterate(RankOneBlock(A.T, B.T, np.full(r, float(r))), np.full(r, 1.0 / r), shape)
            self.value, G = float(f.value(w)), f.gradient(w)
        self.left, self.right = both_products(G.reshape(shape) if isinstance(G, np.ndarray) else G, A, B)


def both_products(G: Any, A: Array, B: Array) -> Pair:
    """GB and GᵀA; in one pass over the entries of a matrix by row."""
    if not (is_sparse(G) and G.format == "csr" and G.dtype in (np.float64, np.float32) and G.shape[1] < 2**31):
        return np.asarray(G @ B, dtype=A.dtype), np.asarray(G.T @ A, dtype=A.dtype)
    U, V = (np.ascontiguousarray(part, dtype=G.dtype) for part in (A, B))
    left, right = np.empty_like(U), np.empty_like(V)
    observed_products(G.indptr.astype(np.int64), G.indices.astype(np.uint32), G.data, U, V, left, right)
    return left.astype(A.dtype, copy=False), right.astype(B.dtype, copy=False)


def _on_sphere(f: Objective, start: Array, length: float, split: Callable[[Array], Pair],
               push: Callable[[_Last, Array], Array]) -> Pair | None:
    """L-BFGS for F(length·θ/‖θ‖) from ``start``, in units of the length and of the first gradient.

    F is divided by the multiplier of the constraint, −⟨∇F, θ⟩/‖θ‖², which is about its curvature: the first step is 1.
    """

    def value(theta: Array) -> tuple[float, Array]:
        norm = float(np.linalg.norm(theta))
        unit = theta / real(norm)
        at = _Last(f, *split(real(length) * unit))
        g = push(at, theta) / real(steep)
        slope = float(unit.dot(g))
        pull[0] = -slope
        return at.value / (steep * length) / scale, (g - real(slope) * unit) / real(norm * scale)

    real = start.dtype.type
    begin = start / real(length)
    begin, scale, steep, pull = begin / real(np.linalg.norm(begin)), 1.0, 1.0, [0.0]
    with np.errstate(all="ignore"):
        first, slope = value(begin)
        steep = float(np.abs(slope).max())
        if not (np.isfinite(first) and 0.0 < steep < np.inf):
            return None
        slope = slope / real(steep)
        steepness, multiplier = float(np.linalg.norm(slope)), pull[0] / steep
        scale = max(multiplier, FAR * steepness) if multiplier > 0.0 else steepness / FAR
        at = limited_memory.Reached(begin, first / steep / scale, slope / real(scale))
        found = limited_memory.descend(value, at, ITERATIONS, FLAT, SLOW, STEEP)
    norm = float(np.linalg.norm(found.x))
    return split(real(length / norm) * found.x) if 0.0 < norm < np.inf and found.value < at.value else None
