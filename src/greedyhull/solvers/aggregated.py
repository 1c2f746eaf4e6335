"""Aggregated: a sharper lower bound for any solver, from the mean of all its linearisations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from greedyhull.errors import check, hinted
from greedyhull.objectives.accuracy import gradient_slack
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.parts.kept import Remembered
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.requirements import requirements_of
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import Array, AtomSet, Needs, Objective, Solver, lacks


@hinted
@dataclass(frozen=True)
class Aggregated(Solver):
    """Sharpen the lower bound of a solver with the weighted mean of all linearisations so far.

    The iterates are those of ``solver``. The gap uses min over S of Σ (i + 1)(f(w_i) + ⟨∇f(w_i), · − w_i⟩) / Σ (i + 1):
    every linearisation is below f, so their mean is, and its minimum is below min f.

    Parameters
    ----------
    solver : solver, default FrankWolfe()
        The solver whose steps are taken.
    every : int, default 1
        Compute the bound each ``every`` iterations, at one oracle call. Increase it where the oracle is slow.

    Notes
    -----
    For a c-Frank-Wolfe or c-Jones run with η_k = 2/(k + 2) the value is at most (2M + 4c)/(k + 2) above this bound, as it is
    above that of the best single gap. The mean is sharper where Frank-Wolfe zigzags toward a face.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f, S, stop = gh.quadratic(np.eye(3)), gh.Simplex(3), gh.Iterations(30)
    >>> plain = gh.minimize(f, S, gh.FrankWolfe(gh.OpenLoop()), stop=stop)
    >>> gh.minimize(f, S, gh.Aggregated(gh.FrankWolfe(gh.OpenLoop())), stop=stop).gap < plain.gap / 2
    True
    """

    solver: Solver = field(default_factory=FrankWolfe)
    every: int = 1

    def __post_init__(self) -> None:
        check(not lacks(self.solver, "run"), f"solver must be a solver such as FrankWolfe(); got {self.solver!r}.")
        check(isinstance(self.every, int) and self.every >= 1, f"every must be an integer of at least 1; got {self.every!r}.")

    @property
    def needs(self) -> Needs:
        return requirements_of(self.solver)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        mean: Mean = memory.part("aggregated", lambda: Mean(f, S))
        for p in self.solver.run(f, S, w, memory):
            mean.take(p.point, memory.k)
            if memory.k % self.every == 0:
                g = mean.gradient
                answer = memory.oracle(S).argmin(g)
                estimate = f.value(p.point) - mean.lower(answer.atom.dot(g))
                gap, spent = estimate + answer.slack, p.spent + answer.delta
                if (gap, estimate) < (p.gap, p.estimate):
                    p = p._replace(gap=gap, kind=answer.kind, estimate=estimate, answer=answer)
                p = p._replace(spent=spent)
            yield p


class Mean(Remembered):
    """The mean of the linearisations ⟨∇f(w_i), ·⟩ + f(w_i) − ⟨∇f(w_i), w_i⟩, with weights i + 1."""

    kept_arrays = ("slope",)
    kept_numbers = ("weight", "offset", "rounding", "terms", "last")

    def __init__(self, f: Objective, S: AtomSet) -> None:
        self.f, self.S = f, S
        self.slope = np.zeros(f.domain)
        self.weight = self.offset = self.rounding = self.terms = 0.0
        self.last = -1

    def take(self, w: Iterate, k: int) -> None:
        """Add the linearisation at w_k, once: an iteration that begins again after a resume is in already."""
        if k == self.last:
            return
        f, share = self.f, k + 1.0
        self.slope = self.slope + share * as_array(f.gradient(w))
        self.offset += share * (f.value(w) - f.gradient_dot(w) - gradient_slack(f, w, self.S))
        self.rounding += share * f.rounding(w, self.S)
        self.weight, self.terms, self.last = self.weight + share, self.terms + 1.0, k

    @property
    def gradient(self) -> Array:
        return np.asarray(self.slope / self.weight)

    def lower(self, least: float) -> float:
        """A lower bound on min f, where ``least`` is one on the minimum of the mean gradient over S."""
        # each sum adds at most terms·eps·|its terms|; the rounding of an objective is at least 16·eps·|its terms|
        allowance = (2.0 + self.terms / 16.0) * self.rounding
        return float(least + (self.offset - allowance) / self.weight)
