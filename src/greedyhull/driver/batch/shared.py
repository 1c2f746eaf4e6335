"""Problems that share their data: least squares with one design, whose Gram matrix serves all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from greedyhull.atoms.budget import Budget, budget_of
from greedyhull.driver.batch.problems import Listed, Targets
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.losses.profiled import Profiled
from greedyhull.objectives.losses.squared import Squared
from greedyhull.points.aligned import agree
from greedyhull.types import Array, AtomSet

WIDEST = 2048  # columns, so that the Gram matrix takes 32 MB at most
WORTH = 64  # columns for each problem at most: for few problems the Gram matrix costs more than it saves
SMALL = 1e-60  # squares of smaller data vanish
LARGE = 1e60  # and those of larger ones overflow
LARGE_SINGLE = 1e18  # the same of float32


@dataclass(frozen=True, eq=False)
class Shared:
    """½ Σ pᵢ(xᵢ·w − yᵢ)² over a budget, for every column y of Y, perhaps with an intercept.

    ``f`` is one of the objectives; data are float64.
    """

    f: Composite
    S: AtomSet
    budget: Budget
    X: Array
    Y: Array
    p: Array | float
    intercept: bool

    @property
    def scales(self) -> Array:
        """w = scales·u, where u has the budget one."""
        return self.budget.scales

    @cached_property
    def columns(self) -> Array:
        """The columns in terms of u, centred where there is an intercept."""
        A = self.X * self.scales
        return A - self._mean(A) if self.intercept else A

    @cached_property
    def hessian(self) -> Array:
        """The Hessian in terms of u: AᵀPA."""
        A = self.columns
        return np.ascontiguousarray(A.T @ self._weighted(A))

    @cached_property
    def on_plane(self) -> Array:
        """K with u = 1/d + (c − H1/d)K the minimiser of ½uᵀHu − cᵀu where Σu = 1 is all that is asked."""
        d = len(self.hessian)
        P = np.eye(d) - 1.0 / d
        return np.linalg.pinv(P @ self.hessian @ P, hermitian=True)

    def slopes(self, rows: Array) -> Array:
        """The gradients at zero in terms of u, for targets that are the rows of a matrix."""
        y = rows - self._mean(rows.T)[:, None] if self.intercept else rows
        if isinstance(self.p, float):
            return np.ascontiguousarray((y @ self.columns) * -self.p)
        return np.ascontiguousarray((y * -self.p) @ self.columns)

    def _weighted(self, A: Array) -> Array:
        return A * self.p if isinstance(self.p, float) else A * self.p[:, None]

    def _mean(self, A: Array) -> Array:
        return A.sum(axis=0) * self.p if isinstance(self.p, float) else self.p @ A

    @property
    def in_range(self) -> bool:
        """Whether squares of the data neither overflow nor vanish."""
        return all(size == 0.0 or SMALL < size < LARGE for size in map(_largest, (self.columns, self.X, self.Y)))


def _largest(A: Array) -> float:
    """max |a|, without a copy of what may be an image."""
    return max(float(A.max(initial=0.0)), -float(A.min(initial=0.0)))


def shared_by(problems: Listed | Targets, S: AtomSet, solvable: Array) -> Shared | None:
    """What the problems share, or None where they do not, or where one Gram matrix would cost more than it saves.

    ``solvable`` is written: which of the problems have finite targets.
    """
    budget, count = budget_of(S), len(problems)
    if budget is None or budget.points is not None or not 0 < S.shape[0] <= min(WIDEST, WORTH * count):
        return None
    found = _of_targets(problems, solvable) if isinstance(problems, Targets) else _of_list(problems)
    if found is None or found[0].domain != S.shape:
        return None
    f, Y = found
    agree(f, S, "The objectives and the set")
    assert isinstance(f.design, DenseDesign)
    shared = Shared(f, S, budget, f.design.X.astype(np.float64, copy=False), Y, f.exact.p, f.has_intercept)
    return shared if shared.in_range else None


def _of_targets(problems: Targets, solvable: Array) -> tuple[Composite, Array] | None:
    np.less(np.abs(problems.Y), _bound(problems.X)).all(axis=0, out=solvable)  # NaN is not
    if not solvable.any():
        return None
    try:
        f = problems.objective(int(solvable.argmax()))
    except Exception:  # what a user's function raises too: each problem is told by itself
        return None
    if not _squares(f) or f.design is not problems.X:
        return None
    return f, np.where(solvable, problems.Y, 0.0) if not solvable.all() else problems.Y


def _bound(X: object) -> float:
    """The size that targets must stay below to be solved together: others are refused, or not, by a run of their own."""
    return LARGE_SINGLE if type(X) is DenseDesign and X.X.dtype == np.float32 else LARGE


def _of_list(problems: Listed) -> tuple[Composite, Array] | None:
    first = problems.fs[0]
    if not _squares(first):
        return None
    for f in problems.fs:
        if not _squares(f) or f.design.X is not first.design.X or f.has_intercept != first.has_intercept:
            return None
        if f.exact.p is not first.exact.p and not np.array_equal(f.exact.p, first.exact.p):
            return None
    return first, np.column_stack([f.exact.y for f in problems.fs])


def _squares(f: object) -> bool:
    """Whether f is least squares after a dense design, without a ridge, and every row counts."""
    if type(f) is not Composite or type(f.design) is not DenseDesign:
        return False
    loss = f.exact.loss if type(f.exact) is Profiled else f.exact
    return type(loss) is Squared and (isinstance(loss.p, float) or bool(loss.p.all()))
