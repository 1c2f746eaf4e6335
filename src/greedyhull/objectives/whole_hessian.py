"""Squares whose Hessian is made once, for all coordinates: for many solves on the same rows, as along a path of radii."""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.restricted import Restricted
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.types import Array, Block, Index, LinearModel, State

MOST = 2000  # coordinates
TALL = 2  # times as many rows as coordinates, at least
SEVERAL = 4  # solves, from which on it pays


def with_whole_hessian(f: LinearModel, solves: int) -> LinearModel:
    """f, if so many solves are to come and its Hessian is small and the same everywhere with that Hessian made once."""
    if type(f) is not Composite or not f.quadratic or type(f.design) is not DenseDesign or f.design.dtype != np.float64:
        return f
    n, d = f.design.n, f.domain[0]
    return WholeHessian(f) if solves >= SEVERAL and TALL * d <= n and d <= MOST else f


class WholeHessian(Composite):
    """The same function; on a few coordinates its Hessian is a part of the whole one."""

    def __init__(self, f: Composite) -> None:
        super().__init__(f.design, f.loss, f.name, f.exact)
        self._whole: Array | None = None

    def restricted(self, block: Block) -> Restricted:
        return PartOfHessian(self, block) if isinstance(block, BasisBlock) else super().restricted(block)

    def whole(self, w: Iterate) -> Array:
        """The Hessian in all coordinates."""
        if self._whole is None:
            d = self.domain[0]
            self._whole = self.hessian(w, BasisBlock(d, np.arange(d), np.ones(d)))
        return self._whole


class PartOfHessian(Restricted):
    """f on some coordinates; neither images nor Hessian are kept, for they are at hand."""

    f: WholeHessian

    def __init__(self, f: WholeHessian, block: Block) -> None:
        super().__init__(f, block)
        self.form = f

    def extend(self, atoms: Block, w: Iterate) -> None:
        self.block, self._images = self.block.extend(atoms), None

    def take(self, index: Index) -> None:
        self.block, self._images = self.block.take(index), None

    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        block = self.block
        if not isinstance(block, BasisBlock):
            return self.form.hessian(w, block)
        part = self.form.whole(w)[np.ix_(block.index, block.index)]
        return np.asarray(part if (block.scale == 1.0).all() else part * np.outer(block.scale, block.scale))

    def state(self) -> State:
        return {}

    def restore(self, state: State) -> None:
        self._images = None
