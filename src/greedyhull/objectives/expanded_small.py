"""f on the hull of a few atoms, made from expansions: one call a Newton step, and one more where atoms have joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.objectives.small_base import SmallBase
from greedyhull.objectives.trial import LineTrial
from greedyhull.points.direction import Direction
from greedyhull.points.expanded import Ahead, Expansion
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.types import Array, Block, State, Trial
from greedyhull.types.override import override

if TYPE_CHECKING:
    from greedyhull.objectives.expansion import ByExpansion

FEW = 24  # coordinates that may join next, at least, or half as many as there are atoms: more than join in most rounds


class ExpandedSmall(SmallBase):
    """f(Σ αᵢ dᵢ) as a function of α: its Hessian comes with the expansion of the point that is tried."""

    f: ByExpansion

    def __init__(self, f: ByExpansion, block: Block) -> None:
        super().__init__(block)  # the Hessian of a quadratic is the same everywhere
        self.f = f
        self._sample = 1  # one row in how many the Hessian was last made from

    @override
    def extend(self, atoms: Block, w: Iterate) -> None:
        self.block, self._hessian = self.block.extend(atoms), None

    @override
    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        """⟨dᵢ, ∇²f(w)dⱼ⟩, from one row in ``sample`` where there are many.

        What came with the point that was tried last is used as it is, though it may come from fewer rows than are asked for
        now: another call would cost more than the rest of a step that it spoils.
        """
        if self._hessian is None:
            self._sample = 1 if self.f.traits.quadratic else self.f.sampled(sample, len(self.block))
            found = among(self.f.known(w), self.block)
            if found is None:
                found = self.f.known(w, self.block, self._sample).hessian
            assert found is not None
            if not self.f.traits.quadratic:
                return found
            self._hessian = found
        return self._hessian

    @override
    def trial(self, w: Iterate, base: Array, target: Array) -> Trial:
        """The steps from ``base`` to ``target``: what is seen of one is known after it is made."""
        move = w.reweighting(self.block, base, target - base)
        return ExpandedTrial(self.f, w, move, None if self.f.traits.quadratic else self._with_next(w), self._sample)

    def _with_next(self, w: Iterate) -> Block:
        """The atoms, and those coordinates that may be the next to join: the Hessian of these comes with the same call.

        They are those with the largest entries of the gradient here. A wrong guess costs a call later, as no guess would.
        """
        block = self.block
        if not isinstance(block, BasisBlock):
            return block
        size = np.abs(self.f.gradient(w).ravel())
        size[block.index] = -1.0
        few = min(max(FEW, len(block) // 2), int(np.count_nonzero(size >= 0.0)))
        if few == 0:
            return block
        likely = np.sort(np.argpartition(size, size.size - few)[size.size - few :])
        return block.extend(BasisBlock(size.size, likely, np.full(few, float(np.abs(block.scale).max()))))

    @override
    def state(self) -> State:
        return {"sample": np.array(self._sample), **({} if self._hessian is None else {"hessian": self._hessian})}

    @override
    def restore(self, state: State) -> None:
        self._hessian, self._sample = state.get("hessian"), int(state.get("sample", 1))


def among(known: Expansion, block: Block) -> Array | None:
    """The Hessian on the atoms of a block where it is known on these, or on multiples of them; else None.

    >>> from greedyhull.points.shapes import BasisBlock
    >>> known = Expansion(0.0, np.zeros(3), 0.0, {}, np.array([[1.0, 0.5], [0.5, 2.0]]), BasisBlock(3, [2, 0], [1.0, 1.0]))
    >>> among(known, BasisBlock(3, [0, 2], [1.0, -3.0]))
    array([[ 2. , -1.5],
           [-1.5,  9. ]])
    """
    if known.block is block or known.block is None or known.hessian is None:
        return known.hessian
    if len(known.block) == len(block) and list(known.block.keys) == list(block.keys):  # as after a resume
        return known.hessian
    if not isinstance(known.block, BasisBlock) or not isinstance(block, BasisBlock):
        return None
    told = known.block.scale != 0.0  # an atom that is zero, as the middle of a ball, tells nothing of its coordinate
    places = {j: i for i, j in enumerate(known.block.index.tolist()) if told[i]}
    asked = list(zip(block.index.tolist(), (block.scale != 0.0).tolist(), strict=True))
    if not told.any() or not all(j in places for j, counts in asked if counts):
        return None
    spare = int(told.argmax())
    where = np.array([places[j] if counts else spare for j, counts in asked], dtype=np.intp)
    ratio = block.scale / known.block.scale[where]
    return np.asarray(known.hessian[np.ix_(where, where)] * (ratio[:, None] * ratio))


class ExpandedTrial(LineTrial):
    """The steps of a reweighting, each seen whole: value, gradient and Hessian come in one call."""

    def __init__(self, f: ByExpansion, w: Iterate, move: Direction, block: Block | None, sample: int = 1) -> None:
        super().__init__(f, w, move)
        self.expanded, self.block, self.sample = f, block, sample

    @property
    def limit(self) -> float:
        return np.inf

    def value(self, step: float) -> float:
        view = self.expanded.at(self.w)
        x = view.after(self.move, step)
        found: Expansion = self.expanded.expansion(x, self.block, near=view.near, sample=self.sample)
        view.ahead = Ahead(self.move, step, x, step == 1.0, found, self.expanded.remembered(found))
        self.w.work.gradients += 1
        self.w.work.products += 2.0
        return found.value
