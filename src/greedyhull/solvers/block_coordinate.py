"""Block-coordinate Frank-Wolfe: over a product of sets, one set after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Literal

import numpy as np

from greedyhull.atoms.joined import Product
from greedyhull.errors import GreedyhullError, check, hinted
from greedyhull.points.arrays import columns
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import least
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.solvers.parts.steps import Exact
from greedyhull.types import Array, AtomSet, Needs, Objective, Solver, StepRule, linear_model


@hinted
@dataclass(frozen=True)
class BlockCoordinate(Solver):
    """Block-coordinate Frank-Wolfe: steps in one set of a `Product` at a time.

    An iteration computes the gap over all sets and takes ``every`` steps, each toward the best atom of one set. A step of a
    linear model costs the columns of its set only.

    Parameters
    ----------
    order : {"gap", "cyclic", "random"}, default "gap"
        Which set is next: one drawn with a chance proportional to its last known gap, the next one, or any.
    step : step rule, default Exact()
        How far to go.
    every : int, optional
        Block steps between two looks at all sets; by default as many as there are sets.

    Notes
    -----
    After k block steps over n sets the expected error is at most 2n(C + e₀)/(k + 2n), where C is the sum of the curvatures
    over the sets (Lacoste-Julien, Jaggi, Schmidt and Pletscher, 2013). Drawing by gaps is from Osokin, Alayrac, Lukasewitz,
    Dokania and Lacoste-Julien (2016).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(4), np.array([1.0, 0.0, 0.2, 0.8]))
    >>> s = gh.minimize(f, gh.Product(gh.Simplex(2), gh.Simplex(2)), gh.BlockCoordinate(), stop=gh.Gap(1e-9))
    >>> s.x.round(4)
    array([1. , 0. , 0.2, 0.8])
    """

    order: Literal["gap", "cyclic", "random"] = "gap"
    step: StepRule = field(default_factory=Exact)
    every: int | None = None
    needs = Needs(smooth=True)

    def __post_init__(self) -> None:
        check(isinstance(self.order, str) and self.order in ("gap", "cyclic", "random"),
              f'order must be "gap", "cyclic" or "random"; got {self.order!r}.')
        check(self.every is None or (isinstance(self.every, int) and self.every >= 1),
              f"every must be an integer of at least 1, or None; got {self.every!r}.")

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        if not isinstance(S, Product) or w.owners is None or S.owners != len(S.sets):
            raise GreedyhullError(f"BlockCoordinate goes from set to set of a Product of sets with one owner each, and {S!r} "
                                  "is none. Use BlendedPairwise() or Corrective().")
        step, oracle, n = memory.step(self.step), memory.oracle(S), len(S.sets)
        for k in memory.count(first=0):
            g = as_array(f.gradient(w))
            found = oracle.best(g, 1)
            own = np.bincount(w.owners, weights=w.weights * w.scores(g), minlength=n)
            assert found.owners is not None  # one for each set
            gaps = np.asarray(own - least(found.atoms.dots(g), found.owners))  # what each set adds to the gap
            yield Progress.of(w, float(gaps.sum()), found)
            for i in range(self.every or n):
                b = self._next(gaps, k * (self.every or n) + i, memory)
                part = _partial(f, S, w, b)
                best = S.sets[b].atom(part)
                gaps[b] = max(_here(w, S, b, part) - float(best.dot(part)), 0.0)
                move = w.toward(S.embedded(b, best)[0], owner=b)
                w.move(move, step(f.along(w, move), k))

    def _next(self, gaps: Array, i: int, memory: SolverState) -> int:
        n, total = len(gaps), float(gaps.sum())
        if self.order == "cyclic":
            return i % n
        if self.order == "random" or not 0.0 < total < np.inf:
            return int(memory.rng.integers(n))
        return min(int(np.searchsorted(np.cumsum(gaps), memory.rng.random() * total, side="right")), n - 1)


def _partial(f: Objective, S: Product, w: Iterate, b: int) -> Array:
    """The gradient in the entries of the set number b: of a linear model from its columns alone."""
    first, shape = S.starts[b], S.sets[b].shape
    model = linear_model(f)
    if model is None or model.l2 != 0.0 or not model.design.has_columns:
        return as_array(f.gradient(w)).ravel()[first:first + prod(shape)].reshape(shape)
    places = np.arange(first, first + prod(shape))
    return np.asarray(columns(model.design, places, np.ones(len(places))).T @ model.residual(w)).reshape(shape)


def _here(w: Iterate, S: Product, b: int, part: Array) -> float:
    """⟨∇f(w), w⟩ in the entries of the set number b."""
    assert w.owners is not None
    own, g = (w.owners == b).nonzero()[0], np.zeros(S.shape)
    g[S.starts[b]:S.starts[b] + part.size] = part.ravel()
    return float(w.weights[own].dot(w.block.take(own).dots(g)))
