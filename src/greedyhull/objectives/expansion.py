"""Objectives that return value, gradient and Hessian in one call."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from greedyhull.objectives.base import Objective
from greedyhull.objectives.lines import ExpandedLine, Parabola
from greedyhull.objectives.restricted import LineTrial, Restriction
from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.points.views import Along, Expanded, Expansion, Foreseen, no_point
from greedyhull.theory import Constant
from greedyhull.types import Array, AtomSet, Block, Line, State


class ExpandedRestriction(Restriction):
    """f(Σ αᵢ dᵢ) as a function of α: its Hessian comes with the expansion of the point that is tried."""

    f: ByExpansion

    def __init__(self, f: ByExpansion, block: Block) -> None:
        super().__init__(block)  # the Hessian of a quadratic is the same everywhere
        self.f = f
        self._sample = 1  # one row in how many the Hessian was last made from

    def extend(self, atoms: Block, w: Iterate) -> None:
        self.block, self._hessian = self.block.extend(atoms), None

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

    def trial(self, w: Iterate, base: Array, target: Array) -> LineTrial:
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
        # coordinates that may join next, at least, or half as many as there are atoms: more than join in most rounds
        few = min(max(24, len(block) // 2), int(np.count_nonzero(size >= 0.0)))
        if few == 0:
            return block
        likely = np.sort(np.argpartition(size, size.size - few)[size.size - few :])
        return block.extend(BasisBlock(size.size, likely, np.full(few, float(np.abs(block.scale).max()))))

    def state(self) -> State:
        return {"sample": np.array(self._sample), **({} if self._hessian is None else {"hessian": self._hessian})}

    def restore(self, state: State) -> None:
        self._hessian, self._sample = state.get("hessian"), int(state.get("sample", 1))


def among(known: Expansion, block: Block) -> Array | None:
    """The Hessian on the atoms of a block where it is known on these, or on multiples of them; else None."""
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
        view.ahead = Foreseen(self.move, step, x, (found, self.expanded.remembered(found)))
        self.w.work.gradients += 1
        self.w.work.products += 2.0
        return found.value


class ByExpansion(Objective):
    """f known by its expansions. To write: ``domain``, ``traits``, ``scale``, `expansion`, `rounding`, `curvature`, `precise`.

    The view of a point keeps its coordinates, the last expansion and that of the trial point, which a move takes over.
    """

    @abstractmethod
    def rounding(self, w: Iterate, S: AtomSet) -> float: ...
    @abstractmethod
    def curvature(self, S: AtomSet) -> Constant: ...
    @abstractmethod
    def precise(self) -> Objective: ...

    @abstractmethod
    def expansion(self, x: Array, block: Block | None, *, points: Along | None = None, near: Array | None = None,
                  here: bool = False, sample: int = 1) -> Expansion:
        """f and ∇f at x; its Hessian on the atoms of ``block``, if any; f at further ``points`` on a line.

        The Hessian may come from one row in ``sample``, if f is a sum over rows.
        ``near`` is what `remembered` returned for the point before, or for x itself where it is ``here``.
        """

    def remembered(self, found: Expansion) -> Array:
        """What helps to answer at the next point; it is saved with a run."""
        return np.zeros(0)

    def with_hessian(self, known: Expansion, x: Array, block: Block, sample: int) -> Expansion:
        """What is ``known`` at x, and the Hessian on ``block``."""
        return self.expansion(x, block, near=self.remembered(known), here=True, sample=sample)

    def sampled(self, sample: int, atoms: int) -> int:
        """One row in how many the Hessian on so many atoms may come from, if one in ``sample`` is wanted."""
        return 1

    def bend(self, x: Array, v: Array, end: float, near: Array) -> float:
        """A bound on h'' along x + ηv for 0 ≤ η ≤ end."""
        return np.inf

    # --- at a point -----------------------------------------------------------------------------------------------

    def at(self, w: Iterate) -> Expanded:
        try:
            return w.views.get(self) or w.view(self, lambda: Expanded(self.view_name))  # type: ignore[return-value]
        except AttributeError as error:
            raise no_point(self, w, error) from None

    view_name = "expanded"

    def known(self, w: Iterate, block: Block | None = None, sample: int = 1) -> Expansion:
        """The expansion at w, with the Hessian on ``block`` if one is given."""
        view = self.at(w)
        if view.known is None:
            view.known = self.expansion(view.x, block, near=view.near, here=view.here, sample=sample)
            view.near, view.here = self.remembered(view.known), True
            if block is None and view.kept is not None:  # a resumed run has it as it was: others might differ in the last bit
                hessian, of, rows = view.kept
                view.known = view.known._replace(hessian=hessian, block=of, sample=rows)
            view.kept = None
            w.work.gradients += 1
            w.work.products += 2.0
        elif block is not None and view.known.block is not block:
            view.known = self.with_hessian(view.known, view.x, block, sample)
            w.work.products += 1.0
        return view.known

    def value(self, w: Iterate) -> float:
        return self.known(w).value

    def gradient(self, w: Iterate) -> Array:
        return self.known(w).gradient

    def gradient_dot(self, w: Iterate) -> float:
        return self.known(w).dot

    def along(self, w: Iterate, move: Direction) -> Line:
        known, view = self.known(w), self.at(w)
        v = view.direction(move)
        line = ExpandedLine(self, w, v, float(known.gradient.ravel().dot(v.ravel())), move.max_step)
        if not self.traits.quadratic:
            return line
        value, slope, bend = line.look(np.zeros(1))[0].tolist()
        return Parabola(value, slope, max(bend, 0.0), move.max_step)

    def restricted(self, block: Block) -> Restriction:
        return ExpandedRestriction(self, block)

    def fresh(self, w: Iterate) -> bool:
        """Whether the coordinates of w were computed from its atoms, not carried along by moves."""
        return self.at(w).moves == 0

    def moves(self, w: Iterate) -> int:
        """How often coordinates were carried along.

        Where a second look at the same point would say more, so often as calls for one; not when this is asked there for the
        first time, for the next step may say as much.
        """
        view = self.at(w)
        if view.known is None or not view.known.rough:
            return view.moves
        stayed, view.stayed = view.stayed, True
        # moves, for which nobody would trust what they carried along
        return max(view.moves, (1 << 20)) if stayed else view.moves
