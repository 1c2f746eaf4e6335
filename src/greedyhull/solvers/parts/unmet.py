"""Which conditions of its theorem a stochastic solver does not meet: those of its steps, and those of its estimator."""

from __future__ import annotations

from collections.abc import Iterator

from greedyhull.objectives.batch import count_of
from greedyhull.solvers.gradients.base import Cautious, Estimator
from greedyhull.solvers.parts.careful import step_at
from greedyhull.solvers.parts.steps import in_advance
from greedyhull.theory import diverges
from greedyhull.types import Objective, StepRule


def unmet(rule: StepRule, estimator: Estimator, f: Objective) -> Iterator[str]:
    """What is to be said of steps and estimator on f; k is counted from one."""
    step = in_advance(rule)
    if not diverges(lambda k: step_at(step, k - 1)):
        yield (f"Theorem 1 asks for steps with an infinite sum, and those of {step!r} have a finite one: the points need "
               "not reach the minimum. Use Power(0.5) or OpenLoop().")
    if isinstance(estimator, Cautious):
        yield from estimator.cautions(lambda k: step_at(step, k - 1), count_of(f))
