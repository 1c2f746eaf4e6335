"""What a solver says of its steps: whose they are, by which rule, and whether that rule is known in advance."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from greedyhull.types import Solver, StepRule


@runtime_checkable
class APriori(Protocol):
    """A rule that is known in advance: η_k, whatever the line."""

    def at(self, k: float) -> float: ...


@runtime_checkable
class Stepping(Protocol):
    """A solver that follows a step rule."""

    @property
    def step(self) -> StepRule: ...


@runtime_checkable
class Around(Protocol):
    """A solver that takes the steps of another."""

    @property
    def solver(self) -> Solver: ...


def stepper(solver: Solver) -> Solver:
    """The solver whose steps are taken.

    >>> from greedyhull.solvers.aggregated import Aggregated
    >>> stepper(Aggregated()) == stepper(Aggregated().solver)
    True
    """
    return solver.solver if isinstance(solver, Around) else solver


def rule_of(solver: Solver) -> StepRule | None:
    """The step rule that a solver follows; None where it follows none."""
    return solver.step if isinstance(solver, Stepping) else None
