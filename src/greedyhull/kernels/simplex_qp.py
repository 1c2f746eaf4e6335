"""Small quadratics over the simplex and over products of simplices, and the same point in fewer atoms."""

from __future__ import annotations

import numpy as np

from greedyhull.kernels._core import rows_faces, simplex_qp
from greedyhull.kernels.bounded_qp import as_given, solve_box_qp
from greedyhull.kernels.polyhedral_interior import interior_rows
from greedyhull.points.owners import least, normalised
from greedyhull.types import Array, Index

EXACT_UP_TO = 96  # atoms; of so many, quadratics are solved as fast exactly as roughly
MANY = 128  # atoms of a product; of more, those with weight and the best others are solved for


def solve_simplex_qp(G: Array, c: Array, alpha: Array, tol: float, *, owners: Index | None = None) -> Array:
    """Minimise the quadratic over the simplex, as `bounded_qp`; with ``owners`` the weights of each owner sum to one."""
    if not len(alpha) or not (np.isfinite(G).all() and np.isfinite(c).all()):  # nothing can be found with these
        return alpha.copy()
    if owners is not None and owners.any():  # of one owner alone it is a simplex
        return solve_product_qp(G, c, alpha, tol, owners)
    found = np.array(alpha, dtype=np.float64)
    simplex_qp(as_given(G), as_given(c), found, tol)
    total = float(found.sum())
    if not (np.isfinite(found).all() and 0.0 < total < np.inf):  # numbers have left their range, and where it was is as good
        return alpha.copy()
    return np.asarray(found / total)


def solve_product_qp(G: Array, c: Array, alpha: Array, tol: float, owners: Index) -> Array:
    """As `solve_simplex_qp`, where the weights of each owner sum to one."""
    if int(np.bincount(owners).max(initial=0)) <= 2:
        return _by_pairs(G, c, alpha, tol, owners)
    if len(alpha) <= MANY:
        return _solved(G, c, alpha, tol, owners)
    start, alpha = alpha, alpha.copy()
    for _ in range(20):
        grad = c + G.dot(alpha - start)
        excess = grad - least(grad, owners)[owners]
        if not float(alpha.dot(excess)) > tol:
            break
        held = int(np.count_nonzero(alpha))
        some = np.sort(np.argsort(np.where(alpha > 0.0, -1.0, excess), kind="stable")[: held + max(held // 2, MANY // 2)])
        found = _solved(G[np.ix_(some, some)], grad[some], alpha[some], 0.5 * tol, owners[some])
        if np.array_equal(found, alpha[some]):
            break
        alpha[some] = found
    return alpha


def _solved(G: Array, c: Array, start: Array, tol: float, owners: Index) -> Array:
    """The best point of a few proximal steps, unique for dependent atoms too; by interior points if faces fail."""
    bends = np.diagonal(G)
    bends = np.maximum(bends, 1e-3 * float(bends.max())) if bends.any() else np.full(len(c), float(np.abs(c).max()))
    point, gap, near = start, _gap(c, start, owners), 1e-6
    for _ in range(8):
        if not gap > tol:
            break
        found = _on_faces(G, c + G.dot(point - start), point, near * bends, owners)
        if found is None and near < 1e-4:
            near = 1e-4
            continue
        if found is None:
            found = interior_product_qp(G, c - G.dot(start), owners, tol)
        if found is None:
            break
        move = found - start
        rise = G.dot(move)
        left = _gap(c + rise, found, owners)
        if not (left < gap and float(c.dot(move) + 0.5 * move.dot(rise)) <= 0.0):
            break
        point, gap = found, left
    return _thinned(G, c, start, point, owners, tol) if len(c) > 48 else point


def _on_faces(G: Array, c: Array, alpha: Array, near: Array, owners: Index) -> Array | None:
    """The minimiser of the quadratic and ½Σ nearᵢ(αᵢ − start)²; None where the guesses of its face do not settle."""
    E, n = _equations(owners), len(alpha)
    H = as_given(G).copy()
    H.flat[:: n + 1] += near
    found, ends = alpha.copy(), (np.zeros(n), np.full(n, np.inf))
    one = np.ones(len(E))
    settled = rows_faces(H, c - H.dot(alpha), np.empty((0, n)), E, one, *ends, found, np.empty(len(E)), np.empty(n))
    return np.asarray(normalised(found, owners)) if settled else None


def _equations(owners: Index) -> Array:
    """A row for each owner, with a one for each of its atoms."""
    return np.asarray(owners == np.arange(int(owners.max()) + 1)[:, None], dtype=np.float64)


def interior_product_qp(G: Array, q: Array, owners: Index, tol: float) -> Array | None:
    """Weights with a duality gap of at most ``tol``, without those that vanish; None where rounding ends the path."""
    scale = max(float(np.abs(q).max()), float(np.abs(G).max()), 1e-300)
    G, q, tol = G / scale, q / scale, tol / scale
    A, n = _equations(owners), len(q)
    start, one = normalised(np.ones(n), owners), np.ones(len(A))
    path = interior_rows(G, G.dot(start) + q, start, np.zeros(n), np.full(n, np.inf), A, one, one, 0.5 * tol)
    if path is None:
        return None
    alpha = normalised(path.x, owners)
    grad = G.dot(alpha) + q
    for held in ((alpha > 1e-3 * (grad - least(grad, owners)[owners])), np.ones(n, dtype=bool)):
        kept = np.where(held, alpha, 0.0)
        if (np.bincount(owners, weights=kept) > 0.5).all():
            kept = normalised(kept, owners)
            if _gap(G.dot(kept) + q, kept, owners) <= tol:
                return kept
    return None


def _by_pairs(G: Array, c: Array, alpha: Array, tol: float, owners: Index) -> Array:
    """The same over the unit box: t is the weight of the second atom of each owner that has two."""
    order = np.argsort(owners, kind="stable")
    twice = (np.diff(owners[order]) == 0).nonzero()[0]
    first, second = order[twice], order[twice + 1]
    rows = G[second] - G[first]
    ends = np.zeros(len(twice)), np.ones(len(twice))
    t = solve_box_qp(rows[:, second] - rows[:, first], c[second] - c[first], alpha[second], *ends, tol)
    found = np.ones(len(alpha))
    found[first], found[second] = 1.0 - t, t
    return found


def _thinned(G: Array, c: Array, start: Array, alpha: Array, owners: Index, tol: float) -> Array:
    """The same point in fewer atoms, if half of them depend on others and rounding costs at most ``tol``; else the weights."""
    grad, fewer = c + G.dot(alpha - start), alpha.copy()
    if not caratheodory_reduction(G, grad, fewer, owners, min(400, int(np.count_nonzero(alpha)) // 2)):
        return alpha
    fewer = normalised(fewer, owners)
    return fewer if _gap(c + G.dot(fewer - start), fewer, owners) <= max(tol, 4.0 * _gap(grad, alpha, owners)) else alpha


def _gap(grad: Array, alpha: Array, owners: Index) -> float:
    return float(alpha.dot(grad - least(grad, owners)[owners]))


DEPENDENT = 1e-13  # of the largest diagonal entry: what is left of an atom that the basis explains


def caratheodory_reduction(G: Array, grad: Array, alpha: Array, owners: Index, most: int) -> bool:
    """Thin out the weights ``alpha`` of atoms with owners, in place; whether an atom could leave.

    ``grad`` is the gradient at ``alpha``. Where the atoms with weight have a rank of more than ``most``, nothing is done.
    """
    pivots = pivots_of(alpha, owners)
    free = ((alpha > 0.0) & (np.arange(len(alpha)) != pivots)).nonzero()[0]
    found = _factored(G, free, pivots[free], most)
    if found is None or len(found[0]) == len(free):
        return False
    chosen, table = found
    others = np.setdiff1d(np.arange(len(free)), chosen)
    basis, rest, table = free[chosen], free[others], table[:, others]
    held = np.unique(pivots[alpha > 0.0])
    own = (owners[rest] == owners[held][:, None]).astype(np.float64)
    own -= (owners[basis] == owners[held][:, None]).astype(np.float64) @ table  # what is left for the pivot of each owner
    _exchange(grad, alpha, np.concatenate([basis, held]), rest, np.concatenate([table, own]))
    return True


def _exchange(grad: Array, alpha: Array, basis: Index, others: Index, table: Array) -> None:
    """Weight of ``others`` handed to the ``basis``, atom after atom, until each of them has left or is in the basis.

    Column j of ``table`` says how the j-th of the others is a sum of the basis; such sums keep Σ of each owner's weights.
    """
    basis = basis.copy()
    slopes = grad[others] - grad[basis] @ table
    for j, atom in enumerate(others):
        sums = table[:, j].copy()
        way = -1.0 if slopes[j] >= 0.0 else 1.0
        change = np.concatenate([[way], -way * sums])
        atoms = np.concatenate([[atom], basis])
        falling = (change < 0.0).nonzero()[0]  # never empty: the changes of an owner sum to zero
        if not len(falling):  # but where numbers overflow
            return
        room = alpha[atoms[falling]] / -change[falling]
        leaves = int(falling[room.argmin()])
        alpha[atoms] = np.maximum(alpha[atoms] + room.min() * change, 0.0)
        alpha[atoms[leaves]] = 0.0
        if leaves:
            row = table[leaves - 1] / sums[leaves - 1]
            table = table - np.outer(sums, row)
            table[leaves - 1], slopes, basis[leaves - 1] = row, slopes - slopes[j] * row, atom


def _factored(G: Array, free: Index, at: Index, most: int) -> tuple[Index, Array] | None:
    """Independent atoms, as places in ``free``, and all atoms as sums of these, each less its pivot; by a Cholesky
    factorisation with pivots that ends at the rank. None where that is more than ``most``, or numbers leave their range."""
    left = G[free, free] - 2.0 * G[free, at] + G[at, at]
    least = DEPENDENT * float(left.max(initial=0.0))
    rows = np.empty((min(most, len(free)), len(free)))
    chosen: list[int] = []
    while len(chosen) < len(free):
        k, best = len(chosen), int(left.argmax())
        if not left[best] > least:
            break
        if k == len(rows):
            return None
        i, p = free[best], at[best]
        row = G[i, free] - G[i, at] - G[p, free] + G[p, at] - rows[:k, best] @ rows[:k]
        rows[k] = row / np.sqrt(left[best])
        chosen.append(best)
        left -= rows[k] ** 2
        left[chosen] = -np.inf
    upper = rows[: len(chosen)]
    if not np.isfinite(upper).all() or not upper[np.arange(len(chosen)), chosen].all():
        return None
    from greedyhull.kernels.lapack import solve_triangular

    return np.array(chosen, dtype=np.intp), np.asarray(solve_triangular(upper[:, chosen], upper))


def pivots_of(alpha: Array, owners: Index) -> Index:
    """For every atom, the place of the largest weight of its owner."""
    order = np.lexsort((alpha, owners))
    last = np.zeros(int(owners.max(initial=-1)) + 1, dtype=np.intp)
    last[owners[order]] = order  # the last one written is the largest
    return last[owners]
