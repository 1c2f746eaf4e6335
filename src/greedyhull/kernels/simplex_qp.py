"""Small quadratics over the simplex and over budgets, solved to rounding."""

from __future__ import annotations

import numpy as np

from greedyhull.kernels._core import face_newton, pairwise_burst
from greedyhull.kernels.product_qp import DEPENDENT, hand_on, solve_product_qp
from greedyhull.types import Array, Index

MOST_SETS = 12  # guesses, each a factorisation
RIDGE = 1e-13


def settle(G: Array, grad: Array, alpha: Array, tol: float) -> bool:
    """Move the weights ``alpha``, and their gradient along, to the minimum; False, and nothing changed, if no guess fits.

    Weights that stay zero promise at most ``tol``.

    >>> G, alpha = np.diag([1.0, 2.0, 4.0]), np.array([0.0, 0.0, 1.0])
    >>> grad = G @ alpha
    >>> settle(G, grad, alpha, 1e-12), alpha.round(6), grad.round(6)
    (True, array([0.571429, 0.285714, 0.142857]), array([0.571429, 0.571429, 0.571429]))
    """
    positive = (alpha > 0.0) | (grad < alpha.dot(grad))
    base = grad - G.dot(alpha)  # the gradient at zero
    pivot, last, rises = int(alpha.argmax()), len(alpha), 0
    for _ in range(MOST_SETS):
        positive[pivot] = True
        found = _minimum(G, base, positive, pivot)
        if found is None:
            return False
        x, there = found
        now = np.where(positive, x > 0.0, there < there[pivot] - tol)
        wrong = int(np.count_nonzero(now != positive))
        if wrong == 0:
            lower = float((x - alpha).dot(grad + there)) <= 0.0
            if lower:
                alpha[:], grad[:] = x, there
            return lower
        rises += wrong > last
        if rises > 2:  # how often a guess may be corrected in more places than the one before
            return False
        positive, last, pivot = now, wrong, int(x.argmax())
    return False


def _minimum(G: Array, base: Array, positive: Array, pivot: int) -> tuple[Array, Array] | None:
    """The minimum where only the guessed weights are not zero, and the gradient there; None where numbers leave their range.

    Weights are told from the pivot's, so that what all of them have in common does not drown the rest.
    """
    from greedyhull.kernels.lapack import dpotrf, dpotrs

    free = np.flatnonzero(positive & (np.arange(len(base)) != pivot))
    H = G[free][:, free] - G[free, pivot][:, None] - G[pivot, free][None, :] + G[pivot, pivot]
    H.flat[:: len(free) + 1] += RIDGE * float(np.trace(H)) + 1e-300
    factor, info = dpotrf(H) if len(free) else (H, 0)
    if info != 0:
        return None
    x = np.zeros(len(base))
    x[pivot] = 1.0
    grad = base + G[pivot]
    for _ in range(2 if len(free) else 0):  # the second time for what the ridge has cost
        step, _ = dpotrs(factor, grad[pivot] - grad[free])
        x[free] += step
        x[pivot] -= step.sum()
        grad = base + G.dot(x)
    return (x, grad) if np.isfinite(x).all() and np.isfinite(grad).all() else None


COMPILED_UP_TO = 96  # atoms; above, LAPACK's Cholesky is the faster one


def solve_simplex_qp(G: Array, c: Array, alpha: Array, tol: float, *, rounds: int = 50, owners: Index | None = None) -> Array:
    """The new weights α; ``G`` is symmetric positive semidefinite, ``c`` the gradient at the weights ``alpha``.

    With ``owners`` the weights of each owner sum to one: see `solve_product_qp`.

    >>> solve_simplex_qp(np.diag([1.0, 2.0]), np.array([1.0, 0.0]), np.array([1.0, 0.0]), 1e-12)
    array([0.66666667, 0.33333333])
    """
    if not len(alpha) or not (np.isfinite(G).all() and np.isfinite(c).all()):  # nothing can be found with these
        return alpha.copy()
    if owners is not None and owners.any():  # of one owner alone it is a simplex
        return solve_product_qp(G, c, alpha, tol, owners, rounds=rounds)
    start, alpha, grad, m = alpha, alpha.copy(), c.copy(), len(alpha)
    burst = 2 * m + 8
    G, few = np.ascontiguousarray(G, dtype=np.float64), m <= COMPILED_UP_TO
    for i in range(rounds):
        if pairwise_burst(G, grad, alpha, burst, tol) < burst:
            break
        if i == 0 and not few and settle(G, grad, alpha, 0.5 * tol):
            continue
        if i < 3 and (i or not few) and caratheodory_reduction(G, grad, alpha):
            grad = c + G.dot(alpha - start)
        solved = face_newton(G, grad, alpha) if few else newton_on_face(G, grad, alpha)
        if solved:
            grad = c + G.dot(alpha - start)  # afresh: rounding does not gather
        if not np.isfinite(grad).all():
            break
    total = float(alpha.sum())
    if not (np.isfinite(alpha).all() and 0.0 < total < np.inf):  # numbers have left their range, and where it was is as good
        return start.copy()
    return np.asarray(alpha / total)


def caratheodory_reduction(G: Array, grad: Array, alpha: Array) -> bool:
    """Let atoms leave that depend on others, at no cost: see `thinning`. α is changed in place; False where none does.

    Pairwise steps spread weight over many more atoms than the Hessian has dimensions, and a Newton step on such a face
    is all ridge.
    """
    from greedyhull.kernels.lapack import dpstrf, solve_triangular

    face = np.flatnonzero(alpha > 0.0)
    if not len(face):  # overflow has left no number
        return False
    pivot = face[int(alpha[face].argmax())]
    free = face[face != pivot]
    H = G[free][:, free] - G[free, pivot][:, None] - G[pivot, free][None, :] + G[pivot, pivot]
    U, order, rank, _ = dpstrf(H, tol=DEPENDENT * float(H.diagonal().max(initial=0.0)))
    if rank == len(free):
        return False
    table = solve_triangular(U[:rank, :rank], U[:rank, rank:])  # each of the others as a sum of the basis, all less the pivot
    table = np.concatenate([table, 1.0 - table.sum(axis=0, keepdims=True)])
    hand_on(grad, alpha, np.append(free[order[:rank] - 1], pivot), free[order[rank:] - 1], table)
    return True


def newton_on_face(G: Array, grad: Array, alpha: Array, *, tries: int = 4) -> bool:
    """Newton steps on the face for many atoms, with LAPACK; α is changed in place, ``grad`` is left as it is.

    Where the boundary blocks a step, `face_newton` drops one atom and solves again, which for hundreds of atoms takes
    hundreds of factorisations. Here all weights that the whole step would make negative are dropped at once where that
    lowers the quadratic more than stopping at the boundary does, at most ``tries`` times; pairwise steps do the rest.
    """
    from greedyhull.kernels.lapack import dposv

    grad = grad.copy()
    for _ in range(tries):
        face = np.flatnonzero(alpha > 0.0)
        if len(face) < 2:
            return True
        pivot = face[int(alpha[face].argmax())]
        free = face[face != pivot]
        H = G[free][:, free] - G[free, pivot][:, None] - G[pivot, free][None, :] + G[pivot, pivot]
        H.flat[:: len(free) + 1] += RIDGE * float(np.trace(H)) + 1e-300
        _, change, info = dposv(H, grad[pivot] - grad[free], overwrite_a=True)
        if info != 0:
            return False
        step = np.zeros_like(alpha)
        step[free], step[pivot] = change, -float(change.sum())
        falling = step < 0.0
        length = min(1.0, float((alpha[falling] / -step[falling]).min(initial=np.inf)))
        stopped = alpha + length * step
        if length < 1.0:
            stopped[stopped <= 1e-15 * alpha] = 0.0
        new = _lower(G, grad, alpha, np.maximum(stopped, 0.0), np.maximum(alpha + step, 0.0))
        grad += G.dot(new - alpha)
        alpha[:] = new
        if length >= 1.0:
            return True
    return True


def _lower(G: Array, grad: Array, alpha: Array, first: Array, second: Array) -> Array:
    """That of two points, scaled to sum to one, at which the quadratic is lower."""
    points = [point / point.sum() for point in (first, second)]
    changes = [point - alpha for point in points]
    values = [float(grad.dot(change) + 0.5 * change.dot(G.dot(change))) for change in changes]
    better: Array = points[0] if values[0] <= values[1] else points[1]
    return better
