"""Rows whose weight is zero: they add nothing to a sum, and are to add nothing to what rounding may have done to it."""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.sparse import SparseDesign
from greedyhull.types import Array, Design, Index


def in_place_of(A: Design, p: Array | float, y: Array | None = None) -> Index | None:
    """For every row the one to take for it, a row of weight zero being given up for the smallest that counts.

    None where all may stay: nothing has weight zero, or nothing that has is larger than all that counts, in A and in y.
    Without y all rows of weight zero are given up. The rows of an operator are not known, and stay.

    >>> in_place_of(DenseDesign(np.array([[3.0], [1e90], [-2.0]])), np.array([0.5, 0.0, 0.5]), np.ones(3))
    array([0, 2, 2])
    """
    if isinstance(p, float) or p.all() or not isinstance(A, (DenseDesign, SparseDesign)):
        return None
    low, high = A.extremes()
    size, here = np.maximum(np.abs(low), np.abs(high)), p > 0.0
    if y is not None and size.max() <= size[here].max() and np.abs(y).max() <= np.abs(y[here]).max():
        return None
    return np.where(here, np.arange(A.n), np.flatnonzero(here)[size[here].argmin()])
