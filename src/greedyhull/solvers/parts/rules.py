"""What a solver says of its steps: whose they are, by which rule, and whether that rule is known in advance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from greedyhull.types import Solver, StepRule
from greedyhull.types.kinds import made_of

if TYPE_CHECKING:
    from greedyhull.solvers.gradients.base import Estimator


@runtime_checkable
class APriori(Protocol):
    """A rule that is known in advance: η_k, whatever the line."""

    def at(self, k: float) -> float: ...


@runtime_checkable
class Estimating(Protocol):
    """A solver that estimates gradients from some of the terms."""

    @property
    def estimator(self) -> Estimator: ...


@runtime_checkable
class Stepping(Protocol):
    """A solver that follows a step rule."""

    @property
    def step(self) -> StepRule: ...


def stepper(solver: Solver) -> Solver:
    """The solver whose steps are taken.

    >>> from greedyhull.solvers.aggregated import Aggregated
    >>> stepper(Aggregated()) == stepper(Aggregated().solver)
    True
    """
    _, around, _ = made_of(solver)
    return solver if around is None or around.solver is None else around.solver


def rule_of(solver: Solver) -> StepRule | None:
    """The step rule that a solver follows; None where it follows none."""
    return solver.step if isinstance(solver, Stepping) else None
