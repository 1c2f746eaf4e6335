"""Convex quadratics over a Euclidean ball, the trust region problem: the heart of a corrective round over an l2 ball.

min ½pᵀHp + cᵀp over ‖x + p − middle‖ ≤ radius. The minimiser satisfies (H + λI)p = −c − λ(x − middle) for a multiplier
λ ≥ 0, which is 0 inside the ball. On the sphere, 1/‖x + p − middle‖ is nearly linear in λ, so that Newton's method finds λ in
a few Cholesky factorisations. A small multiple of ‖p‖² is added to the quadratic: with it H is definite, so that the hard case
of the theory cannot occur, and the gap grows by at most twice that multiple times ‖p‖, in units of the radius.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.box_qp import as_given
from greedyhull.kernels.core import compiled
from greedyhull.types import Array

RIDGE = 1e-14  # of the largest diagonal entry: what is added at least
MORE = 1e3  # times as much is added where rounding has left the Hessian indefinite
ROUNDS = 8  # of such problems, each from the solution of the one before; mostly one is enough
MOST = 40  # factorisations in a round; mostly three to six are made
ON = 1e-13  # so near to the sphere counts as on it


def solve_ball_qp(H: Array, c: Array, x: Array, middle: Array, radius: float, tol: float) -> tuple[Array, float]:
    """The new x and its duality gap over the ball, which is at most ``tol`` unless rounding ends it first.

    ``H`` is symmetric positive semidefinite, ``c`` is the gradient at the given ``x``. The quadratic never rises.

    >>> solve_ball_qp(np.eye(2), np.array([-3.0, -4.0]), np.zeros(2), np.zeros(2), 1.0, 1e-12)[0].round(9)
    array([0.6, 0.8])
    """
    found = np.array(x, dtype=np.float64)
    if not len(found):
        return found, 0.0
    gap = ball_qp(as_given(H), as_given(c), found, as_given(middle), radius, tol)
    return found, gap


@compiled
def ball_qp(H: Array, c: Array, x: Array, middle: Array, radius: float, tol: float) -> float:
    """The same in place: ``x`` becomes the solution. The core ends the search for λ where the gap is small enough."""
    if not radius > 0.0:
        x[:] = middle
        return 0.0
    start = into_unit_ball((x - middle) / radius)
    M, slopes = radius * H * radius, radius * (c + H.dot(middle + radius * start - x))
    size = max(float(np.abs(M).max(initial=0.0)), float(np.abs(slopes).max(initial=0.0)))
    finite = bool(np.isfinite(M).all() and np.isfinite(slopes).all())
    if not finite or size == 0.0:  # there is nothing to gain, or no telling
        x[:] = middle + radius * start
        return 0.0 if finite else np.inf
    M, slopes, tol = M / size, slopes / size, tol / size
    t, gap = start, ball_gap(slopes, start)
    ridge = max(0.125 * tol, RIDGE * float(np.diagonal(M).max()))
    for _ in range(ROUNDS):
        if gap <= tol:
            break
        found = _minimiser(M, slopes + M.dot(t - start), t, ridge)
        if found is None:
            ridge *= MORE
            continue
        found = into_unit_ball(found)
        move = found - start
        left = ball_gap(slopes + M.dot(move), found)
        if not (left < gap and float(slopes.dot(move) + 0.5 * move.dot(M.dot(move))) <= 0.0):
            break
        t, gap = found, left
    x[:] = middle + radius * t
    return size * gap


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


def _minimiser(M: Array, c: Array, t: Array, ridge: float) -> Array | None:
    """t + p for the p that minimises ½pᵀ(M + ridge I)p + cᵀp over ‖t + p‖ ≤ 1; None where rounding allows no factorisation."""
    from greedyhull.kernels.lapack import dpotrf, dpotrs, dtrtrs

    b = M.dot(t) + ridge * t - c
    reach, top = float(np.sqrt(b.dot(b))), float(np.abs(M).sum(axis=0).max()) + ridge
    low, high = max(reach - top, 0.0), reach
    lam = low
    y: Array | None = None
    for _ in range(MOST):
        K = M.copy()
        K.flat[:: len(c) + 1] += ridge + lam
        factor, info = dpotrf(K, lower=True, overwrite_a=True)
        if info != 0:
            return y
        y = t + dpotrs(factor, -(c + lam * t), lower=True)[0]
        norm = float(np.sqrt(y.dot(y)))
        if not np.isfinite(norm):
            return None
        if abs(norm - 1.0) <= ON or (norm < 1.0 and lam == 0.0):
            return y
        low, high = (lam, high) if norm > 1.0 else (low, lam)
        z = dtrtrs(factor, y, lower=True)[0]
        lam += norm * norm / float(z.dot(z)) * (norm - 1.0)
        if not low < lam < high:
            lam = 0.5 * (low + high)
        if lam in (low, high):  # no number lies between
            return y
    return y
