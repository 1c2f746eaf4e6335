"""Blended pairwise conditional gradients: swap weight among the atoms at hand while that promises more than a new atom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from greedyhull.errors.hinted import hinted
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.schedules import tolerance_at, zero
from greedyhull.solvers.parts.slides import Slide
from greedyhull.solvers.parts.steps import Exact
from greedyhull.types import AtomSet, Needs, Objective, Schedule, StepRule, Tolerant
from greedyhull.types.override import KeepsTolerant, keeps, override


@hinted
@dataclass(frozen=True)
class BlendedPairwise(KeepsTolerant):
    """Blended pairwise conditional gradients: move weight between active atoms, or add an atom, whichever promises more.

    If ⟨∇f, worst − best⟩ among the active atoms is at least the Frank-Wolfe gap, weight moves from the worst to the best;
    otherwise the step goes toward the oracle's atom. A swap never adds an atom, so the active set stays small. Over a
    product, weight moves between two atoms of one factor.

    Parameters
    ----------
    step : step rule, default Exact()
        How far to go. `Short` needs no values of f, `Backtracking` suits a black box.
    tolerance : schedule, default zero
        Error ε_k allowed to the oracle on the linear function.

    See Also
    --------
    Corrective : Usually faster where f has a Hessian.
    PairwiseJones : The best swap by values of f.
    FrankWolfe : Keeps no atoms, so its memory does not grow.

    Notes
    -----
    On a polytope and for strongly convex f the error falls by a constant factor in at least half of the steps
    (Tsuji, Tanaka and Pokutta, 2022).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.BlendedPairwise(), stop=gh.Gap(1e-9))
    >>> s.converged
    True
    """

    step: StepRule = field(default_factory=Exact)
    tolerance: Schedule = zero
    needs = Needs(smooth=True)

    if TYPE_CHECKING:
        keeps(Tolerant.tolerance, Tolerant.needs)

    @override
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        step, oracle, slide = memory.step(self.step), memory.oracle(S), Slide(f, S, memory)
        for k in memory.count(first=0):
            g = f.gradient(w)
            here, epsilon = f.gradient_dot(w), tolerance_at(self.tolerance, k, memory.gap)
            answer = oracle.argmin(g, tol=epsilon, enough=here - (f.value(w) - memory.guide) + epsilon)
            worst, best = w.farthest(g)
            gap, local = here - answer.atom.dot(g), worst.score - best.score
            yield Progress.of(w, gap, answer, tolerance=epsilon)
            move = w.between(worst, best.atom) if local >= gap else w.toward(answer.atom)
            w.move(move, step(f.along(w, move), k))
            slide(w)
