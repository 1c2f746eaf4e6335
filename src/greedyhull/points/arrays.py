"""Arrays that may be sparse: the one place that asks which."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.types import Array
from greedyhull.types.attributes import lacks


def is_sparse(x: Any) -> bool:
    """Whether x is a sparse matrix, of SciPy or like it: one that can be compressed, or written out."""
    return type(x) is not np.ndarray and len(lacks(x, "tocsc", "toarray")) < 2  # of whatever package


def masked(x: Any) -> bool:
    """Whether x has masked entries. NumPy loads its masked arrays when they are first used: before that there are none."""
    return type(x) is not np.ndarray and "numpy.ma" in sys.modules and bool(np.ma.is_masked(x))


def regular(x: Any, what: str) -> Array:
    """x as a NumPy array; words where its rows are not of one length.

    >>> regular([[1, 2], [3, 4]], "Y").shape
    (2, 2)
    """
    try:
        return np.asarray(x)
    except ValueError:
        raise GreedyhullError(f"{what} has rows of different lengths, which make no array; rows of one length are "
                              "wanted.") from None


def dense(x: Any) -> Array:
    """x as a NumPy array; a sparse matrix is written out.

    >>> from scipy.sparse import csr_array
    >>> dense(csr_array([[0.0, 2.0]])), dense([1.0])
    (array([[0., 2.]]), array([1.]))
    """
    if not is_sparse(x):
        return np.asarray(x)
    return np.asarray(x.tocsc().toarray() if lacks(x, "toarray") else x.toarray())


def compact(x: Any) -> Any:
    """x as a matrix of SciPy in CSC where it can become one, else as a NumPy array."""
    return dense(x) if lacks(x, "tocsc") else x.tocsc()


def coarse_dtype(x: Any) -> str:
    """The dtype of what somebody returned, an array of any library, where it holds less than float64; else "".

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
    """The distance from 1 to the next number of a dtype that holds less than float64; 0 for every other name."""
    return {"float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}.get(dtype, 0.0)


def locked(x: Array) -> Array:
    """x as a read-only view: whoever is shown it cannot change it."""
    view = x.view()
    view.flags.writeable = False
    return view


def flat(array: Array) -> Array:
    """A matrix as the vector of its entries, row by row: the very same memory, so that it can be written to."""
    return array if array.ndim == 1 else array.reshape(-1)


def value_key(array: Array) -> bytes:
    """The bytes of the numbers as float64, the same for equal numbers: −0.0 is written as 0.0."""
    return (np.asarray(array, dtype=np.float64) + 0.0).tobytes()


def grown(array: Array, used: int) -> Array:
    """``array`` with room for one more row: twice as long when full, so that appending costs O(1) on average."""
    if used < len(array):
        return array
    bigger = np.empty((max(8, 2 * used), *array.shape[1:]), dtype=array.dtype)
    bigger[:used] = array[:used]
    return bigger
