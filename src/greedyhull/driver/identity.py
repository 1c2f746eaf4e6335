"""What a run is a run of, so that a saved state is not taken for one of another problem."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.driver.digest import digest
from greedyhull.types import Objective, State
from greedyhull.types.kinds import remote


class Identity(NamedTuple):
    """What a run is a run of; a digest is empty where nobody can tell."""

    f: bytes
    S: bytes
    solver: bytes
    seed: int
    name: str  # of the solver
    shards: dict[str, str] = {}  # noqa: RUF012 — nobody writes on it; the mark of each shard of the data, by its name

    @classmethod
    def of(cls, f: Objective, S: object, solver: object, seed: int) -> Identity:
        elsewhere = remote(f)
        shards = {} if elsewhere is None else elsewhere.shard_marks()
        seen = all(shards.values())  # a shard without a mark may have changed without a trace
        return cls(digest(f) if seen else b"", digest(S), digest(solver), seed, type(solver).__name__, shards)

    def state(self) -> State:
        marks = {name: np.frombuffer(mark, dtype=np.uint8) for name, mark in zip(["f", "S", "solver"], self[:3], strict=True)}
        data = {"shards": np.array(list(self.shards)), "marks": np.array(list(self.shards.values()))} if self.shards else {}
        return {**marks, **data, "seed": np.array(self.seed), "name": np.array(self.name)}

    @classmethod
    def restored(cls, state: State) -> Identity:
        names, marks = (state[key].tolist() if key in state else [] for key in ("shards", "marks"))
        shards = dict(zip(names, marks, strict=True))
        return cls(state["f"].tobytes(), state["S"].tobytes(), state["solver"].tobytes(), int(state["seed"]),
                   str(state["name"]), shards)

    def changes(self, saved: Identity) -> list[str]:
        """In words, what is certainly not as it was."""
        named = {self._data(saved): (self.f, saved.f), "the set": (self.S, saved.S), "the solver": (self.solver, saved.solver)}
        changed = [name for name, (now, before) in named.items() if now and before and now != before]
        if self.name != saved.name and "the solver" not in changed:
            changed.append("the solver")
        if self.seed != saved.seed:
            changed.append(f"the seed ({self.seed}, saved with {saved.seed})")
        return changed

    def _data(self, saved: Identity) -> str:
        """The objective, or which of its shards are not what they were."""
        if not self.shards or not saved.shards:
            return "the objective"
        other = [name for name in {**saved.shards, **self.shards} if self.shards.get(name) != saved.shards.get(name)]
        more = f" and {len(other) - 3} more" if len(other) > 3 else ""
        return f"the objective (its data: {', '.join(other[:3])}{more})" if other else "the objective"

    @property
    def known(self) -> bool:
        """Whether objective and set can be told from others."""
        return bool(self.f and self.S)
