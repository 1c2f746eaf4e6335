"""What a gap is relative to: max(|value|, scale), where the scale is that of the objective, or a floor that was asked for."""

from __future__ import annotations

from math import inf, isfinite
from numbers import Real

from greedyhull.errors import check


def share(gap: float, whole: float) -> float:
    """gap / whole; 0/0 is 0, and an infinite gap is an infinite share of anything.

    >>> share(1.0, 4.0), share(0.0, 0.0), share(1.0, 0.0)
    (0.25, 0.0, inf)
    """
    if gap == inf:
        return inf
    return gap / whole if whole > 0.0 else (0.0 if gap <= 0.0 else inf)


def of_what(floor: float) -> str:
    """What a relative gap is relative to, in words.

    >>> of_what(0.5), of_what(0.0)
    ('of max(|value|, 0.5)', 'of the value')
    """
    return f"of max(|value|, {floor:.4g})" if floor > 0.0 else "of the value"


def given_scale(scale: float | None) -> float:
    """The ``scale=`` of an objective that has none by itself: 0 where none was given."""
    check(scale is None or (isinstance(scale, Real) and scale >= 0 and isfinite(scale)),
          f"scale={scale!r} was given; a value of f that counts as large, of at least 0, or None is wanted.")
    return 0.0 if scale is None else float(scale)
