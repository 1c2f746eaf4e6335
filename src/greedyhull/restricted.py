"""An objective on the hull of a few atoms: what a corrective round solves.

f(Σ αᵢ dᵢ) as a function of α keeps the images Z = A[d₁ … d_m], so that its gradient is Zᵀr and its Hessian ZᵀCZ. For
a quadratic the Hessian never changes: it is appended to when atoms join and never rebuilt.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.iterate import Direction, Iterate
from greedyhull.types import Array, Block, Index


class Restricted:
    """φ(Zα) for the atoms of a block."""

    def __init__(self, f: Any, block: Block) -> None:
        self.f, self.block = f, block
        self._images: Any = None
        self.kept: Array | None = None  # the Hessian of a quadratic

    def __len__(self) -> int:
        return len(self.block)

    @property
    def Z(self) -> Any:
        """The images of the atoms as columns."""
        if self._images is None:
            self._images = self.block.images(self.f.design)
        return self._images

    def extend(self, atoms: Block, w: Iterate) -> None:
        """Let ``atoms`` join; for a quadratic their columns are appended to the Hessian."""
        if self._images is not None:
            Z = atoms.images(self.f.design)
            if self.kept is not None:
                across, corner = self.f.metric(w, self.block, self.Z, Z), self.f.metric(w, atoms, Z)
                self.kept = np.concatenate([np.concatenate([self.kept, across], axis=1),
                                            np.concatenate([across.T, corner], axis=1)])
            self._images = _beside(self.Z, Z)
        self.block = self.block.extend(atoms)

    def take(self, index: Index) -> None:
        """Keep only the atoms at ``index``."""
        self.block = self.block.take(index)
        if self._images is not None:
            self._images = self._images[:, index]
        if self.kept is not None:
            self.kept = self.kept[np.ix_(index, index)]

    def gradient(self, w: Iterate) -> Array:
        """⟨∇f(w), dᵢ⟩ for every atom: from ∇f(w) where it is known, else Zᵀr."""
        if self.f.at(w).gradient is not None or not hasattr(self.f, "residual"):
            return self.block.dots(self.f.gradient(w)).astype(np.float64, copy=False)
        return np.asarray(self.Z.T @ self.f.residual(w)).astype(np.float64, copy=False)

    def hessian(self, w: Iterate) -> Array:
        """∇²_α φ(Zα) at w."""
        if self.kept is not None:
            return self.kept
        H: Array = self.f.metric(w, self.block, self.Z).astype(np.float64, copy=False)
        if self.f.quadratic:
            self.kept = H
        return H

    def direction(self, w: Iterate, base: Array, target: Array) -> Direction:
        """The reweighting from ``base`` to ``target``, its image already known to the view of w.

        At step 1 the view gets Z·target itself, computed from the atoms afresh, so that rounding does not gather.
        """
        move = w.reweighting(self.block, base, target - base)
        self.f.at(w).lead(move, np.asarray(self.Z @ target.astype(self.Z.dtype, copy=False)))
        return move


def _beside(Z: Any, more: Any) -> Any:
    """The columns of Z, then those of ``more``."""
    if hasattr(Z, "beside"):
        return Z.beside(more)
    return np.concatenate([Z.T, more.T]).T  # Fortran order: columns stay contiguous
