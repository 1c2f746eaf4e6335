"""Lengths and root mean squares of numbers whose squares may overflow, or vanish."""

from __future__ import annotations

from math import sqrt

import numpy as np

from greedyhull.types import Array

TINY = 2.0**-1074  # the least number above zero
LEAST = 1e-280  # a sum of squares above this has lost nothing to underflow


def length(x: Array) -> float:
    """‖x‖₂ of an array of any shape; infinite only where it is larger than any float, or where x has NaN.

    >>> length(np.array([0.0, -4e200])), length(np.array([3e-200, 4e-200])), length(np.zeros(2))
    (4e+200, 5e-200, 0.0)
    """
    square = float(np.vdot(x, x))  # which, unlike `dot`, tells nobody of overflow
    if LEAST < square < np.inf:
        return sqrt(square)
    largest = float(np.abs(x).max(initial=0.0))
    return largest * float(np.linalg.norm(x / largest)) if 0.0 < largest < np.inf else _end(largest)


def times(x: Array, y: Array) -> Array:
    """x·y for y ≥ 0, where an infinite x counts for nothing beside a y of zero.

    >>> times(np.array([np.inf, 2.0]), np.array([0.0, 3.0]))
    array([0., 6.])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(y > 0.0, x * y, 0.0)


def rounded_up(x: Array, y: Array) -> Array:
    """`times` for x ≥ 0, never below x·y where that is smaller than floats with all their digits.

    >>> rounded_up(np.array([1e-200, 2.0, 0.0]), np.array([1e-200, 3.0, 3.0])).tolist()
    [5e-324, 6.0, 0.0]
    """
    return np.where((x > 0.0) & (y > 0.0), times(x, y) + TINY, times(x, y))


def rms(x: Array) -> float:
    """√(mean of squares).

    >>> rms(np.array([1e200, 1e200])), rms(np.array([1e-200, 1e-200]))
    (1e+200, 1e-200)
    """
    largest = float(np.abs(x).max(initial=0.0))
    return largest * float(np.sqrt(np.mean(np.square(x / largest)))) if 0.0 < largest < np.inf else _end(largest)


def _end(largest: float) -> float:
    """Zero, or infinity: what is not a number may be as large as that."""
    return 0.0 if largest == 0.0 else np.inf
