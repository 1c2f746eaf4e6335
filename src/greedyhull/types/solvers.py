"""Solvers, step rules, schedules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate
    from greedyhull.solvers.parts.memory import Memory
    from greedyhull.solvers.parts.progress import Progress
    from greedyhull.types.arrays import State
    from greedyhull.types.losses import Line
    from greedyhull.types.objectives import Objective
    from greedyhull.types.sets import AtomSet
    from greedyhull.types.traits import Needs


class Schedule(Protocol):
    """η_k, ε_k, b_k or σ_k: known in advance, or adaptive in the gap."""

    def __call__(self, k: int, gap: float | None = None) -> float: ...


class Step(Protocol):
    """A step rule at work in one solve."""

    def __call__(self, line: Line, k: int) -> float: ...
    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...


class MeasuringStep(Step, Protocol):
    """A step rule at work that estimates the curvature; ``largest`` is the largest estimate so far."""

    @property
    def largest(self) -> float: ...


class StepRule(Protocol):
    """A frozen step rule; ``start(warm)`` makes the working `Step`, which spares a warm start."""

    def start(self, warm: bool = False) -> Step: ...


class Solver(Protocol):
    """An algorithm: a generator that yields a certified point, then moves it."""

    @property
    def needs(self) -> Needs: ...
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]: ...


class SelfStarting(Solver, Protocol):
    """A solver that chooses its first iterate itself where the user gives no start."""

    def first(self, f: Objective, S: AtomSet) -> Iterate: ...


class Closing(Protocol):
    """A callback of a run that is also told when the run is over."""

    def close(self) -> object: ...


class CautiousSolver(Solver, Protocol):
    """A solver that knows which conditions of its theory a problem does not meet, one sentence for each."""

    def cautions(self, f: Objective, S: AtomSet) -> Iterable[str]: ...


class Combining(Solver, Protocol):
    """A solver that takes steps of several others."""

    @property
    def solvers(self) -> Sequence[Solver]: ...


class Around(Solver, Protocol):
    """A solver that takes the steps of another."""

    @property
    def solver(self) -> Solver | None: ...


class Tolerant(Solver, Protocol):
    """A solver whose linear minimisation oracle may be inexact, by ``tolerance``."""

    @property
    def tolerance(self) -> Schedule | None: ...
