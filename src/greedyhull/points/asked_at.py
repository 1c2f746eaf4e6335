"""What is said where an objective is asked for its value or gradient at something that is not a point of a hull."""

from __future__ import annotations

from greedyhull.errors import GreedyhullError
from greedyhull.errors.given import shown
from greedyhull.points.iterate import Iterate


def no_point(f: object, w: object, error: AttributeError) -> Exception:
    """The error to raise: in words if w is not a point; else the one that there was."""
    if isinstance(w, Iterate):
        return error
    return GreedyhullError(f"{f!r} was asked at {shown(w)}; a point of a hull, such as solution.point, is wanted. For an "
                           "array x in a set S use certify(f, S, x), which has the value and the gap.")
