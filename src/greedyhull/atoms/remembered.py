"""Atoms that an oracle has named before: the most recently used ones, of a bounded number."""

from __future__ import annotations

import numpy as np

from greedyhull.points.blocks import block_from, block_state
from greedyhull.points.states import under
from greedyhull.types import Array, Block, Index, State


class Remembered:
    """Up to ``size`` atoms in a block, and when each was last of use."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.block: Block | None = None
        self.used: Index = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return 0 if self.block is None else len(self.block)

    def scores(self, g: Array) -> Array:
        """⟨g, ·⟩ for each of them."""
        return np.zeros(0) if self.block is None else self.block.dots(g)

    def keep(self, atoms: Block, now: int) -> None:
        """Let ``atoms`` in, the first ones first; where room is wanted, the fourth that was unused longest goes."""
        if len(atoms) > self.size:
            atoms = atoms.take(np.arange(self.size))
        if self.block is None:
            self.block, self.used = atoms.take(np.arange(len(atoms))), np.full(len(atoms), now)
            return
        places = {key: i for i, key in enumerate(self.block.keys)}
        keys = [self.block.key_of(atoms[i]) for i in range(len(atoms))]
        self.used[[places[key] for key in keys if key in places]] = now
        new = np.array([i for i, key in enumerate(keys) if key not in places], dtype=np.intp)
        if not len(new):
            return
        if len(self.block) + len(new) > self.size:
            room = max(0, self.size - max(len(new), self.size // 4))
            recent = np.sort(np.argsort(-self.used, kind="stable")[:room])
            self.block, self.used = self.block.take(recent), self.used[recent]
        self.block = self.block.extend(atoms.take(new))
        self.used = np.append(self.used, np.full(len(new), now))

    def state(self) -> State:
        blocks = {} if self.block is None else block_state(self.block)
        return {"used": self.used.copy(), **{f"block.{name}": array for name, array in blocks.items()}}

    def restore(self, state: State) -> None:
        self.used = state["used"].copy()
        saved = under("block", state)
        self.block = block_from(saved) if saved else None
