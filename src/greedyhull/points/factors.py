"""Matrices by their factors: a point of rank-one atoms as U diag(σ) Vᵀ with orthonormal columns, and single entries of it."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.errors import check, shown
from greedyhull.points.aligned import few
from greedyhull.points.arrays import length
from greedyhull.points.gradients import lookup
from greedyhull.points.shapes import BasisBlock, RankOneBlock, SparseBlock
from greedyhull.types import Array, Block, Shape

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class Factors(NamedTuple):
    """U diag(sigma) Vᵀ with orthonormal columns, sigma descending and positive.

    Parameters
    ----------
    U : ndarray of shape (m, rank)
        The left singular vectors, as columns.
    sigma : ndarray of shape (rank,)
        The singular values.
    V : ndarray of shape (n, rank)
        The right singular vectors, as columns.
    """

    U: Array
    sigma: Array
    V: Array


def balanced(U: Array, V: Array, c: Array, least: float = 0.0) -> Factors:
    """U diag(c) Vᵀ as its singular value decomposition, without values of at most ``least`` times the largest.

    By a QR decomposition of either factor and the decomposition of a small matrix: O((m + n)r²).
    """
    (P, R), (Q, T) = np.linalg.qr(U), np.linalg.qr(V)
    left, sigma, right = np.linalg.svd((R * c) @ T.T)
    keep = sigma > least * sigma.max(initial=0.0)
    sigma = sigma[keep]
    return Factors(P @ left[:, : len(keep)][:, keep], sigma, Q @ right.T[:, : len(keep)][:, keep])


def of_block(block: Block, weights: Array, least: float = 0.0) -> Factors | None:
    """Σ weightsₖ dₖ by its factors, if the block has any."""
    if not isinstance(block, RankOneBlock):
        return None
    some = np.flatnonzero(weights * block.scales)
    return balanced(block.U[some].T, block.V[some].T, (weights * block.scales)[some], least)


def factors_of(w: Iterate) -> Factors:
    """Return the singular value decomposition of a matrix, from its factors if it has any."""
    check(len(w.shape) == 2, lambda: f"The factors of a point of shape {w.shape} were asked for; only a matrix has factors. "
                                     "Use point.array().")
    found = of_block(w.block, w.weights, 1e-15) if w.keeps_atoms else None
    if found is None:
        U, sigma, V = np.linalg.svd(w.array(), full_matrices=False)
        keep = sigma > 1e-15 * sigma.max(initial=0.0)
        found = Factors(U[:, keep], sigma[keep], V.T[:, keep])
    return found


def entries_of(w: Iterate, rows: Any, cols: Any) -> Array:
    """Return W[rows, cols], without the matrix if the point has factors, or atoms with few entries."""
    check(len(w.shape) == 2, lambda: f"Entries at rows and columns were asked for of a point of shape {w.shape}; only a "
                                     "matrix has them. Use point.array().")
    i, j = (_places(given, size, what) for given, size, what in zip((rows, cols), w.shape, ("rows", "cols"), strict=True))
    check(i.shape == j.shape, lambda: f"{i.size} rows and {j.size} cols were given; as many of the one as of the other are "
                                      "wanted, one pair for each entry.")
    if not w.keeps_atoms or not isinstance(w.block, RankOneBlock | BasisBlock | SparseBlock):
        return np.asarray(w.array()[i, j])
    if not isinstance(w.block, RankOneBlock):
        return _picked(w.block, w.weights, i * w.shape[1] + j)
    return gathered(w.block.U.T, w.block.V.T, w.weights * w.block.scales, i, j)


def _picked(block: BasisBlock | SparseBlock, weights: Array, places: Array) -> Array:
    """Entries of Σ weightsₖ dₖ at places that are numbered row by row, for atoms with few entries."""
    if isinstance(block, BasisBlock):
        index, entries = block.index, weights * block.scale
    else:
        rows = block.matrix
        index, entries = rows.indices, np.repeat(weights, np.diff(rows.indptr)) * rows.data
    kept, which = np.unique(index, return_inverse=True)
    return lookup(kept, np.bincount(which.ravel(), entries, len(kept)), places)


def gathered(U: Array, V: Array, c: Array, i: Array, j: Array) -> Array:
    """Σₖ cₖ U[i, k] V[j, k] for all pairs of places, some at a time."""
    left, right, out = np.ascontiguousarray(U * c), np.ascontiguousarray(V), np.empty(len(i))
    step = max(1, 2**20 // max(1, len(c)))  # numbers gathered at once
    for a in range(0, len(i), step):
        here = slice(a, a + step)
        out[here] = np.einsum("er,er->e", left[i[here]], right[j[here]])
    return out


def _places(given: Any, size: int, what: str) -> Array:
    places = np.atleast_1d(np.asarray(given))
    whole = places.ndim == 1 and (places.dtype.kind in "iu" or not places.size)
    check(whole, lambda: f"{what} = {shown(given)} was given; whole numbers are wanted.")
    places = places.astype(np.intp)
    off = places[(places < 0) | (places >= size)]
    check(not len(off), lambda: f"{what} holds {few(off.tolist())}; whole numbers from 0 to {size - 1} are wanted.")
    return places


def check_size(shape: Shape, block: object) -> None:
    """Raise if a matrix that is kept by its factors, or by few entries, would take more than 2 GiB."""
    size = 8 * prod(shape)
    small = size <= 2**31 or not isinstance(block, RankOneBlock | BasisBlock | SparseBlock)
    check(small, lambda: f"The point is a matrix of shape {shape}, which would take {size / 2**30:.1f} GiB; at most 2 are "
          "written out. Use point.factors(), or point.entries(rows, cols) for some of its entries.")


def apart(w: Iterate, other: Iterate) -> tuple[float, float]:
    """‖w − other‖, and how long w's atoms are together, to which rounding is relative; NaN where atoms are not finite."""
    one, two = (point.block if point.keeps_atoms else None for point in (w, other))
    if not (isinstance(one, RankOneBlock) and isinstance(two, RankOneBlock)):
        sound = np.isfinite(length(other.absolute()))
        return length(other.array() - w.array()) if sound else np.nan, length(w.absolute())
    if not all(np.isfinite(part).all() for part in (two.U, two.V, two.scales)):
        return np.nan, 0.0
    c, d = w.weights * one.scales, other.weights * two.scales
    found = balanced(np.concatenate([one.U, two.U]).T, np.concatenate([one.V, two.V]).T, np.concatenate([c, -d]))
    sizes = np.abs(c) * [length(u) * length(v) for u, v in zip(one.U, one.V, strict=True)]
    return length(found.sigma), float(np.sum(sizes))
