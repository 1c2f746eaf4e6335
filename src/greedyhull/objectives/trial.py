"""Steps to new weights that can be looked at before one is made, along the line of any objective."""

from __future__ import annotations

import numpy as np

from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.types import Line, Objective
from greedyhull.types.override import KeepsTrial, override

EPS = float(np.finfo(np.float64).eps)


class LineTrial(KeepsTrial):
    """The steps of a reweighting, seen by ``f.along``.

    >>> import greedyhull as gh
    >>> f, w = gh.quadratic(np.eye(2)), gh.Simplex(2).centre()
    >>> trial = LineTrial(f, w, w.reweighting(w.block, w.weights, np.array([0.5, -0.5])))
    >>> trial.value(1.0), trial.argmin()
    (0.5, 0.0)
    """

    def __init__(self, f: Objective, w: Iterate, move: Direction, eps: float = EPS) -> None:
        self.f, self.w, self.move, self.eps = f, w, move, eps
        self._line: Line | None = None

    @property
    def line(self) -> Line:
        """h, made when somebody first looks."""
        if self._line is None:
            self._line = self.f.along(self.w, self.move)
        return self._line

    @property
    @override
    def limit(self) -> float:
        return self.line.limit

    @property
    @override
    def noise(self) -> float:
        """What rounding may do to values: a few units in the last place of f and of what it is made of."""
        return 4.0 * self.eps * (abs(self.f.value(self.w)) + abs(self.f.gradient_dot(self.w)))

    @override
    def value(self, step: float) -> float:
        return self.line.value(step)

    @override
    def argmin(self) -> float:
        return float(self.line.argmin())

    @override
    def commit(self, step: float) -> None:
        self.w.move(self.move, step)
