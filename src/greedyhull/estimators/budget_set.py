"""The set of an l1 budget: an l1 ball, weighted where columns are standardised, or its non-negative part."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.positive_l1_ball import PositiveL1Ball
from greedyhull.driver.solution import Solution
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array

Budget = L1Ball | PositiveL1Ball
CONSTANT = 1e-7  # a column whose standard deviation is a smaller share of its mean counts as constant
BLOCK = 64  # columns copied at a time


def budget(X: Any, s: Array | None, radius: float, *, standardize: bool, positive: bool, classes: int = 0) -> Budget:
    """The set for data X with sample weights s, or None; of vectors, or of matrices with a column for each of ``classes``."""
    make = PositiveL1Ball if positive else L1Ball
    d, weights = X.shape[1], spreads(X, s) if standardize else None
    if not classes:
        return make(d, radius, weights=weights)
    return make((d, classes), radius, weights=None if weights is None else np.repeat(weights[:, None], classes, axis=1))


def scaled_into(x: Array, S: Budget, *, positive: bool) -> Array:
    """x scaled down into the set if it is too large, without its negative entries where the set has none.

    >>> scaled_into(np.array([3.0, -1.0]), L1Ball(2, 2.0), positive=False)
    array([ 1.5, -0.5])
    """
    inside = np.maximum(x, 0.0) if positive else x
    return np.asarray(inside / max(S.gauge(inside), 1.0))


def price_of(s: Solution) -> float:
    """How fast the least loss falls as the radius grows, −d(min f)/dr, at a solution over a budget.

    For a smooth loss it is the dual norm of the gradient, max |∂f/∂w_j| for the l1 norm. At the minimum this is −⟨∇f(w), w⟩/r;
    elsewhere it exceeds that by gap/r, which matters where the budget is so small that the zero vector already meets ``tol``.
    """
    if not s.objective.traits.smooth:
        return max(0.0, float(s.price or 0.0))
    precise = s.objective.precise()
    g = precise.gradient(s.point if precise is s.objective else s.point.copy())  # the first is known from the solve
    return max(0.0, -float(s.atom_set.rescaled(1.0).atom(g).dot(g)))


def spreads(X: Any, s: Array | None) -> Array:
    """The standard deviation of every column; of a constant column, its absolute value, or 1 if that is zero.

    Computed in float64 from deviations, as E[x²] − E[x]² cancels. Columns are scaled first: no square over- or underflows.
    """
    p = np.full(X.shape[0], 1.0 / X.shape[0]) if s is None else s.astype(np.float64) / s.sum(dtype=np.float64)
    if is_sparse(X):
        return _sparse_spreads(X, p)
    parts = [_dense_spreads(X[:, j : j + BLOCK].astype(np.float64), p) for j in range(0, X.shape[1], BLOCK)]
    return np.concatenate(parts)


def _dense_spreads(B: Array, p: Array) -> Array:
    size = np.abs(B).max(axis=0)
    B /= np.where(size > 0.0, size, 1.0)
    mean = p @ B
    B -= mean
    return _told_apart(np.sqrt(p @ (B * B)), mean, size)


def _sparse_spreads(X: Any, p: Array) -> Array:
    C = X.tocoo()
    C.sum_duplicates()
    d, row, col, x = X.shape[1], C.row, C.col, C.data.astype(np.float64)
    size = np.zeros(d)
    np.maximum.at(size, col, np.abs(x))
    x = x / np.where(size > 0.0, size, 1.0)[col]
    mean = np.bincount(col, p[row] * x, d)
    zeros = np.maximum(1.0 - np.bincount(col, p[row], d), 0.0)  # the weight of entries that are not stored
    square = np.bincount(col, p[row] * (x - mean[col]) ** 2, d) + zeros * mean**2
    return _told_apart(np.sqrt(square), mean, size)


def _told_apart(spread: Array, mean: Array, size: Array) -> Array:
    """Spreads in the units of the data, of columns that were divided by ``size``."""
    level = np.abs(mean) * size
    found = np.where(spread > CONSTANT * np.abs(mean), spread * size, level)
    return np.where(found > 0.0, found, 1.0)  # zero for a column of zeros, or by underflow
