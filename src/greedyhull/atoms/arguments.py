"""What a set is given, checked: points, numbers, dimensions, shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.scores import all_finite
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown
from greedyhull.points.arrays import masked
from greedyhull.types import Array, Shape
from greedyhull.types.attributes import has

HUGE = 1e150  # squares of larger numbers overflow
LONGEST = 2**40  # coordinates: a vector of them takes eight terabytes


def array_of(w: Any) -> Array:
    """The coordinates of an iterate, an atom or an array."""
    if type(w) is not np.ndarray and has(w, "array") and callable(w.array):
        return np.asarray(w.array())
    check(not masked(w), "The point has masked entries, which stand for no number.")
    try:
        found = np.asarray(w)
        check(found.dtype.kind in "biuf", lambda: f"The point {shown(w)} was given; an array of real numbers is wanted.")
    except (TypeError, ValueError) as error:
        if isinstance(error, GreedyhullError):
            raise
        raise GreedyhullError(f"The point is a {type(w).__name__} that is no array; an array, an iterate or the point of a "
                              "solution is wanted.") from None
    return found.astype(np.float64, copy=False)


def numbers(values: Any, name: str, ceiling: float = np.inf) -> Array:
    """values as a new array of finite float64 numbers, cut off at ``ceiling``."""
    try:
        plain = not masked(values) and not np.iscomplexobj(values)
        array = np.array(values, dtype=np.float64, order="C") if plain else np.empty(0)
    except (TypeError, ValueError):
        raise GreedyhullError(f"{name} = {shown(values)} was given; numbers are wanted, in rows of equal length.") from None
    check(plain, lambda: f"{name} has masked or complex entries; real numbers are wanted.")
    if ceiling < np.inf:
        array = np.minimum(array, ceiling)
    check(all_finite(array), lambda: f"{name} holds NaN or infinite values; finite numbers are wanted.")
    sizes = np.abs(array)
    check(not array.size or sizes.item(sizes.argmax()) <= HUGE,
          lambda: f"{name} has entries above {HUGE:g}, whose squares overflow. Scale it down.")
    return array


def dimension(d: Any) -> int:
    """d as a whole number of coordinates, at least one."""
    check(isinstance(d, (int, np.integer)) and not isinstance(d, bool) and bool(d >= 1),
          lambda: f"A dimension of {shown(d)} was given; a whole number of at least 1 is wanted{_columns(d)}.")
    check(int(d) <= LONGEST, lambda: f"A dimension of {shown(d)} was given; at most {LONGEST} is wanted, for no gradient is "
                                     "longer than memory.")
    return int(d)


def _columns(data: Any) -> str:
    """For data given in place of their number of columns: what to give."""
    rows = isinstance(data, np.ndarray) and data.ndim == 2
    return f", such as {data.shape[1]}, the number of columns of the data" if rows and data.shape[1] else ""


def positive(value: Any, name: str) -> float:
    """value as a positive finite number."""
    good = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    good = good and 0 < (float(value) if isinstance(value, np.floating) else value) <= HUGE  # HUGE overflows in float32
    check(bool(good), lambda: f"{name} = {shown(value)} was given; a positive finite number (at most {HUGE:g}) is wanted.")
    return float(value)


def count_of(K: Any, d: int) -> int:
    """K as a whole number of entries, from 1 to d."""
    check(isinstance(K, (int, np.integer)) and not isinstance(K, bool) and bool(1 <= K <= d),
          lambda: f"K = {shown(K)} was given, the number of entries of an atom in {d} dimensions; a whole number from 1 to "
                  f"{d} is wanted.")
    return int(K)


def whole_shape(shape: Any) -> Shape:
    """A shape as it is written for arrays: a whole number, or several."""
    sizes = np.atleast_1d(np.asarray(shape))
    check(sizes.ndim == 1 and sizes.size > 0 and sizes.dtype.kind in "iu" and bool((sizes > 0).all()),
          lambda: f"shape = {shown(shape)} was given; a positive whole number, or a tuple of them, is wanted.")
    return tuple(sizes.tolist())


def matrix_shape(shape: Any) -> tuple[int, int]:
    """The shape of a matrix: two positive whole numbers."""
    given = shape if isinstance(shape, (tuple, list)) or (isinstance(shape, np.ndarray) and shape.ndim == 1) else ()
    if isinstance(shape, np.ndarray) and len(given) and shape.dtype.kind == "f" and bool((shape == np.floor(shape)).all()):
        given = shape.astype(np.int64)  # as numbers in a file are read
    good = len(given) == 2 and all(isinstance(k, (int, np.integer)) and not isinstance(k, bool) and k >= 1 for k in given)
    check(good, lambda: f"shape = {shown(shape)} was given; two positive whole numbers, (rows, columns), are wanted.")
    return int(given[0]), int(given[1])


def vector_or_matrix(shape: Any) -> Shape:
    """The shape of points that are vectors, given by their length, or matrices, given by (rows, columns).

    >>> vector_or_matrix(3), vector_or_matrix((2, 3))
    ((3,), (2, 3))
    """
    return matrix_shape(shape) if isinstance(shape, (tuple, list)) else (dimension(shape),)
