"""Gradients of any kind: products, norms and entries.

The gradient of f at matrices may be a sparse matrix, or an operator that is known by its products alone (``shape`` and ``@``).
Atoms and sets that can work with it do; all others receive the array.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, cast

import numpy as np

from greedyhull.errors import check
from greedyhull.points.arrays import compact, flat, is_sparse, length
from greedyhull.types import Array, AtomSet, Gradient, Index, Shape, lacks


def finite(g: Gradient) -> bool:
    """Return whether all entries are finite; of an operator, whether its row sums are, in which NaN and infinity stay.

    >>> from scipy.sparse import csr_array
    >>> finite(csr_array([[0.0, 2.0]])), finite(csr_array([[0.0, np.nan]])), finite(np.array([1.0, np.inf]))
    (True, False, False)
    """
    if isinstance(g, np.ndarray):
        return bool(np.isfinite(g).all())
    if is_sparse(g):
        return bool(np.isfinite(_entries(g)).all())
    with np.errstate(all="ignore"):
        return bool(np.isfinite(_product(g, np.ones)).all())


def inner(g: Gradient, x: Array) -> float:
    """⟨g, x⟩."""
    if isinstance(g, np.ndarray):
        return float(x.ravel().dot(g.ravel()))
    if is_sparse(g) and g.shape == x.shape and x.ndim == 2:
        few = cast(Any, g).tocoo()
        return float(x[few.row, few.col].dot(few.data))
    return float(x.ravel().dot(as_array(g, x.shape).ravel()))


def size(g: Gradient) -> float:
    """‖g‖₂; of a matrix the Frobenius norm."""
    if isinstance(g, np.ndarray):
        return length(g)
    return length(_entries(g) if is_sparse(g) else as_array(g))


def as_array(g: Gradient, shape: Shape | None = None) -> Array:
    """g as an array, of ``shape`` if that is given; an array is returned as it is.

    >>> from scipy.sparse import csr_array
    >>> as_array(csr_array([[0.0, 2.0]]), (2,))
    array([0., 2.])
    """
    if isinstance(g, np.ndarray):
        return g
    x = _numbers(cast(Any, g).toarray() if is_sparse(g) else _product(g, np.eye))
    if shape is None or x.shape == shape:
        return x
    check(len(shape) == 1 and x.size == prod(shape), lambda: f"A gradient is a {type(g).__name__} of shape {x.shape}, and "
          f"points have the shape {shape}. The two must be the same.")
    return x.reshape(shape)  # the only row or column of a matrix


def taken(S: AtomSet, g: Gradient) -> Array:
    """Return g as the oracle of S takes it: an array, unless the set takes gradients of any kind."""
    if isinstance(g, np.ndarray) or S.traits.gradients == "dense":
        return as_array(g, S.shape)
    _check_kind(g)
    check(g.shape == S.shape, lambda: f"A gradient is a {type(g).__name__} of shape {g.shape}, and {S!r} holds points of "
                                      f"shape {S.shape}. The two must be the same.")
    return cast(Array, g)  # its oracle is typed for arrays, and takes more


def kept_entries(g: Gradient) -> tuple[Index, Array]:
    """Return the places of the stored entries, numbered row by row, and these entries.

    >>> from scipy.sparse import csr_array
    >>> kept_entries(csr_array([[0.0, 2.0], [3.0, 0.0]]))
    (array([1, 2]), array([2., 3.]))
    """
    if not is_sparse(g) or lacks(g, "tocsr"):
        x = as_array(g).ravel()
        return np.arange(x.size), x
    few = cast(Any, g).tocsr()
    if not few.has_canonical_format:
        few = few.copy()
        few.sum_duplicates()
    rows = np.repeat(np.arange(few.shape[0]), np.diff(few.indptr))
    return rows * few.shape[1] + few.indices, _numbers(few.data)


def entries_at(g: Gradient, places: Index) -> Array:
    """Return the entries of g at places that are numbered row by row; a sparse matrix is not written out.

    >>> from scipy.sparse import csr_array
    >>> entries_at(csr_array([[0.0, 2.0], [3.0, 0.0]]), np.array([1, 0, 1]))
    array([2., 0., 2.])
    """
    if not is_sparse(g):
        return flat(as_array(g))[places]
    return lookup(*kept_entries(g), places)


def lookup(index: Index, values: Array, places: Index) -> Array:
    """Return the values at ``places``, which are numbered as the ascending ``index`` is; zero where it has none."""
    if not len(index):
        return np.zeros(len(places))
    at = np.minimum(np.searchsorted(index, places), len(index) - 1)
    return np.where(index[at] == places, values[at], 0.0)


def copied(g: Gradient) -> Gradient:
    """Return a copy of g that may be changed; an operator cannot be."""
    return g.copy() if isinstance(g, np.ndarray) or is_sparse(g) else g


def _entries(g: Gradient) -> Array:
    """Return the stored entries of a sparse matrix, duplicates summed."""
    matrix = compact(g)  # an array if the matrix, of another package, has no compressed form
    return _numbers(matrix if isinstance(matrix, np.ndarray) else matrix.data)


def _product(g: Gradient, make: Callable[[int], Array]) -> Array:
    """Return g @ make(columns of g)."""
    _check_kind(g)
    return _numbers(g @ make(g.shape[-1]))


def _check_kind(g: object) -> None:
    check(not lacks(g, "shape", "__matmul__"), lambda: f"A gradient is a {type(g).__name__}; an array, a sparse matrix, or an "
                                                       "operator with shape and @ is wanted.")


def _numbers(given: Any) -> Array:
    check(not np.iscomplexobj(given), "A gradient has complex entries; real numbers are wanted.")
    return np.asarray(given, dtype=np.float64)
