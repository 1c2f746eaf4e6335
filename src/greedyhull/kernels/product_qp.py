"""Small quadratics over a product of simplices: the corrective round of a point with several owners.

min ½(α − α₀)ᵀG(α − α₀) + cᵀ(α − α₀) over α ≥ 0 with Σ_{i of b} αᵢ = 1 for every owner b. As over one simplex, pairwise steps
find the face and Newton steps with blocking solve on it; a pair belongs to one owner, and on a face each owner has its pivot.
Where no owner has more than two atoms, the weight of one of them says all, and the problem is one over the unit box.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.box_qp import solve_box_qp
from greedyhull.kernels.product_interior import interior_product_qp
from greedyhull.kernels.thinning import pivots_of, thin_product
from greedyhull.points.owners import least, normalised
from greedyhull.types import Array, Index

RIDGE = 1e-13
MANY = 48  # atoms from which on all owners are moved at once: swaps one by one would take as many steps as there are owners
GLIDES = 100  # projected steps that are tried before a factorisation
MOST = 3000  # atoms whose Hessian is factored
FEW, TRIES = 96, 20  # of more atoms with weight than the first, Newton steps are taken so many times at most
WORK = 2e9  # and so often that the cubes of their number sum to this
IDLE = 4  # rounds that bring nothing, after which no more are made
THIN = 400  # the largest rank at which many atoms with weight are thinned out


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
    burst, many = 2 * len(alpha) + 8, len(alpha) > MANY
    if many:
        if _glide(G, grad, alpha, owners, tol, GLIDES if len(alpha) <= MOST else 4 * GLIDES) or len(alpha) > MOST:
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
    return thin_product(G, grad, alpha, owners, min(THIN, int(np.count_nonzero(alpha)) // 2))


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


def _glide(G: Array, grad: Array, alpha: Array, owners: Index, tol: float, steps: int) -> bool:
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
    tries = max(1, min(TRIES, int(WORK / held**3))) if many else len(alpha)
    for _ in range(tries + 1):
        pivots = pivots_of(alpha, owners)
        free = ((alpha > 0.0) & (np.arange(len(alpha)) != pivots)).nonzero()[0]
        if not len(free):
            return True
        at = pivots[free]
        rows = G[free] - G[at]
        H = rows[:, free] - rows[:, at]
        H.flat[:: len(free) + 1] += RIDGE * float(np.trace(H)) + 1e-300
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

