"""What a run is a run of, so that a saved state is not taken for one of another problem."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.driver.digest import digest
from greedyhull.types import State


class Identity(NamedTuple):
    """What a run is a run of; a digest is empty where nobody can tell."""

    f: bytes
    S: bytes
    solver: bytes
    seed: int
    name: str  # of the solver

    @classmethod
    def of(cls, f: object, S: object, solver: object, seed: int) -> Identity:
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
