"""Trails in the compiled core, where there is one: what `Trail` finds by swaps, found from kink to kink."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from greedyhull.estimators.l1_path import Covariance, Data, PositiveTrail, Stage, Trail
from greedyhull.solvers.parts.square_path import FEW, matrix_path, square_path
from greedyhull.types import Array


def trail_of(f: Covariance | Data, scale: Array, *, positive: bool) -> Trail | CompiledTrail:
    """The points over balls with the unit atoms ``scale``_j e_j, by the core where it can.

    >>> trail = trail_of(Covariance(np.eye(2), np.array([3.0, 1.0]), 5.0), np.ones(2), positive=False)
    >>> trail.to(1.0, 1e-9).w, trail.to(3.0, 1e-9).w
    (array([1., 0.]), array([2.5, 0.5]))
    """
    made = (matrix_path(f.H, -f.g0, f.f0, scale, positive=positive) if isinstance(f, Covariance)
            else square_path(f.f, scale, positive=positive, roughly=min(f.f.design.n, len(scale)) > FEW))
    by_hand = (PositiveTrail if positive else Trail)
    return by_hand(f, scale) if made is None else CompiledTrail(made, scale, lambda: by_hand(f, scale))


class CompiledTrail:
    """A path of the core, as a trail; where its numbers are not finite, ``by_hand`` makes another."""

    def __init__(self, path: Any, scale: Array, by_hand: Callable[[], Trail]) -> None:
        self.path, self.scale, self.by_hand = path, scale, by_hand
        self.other: Trail | None = None
        self.f0, self.price = path.first()
        self.rest = 0.0  # the share of the budget that is not used

    def to(self, r: float, tol: float) -> Stage:
        """The point for radius r, to a gap of ``tol`` times the larger of f and what has been gained since zero."""
        if self.other is None:
            value, gap, self.price, used = self.path.to(r, tol, never)
            self.rest = 1.0 - used / r
        if self.other is not None or not (isfinite(value) and isfinite(gap) and isfinite(used)):
            return self._by_hand(r, tol)
        w = np.zeros(len(self.scale))
        index, v = self.path.point()
        w[index] = v * self.scale[index]
        return Stage(r, w, value, gap)

    def walk(self, radii: Array, tol: float) -> Array:
        """The points for growing radii, a row for each."""
        W = np.empty((len(radii), len(self.scale)))
        self.path.walk(np.ascontiguousarray(radii, dtype=np.float64), tol, self.scale, W, never)
        return W if np.isfinite(W).all() else self.by_hand().walk(radii, tol)

    def _by_hand(self, r: float, tol: float) -> Stage:
        if self.other is None:
            self.other = self.by_hand()
        found = self.other.to(r, tol)
        self.price, self.rest = self.other.price, self.other.rest
        return found


def never() -> bool:
    """Nobody ends a trail but Ctrl-C."""
    return False
