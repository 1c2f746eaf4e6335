"""What a solver requires of a problem, and which conditions of a theorem are not met."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import cast

from greedyhull.errors import GreedyhullError
from greedyhull.objectives.minibatches import count_of
from greedyhull.solvers.gradients.base import Estimator, VarianceModel
from greedyhull.solvers.parts.steps import step_at
from greedyhull.theory import diverges
from greedyhull.types import Needs, Objective, Solver, StepRule, lacks, own


def requirements_of(solver: Solver) -> Needs:
    """Return what the solver requires of a problem; by default atoms are kept.

    The older ``looks_back`` and ``needs_smooth`` count where nothing newer overrides them: without ``needs``, or in a class
    derived from the one that has it.
    """
    try:
        told: Needs | None = solver.needs
    except AttributeError:  # a user's class, which may be of the first edition
        told = None
    if not (told is None or isinstance(told, Needs)):
        raise GreedyhullError(f"{type(solver).__name__}.needs must be greedyhull.extend.Needs(...); got {told!r}.")
    needs = told or Needs()
    if type(solver).__module__.startswith("greedyhull."):
        return needs

    def depth(name: str) -> float:
        """How far up the attribute is found: 0 on the object, then its class and those it derives from."""
        homes = (own(solver) or {}, *map(vars, type(solver).__mro__))
        return next((i for i, home in enumerate(homes) if name in home), inf)

    for field, older in (("atoms", "looks_back"), ("smooth", "needs_smooth")):
        said = getattr(solver, older, None)  # no protocol has these words any more
        if said is not None and (told is None or depth(older) < depth("needs")):
            needs = replace(needs, **{field: bool(said)})
    return needs


def theory_warnings(rule: StepRule, estimator: Estimator, f: Objective) -> Iterator[str]:
    """Yield the conditions of theorems that steps and estimator do not meet on f; k is counted from one."""
    if not diverges(lambda k: step_at(rule, k - 1)):
        yield (f"Theorem 1 asks for steps with an infinite sum, and those of {rule!r} have a finite one: the points need "
               "not reach the minimum. Use Power(0.5) or OpenLoop().")
    if not lacks(estimator, "cautions"):
        yield from cast(VarianceModel, estimator).cautions(lambda k: step_at(rule, k - 1), count_of(f))
