"""Where each problem of a batch begins."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from greedyhull.driver.batch.solutions import Solutions
from greedyhull.driver.solution import Solution
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown
from greedyhull.points.aligned import point_of
from greedyhull.points.entering import as_atom
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import dense
from greedyhull.types import Array, AtomSet, Shape
from greedyhull.types.attributes import lacks


class Starts:
    """One start for all problems (``one``), one for each (``each``), or neither."""

    def __init__(self, one: Any = None, each: Array | None = None, failed: Collection[int] = ()) -> None:
        self.one, self.each, self.failed = one, each, failed

    def __call__(self, i: int) -> Any:
        """The start of problem i, None where the library chooses: one that failed before left no point."""
        if i in self.failed:
            return None
        return self.one if self.each is None else self.each[i]

    def rows(self, count: int, shape: Shape) -> Array | None:
        """All starts as the rows of a matrix, None where the library chooses."""
        if self.each is not None:
            return self.each
        if self.one is None:
            return None
        point = self.one.point if isinstance(self.one, Solution) else self.one
        if isinstance(point, Iterate):
            x = point.array()
        else:
            x = point if isinstance(point, np.ndarray) else dense(as_atom(point, shape), shape)
        return np.broadcast_to(x, (count, *shape)) if x.shape == shape else np.full((count, *shape), np.nan)


def starts_of(start: Any, problems: int, S: AtomSet) -> Starts:
    """The starts that were given, compared with the set's shape."""
    if start is None or isinstance(start, (Solution, Iterate)) or not lacks(start, "add_to"):
        return Starts(start)
    try:
        given = start.x if isinstance(start, Solutions) else np.asarray(point_of(start, S), dtype=np.float64)
    except (TypeError, ValueError):
        raise GreedyhullError(f"start={shown(start)} was given; a point of the set, or one for each problem, is "
                              "wanted.") from None
    if given.shape == S.shape and not isinstance(start, Solutions):
        return Starts(given)
    check(given.shape == (problems, *S.shape), lambda: f"start has shape {given.shape}; {S.shape} for one point, or "
                                                       f"{(problems, *S.shape)} for one for each problem, is wanted.")
    return Starts(each=given, failed=start.errors if isinstance(start, Solutions) else ())
