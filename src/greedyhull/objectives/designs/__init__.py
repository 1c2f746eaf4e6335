"""Kinds of data, one file each: the linear maps A that losses are composed with."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.objectives.designs.derived import inspected
from greedyhull.objectives.designs.stored import DenseDesign, Design, OperatorDesign, SparseDesign
from greedyhull.points.arrays import compressed, is_sparse, masked
from greedyhull.types import Array, lacks

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))  # compared as they are, which no conversion delays
WRITTEN = 2**18  # entries of a CSR matrix that are written out and turned at once


def design(X: Any, name: str = "X") -> Design:
    """The design for X: a 2-D array (C or Fortran order), a SciPy sparse matrix, a linear operator, or a design.

    float32 stays float32; integers and booleans become float64; NaN, infinity, numbers whose squares overflow and sparse
    matrices whose index arrays are malformed are refused.
    """
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS:  # as most are
        return DenseDesign(X)
    known = None if type(X) is np.ndarray else _no_array(X, name)
    if known is not None:
        return known
    check(not masked(X), lambda: f"{name} has masked entries; numbers are wanted. Fill them first: {name}.filled(...).")
    wanted, single = "a matrix with one row for each sample", " Use X.reshape(-1, 1) for a single feature."
    if name == "Q":
        wanted, single = "a square matrix", ""
    try:
        array = np.asarray(X)
    except ValueError:
        raise GreedyhullError(f"{name} has rows of different lengths; {wanted} is wanted.") from None
    check(array.ndim > 0, lambda: f"{name} = {shown(X)} was given; {wanted} is wanted.")
    check(array.ndim == 2, lambda: f"{name} has shape {array.shape}; {wanted} is wanted." + single)
    check(array.dtype.kind in "biuf", lambda: f"{name} has dtype {array.dtype}; numbers are wanted. Encode the columns "
          "first.")
    if array.dtype not in FLOATS:
        array = array.astype(np.float64)
    return DenseDesign(array)


def _no_array(X: Any, name: str) -> Design | None:
    """The design for what is more than an array of numbers; None for lists and frames, which become arrays."""
    if type(X) is DenseDesign or type(X) is SparseDesign:  # it was checked when it was made
        return X
    if isinstance(X, Design):
        return X if type(X).__module__.startswith("greedyhull.") else inspected(X)
    if not lacks(X, "adjoint", "domain") and lacks(X, "rmatvec"):  # a user's design, of whatever class
        silent = lacks(X, "stored", "has_columns", "takes_factors", "frobenius")
        check(not silent, lambda: f"{type(X).__name__} does not say {', '.join(silent)}: whether its rows are stored, whether "
              "it has columns, whether it takes factors, and ‖A‖_F or None. Derive it from greedyhull.extend.DesignBase, "
              "which has defaults.")
        return inspected(X)
    if is_sparse(X):
        return sparse_design(compressed(X, name))
    return None if lacks(X, "matvec", "rmatvec") else OperatorDesign(X)


def sparse_design(entries: Any) -> Design:
    """The design for a sparse matrix that needs no check, as its entries come from a design."""
    # a sparse matrix with a larger share of entries takes less time, and hardly more memory, as a dense one
    if entries.nnz > 0.3 * entries.shape[0] * entries.shape[1]:
        return DenseDesign(entries.toarray(order="F") if entries.format == "csc" else _by_columns(entries))
    return SparseDesign(entries)


def _by_columns(rows: Any) -> Array:
    """A CSR matrix as an array in Fortran order.

    SciPy writes it entry by entry, each into another column. Some rows at a time, written out and then turned, take half as
    long.
    """
    (n, d), out = rows.shape, np.empty(rows.shape, dtype=rows.dtype, order="F")
    step = max(WRITTEN // d, 1)
    for first in range(0, n, step):
        indptr = rows.indptr[first : first + step + 1]
        here = slice(indptr[0], indptr[-1])
        some = type(rows)((rows.data[here], rows.indices[here], indptr - indptr[0]), shape=(len(indptr) - 1, d))
        out[first : first + step] = some.toarray()
    return out
