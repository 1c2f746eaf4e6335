"""The set of an l1 budget: an l1 ball, weighted where columns are standardised, or its non-negative part."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.positive_l1_ball import PositiveL1Ball
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array

Budget = L1Ball | PositiveL1Ball


def budget(X: Any, s: Array | None, radius: float, *, standardize: bool, positive: bool) -> Budget:
    """The set for data X with sample weights s, or None."""
    make = PositiveL1Ball if positive else L1Ball
    return make(X.shape[1], radius, weights=spreads(X, s) if standardize else None)


def scaled_into(x: Array, S: Budget, *, positive: bool) -> Array:
    """x scaled down into the set if it is too large, without its negative entries where the set has none.

    >>> scaled_into(np.array([3.0, -1.0]), L1Ball(2, 2.0), positive=False)
    array([ 1.5, -0.5])
    """
    inside = np.maximum(x, 0.0) if positive else x
    return np.asarray(inside / max(S.gauge(inside), 1.0))


def spreads(X: Any, s: Array | None) -> Array:
    """The standard deviation of every column, 1 where a column is constant."""
    n = X.shape[0]
    p = np.full(n, 1.0 / n) if s is None else s / s.sum()
    mean = np.asarray(X.T @ p.astype(X.dtype), dtype=np.float64)
    square = (X.multiply(X) if is_sparse(X) else X * X).T @ p.astype(X.dtype)
    spread = np.sqrt(np.maximum(np.asarray(square, dtype=np.float64) - mean**2, 0.0))
    return np.where(spread > 1e-7 * np.maximum(np.abs(mean), 1e-300), spread, 1.0)
