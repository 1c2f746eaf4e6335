"""Kinds of data, one file each: the linear maps A that losses are composed with."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.operator import OperatorDesign
from greedyhull.objectives.designs.sparse import SparseDesign
from greedyhull.points.arrays import is_sparse
from greedyhull.points.given import compressed
from greedyhull.types import Design
from greedyhull.types.attributes import lacks

FULL = 0.3  # a sparse matrix with a larger share of entries takes less time, and hardly more memory, as a dense one


def design(X: Any) -> Design:
    """The design for X: a 2-D array (C or Fortran order), a SciPy sparse matrix, a linear operator, or a design.

    float32 stays float32; integers and booleans become float64; NaN, infinity, numbers whose squares overflow and sparse
    matrices whose index arrays are malformed are refused.
    """
    if not lacks(X, "adjoint", "column"):  # a design of the library, or of a user
        check(not lacks(X, "stored", "frobenius"),
              f"{type(X).__name__} does not say whether its rows are stored. Derive it from greedyhull.extend.DesignBase, "
              "which says that they are not.")
        return X  # type: ignore[no-any-return]
    if is_sparse(X):
        return sparse_design(compressed(X))
    if not lacks(X, "matvec", "rmatvec"):
        return OperatorDesign(X)
    check(not np.ma.is_masked(X), "X has masked entries, which stand for no number. Fill them first: X.filled(...).")
    try:
        array = np.asarray(X)
    except ValueError:
        raise GreedyhullError("X has rows of different lengths; a matrix with one row for each sample is wanted.") from None
    check(array.ndim == 2, f"X has shape {array.shape}; a matrix with one row for each sample is wanted. "
                           "Use X.reshape(-1, 1) for a single feature.")
    check(array.dtype.kind in "biuf", f"X has dtype {array.dtype}; numbers are wanted. Encode the columns first.")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    return DenseDesign(array)


def sparse_design(entries: Any) -> Design:
    """The design for a sparse matrix that needs no check, as its entries come from a design."""
    if entries.nnz > FULL * entries.shape[0] * entries.shape[1]:
        return design(entries.toarray(order="F"))
    return SparseDesign(entries)
