"""Fewer atoms for the same point, as in Carathéodory's theorem, on the way to a lower value of a quadratic.

Weights of many more atoms than the Hessian has dimensions can be handed on along lines on which the quadratic is linear. Each
line ends where a weight is used up, on the side where the quadratic is lower: an atom leaves at no cost, or takes the place
of one it depends on, as in the simplex method. What is left is a basis: at most as many atoms as the rank of the Hessian,
and one for each owner.
"""

from __future__ import annotations

import numpy as np

from greedyhull.types import Array, Index

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
    factorisation with pivots that ends at the rank. None where that is more than ``most``, or numbers overflow."""
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
    if not np.isfinite(rows[: len(chosen)]).all():
        return None
    from greedyhull.kernels.lapack import solve_triangular

    upper = rows[: len(chosen)]
    return np.array(chosen, dtype=np.intp), np.asarray(solve_triangular(upper[:, chosen], upper))


def pivots_of(alpha: Array, owners: Index) -> Index:
    """For every atom, the place of the largest weight of its owner."""
    order = np.lexsort((alpha, owners))
    last = np.zeros(int(owners.max(initial=-1)) + 1, dtype=np.intp)
    last[owners[order]] = order  # the last one written is the largest
    return last[owners]
