"""Least squares over l1 balls of many radii."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np

from greedyhull.errors import check
from greedyhull.objectives.composite import Composite
from greedyhull.solvers.parts.paths import FEW, matrix_path, square_path
from greedyhull.types import Array


class Stage(NamedTuple):
    """The point w over the ball of one radius; f(w) − min f ≤ gap, up to rounding."""

    radius: float
    w: Array
    value: float
    gap: float


class Covariance(NamedTuple):
    """f(w) = f₀ − ⟨b, w⟩ + ½⟨w, Qw⟩ with Q made from data."""

    Q: Array
    b: Array
    f0: float


class Trail:
    """The points over one ball after the other, ``scale_j`` e_j the atoms of the ball of radius one.

    With ``positive`` w ≥ 0: the balls without the atoms of negative sign.

    >>> trail = Trail(Covariance(np.eye(2), np.array([3.0, 1.0]), 5.0), np.ones(2), positive=False)
    >>> trail.to(1.0, 1e-9).w, trail.to(3.0, 1e-9).w
    (array([1., 0.]), array([2.5, 0.5]))
    """

    def __init__(self, f: Covariance | Composite, scale: Array, *, positive: bool) -> None:
        self.path = (matrix_path(f.Q, f.b, f.f0, scale, positive=positive) if isinstance(f, Covariance)
                     else square_path(f, scale, positive=positive, roughly=min(f.design.n, len(scale)) > FEW))
        self.scale = scale
        self.f0, self.price = self.path.first()
        self.rest = 0.0  # the share of the budget that is not used

    def to(self, r: float, tol: float) -> Stage:
        """The point for radius r, to a gap of ``tol`` times the larger of f and what has been gained since zero."""
        value, gap, self.price, used = self.path.to(r, tol, never)
        check(isfinite(value) and isfinite(gap) and isfinite(used), OUT_OF_RANGE)
        self.rest = 1.0 - used / r
        w = np.zeros(len(self.scale))
        index, v = self.path.point()
        w[index] = v * self.scale[index]
        return Stage(r, w, value, gap)

    def walk(self, radii: Array, tol: float) -> Array:
        """The points for growing radii, a row for each."""
        W = np.empty((len(radii), len(self.scale)))
        self.path.walk(np.ascontiguousarray(radii, dtype=np.float64), tol, self.scale, W, never)
        check(bool(np.isfinite(W).all()), OUT_OF_RANGE)
        return W


OUT_OF_RANGE = "Numbers left their range on the path of budgets. Scale X and y, so that coefficients are moderate numbers."


def never() -> bool:
    """Nobody ends a trail but Ctrl-C."""
    return False
