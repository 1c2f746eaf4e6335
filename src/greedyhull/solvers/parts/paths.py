"""Budgets of many radii in the compiled core."""

from __future__ import annotations

from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from greedyhull.kernels.core import core
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.stored import DenseDesign, SparseDesign
from greedyhull.objectives.losses.smooth import Squared
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.parts.compiled_loop import COLUMNS, loss_of, on_data
from greedyhull.types import Array, AtomSet, Objective, without_intercept

FEW = 500  # columns that can be active, or fewer: these are followed from kink to kink, sparse or not
MOST = 1000  # active columns, as many as there may be: with more, factors cost more than rounds of a solver


def matrix_path(H: Array, b: Array, f0: float, scale: Array, *, positive: bool) -> Any:
    """The path of f₀ − ⟨b, w⟩ + ½⟨w, Hw⟩ over budgets with the unit atoms ``scale``_j e_j."""
    return core.matrix_path(np.ascontiguousarray(H), np.ascontiguousarray(b), f0, scale, positive)


def square_path(f: Composite, scale: Array, *, positive: bool, roughly: bool = False) -> Any:
    """The same of a least-squares objective, or None; ``roughly``, sparse data are solved for by coordinate descent."""
    loss: Any = without_intercept(f.exact)
    if type(f) is not Composite or type(loss) is not Squared:
        return None
    _, _, y, p = loss_of(f)
    about = y, np.ascontiguousarray(np.broadcast_to(p, y.shape)), f.has_intercept, scale, positive
    return on_data("path", f, *about, *((roughly,) if type(f.design) is SparseDesign else ()))


class SquareStarts:
    """Starts for growing radii; ``value`` and ``gap`` are those of the last one, without rounding."""

    def __init__(self, path: Any, scale: Array, tol: float) -> None:
        self.path, self.scale, self.tol, self.worth_it = path, scale, tol, True
        self.value, self.gap, self.began = np.inf, np.inf, 0.0

    def at(self, S: AtomSet, radius: float) -> Array | None:
        """A point of S that is close to the minimum over it; None where there is none."""
        if not self.worth_it:
            return None
        self.began = perf_counter()
        end = self.began + 0.3  # seconds that the search for one start may take; after a longer one, no other is made
        self.value, self.gap, _, used = self.path.to(radius, self.tol, lambda: perf_counter() > end)
        self.worth_it = perf_counter() <= end
        index, v = self.path.point()
        x = np.zeros(len(self.scale))
        x[index] = v * self.scale[index]
        return x if used <= radius or S.contains(x) else None


def square_starts(f: Objective, S: AtomSet, tol: float = 1e-8) -> SquareStarts | None:  # relative gap of a start
    """Starts for least squares over S scaled to growing radii, or None; ``tol`` is their relative gap."""
    budget = S.budget()
    if not isinstance(f, Composite) or budget is None or budget.whole or budget.points is not None:
        return None
    active = min(f.design.n, f.domain[0])
    # relative gaps from here on are for coordinate descent, where data are sparse
    roughly = type(f.design) is SparseDesign and tol >= 1e-7 and active > FEW
    if active > MOST and not roughly:
        return None
    scale = np.ascontiguousarray(np.broadcast_to(budget.scales, f.domain))
    made = _gram_path(f, scale, budget.positive) or square_path(f, scale, positive=budget.positive, roughly=roughly)
    return None if made is None else SquareStarts(made, scale, tol)


def _gram_path(f: Composite, scale: Array, positive: bool) -> Any:
    """The path by the Gram matrix, where data are dense and have many rows for each column; else None."""
    loss: Any = without_intercept(f.exact)
    n, d = f.design.n, f.domain[0]
    # rows for each column: then the Gram matrix is made
    if type(f) is not Composite or type(f.design) is not DenseDesign or type(loss) is not Squared or n < 2 * d:
        return None
    Z, t = f.design.X.astype(np.float64, copy=False), np.asarray(loss.y, dtype=np.float64)
    if f.has_intercept:
        Z, t = Z - loss.p * Z.sum(axis=0) if isinstance(loss.p, float) else Z - loss.p @ Z, t - np.sum(loss.p * t)
    if not isinstance(loss.p, float):
        root = np.sqrt(loss.p)
        Z, t = Z * root[:, None], t * root
    p = loss.p if isinstance(loss.p, float) else 1.0
    return matrix_path(p * (Z.T @ Z), p * (Z.T @ t), 0.5 * p * float(t @ t), scale, positive=positive)


ROUNDS = 1000  # at one radius, at most; rounds that make no progress end sooner


class Walked(NamedTuple):
    """Points for growing radii, a row for each; each value is within its gap of the least one, up to rounding."""

    W: Array
    gaps: Array
    intercepts: Array


class LossPath:
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
    budget = S.budget()
    if type(f) is not Composite or budget is None or budget.whole or budget.points is not None:
        return None
    loss, solver = loss_of(f), Corrective()
    if not isinstance(loss, tuple):  # the core would have to ask Python for it
        return None
    units = np.ascontiguousarray(np.broadcast_to(budget.scales, f.domain))
    sparse = type(f.design) is SparseDesign
    if sparse and len(units) > COLUMNS:
        return None
    descends = (min(f.design.n, len(units)) >= FEW,) if sparse else ()
    made = on_data("loss_path", f, loss, f.has_intercept, budget.positive, units, solver.batch, solver.steps, *descends)
    return None if made is None else LossPath(made, len(units))


def never() -> bool:
    return False
