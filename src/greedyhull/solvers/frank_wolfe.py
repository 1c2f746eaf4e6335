"""Frank-Wolfe: step toward the atom that minimises the linearisation of f."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.schedules import tolerance_at, zero
from greedyhull.solvers.parts.slides import Slide
from greedyhull.solvers.parts.steps import Exact
from greedyhull.types import AtomSet, Needs, Objective, Schedule, StepRule


@dataclass(frozen=True)
class FrankWolfe:
    """w ← w + η(d − w) with ⟨∇f(w), d⟩ ≤ min_S ⟨∇f(w), ·⟩ + ε_k.

    With `OpenLoop` steps and ε_k ≤ cη_k the error is at most (2M + 4c)/(k + 2) (Theorem 2); with `Exact` or `Short`
    steps and an exact oracle at most 2M/(k + 3). ``tolerance`` is ε_k, on the *linear* function.

    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.FrankWolfe(), stop=gh.Iterations(2))
    >>> s.point.weights
    array([0.33333333, 0.33333333, 0.33333333])
    """

    step: StepRule = field(default_factory=Exact)
    tolerance: Schedule = zero
    needs = Needs(smooth=True, atoms=False)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        step, oracle, slide = memory.step(self.step), memory.oracle(S), Slide(f, S)
        for k in memory.count(first=0):
            g = f.gradient(w)
            here, epsilon = f.gradient_dot(w), tolerance_at(self.tolerance, k, memory.gap)
            answer = oracle.argmin(g, tol=epsilon, enough=here - (f.value(w) - memory.guide) + epsilon)
            yield Progress.of(w, here - answer.atom.dot(g), answer, tolerance=epsilon)
            toward = w.toward(answer.atom)
            w.move(toward, step(f.along(w, toward), k))
            slide(w)
