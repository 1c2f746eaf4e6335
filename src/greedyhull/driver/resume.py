"""How a saved run goes on: bit by bit with the same problem, from its point alone with another one.

A lower bound holds for the problem that it was found for. So a state carries a digest of the objective, of the set and of the
solver; what is not the same, or cannot be told to be, loses what rested on it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from greedyhull.driver.digest import digest
from greedyhull.errors import GreedyhullError, check
from greedyhull.iterate import CoordinateIterate, Iterate, restored
from greedyhull.types import Array, State

NEAR = 1e-4  # values of one point that differ by more, relative to them, are values of two functions


class Identity(NamedTuple):
    """What a run is a run of; a digest is empty where nobody can tell."""

    f: bytes
    S: bytes
    solver: bytes
    seed: int
    name: str  # of the solver

    @classmethod
    def of(cls, f: Any, S: Any, solver: Any, seed: int) -> Identity:
        return cls(digest(f), digest(S), digest(solver), seed, type(solver).__name__)

    def state(self) -> State:
        marks = {name: np.frombuffer(mark, dtype=np.uint8) for name, mark in zip(["f", "S", "solver"], self[:3], strict=True)}
        return {**marks, "seed": np.array(self.seed), "name": np.array(self.name)}

    @classmethod
    def restored(cls, state: State) -> Identity:
        return cls(state["f"].tobytes(), state["S"].tobytes(), state["solver"].tobytes(), int(state["seed"]),
                   str(state["name"]))

    def changes(self, saved: Identity) -> list[str]:
        """In words, what is certainly not as it was."""
        named = {"the objective": (self.f, saved.f), "the set": (self.S, saved.S), "the solver": (self.solver, saved.solver)}
        changed = [name for name, (now, before) in named.items() if now and before and now != before]
        if self.name != saved.name and "the solver" not in changed:
            changed.append("the solver")
        if self.seed != saved.seed:
            changed.append(f"the seed ({self.seed}, saved with {saved.seed})")
        return changed

    @property
    def known(self) -> bool:
        """Whether objective and set can be told from others."""
        return bool(self.f and self.S)


def under(prefix: str, state: State) -> State:
    """The part of ``state`` whose names begin with ``prefix.``, without it."""
    return {name[len(prefix) + 1 :]: array for name, array in state.items() if name.startswith(prefix + ".")}


def saved_point(state: State, S: Any) -> Iterate:
    """The point that the run had, of the right shape, with its views to come."""
    w = restored(under("iterate", state))
    check(w.shape == S.shape, f"The saved state holds points of shape {w.shape}, but {S!r} those of shape {S.shape}. Resume "
                              "with a set of the same shape.")
    return w


def another_value(f: Any, shown: Iterate, told: float, slack: float) -> bool:
    """Whether f is not the function whose value at the saved point was ``told``, as far as one value says."""
    value = float(f.value(shown.copy()))
    return not abs(value - told) <= NEAR * (abs(value) + abs(told)) + slack


def moved_over(w: Iterate, S: Any, looks_back: bool) -> Iterate:
    """The point of another run as one of this set: with its atoms if they lie in the set, else written anew."""
    if w.keeps_atoms:
        block = S.recognised(w.block)
        if all(S.contains(_array(block[i], S.shape)) for i in range(len(block))):
            return Iterate(block.take(np.arange(len(block))), w.weights / w.weights.sum(), S.shape).merged()
    x = w.array()
    if not S.contains(x):
        raise GreedyhullError(f"The saved point lies outside {S!r}, and so do some of its atoms: it cannot go on there. "
                              "Resume with the set it was saved from, or solve anew.")
    return CoordinateIterate(x) if not looks_back and S.dense_atoms else S.decompose(x)


def _array(atom: Any, shape: tuple[int, ...]) -> Array:
    x = np.zeros(shape)
    atom.add_to(x, 1.0)
    return x
