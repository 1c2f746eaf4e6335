"""Kinds of data, one file each: the linear maps A that losses are composed with."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown
from greedyhull.objectives.designs.base import DesignBase
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.inspected import inspected
from greedyhull.objectives.designs.operator import OperatorDesign
from greedyhull.objectives.designs.sparse import SparseDesign
from greedyhull.points.arrays import is_sparse, masked
from greedyhull.points.given import compressed
from greedyhull.types import Design
from greedyhull.types.attributes import lacks

FULL = 0.3  # a sparse matrix with a larger share of entries takes less time, and hardly more memory, as a dense one


def design(X: Any, name: str = "X") -> Design:
    """The design for X: a 2-D array (C or Fortran order), a SciPy sparse matrix, a linear operator, or a design.

    float32 stays float32; integers and booleans become float64; NaN, infinity, numbers whose squares overflow and sparse
    matrices whose index arrays are malformed are refused.
    """
    if isinstance(X, DesignBase):
        return X if type(X).__module__.startswith("greedyhull.") else inspected(X)
    if not lacks(X, "adjoint", "domain") and lacks(X, "rmatvec"):  # a user's design, of whatever class
        silent = lacks(X, "stored", "has_columns", "takes_factors", "frobenius")
        check(not silent, lambda: f"{type(X).__name__} does not say {', '.join(silent)}: whether its rows are stored, whether "
              "it has columns, whether it takes factors, and ‖A‖_F or None. Derive it from greedyhull.extend.DesignBase, "
              "which has defaults.")
        return inspected(X)
    if is_sparse(X):
        return sparse_design(compressed(X, name))
    if not lacks(X, "matvec", "rmatvec"):
        return OperatorDesign(X)
    check(not masked(X), f"{name} has masked entries; numbers are wanted. Fill them first: {name}.filled(...).")
    wanted, single = "a matrix with one row for each sample", " Use X.reshape(-1, 1) for a single feature."
    if name == "Q":
        wanted, single = "a square matrix", ""
    try:
        array = np.asarray(X)
    except ValueError:
        raise GreedyhullError(f"{name} has rows of different lengths; {wanted} is wanted.") from None
    check(array.ndim > 0, lambda: f"{name} = {shown(X)} was given; {wanted} is wanted.")
    check(array.ndim == 2, f"{name} has shape {array.shape}; {wanted} is wanted." + single)
    check(array.dtype.kind in "biuf", f"{name} has dtype {array.dtype}; numbers are wanted. Encode the columns first.")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    return DenseDesign(array)


def sparse_design(entries: Any) -> Design:
    """The design for a sparse matrix that needs no check, as its entries come from a design."""
    if entries.nnz > FULL * entries.shape[0] * entries.shape[1]:
        return design(entries.toarray(order="F"))
    return SparseDesign(entries)
