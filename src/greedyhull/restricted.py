"""An objective on the hull of a few atoms: what a corrective round solves.

f(Σ αᵢ dᵢ) as a function of α keeps the images Z = A[d₁ … d_m], so that its Hessian is ZᵀCZ. For a quadratic the
Hessian never changes: it is appended to when atoms join and never rebuilt.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.iterate import Direction, Iterate
from greedyhull.types import Array, Block, Index, State


class Restricted:
    """φ(Zα) for the atoms of a block."""

    def __init__(self, f: Any, block: Block) -> None:
        self.f, self.block = f, block
        self.Z = block.images(f.design)
        self._hessian: Array | None = None

    def __len__(self) -> int:
        return len(self.block)

    def extend(self, atoms: Block, w: Iterate) -> None:
        """Let ``atoms`` join; for a quadratic their columns are appended to the Hessian."""
        Z = atoms.images(self.f.design)
        if self._hessian is not None and self.f.quadratic:
            across, corner = self.f.metric(w, self.block, self.Z, Z), self.f.metric(w, atoms, Z)
            self._hessian = np.block([[self._hessian, across], [across.T, corner]])
        self.Z = _beside(self.Z, Z)
        for i in range(len(atoms)):
            self.block = self.block.append(atoms[i])

    def take(self, index: Index) -> None:
        """Keep only the atoms at ``index``."""
        self.block, self.Z = self.block.take(index), self.Z[:, index]
        if self._hessian is not None:
            self._hessian = self._hessian[np.ix_(index, index)]

    def hessian(self, w: Iterate) -> Array:
        """∇²_α φ(Zα) at w."""
        if self._hessian is None or not self.f.quadratic:
            self._hessian = self.f.metric(w, self.block, self.Z)
        return self._hessian

    def direction(self, w: Iterate, change: Array) -> Direction:
        """The reweighting by ``change``, its image Z·change already known to the view of w."""
        move = w.reweighting(self.block, change)
        dz = np.asarray(self.Z @ change.astype(self.Z.dtype, copy=False))
        move.image(self.f.at(w), lambda _: dz)
        return move

    def state(self) -> State:
        state = self.block.state()
        if self._hessian is not None:
            state["hessian"] = self._hessian
        return state


def _beside(Z: Any, more: Any) -> Any:
    """The columns of Z, then those of ``more``."""
    if hasattr(Z, "tocsc"):
        from scipy.sparse import hstack

        return hstack([Z, more], format="csc")
    return np.concatenate([Z, more], axis=1) if Z.flags.c_contiguous else np.concatenate([Z.T, more.T]).T
