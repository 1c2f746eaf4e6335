"""Away-step Frank-Wolfe: step toward the best atom, or away from the worst one of the point, whichever promises more."""

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
class AwayStep(KeepsSolver):
    """Away-step Frank-Wolfe: step toward the oracle's atom, or away from the worst active atom, whichever promises more.

    The first linearly convergent variant, here as the literature's baseline; `BlendedPairwise` takes about as many iterations
    with fewer atoms.

    Parameters
    ----------
    step : step rule, default Exact()
        How far to go.

    See Also
    --------
    BlendedPairwise : The default for f without a Hessian.
    Pairwise : Hands the weight of the worst atom to the oracle's.

    Notes
    -----
    On a polytope and for strongly convex f the error falls by a constant factor in at least half of the steps
    (Guélat and Marcotte, 1986; Lacoste-Julien and Jaggi, 2015).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.AwayStep(), stop=gh.Gap(1e-9)).converged
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
            answer, worst = oracle.argmin(g, enough=here - (f.value(w) - memory.guide)), w.worst(g)
            gap = here - answer.atom.dot(g)
            yield Progress.of(w, gap, answer)
            away = len(w) > 1 and worst.score - here > gap
            move = w.away_from(worst) if away else w.toward(answer.atom)
            w.move(move, step(f.along(w, move), k))
