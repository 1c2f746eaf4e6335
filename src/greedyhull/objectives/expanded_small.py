"""f on the hull of a few atoms, made from expansions: one call a Newton step, and one more where atoms have joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.objectives.trial import LineTrial
from greedyhull.points.direction import Direction
from greedyhull.points.expanded import Ahead, Expansion
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, Block, Index, Small, State, Trial
from greedyhull.types.override import KeepsSmall, keeps, override

if TYPE_CHECKING:
    from greedyhull.objectives.expansion import ByExpansion


class ExpandedSmall(KeepsSmall):
    """f(Σ αᵢ dᵢ) as a function of α: its Hessian comes with the expansion of the point that is tried."""

    if TYPE_CHECKING:
        keeps(Small.block)

    def __init__(self, f: ByExpansion, block: Block) -> None:
        self.f, self.block = f, block
        self._hessian: Array | None = None  # of a quadratic: it is the same everywhere

    @override
    def extend(self, atoms: Block, w: Iterate) -> None:
        self.block, self._hessian = self.block.extend(atoms), None

    @override
    def take(self, index: Index) -> None:
        self.block = self.block.take(index)
        if self._hessian is not None:
            self._hessian = self._hessian[np.ix_(index, index)]

    @override
    def gradient(self, w: Iterate) -> Array:
        """⟨∇f(w), dᵢ⟩ for every atom."""
        return self.block.dots(self.f.gradient(w)).astype(np.float64, copy=False)

    @override
    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        """⟨dᵢ, ∇²f(w)dⱼ⟩."""
        if self._hessian is None:
            found = self.f.known(w, self.block).hessian
            assert found is not None
            if not self.f.traits.quadratic:
                return found
            self._hessian = found
        return self._hessian

    @override
    def trial(self, w: Iterate, base: Array, target: Array) -> Trial:
        """The steps from ``base`` to ``target``: what is seen of one is known after it is made."""
        move = w.reweighting(self.block, base, target - base)
        return ExpandedTrial(self.f, w, move, None if self.f.traits.quadratic else self.block)

    @override
    def state(self) -> State:
        return {} if self._hessian is None else {"hessian": self._hessian}

    @override
    def restore(self, state: State) -> None:
        self._hessian = state.get("hessian")


class ExpandedTrial(LineTrial):
    """The steps of a reweighting, each seen whole: value, gradient and Hessian come in one call."""

    def __init__(self, f: ByExpansion, w: Iterate, move: Direction, block: Block | None) -> None:
        super().__init__(f, w, move)
        self.expanded, self.block = f, block

    @property
    def limit(self) -> float:
        return np.inf

    def value(self, step: float) -> float:
        view = self.expanded.at(self.w)
        x = view.after(self.move, step)
        found: Expansion = self.expanded.expansion(x, self.block, near=view.near)
        view.ahead = Ahead(self.move, step, x, step == 1.0, found, self.expanded.remembered(found))
        self.w.work.gradients += 1
        self.w.work.products += 2.0
        return found.value
