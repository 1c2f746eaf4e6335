"""Paths of the mean cross-entropy of several classes over budgets of many radii, and what they lose on left-out data."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from greedyhull.driver.path import path
from greedyhull.driver.stop import Gap, Iterations, Stalled
from greedyhull.estimators.budget_set import Budget
from greedyhull.estimators.cv_paths import ENOUGH
from greedyhull.estimators.penalty import origin
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.losses.base import shares
from greedyhull.objectives.losses.softmax import Softmax
from greedyhull.objectives.responses import multinomial
from greedyhull.types import Array, Index


class ClassLine(NamedTuple):
    """Coefficients (radii, features, classes) and intercepts (radii, classes)."""

    coefs: Array
    intercepts: Array

    def losses(self, X: Any, labels: Array, s: Array | None) -> list[float]:
        """The mean cross-entropy of samples at every radius."""
        classes = self.coefs.shape[2]
        loss = Softmax(np.eye(classes)[labels].ravel(), shares(s, len(labels)), classes)
        return [loss.value((np.asarray(X @ W) + b).astype(np.float64).ravel())
                for W, b in zip(self.coefs, self.intercepts, strict=True)]


class ClassPaths:
    """``S`` is a ball of any radius; ``labels`` are whole numbers from 0."""

    def __init__(self, X: Any, labels: Array, s: Array | None, S: Budget, *, intercept: bool) -> None:
        self.X, self.labels, self.s, self.S, self.intercept = X, labels, s, S, intercept

    def problem(self, rows: Index | None = None) -> Composite:
        """The objective on some rows, None for all of them."""
        some = slice(None) if rows is None else rows
        weights = None if self.s is None else self.s[some]
        return multinomial(self.X[some], self.labels[some], sample_weight=weights, intercept=self.intercept)

    def on(self, rows: Index | None, radii: Array) -> ClassLine:
        """The path of the problem on some rows."""
        f = self.problem(rows)
        zero, largest = origin(self.S), self.S.rescaled(float(radii.max()))
        gap = max(ENOUGH * float(f.value(zero)), float(f.rounding(zero, largest)))
        found = path(f, self.S, radii, stop=Gap(gap) | Stalled(100) | Iterations(1000))
        return ClassLine(np.array([s.x for s in found]), np.array([np.broadcast_to(s.intercept, f.domain[1]) for s in found]))

    def left_out(self, line: ClassLine, rows: Index) -> list[float]:
        """The loss on rows that a fold leaves out, at every radius."""
        return line.losses(self.X[rows], self.labels[rows], None if self.s is None else self.s[rows])
