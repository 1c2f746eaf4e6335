"""What the statements ask of a finished run: any solution answers it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from greedyhull.points.iterate import Iterate
from greedyhull.theory import Constants
from greedyhull.types import Array, AtomSet, Kind, Objective, Solver


class Certified(Protocol):
    """value − min f ≤ gap, of a kind."""

    @property
    def value(self) -> float | None: ...
    @property
    def gap(self) -> float | None: ...
    @property
    def kind(self) -> Kind: ...


class Columns(Protocol):
    """What was recorded at every step, by name."""

    def __getitem__(self, name: str) -> Array: ...


class Solved(Protocol):
    """A problem, the solver that was run on it, and what the run left behind."""

    @property
    def objective(self) -> Objective: ...
    @property
    def atom_set(self) -> AtomSet: ...
    @property
    def solver(self) -> Solver: ...
    @property
    def certificate(self) -> Certified: ...
    @property
    def point(self) -> Iterate: ...
    @property
    def trace(self) -> Columns: ...
    @property
    def iterations(self) -> int: ...
    @property
    def curvature(self) -> float | None: ...
    @property
    def constants(self) -> Constants: ...
    @property
    def also(self) -> Mapping[str, Any]: ...
