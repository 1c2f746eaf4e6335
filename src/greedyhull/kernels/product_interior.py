"""Quadratics over a product of simplices by an interior-point method: for many atoms, whatever the rank of their Hessian.

min ½αᵀGα + qᵀα over α ≥ 0 with Σ_{i of b} αᵢ = 1 for every owner b, by Mehrotra's predictor and corrector. All points are
feasible: a step is written relative to the largest weight of each owner, which takes the equations away. With slacks
s = Gα + q − λ of each owner, Σ αᵢsᵢ is the duality gap.
"""

from __future__ import annotations

import numpy as np

from greedyhull.points.owners import least, normalised
from greedyhull.types import Array, Index

SHORT = 0.995  # of the way to the boundary
MOST = 60  # steps; about fifteen are taken


def interior_product_qp(G: Array, q: Array, owners: Index, tol: float) -> Array | None:
    """The weights, with a duality gap of at most ``tol``; None where rounding ends it before."""
    scale = max(float(np.abs(q).max()), float(np.abs(G).max()), 1e-300)
    G, q, tol = G / scale, q / scale, tol / scale
    alpha = normalised(np.ones(len(q)), owners)
    grad = G.dot(alpha) + q
    s = np.maximum(grad - least(grad, owners)[owners], 0.0) + 0.1
    for _ in range(MOST):
        found = _cleared(G, q, alpha, grad, s, owners, tol)
        if found is not None:
            return found
        dx, ds = _direction(G, grad, alpha, s, owners)
        if dx is None or ds is None or not (np.isfinite(dx).all() and np.isfinite(ds).all()):
            return None
        step = SHORT * min(_room(alpha, dx), _room(s, ds))
        alpha, s = normalised(alpha + min(step, 1.0) * dx, owners), s + min(step, 1.0) * ds
        grad = G.dot(alpha) + q
    return None


def _direction(G: Array, grad: Array, alpha: Array, s: Array, owners: Index) -> tuple[Array | None, Array | None]:
    """A step that aims at complementary weights and slacks, the second one knowing what the first would do."""
    from greedyhull.kernels.lapack import dpotrf, dpotrs

    order = np.lexsort((alpha, owners))
    last = np.zeros(int(owners.max()) + 1, dtype=np.intp)
    last[owners[order]] = order
    pivot = last[owners]
    free = (np.arange(len(alpha)) != pivot).nonzero()[0]
    at = pivot[free]
    H = G + np.diag(s / alpha)
    rows = H[free] - H[at]
    L, info = dpotrf(rows[:, free] - rows[:, at], lower=1, overwrite_a=1)
    if info != 0:
        return None, None
    mu = float(alpha.dot(s)) / len(s)

    def solved(target: Array) -> tuple[Array, Array]:
        """The step with αᵢdsᵢ + sᵢdαᵢ = targetᵢ − αᵢsᵢ on which grad − s is the same for all atoms of an owner."""
        rhs = target / alpha - grad
        change = dpotrs(L, rhs[free] - rhs[at], lower=1)[0] if len(free) else np.zeros(0)
        dx = np.zeros_like(alpha)
        dx[free] = change
        np.subtract.at(dx, at, change)
        return dx, target / alpha - s - s / alpha * dx

    dx, ds = solved(np.zeros_like(alpha))
    reach = min(1.0, _room(alpha, dx), _room(s, ds))
    left = float((alpha + reach * dx).dot(s + reach * ds)) / len(s)
    return solved(mu * (left / mu) ** 3 - dx * ds)


def _room(x: Array, dx: Array) -> float:
    """How far one may go before an entry of x + t·dx is zero."""
    down = dx < 0.0
    return float((x[down] / -dx[down]).min(initial=1e30))


def _cleared(G: Array, q: Array, alpha: Array, grad: Array, s: Array, owners: Index, tol: float) -> Array | None:
    """The weights without those that vanish at the optimum, if their duality gap is at most ``tol``."""
    if float(alpha.dot(grad - least(grad, owners)[owners])) > tol:
        return None
    over = grad - least(grad, owners)[owners]
    for held in ((alpha > 1e-3 * over) | (over == 0.0), np.ones(len(alpha), dtype=bool)):
        kept = np.where(held, alpha, 0.0)
        if not (np.bincount(owners, weights=kept) > 0.5).all():
            continue
        kept = normalised(kept, owners)
        new = G.dot(kept) + q
        if float(kept.dot(new - least(new, owners)[owners])) <= tol:
            return kept
    return alpha
