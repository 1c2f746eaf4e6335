"""Sparse data as they are given, checked once: SciPy trusts its index arrays, and would read past them if they are wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array


def compressed(X: Any, name: str = "X") -> Any:
    """X as CSC where it is CSC, as CSR where it is anything else: float32 or float64, every index within its shape.

    X is not changed; its arrays are shared where they fit.

    >>> from scipy.sparse import coo_array
    >>> compressed(coo_array(([True, True], ([0, 0], [1, 1])), shape=(1, 2))).toarray()
    array([[0., 2.]])
    """
    from scipy.sparse import csc_array, csr_array, issparse

    shape = tuple(X.shape)
    check(len(shape) == 2 and min(shape) > 0, lambda: f"{name} has shape {shape}; a matrix with at least one row and "
          "one column is wanted.")
    check(np.dtype(X.dtype).kind in "biuf", lambda: f"{name} has dtype {X.dtype}; real numbers are wanted.")
    try:
        X = _compressed(X if issparse(X) else X.tocsc())
        data, indices, indptr = (np.asarray(part) for part in (X.data, X.indices, X.indptr))
        by_row = X.format == "csr"
        _need(data.ndim == 1, f"its entries are of shape {data.shape}")
        _check_compressed((indptr, indices, data), shape if by_row else shape[::-1])
    except (_Malformed, ValueError, TypeError, IndexError, OverflowError, AttributeError) as error:
        words = str(error).rstrip(".")
        raise GreedyhullError(f"The sparse matrix {name} is malformed: {words}. Products would read memory that is not the "
                              "data's. Build it from its entries: scipy.sparse.coo_array((entries, (rows, columns)), "
                              f"shape={shape}).") from error
    kept = int(indptr[-1])
    if data.dtype not in (np.float32, np.float64):
        data = data.astype(np.float64)
    return (csr_array if by_row else csc_array)((data[:kept], indices[:kept], indptr), shape=shape)


def sound(X: Any) -> Any:
    """X, checked where it is sparse; what is done with X before it becomes a design trusts it too."""
    return compressed(X) if is_sparse(X) else X


def norm(entries: Array, name: str = "X") -> float:
    """(Σ entries²)^½ of finite entries, from the largest one where squares would overflow float32, or underflow."""
    flat = entries.ravel(order="K")
    found = math.sqrt(np.vdot(flat, flat))  # which, unlike `dot`, tells nobody of overflow
    if 1e-140 < found < np.inf and (found > 1e-15 or entries.dtype != np.float32):
        return found
    largest = float(np.abs(flat).max(initial=0.0))  # NaN where there is one
    check(np.isfinite(largest), f"{name} holds NaN or infinite values; only finite numbers can be certified. Impute or drop "
                                "those rows first.")
    if largest == 0.0:
        return 0.0
    found = largest * float(np.linalg.norm(flat.astype(np.float64) / largest))
    check(found < 1e154, f"{name} holds entries of up to {largest:.3g}, whose squares overflow; entries below 1e150 are "
                         "wanted. Divide the data by their largest entry first.")
    return found


class _Malformed(Exception):  # noqa: N818 — it never leaves this file
    """What is wrong with index arrays; `compressed` says of which matrix."""


def _need(condition: bool, words: str) -> None:
    if not condition:
        raise _Malformed(words)


def _compressed(X: Any) -> Any:
    """X in CSR or CSC, not checked; what SciPy's conversion trusts is checked before."""
    if X.format in ("csr", "csc"):
        return X
    if X.format in ("coo", "dia"):  # in a type whose sums do not overflow, as those of small whole numbers do
        X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    if X.format == "bsr":
        _check_blocks(X)
        return X.tocsr()
    if X.format == "lil":
        sizes = [[len(row) for row in part] for part in (X.rows, X.data)]
        _need(sizes[0] == sizes[1] and len(sizes[0]) == X.shape[0], "its rows and its data have other lengths")
        return X.tocsr()
    if X.format == "dia":
        _need(X.data.ndim == 2 and X.data.shape[0] == len(X.offsets) == len(np.unique(X.offsets)),
              f"it has data of shape {X.data.shape} for the diagonals {np.asarray(X.offsets).tolist()[:10]}")
    if X.format != "coo":
        X = X.tocoo()
    _need(X.data.shape == X.row.shape == X.col.shape and X.data.ndim == 1,
          f"it has {np.size(X.data)} entries, {np.size(X.row)} rows and {np.size(X.col)} columns of entries")
    _check_range("row", X.row, X.shape[0])
    _check_range("col", X.col, X.shape[1])
    return X.tocsr()


def _check_blocks(X: Any) -> None:
    _need(X.data.ndim == 3 and min(X.data.shape[1:]) > 0, f"its blocks are of shape {X.data.shape}")
    R, C = X.data.shape[1:]
    _need(X.shape[0] % R == 0 and X.shape[1] % C == 0, f"blocks of shape {(R, C)} do not fill a matrix of shape {X.shape}")
    _check_compressed((X.indptr, X.indices, X.data), (X.shape[0] // R, X.shape[1] // C))


def _check_compressed(parts: tuple[Array, Array, Array], shape: tuple[int, int]) -> None:
    """``indptr`` begins with 0, never falls, and ends within the arrays; ``indices`` are within the shape."""
    indptr, indices, data = parts
    _need(indptr.ndim == indices.ndim == 1, "indptr or indices is no vector")
    _need(indptr.dtype.kind in "iu" and indices.dtype.kind in "iu",
          f"indptr has dtype {indptr.dtype} and indices {indices.dtype}, where whole numbers are wanted")
    _need(len(indptr) == shape[0] + 1, f"indptr has {len(indptr)} numbers where {shape[0] + 1} are wanted")
    _need(indptr[0] == 0 and bool((indptr[1:] >= indptr[:-1]).all()), "indptr does not begin with 0, or it falls")
    _need(indptr[-1] <= min(len(indices), len(data)),
          f"indptr ends with {indptr[-1]}, but there are {len(indices)} indices and {len(data)} entries")
    _check_range("indices", indices[: indptr[-1]], shape[1])


def _check_range(what: str, index: Array, below: int) -> None:
    _need(index.dtype.kind in "iu", f"{what} has dtype {index.dtype}, where whole numbers are wanted")
    if index.size:
        low, high = index.min(), index.max()
        _need(low >= 0 and high < below, f"{what} holds {low if low < 0 else high}, where 0 to {below - 1} are wanted")
