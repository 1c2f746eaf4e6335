"""Objectives that answer at coordinates, whoever computes: f, ∇f, the Hessian on a few atoms and f along a line in ONE call.

Where a call is a round trip, to a cluster or to another program, the number of calls is what a solve costs. So all that a
Newton step asks at a point is asked at once, and what was said at a point that is tried is kept for the move to it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.objectives.expanded_line import ExpandedLine
from greedyhull.objectives.expanded_small import ExpandedSmall
from greedyhull.objectives.line import Parabola
from greedyhull.points.asked_at import no_point
from greedyhull.points.direction import Direction
from greedyhull.points.expanded import Along, Expanded, Expansion
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, AtomSet, Block, Line, SecondOrder, Shape, Small, Traits
from greedyhull.types.override import KeepsSecondOrder, keeps, override

ROUGH = 1 << 20  # moves, for which nobody would trust what they carried along


class ByExpansion(ABC, KeepsSecondOrder):
    """f known by its expansions. To write: ``domain``, ``traits``, ``scale``, `expansion`, `rounding`, `curvature`, `precise`.

    The view of a point keeps its coordinates, the last expansion and that of the trial point, which a move takes over.
    """

    domain: Shape
    traits: Traits

    if TYPE_CHECKING:
        keeps(SecondOrder.domain, SecondOrder.traits)

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
        """The view of w that this objective keeps."""
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

    @override
    def value(self, w: Iterate) -> float:
        return self.known(w).value

    @override
    def gradient(self, w: Iterate) -> Array:
        return self.known(w).gradient

    @override
    def gradient_dot(self, w: Iterate) -> float:
        """⟨∇f(w), w⟩."""
        return self.known(w).dot

    @override
    def along(self, w: Iterate, move: Direction) -> Line:
        known, view = self.known(w), self.at(w)
        v = view.direction(move)
        line = ExpandedLine(self, w, v, float(known.gradient.ravel().dot(v.ravel())), move.max_step)
        if not self.traits.quadratic:
            return line
        value, slope, bend = line.look(np.zeros(1))[0].tolist()
        return Parabola(value, slope, max(bend, 0.0), move.max_step)

    @override
    def restricted(self, block: Block) -> Small:
        """f on the hull of a few atoms, as a function of their weights."""
        return ExpandedSmall(self, block)

    @override
    def start(self, S: AtomSet, rng: np.random.Generator) -> Iterate:
        w = Iterate.at(S.start(rng), S.shape)
        return w if np.isfinite(self.value(w)) else S.centre()

    @override
    def fresh(self, w: Iterate) -> bool:
        """Whether the coordinates of w were computed from its atoms, not carried along by moves."""
        return self.at(w).moves == 0

    @override
    def moves(self, w: Iterate) -> int:
        """How often coordinates were carried along.

        Where a second look at the same point would say more, so often as calls for one; not when this is asked there for the
        first time, for the next step may say as much.
        """
        view = self.at(w)
        if view.known is None or not view.known.rough:
            return view.moves
        stayed, view.stayed = view.stayed, True
        return max(view.moves, ROUGH) if stayed else view.moves
