"""Frank-Wolfe: step toward the atom that minimises the linearisation of f."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from greedyhull.errors import hinted
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.atom_refinement import AtomRefinement
from greedyhull.solvers.parts.compiled_loop import compiled_steps
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.schedules import tolerance_at, zero
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.solvers.parts.steps import Exact
from greedyhull.types import AtomSet, Needs, Objective, Schedule, Solver, StepRule


@hinted
@dataclass(frozen=True)
class FrankWolfe(Solver):
    """Frank-Wolfe (conditional gradient): step toward the atom that minimises the linearisation of f.

    w ← w + η(d − w) with ⟨∇f(w), d⟩ ≤ min_S ⟨∇f(w), ·⟩ + ε_k. An iteration takes one gradient and one oracle call.

    Parameters
    ----------
    step : step rule, default Exact()
        How far to go. `Short` needs no values of f, `Backtracking` suits a black box, `OpenLoop` is the paper's schedule.
    tolerance : schedule, default zero
        Error ε_k allowed to the oracle on the *linear* function. ``harmonic(c)`` saves work where the oracle is slow.

    Notes
    -----
    The error is at most (2M + 4c)/(k + 2) with `OpenLoop` steps and ε_k ≤ cη_k (Theorem 2), and at most 2M/(k + 3) with
    `Exact` or `Short` steps and an exact oracle. M is the curvature of f over S.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.FrankWolfe(), stop=gh.Iterations(2))
    >>> s.point.weights
    array([0.33333333, 0.33333333, 0.33333333])
    """

    step: StepRule = field(default_factory=Exact)
    tolerance: Schedule = zero
    needs = Needs(smooth=True, atoms=False)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        step, oracle, slide, tolerance = memory.step(self.step), memory.oracle(S), AtomRefinement(f, S, memory), self.tolerance
        compiled = compiled_steps(f, S, w, self.step, tolerance, memory)
        exact = tolerance is zero
        for k in memory.count(first=0):
            if compiled is not None:
                compiled.begin(w)
            g = f.gradient(w)
            here, epsilon = f.gradient_dot(w), 0.0 if exact else tolerance_at(tolerance, k, memory.gap)
            answer = oracle.argmin(g, tol=epsilon, enough=here - (f.value(w) - memory.steering_bound) + epsilon)
            yield Progress.of(w, here - answer.atom.dot(g), answer, tolerance=epsilon)
            if compiled is not None and compiled.advance(w, memory):
                continue
            toward = w.toward(answer.atom)
            w.move(toward, step(f.along(w, toward), k))
            if slide.slides:
                slide(w)
