"""What a solver requires of a problem, and which conditions of a theorem are not met."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from typing import cast

from greedyhull.errors import GreedyhullError
from greedyhull.objectives.minibatches import count_of
from greedyhull.solvers.gradients.base import Estimator, VarianceModel
from greedyhull.solvers.parts.steps import step_at
from greedyhull.theory import diverges
from greedyhull.types import Needs, Objective, Solver, StepRule, lacks, own


def requirements_of(solver: Solver) -> Needs:
    """Return what the solver requires of a problem; by default atoms are kept.

    The older ``looks_back`` and ``needs_smooth`` count where no ``needs`` overrides them.
    """
    said: Needs | None = getattr(solver, "needs", None)  # a user's class may lack it
    if not (said is None or isinstance(said, Needs)):
        raise GreedyhullError(f"{type(solver).__name__}.needs must be greedyhull.extend.Needs(...); got {said!r}.")
    needs = said or Needs()
    if type(solver).__module__.startswith("greedyhull."):
        return needs
    homes = (own(solver) or {}, *map(vars, type(solver).__mro__))
    newer = list(takewhile(lambda home: "needs" not in home, homes))  # the classes derived from the one that has it
    for field, name in (("atoms", "looks_back"), ("smooth", "needs_smooth")):
        older = getattr(solver, name, None)  # no base class has it any more
        if older is not None and (said is None or any(name in home for home in newer)):
            needs = replace(needs, **{field: bool(older)})
    return needs


def theory_warnings(rule: StepRule, estimator: Estimator, f: Objective) -> Iterator[str]:
    """Yield the conditions of theorems that steps and estimator do not meet on f; k is counted from one."""
    if not diverges(lambda k: step_at(rule, k - 1)):
        yield (f"Theorem 1 asks for steps with an infinite sum, and those of {rule!r} have a finite one: the points need "
               "not reach the minimum. Use Power(0.5) or OpenLoop().")
    if not lacks(estimator, "cautions"):
        yield from cast(VarianceModel, estimator).cautions(lambda k: step_at(rule, k - 1), count_of(f))
