"""Smooth losses over budgets of many radii in the compiled core: corrective rounds that go on from one radius to the next.

The working columns and the intercept stay, and the point is scaled to the next radius. Sparse data with many rows and columns
are solved by coordinate descent on quadratic models, which makes no Hessian; where that does not get there, rounds go on. Gaps
leave rounding out; whoever promises something certifies the point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.budget import budget_of
from greedyhull.kernels.core import core
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.sparse import SparseDesign
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.parts.compiled_rounds import MOST, contiguous, loss_of
from greedyhull.types import Array, AtomSet, Objective

FEW = 500  # rows or columns: with fewer, sparse data are left to corrective rounds
ROUNDS = 1000  # at one radius, at most; rounds that make no progress end sooner


class Walked(NamedTuple):
    """Points for growing radii, a row for each; each value is within its gap of the least one, up to rounding."""

    W: Array
    gaps: Array
    intercepts: Array


class LossPath:
    """The core's path of one problem."""

    def __init__(self, made: Any, d: int) -> None:
        self.made, self.d = made, d

    def walk(self, radii: Array, gap: float) -> Walked:
        """The points for growing radii, to this gap where rounds lead there."""
        W = np.empty((len(radii), self.d))
        gaps, intercepts = self.made.walk(np.ascontiguousarray(radii, dtype=np.float64), gap, ROUNDS, W, never)
        return Walked(W, gaps, intercepts)

    def to(self, radius: float, gap: float) -> tuple[float, float, float]:
        """Value, gap and price at the point for one radius."""
        value, reached, price = self.made.to(radius, gap, ROUNDS, never)
        return value, reached, price


def loss_path(f: Objective, S: AtomSet) -> LossPath | None:
    """The path of f over S scaled to growing radii; None where the core does not follow it. S has the radius one."""
    budget = budget_of(S)
    if core is None or type(f) is not Composite or budget is None or budget.whole or budget.points is not None:
        return None
    loss, solver = loss_of(f), Corrective()
    if not isinstance(loss, tuple):  # the core would have to ask Python for it
        return None
    units = np.ascontiguousarray(np.broadcast_to(budget.scales, f.domain))
    about, design = (loss, f.has_intercept, budget.positive, units, solver.batch, solver.steps), f.design
    if type(design) is DenseDesign:
        return LossPath(core.dense_loss_path(contiguous(design.X), *about), len(units))
    if type(design) is SparseDesign and len(units) <= MOST:
        descends = min(design.n, len(units)) >= FEW
        return LossPath(core.sparse_loss_path(*design.columns_of, design.n, *about, descends), len(units))
    return None


def never() -> bool:
    """Nobody ends a path but Ctrl-C."""
    return False
