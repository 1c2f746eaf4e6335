"""An objective on the hull of a few atoms: what a corrective round solves.

f(Σ αᵢ dᵢ) as a function of α keeps the images Z = A[d₁ … d_m], so that its gradient is Zᵀr and its Hessian ZᵀCZ. The
Hessian is kept: it is appended to when atoms join, and for losses whose curvature C moves it is refreshed on the rows
where C has moved, never rebuilt for the others.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from greedyhull.kinds import linear_model
from greedyhull.points.blocks import block_state
from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, Block, Index, SecondOrder, State

STALE = 0.1  # by which share a row's curvature may move before the Hessian follows


class Restricted:
    """φ(Zα) for the atoms of a block."""

    def __init__(self, f: SecondOrder, block: Block) -> None:
        self.f, self.block, self.model = f, block, linear_model(f)
        self._images: Any = None
        self._hessian: Array | None = None
        self._rows: Array | None = None  # the curvature of each row that the Hessian was made with

    def __len__(self) -> int:
        return len(self.block)

    @property
    def Z(self) -> Any:
        """The images of the atoms as columns."""
        if self._images is None:
            self._images = self.block.images(self.f.design)
        return self._images

    def extend(self, atoms: Block, w: Iterate) -> None:
        """Let ``atoms`` join: their columns are appended to the Hessian."""
        if self._images is not None:
            Z = atoms.images(self.f.design)
            if not self.f.traits.quadratic and 4 * len(atoms) > len(self.block):
                self._hessian = None  # so many are new that making it anew, as the curvature asks anyway, costs less
            if self._hessian is not None:
                across = self.f.metric(w, self.block, self._images, Z, weights=self._rows)
                corner = self.f.metric(w, atoms, Z, weights=self._rows)
                self._hessian = np.concatenate([np.concatenate([self._hessian, across], axis=1),
                                                np.concatenate([across.T, corner], axis=1)])
            self._images = beside(self._images, Z)
        self.block = self.block.extend(atoms)

    def take(self, index: Index) -> None:
        """Keep only the atoms at ``index``."""
        self.block = self.block.take(index)
        if self._images is not None:
            self._images = self._images[:, index]
        if self._hessian is not None:
            self._hessian = self._hessian[np.ix_(index, index)]

    def gradient(self, w: Iterate) -> Array:
        """⟨∇f(w), dᵢ⟩ for every atom: from ∇f(w) where it is known, else Zᵀr."""
        if self.f.at(w).gradient is not None or self.model is None:
            return self.block.dots(self.f.gradient(w)).astype(np.float64, copy=False)
        return np.asarray(self.Z.T @ self.model.residual(w)).astype(np.float64, copy=False)

    def hessian(self, w: Iterate, stride: int = 1) -> Array:
        """∇²_α φ(Zα) at w; with a stride, from one row in stride, which is enough far from the optimum."""
        if self.model is None or self.f.traits.quadratic:
            if self._hessian is None:
                self._hessian = self.f.metric(w, self.block, self.Z).astype(np.float64, copy=False)
            return self._hessian
        c = self.model.curvatures(w)
        if stride > 1:
            c = c * _sample(len(c), stride)
        if self._hessian is None or self._rows is None:
            return self._renew(w, c)
        change = c - self._rows
        change[np.abs(change) <= STALE * self._rows] = 0.0
        moved = change.nonzero()[0]
        fallen = len(moved) and float(self._rows.max()) > 1e6 * float(c.max())  # subtracting it would leave rounding only
        if fallen or 2 * len(moved) > np.count_nonzero(c) or self.model.has_intercept:
            return self._renew(w, c)
        if len(moved):
            self._rows = self._rows + change
            self._hessian = self._hessian + self.f.design.gram(self.Z, None, change)
        return self._hessian

    def _renew(self, w: Iterate, c: Array) -> Array:
        self._rows = c.copy()
        self._hessian = self.f.metric(w, self.block, self.Z, weights=c).astype(np.float64, copy=False)
        return self._hessian

    def direction(self, w: Iterate, base: Array, target: Array) -> Direction:
        """The reweighting from ``base`` to ``target``, its image already known to the view of w.

        At step 1 the view gets Z·target itself, computed from the atoms afresh, so that rounding does not gather.
        """
        move = w.reweighting(self.block, base, target - base)
        self.f.at(w).lead(move, np.asarray(self.Z @ target.astype(self.Z.dtype, copy=False)))
        return move

    def state(self) -> State:
        state = {f"block.{name}": array for name, array in block_state(self.block).items()}
        if self._hessian is not None:
            state["hessian"] = self._hessian
        if self._rows is not None:
            state["rows"] = self._rows
        return state

    def restore(self, state: State) -> None:
        self._hessian, self._rows = state.get("hessian"), state.get("rows")
        if self._hessian is not None:
            self._images = self.block.images(self.f.design)  # they are there whenever the Hessian is


@lru_cache(maxsize=4)
def _sample(n: int, stride: int) -> Array:
    """stride on a random one in stride of n rows, zero on the others; random, for real rows may come in periods."""
    return stride * (np.random.default_rng(0).random(n) < 1.0 / stride).astype(np.float64)


def beside(Z: Any, more: Any) -> Any:
    """The columns of Z, then those of ``more``."""
    if hasattr(Z, "beside"):
        return Z.beside(more)
    return np.concatenate([Z.T, more.T]).T  # Fortran order: columns stay contiguous
