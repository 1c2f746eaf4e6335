"""Arrays, dense or sparse: checks of given data, columns of designs, norms that do not overflow."""

from __future__ import annotations

import math
import sys
from math import prod, sqrt
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Array, Design, Index, lacks


def is_sparse(x: Any) -> bool:
    """Return whether x is a sparse matrix of any package: one that can be compressed or written out."""
    return type(x) is not np.ndarray and len(lacks(x, "tocsc", "toarray")) < 2


def masked(x: Any) -> bool:
    """Return whether x has masked entries; NumPy loads numpy.ma with the first masked array."""
    return type(x) is not np.ndarray and "numpy.ma" in sys.modules and bool(np.ma.is_masked(x))


def regular(x: Any, what: str) -> Array:
    """Return x as a NumPy array; raise if its rows have different lengths."""
    try:
        return np.asarray(x)
    except ValueError:
        raise GreedyhullError(f"{what} has rows of different lengths, which make no array; rows of one length are "
                              "wanted.") from None


def dense(x: Any) -> Array:
    """x as a NumPy array; a sparse matrix is written out."""
    if not is_sparse(x):
        return np.asarray(x)
    return np.asarray(x.tocsc().toarray() if lacks(x, "toarray") else x.toarray())


def compact(x: Any) -> Any:
    """x as a matrix of SciPy in CSC where it can become one, else as a NumPy array."""
    return dense(x) if lacks(x, "tocsc") else x.tocsc()


def coarse_dtype(x: Any) -> str:
    """Return the dtype of a number or an array of any library if it has fewer digits than float64; else "".

    >>> coarse_dtype(np.float32(1.0)), coarse_dtype([np.float16(1.0)]), coarse_dtype(np.arange(3)), coarse_dtype(1.0)
    ('float32', 'float16', '', '')
    """
    if isinstance(x, (float, int)) or (type(x) is np.ndarray and x.dtype == np.float64):
        return ""
    try:
        dtype = np.asarray(x).dtype if lacks(x, "dtype") else x.dtype
    except (TypeError, ValueError, RuntimeError):
        return ""
    name = str(dtype).lower().rpartition(".")[2]  # "torch.float32", "Float32"
    return name if eps_of(name) else ""


def eps_of(dtype: str) -> float:
    """Return the distance from 1 to the next number of a dtype with fewer digits than float64; 0 for other names."""
    return {"float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}.get(dtype, 0.0)


def locked(x: Array) -> Array:
    """Return x as a read-only view."""
    view = x.view()
    view.flags.writeable = False
    return view


def flat(array: Array) -> Array:
    """Return the entries row by row as a vector in the same memory."""
    return array if array.ndim == 1 else array.reshape(-1)


def value_key(array: Array) -> bytes:
    """Return the bytes of the numbers as float64, with 0.0 for −0.0."""
    return (np.asarray(array, dtype=np.float64) + 0.0).tobytes()


def grown(array: Array, used: int) -> Array:
    """Return ``array`` with room for one more row: twice as long when full."""
    if used < len(array):
        return array
    bigger = np.empty((max(8, 2 * used), *array.shape[1:]), dtype=array.dtype)
    bigger[:used] = array[:used]
    return bigger


TINY = 2.0**-1074  # the least number above zero
LEAST = 1e-280  # a sum of squares above this has lost nothing to underflow


def length(x: Array) -> float:
    """Return ‖x‖₂; infinite only if it is larger than any float, or x has NaN.

    >>> length(np.array([0.0, -4e200])), length(np.array([3e-200, 4e-200])), length(np.zeros(2))
    (4e+200, 5e-200, 0.0)
    """
    square = float(np.vdot(x, x))  # which, unlike `dot`, tells nobody of overflow
    if LEAST < square < np.inf:
        return sqrt(square)
    largest = float(np.abs(x).max(initial=0.0))
    return largest * float(np.linalg.norm(x / largest)) if 0.0 < largest < np.inf else _end(largest)


def times(x: Array, y: Array) -> Array:
    """x·y for y ≥ 0, where an infinite x counts for nothing beside a y of zero."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(y > 0.0, x * y, 0.0)


def rounded_up(x: Array, y: Array) -> Array:
    """`times` for x ≥ 0, never below x·y where that is smaller than floats with all their digits.

    >>> rounded_up(np.array([1e-200, 2.0, 0.0]), np.array([1e-200, 3.0, 3.0])).tolist()
    [5e-324, 6.0, 0.0]
    """
    return np.where((x > 0.0) & (y > 0.0), times(x, y) + TINY, times(x, y))


def rms(x: Array) -> float:
    """√(mean of squares)."""
    largest = float(np.abs(x).max(initial=0.0))
    return largest * float(np.sqrt(np.mean(np.square(x / largest)))) if 0.0 < largest < np.inf else _end(largest)


def _end(largest: float) -> float:
    """Return a norm from a largest entry of zero, infinity or NaN, which counts as infinity."""
    return 0.0 if largest == 0.0 else np.inf


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
    """Return X, checked if it is sparse."""
    return compressed(X) if is_sparse(X) else X


def norm(entries: Array, name: str = "X") -> float:
    """Return (Σ entries²)^½ of finite entries; in float64 where squares would overflow float32, or underflow."""
    flat = entries.ravel(order="K")
    found = math.sqrt(np.vdot(flat, flat))  # unlike `dot`, without a warning of overflow
    if 1e-140 < found < np.inf and (found > 1e-15 or entries.dtype != np.float32):
        return found
    largest, found = float(np.abs(flat).max(initial=0.0)), length(flat.astype(np.float64))
    check(np.isfinite(largest), f"{name} holds NaN or infinite values; only finite numbers can be certified. Impute or drop "
                                "those rows first.")
    check(found < 1e154, f"{name} holds entries of up to {largest:.3g}, whose squares overflow; entries below 1e150 are "
                         "wanted. Divide the data by their largest entry first.")
    return found


class _Malformed(Exception):  # noqa: N818 — `compressed` converts it
    """Fault of index arrays."""


def _need(condition: bool, words: str) -> None:
    if not condition:
        raise _Malformed(words)


def _compressed(X: Any) -> Any:
    """Return X in CSR or CSC, unchecked; arrays that SciPy's conversions trust are checked first."""
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


def column(A: Design, j: int) -> Array:
    """A e_j."""
    if A.has_columns:
        return A.column(j)
    return _image(A, np.array([j]), np.ones(1))


def columns(A: Design, index: Index, scales: Array) -> Any:
    """The images of scalesᵢ e_j for j = indexᵢ, as columns."""
    if A.has_columns:
        return A.columns(index, scales)
    images = [s * column(A, j) for j, s in zip(index.tolist(), scales.tolist(), strict=True)]
    return np.stack(images).T if images else np.zeros((A.n, 0), dtype=A.dtype)


def combine(A: Design, index: Index, c: Array) -> Array:
    """A Σ cᵢ e_j for j = indexᵢ."""
    return A.combine(index, c) if A.has_columns else _image(A, index, c)


def energies(A: Design, weights: Array | float) -> Array:
    """Σᵢ weightsᵢ aᵢⱼ² for every column j."""
    if A.has_columns:
        return A.energies(weights)
    squares = (column(A, j).astype(np.float64) ** 2 for j in range(prod(A.domain)))
    return np.array([float(np.sum(weights * square)) for square in squares])


def gram(A: Design, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
    """Zᵀ diag(weights) Z2 for images Z and Z2 under A; Z2 is Z where it is None."""
    if A.has_columns:
        return A.gram(Z, Z2, weights)
    right = Z if Z2 is None else Z2
    return np.asarray(Z.T.dot(right if weights is None else right * weights[:, None]))


def _image(A: Design, index: Index, c: Array) -> Array:
    """A Σ cᵢ e_j by one product."""
    w = np.zeros(prod(A.domain))
    np.add.at(w, index, c)
    return A.matvec(w.reshape(A.domain))
