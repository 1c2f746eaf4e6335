"""f on the hull of a few atoms: what is the same however its Hessian is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, Block, Index, Objective, Small
from greedyhull.types.override import KeepsSmall, keeps, override


class SmallBase(KeepsSmall):
    """The atoms of a block, and f's Hessian on them where it is known."""

    f: Objective

    if TYPE_CHECKING:
        keeps(Small.block)

    def __init__(self, block: Block) -> None:
        self.block = block
        self._hessian: Array | None = None

    @override
    def take(self, index: Index) -> None:
        """Keep only the atoms at ``index``."""
        self.block = self.block.take(index)
        if self._hessian is not None:
            self._hessian = self._hessian[np.ix_(index, index)]

    @override
    def gradient(self, w: Iterate) -> Array:
        """⟨∇f(w), dᵢ⟩ for every atom."""
        return self.block.dots(self.f.gradient(w)).astype(np.float64, copy=False)
