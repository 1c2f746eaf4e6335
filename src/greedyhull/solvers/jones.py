"""Jones: step toward the atom that minimises f itself, where Frank-Wolfe minimises its linearisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.errors import check
from greedyhull.errors.hinted import hinted
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.joint import Choice, Mover, toward
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.rules import APriori
from greedyhull.solvers.parts.schedules import tolerance_at, zero
from greedyhull.solvers.parts.steps import Exact
from greedyhull.types import Answer, AtomSet, CautiousSolver, Needs, Objective, Schedule, Step, StepRule, Tolerant
from greedyhull.types.kinds import listed
from greedyhull.types.override import KeepsCautiousSolver, KeepsTolerant, keeps, override


@hinted
@dataclass(frozen=True)
class Jones(KeepsCautiousSolver, KeepsTolerant):
    """Jones' method: step toward the atom that makes f itself lowest.

    w ← w + η(d − w) with f(w + η(d − w)) ≤ min over d' in S of f(w + η(d' − w)) + η_kε_k. Where atoms cannot be listed, d is
    the oracle's atom, which is an (M/2)-Jones choice (Theorem 4).

    Parameters
    ----------
    step : step rule, default Exact()
        `Exact` chooses η and d jointly: in closed form for quadratics, by branch and bound for other f. With a rule that is
        known in advance, such as `OpenLoop`, d is the best atom at that η_k.
    tolerance : schedule, default zero
        Schedule ε_k: a step may miss the best value of *f* by η_kε_k. (For `FrankWolfe` ε_k applies to the *linear* function.)
        Give ``harmonic(c)`` to shorten the branch and bound.

    See Also
    --------
    FrankWolfe : Minimises the linearisation of f; cheaper steps.
    PairwiseJones : Adds swaps of weight; for high precision.
    StochasticJones : The same for minibatches.

    Notes
    -----
    With ε_k = ``harmonic(c)``, that is cη_k for η_k = 2/(k + 2), this is a c-Jones method with an error of at most
    (2M + 4c)/(k + 2) (Theorem 2; for the joint choice, Zhang's corollary). With c = 0 and the joint choice it is at most
    2M/(k + 3). ``also["jones_error"]`` of an event bounds what the last step lost to the best one, and
    ``also["jones_allowed"]`` is the η_kε_k it was allowed. Both are in units of f.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([0.3, 0.7]))
    >>> gh.minimize(f, gh.Simplex(2), gh.Jones(), stop=gh.Iterations(1)).point.array()
    array([0.3, 0.7])
    """

    step: StepRule = field(default_factory=Exact)
    tolerance: Schedule = zero
    needs = Needs(atoms=False)

    if TYPE_CHECKING:
        keeps(CautiousSolver.needs, Tolerant.tolerance)

    def __post_init__(self) -> None:
        check(isinstance(self.step, Exact | APriori),
              f"Jones(step={self.step!r}) was given; Exact() for the joint choice of step and atom, or a rule that is known "
              "in advance, such as OpenLoop(), is wanted.")

    @override
    def cautions(self, f: Objective, S: AtomSet) -> Iterator[str]:
        if not f.traits.smooth:
            yield (f"Theorem 2 needs a finite curvature, and {f!r} has kinks: this greedy choice by values may stall "
                   "above the minimum. Smoothed() converges.")

    @override
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        oracle, choose = memory.oracle(S), self.mover(f, S, w, memory, memory.step(self.step))
        exact = listed(S) is not None  # the search looks at all atoms itself
        for k in memory.count(first=0):
            g = f.gradient(w)
            epsilon = tolerance_at(self.tolerance, k, memory.gap)
            answer = oracle.argmin(g, tol=0.0 if exact else epsilon)
            yield Progress.of(w, f.gradient_dot(w) - answer.atom.dot(g), answer, tolerance=epsilon, also=joint_errors(memory))
            move, eta, _, _ = choose(w, answer, k)
            w.move(move, eta)

    def mover(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory, step: Step) -> Mover:
        """The choice of (η, d) at w_k, given the oracle's answer there."""
        atoms = toward(f, S, w, memory)

        def choose(w: Iterate, answer: Answer, k: int) -> Choice:
            epsilon = tolerance_at(self.tolerance, k, memory.gap)
            if isinstance(self.step, Exact):
                allowed = epsilon * 2.0 / (k + 2.0)  # ε_kη_k at the η_k of the schedule, whatever step is taken
                found = atoms.jointly(w, answer, allowed)
            else:
                eta = step(f.along(w, w.toward(answer.atom)), k)
                allowed = epsilon * eta
                found = atoms.at(w, answer, eta, allowed)
            error = found.error if f.traits.exact_gradient else np.inf  # what is proved of it rests on slopes
            memory.arrays["jones"] = np.array([error, allowed])
            return found

        return choose


def joint_errors(memory: Memory) -> dict[str, float]:
    """What the last joint choice is known to have lost, and what it was allowed to lose; in units of f."""
    if "jones" not in memory.arrays:
        return {}
    error, allowed = memory.arrays["jones"].tolist()
    return {"jones_error": error, "jones_allowed": allowed}
