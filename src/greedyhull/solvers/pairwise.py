"""Pairwise Frank-Wolfe: the worst atom of the point hands its weight to the best one of the set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from greedyhull.errors.hinted import hinted
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.steps import Exact
from greedyhull.types import AtomSet, Needs, Objective, Solver, StepRule
from greedyhull.types.override import KeepsSolver, keeps, override


@hinted
@dataclass(frozen=True)
class Pairwise(KeepsSolver):
    """Pairwise Frank-Wolfe: move weight from the worst active atom to the oracle's atom.

    Here as the literature's baseline. Every step may bring a new atom, so that it keeps more of them than
    `BlendedPairwise`, which swaps among those at hand first.

    Parameters
    ----------
    step : step rule, default Exact()
        How far to go, at most the weight of the worst atom.

    See Also
    --------
    BlendedPairwise : The default for f without a Hessian.
    PairwiseJones : The best swap by values of f.

    Notes
    -----
    On a polytope and for strongly convex f it converges linearly, but the theory counts swap steps that make no progress
    (Lacoste-Julien and Jaggi, 2015).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.Pairwise(), stop=gh.Gap(1e-9)).converged
    True
    """

    step: StepRule = field(default_factory=Exact)
    needs = Needs(smooth=True, one_owner=True)

    if TYPE_CHECKING:
        keeps(Solver.needs)

    @override
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        step, oracle = memory.step(self.step), memory.oracle(S)
        for k in memory.count(first=0):
            g, here = f.gradient(w), f.gradient_dot(w)
            answer = oracle.argmin(g, enough=here - (f.value(w) - memory.guide))
            yield Progress.of(w, here - answer.atom.dot(g), answer)
            move = w.between(w.worst(g), answer.atom)
            w.move(move, step(f.along(w, move), k))
