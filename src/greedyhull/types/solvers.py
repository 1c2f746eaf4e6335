"""Solvers, step rules, schedules."""

from __future__ import annotations

from collections.abc import Iterator
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


class StepRule(Protocol):
    """A frozen step rule; ``start(warm)`` makes the working `Step`, which spares a warm start."""

    def start(self, warm: bool = False) -> Step: ...


class Solver(Protocol):
    """An algorithm: a generator that yields a certified point, then moves it."""

    @property
    def needs(self) -> Needs: ...
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]: ...
