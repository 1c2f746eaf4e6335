"""Small quadratics over products of simplices, and the same point in fewer atoms."""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.bounded_qp import solve_box_qp
from greedyhull.kernels.polyhedral_interior import interior_rows
from greedyhull.points.owners import least, normalised
from greedyhull.types import Array, Index


def interior_product_qp(G: Array, q: Array, owners: Index, tol: float) -> Array | None:
    """The weights, with a duality gap of at most ``tol`` and without those that vanish at the optimum, if that keeps the gap;
    None where rounding ends the path before."""
    scale = max(float(np.abs(q).max()), float(np.abs(G).max()), 1e-300)
    G, q, tol = G / scale, q / scale, tol / scale
    A, n = (owners == np.arange(int(owners.max()) + 1)[:, None]).astype(np.float64), len(q)
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


DEPENDENT = 1e-13  # of the largest diagonal entry: what is left of an atom that the basis explains


def thin_product(G: Array, grad: Array, alpha: Array, owners: Index, most: int) -> bool:
    """Thin out the weights ``alpha`` of atoms with owners, in place; whether an atom could leave.

    ``grad`` is the gradient at ``alpha``. Where the atoms with weight have a rank of more than ``most``, nothing is done.

    >>> alpha = np.full(6, 1.0 / 3.0)
    >>> thin_product(np.zeros((6, 6)), np.array([3.0, 2.0, 1.0, 0.0, 5.0, 5.0]), alpha, np.array([0, 0, 0, 1, 1, 1]), 9)
    True
    >>> alpha
    array([0., 0., 1., 1., 0., 0.])
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
    hand_on(grad, alpha, np.concatenate([basis, held]), rest, np.concatenate([table, own]))
    return True


def hand_on(grad: Array, alpha: Array, basis: Index, others: Index, table: Array) -> None:
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


GLIDES = 100  # projected steps that are tried before a factorisation
DENSE = 3000  # atoms whose Hessian is factored
FEW, TRIES = 96, 20  # of more atoms with weight than the first, Newton steps are taken so many times at most
IDLE = 4  # rounds that bring nothing, after which no more are made


def solve_product_qp(G: Array, c: Array, alpha: Array, tol: float, owners: Index, *, rounds: int = 50) -> Array:
    """The new weights α; the differences of its gradient, for each owner from the best atom to the worst one that has weight,
    sum to at most ``tol``, which bounds the error, unless ``rounds`` or rounding ends it first. Where no owner has more than
    two atoms, the duality gap is at most ``tol``.

    >>> owners = np.array([0, 0, 1, 1])
    >>> solve_product_qp(np.eye(4), np.array([1.0, 0.0, 0.0, 5.0]), np.array([1.0, 0, 0, 1.0]), 1e-12, owners)
    array([0.5, 0.5, 1. , 0. ])
    """
    if int(np.bincount(owners).max(initial=0)) <= 2:
        return _by_pairs(G, c, alpha, tol, owners)
    start, alpha, grad = alpha, alpha.copy(), c.copy()
    # atoms from which on all owners are moved at once: swaps one by one would take as many steps as there are owners
    burst, many = 2 * len(alpha) + 8, len(alpha) > 48
    if many:
        steps = GLIDES if len(alpha) <= DENSE else 4 * GLIDES
        if _projected_gradient(G, grad, alpha, owners, tol, steps) or len(alpha) > DENSE:
            return _thinned(G, c, start, normalised(alpha, owners), owners, tol)
        found = interior_product_qp(G, c - G.dot(start), owners, tol)
        if found is not None and _worth(G, c, found - start) <= min(_worth(G, c, alpha - start) + tol, 0.0):
            return _thinned(G, c, start, found, owners, tol)
        grad = c + G.dot(alpha - start)
    progress = _Progress()
    for i in range(rounds):
        if many and i < 3 and _thin(G, grad, alpha, owners):
            grad = c + G.dot(alpha - start)
        if _pairwise(G, grad, alpha, owners, burst, tol):
            break
        if _newton(G, grad, alpha, owners):
            grad = c + G.dot(alpha - start)  # afresh: rounding does not gather
        if progress.ended(_worth(G, c, alpha - start), _excess(grad, alpha, owners)):
            break
    alpha = normalised(alpha, owners)
    return _thinned(G, c, start, alpha, owners, tol) if many else alpha


class _Progress:
    """Whether rounds still bring something: where ``tol`` is below rounding, they would go on to the last one in vain."""

    def __init__(self) -> None:
        self.value, self.excess, self.idle = np.inf, np.inf, 0

    def ended(self, value: float, excess: float) -> bool:
        """Whether for some rounds the quadratic has not fallen beyond rounding, nor has the excess been halved."""
        fell = value < self.value - 1e-12 * abs(value) or excess < 0.5 * self.excess
        self.idle = 0 if fell else self.idle + 1
        self.value, self.excess = min(self.value, value), min(self.excess, excess)
        return self.idle >= IDLE


def _thin(G: Array, grad: Array, alpha: Array, owners: Index) -> bool:
    """Let atoms that depend on others leave, if at least half of those with weight do; α is changed in place."""
    # the largest rank at which many atoms with weight are thinned out
    return thin_product(G, grad, alpha, owners, min(400, int(np.count_nonzero(alpha)) // 2))


def _thinned(G: Array, c: Array, start: Array, alpha: Array, owners: Index, tol: float) -> Array:
    """The same point in fewer atoms; the weights as they are where rounding would cost more than ``tol``.

    Interior and projected steps leave weight on all atoms of a face. A point that keeps them costs the square of their
    number in every later round.
    """
    grad, fewer = c + G.dot(alpha - start), alpha.copy()
    if not _thin(G, grad, fewer, owners):
        return alpha
    fewer = normalised(fewer, owners)
    return fewer if _gap(c + G.dot(fewer - start), fewer, owners) <= max(tol, 4.0 * _gap(grad, alpha, owners)) else alpha


def _gap(grad: Array, alpha: Array, owners: Index) -> float:
    return float(alpha.dot(grad - least(grad, owners)[owners]))


def _excess(grad: Array, alpha: Array, owners: Index) -> float:
    """The differences of the gradient, for each owner from its best atom to the worst one with weight, summed."""
    over = np.where(alpha > 0.0, grad - least(grad, owners)[owners], 0.0)
    return float(-least(-over, owners).sum())


def _worth(G: Array, c: Array, change: Array) -> float:
    return float(c.dot(change) + 0.5 * change.dot(G.dot(change)))


def onto_simplices(x: Array, owners: Index) -> Array:
    """The nearest point with non-negative entries that sum to one for each owner.

    >>> onto_simplices(np.array([2.0, 0.0, 0.5, 0.7]), np.array([0, 0, 1, 1]))
    array([1. , 0. , 0.4, 0.6])
    """
    order = np.lexsort((-x, owners))
    sizes = np.bincount(owners)
    first = np.cumsum(sizes) - sizes
    own, ranked = owners[order], x[order]
    ranked = ranked - ranked[first][own]  # relative to the largest one, so that large numbers lose nothing
    sums = np.cumsum(ranked)
    sums = sums - (sums[first] - ranked[first])[own]
    count = np.arange(len(x)) - first[own] + 1
    held = np.bincount(own[ranked * count > sums - 1.0], minlength=len(sizes))
    level = (sums[first + held - 1] - 1.0) / held
    out = np.empty_like(x)
    out[order] = np.maximum(ranked - level[own], 0.0)
    return out


def _line(G: Array, grad: Array, move: Array) -> tuple[float, Array] | None:
    """The best step along ``move`` and the image of it; None where that is no descent."""
    slope, image = float(grad.dot(move)), G.dot(move)
    if not slope < 0.0:
        return None
    bend = float(move.dot(image))
    return (min(1.0, -slope / bend) if bend > 0.0 else 1.0), image


def _projected_gradient(G: Array, grad: Array, alpha: Array, owners: Index, tol: float, steps: int) -> bool:
    """Projected gradient steps with Barzilai and Borwein's lengths, all owners at once; whether they reach ``tol``."""
    size = 1.0 / max(float(np.abs(G).sum(axis=1).max()), 1e-300)
    for _ in range(steps):
        if _excess(grad, alpha, owners) <= tol:
            return True
        found = _line(G, grad, move := onto_simplices(alpha - size * grad, owners) - alpha)
        if found is None:
            return False
        step, image = found
        alpha += step * move
        np.maximum(alpha, 0.0, out=alpha)
        grad += step * image
        bend = float(move.dot(image))
        size = float(move.dot(move)) / bend if bend > 0.0 else 10.0 * size
    return False


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


def _pairwise(G: Array, grad: Array, alpha: Array, owners: Index, steps: int, tol: float) -> bool:
    """At most ``steps`` exact steps between two atoms of one owner; whether the differences sum to at most ``tol``.

    Each takes the atom with weight and the atom of the same owner whose gradients differ most. Both arrays are changed.
    """
    order = np.argsort(owners, kind="stable")  # owner after owner, so that each is a piece
    first = np.append(0, np.diff(owners[order]).nonzero()[0] + 1)
    ends, of = np.append(first[1:], len(order)), np.repeat(np.arange(len(first)), np.diff(np.append(first, len(order))))
    H, g, a = G[np.ix_(order, order)], grad[order], alpha[order]
    settled = False
    for _ in range(steps):
        excess = np.where(a > 0.0, g - np.minimum.reduceat(g, first)[of], 0.0)
        settled = not np.maximum.reduceat(excess, first).sum() > tol  # NaN, where numbers overflow, ends it too
        if settled:
            break
        worst = int(excess.argmax())
        begin, end = first[of[worst]], ends[of[worst]]
        best = int(begin + g[begin:end].argmin())
        bend, step = H[best, best] + H[worst, worst] - 2.0 * H[best, worst], a[worst]
        if bend * step > excess[worst]:
            step = excess[worst] / bend
            a[worst] -= step
        else:
            a[worst] = 0.0
        a[best] += step
        g += step * (H[best] - H[worst])
    grad[order], alpha[order] = g, a
    return settled


def _newton(G: Array, grad: Array, alpha: Array, owners: Index) -> bool:
    """Minimise over the face of α, atoms leaving one by one where the boundary blocks; α is changed, ``grad`` is not.

    Weights are written relative to the largest one of their owner, which takes the constraints away. Of many atoms all that
    the whole step would make negative leave at once, where that lowers the quadratic more than stopping at the boundary does,
    a few times: one by one that would take hundreds of factorisations. False where the reduced Hessian is not
    positive definite even after a tiny ridge, or the step would not fall.
    """
    from greedyhull.kernels.lapack import dposv

    gradient = grad.copy()
    held = int(np.count_nonzero(alpha))
    many = held > FEW
    # and so often that the cubes of their number sum to this
    tries = max(1, min(TRIES, int(2e9 / held**3))) if many else len(alpha)
    for _ in range(tries + 1):
        pivots = pivots_of(alpha, owners)
        free = ((alpha > 0.0) & (np.arange(len(alpha)) != pivots)).nonzero()[0]
        if not len(free):
            return True
        at = pivots[free]
        rows = G[free] - G[at]
        H = rows[:, free] - rows[:, at]
        H.flat[:: len(free) + 1] += 1e-13 * float(np.trace(H)) + 1e-300
        _, change, info = dposv(H, gradient[at] - gradient[free], overwrite_a=True)
        if info != 0:
            return False
        step = np.zeros_like(alpha)
        step[free] = change
        np.subtract.at(step, at, change)
        falling = (step < 0.0).nonzero()[0]
        room = alpha[falling] / -step[falling]
        length = min(1.0, float(room.min(initial=np.inf)))
        moved, image = length * step, length * G.dot(step)
        worth = float(gradient.dot(moved) + 0.5 * moved.dot(image))
        if many and length < 1.0:
            bent = normalised(np.maximum(alpha + step, 0.0), owners) - alpha
            curved = G.dot(bent)
            if float(gradient.dot(bent) + 0.5 * bent.dot(curved)) < min(worth, 0.0):
                alpha += bent
                gradient += curved
                continue
        if not worth < 0.0:
            return False
        alpha[:] = np.maximum(alpha + moved, 0.0)
        if length >= 1.0:
            return True
        alpha[falling[room <= length]] = 0.0
        gradient += image
    return True
