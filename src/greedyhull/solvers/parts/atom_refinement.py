"""Atoms that have parameters slide: after a step the set may propose a better point near the iterate."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.matrices import MatrixModel
from greedyhull.points.factors import apart
from greedyhull.points.iterate import Iterate, owners_agree, wrong_weights
from greedyhull.points.shapes import RankOneBlock
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import Atom, AtomSet, Objective


class AtomRefinement:
    """``S.slide(f, w)`` at work in one solve, for sets whose atoms slide."""

    def __init__(self, f: Objective, S: AtomSet, memory: SolverState) -> None:
        self.f, self.S, self.slides, self.memory = f, S, S.traits.slides, memory

    def __call__(self, w: Iterate) -> bool:
        """Move w to the point that the set proposes if that is better, or write many atoms as few; whether w moved."""
        if not self.slides or not w.keeps_atoms:
            return False
        given = w.copy()  # which the set may change
        given.work = w.work
        found = self.S.slide_within(self.f, given, self.memory.limit.gap(self.f.value(w)))
        target = None if found is None else self._checked(found, w)
        if target is None or not self._improves(w, target):
            target = self._in_fewer_atoms(w)
        if target is None:
            return False
        step = w.step
        w.become(target)
        w.step = step
        return True

    def after_step(self, w: Iterate, atom: Atom) -> bool:
        """Refine from where a Frank-Wolfe step toward ``atom`` leads; where f does not fall below that point, w stays."""
        stepped = w.copy()
        stepped.work = w.work
        move = stepped.toward(atom)
        stepped.move(move, float(self.f.along(stepped, move).argmin()))
        if not self(stepped):
            return False
        w.become(stepped)
        return True

    def _in_fewer_atoms(self, w: Iterate) -> Iterate | None:
        """The same point in far fewer atoms, if it has many and the set knows how: memory stays what the point needs."""
        if len(w) <= 64 or not self.S.traits.compresses:
            return None
        given, same = w.copy(), 1e-12  # of the size of the atoms: by how much equal points may differ
        block, weights = self.S.compressed(given.block, given.weights, same)
        if len(block) > 0.75 * len(w):
            return None
        fewer = self._checked(Iterate(block, weights, w.shape), w)
        off, size = apart(w, fewer)
        return fewer if off <= same * size else None

    def _checked(self, found: object, w: Iterate) -> Iterate:
        """A copy of the set's proposal, checked to be a point of its hull."""
        S = self.S
        if not isinstance(found, Iterate):
            raise GreedyhullError(f"slide(f, w) of {S!r} returned a {type(found).__name__}; an Iterate of its atoms is "
                                  "wanted, or None.")
        check(found.keeps_atoms and found.shape == w.shape, lambda: f"slide(f, w) of {S!r} returned {found!r}; a point of "
              f"shape {w.shape} with its atoms and weights is wanted.")
        wrong = None if owners_agree(found, S) else "it has other owners than the set"
        wrong = wrong or (wrong_weights(found, len(found)) if len(found) else "it has no atoms")
        target = found
        if wrong is None:
            target = found.copy().merged()
            target.refresh()
            wrong = self._outside(target)
        check(wrong is None, lambda: f"slide(f, w) of {S!r} returned a point that is no mixture of its atoms: {wrong}. Change "
                                     "the parameters of atoms within their range, and keep weights that sum to one.")
        target.work = w.work
        return target

    def _outside(self, target: Iterate) -> str | None:
        """The fault of the atoms of a mixture, if any: later steps move weight between them."""
        S, owners = self.S, target.owners
        if not isinstance(target.block, RankOneBlock):  # whose numbers are looked at, not the matrix
            try:
                finite = bool(np.isfinite(target.absolute()).all())
            except (ValueError, IndexError):  # a block of its own is only looked at here
                return f"its atoms have another shape than {S.shape}"
            if not finite:
                return "its atoms are not finite"
        inside = S.contains_quickly(target)
        if inside is not None and not inside:
            return "it lies outside the set"
        atoms = () if inside is None or owners is not None else (target.block[i] for i in range(len(target)))
        kept = all(S.contains_quickly(Iterate.at(d, S.shape)) for d in atoms)
        return None if kept else "one of its atoms lies outside the set"

    def _improves(self, w: Iterate, target: Iterate) -> bool:
        """Whether f is smaller at ``target`` beyond rounding, or else, whether the gap there is at most half as large. That
        bounds the error, and so it happens in few rounds only."""
        exact = self.f.precise()
        here = w if exact is self.f else w.copy()
        fall = exact.value(here) - exact.value(target)
        allowance = exact.rounding(here, self.S) + exact.rounding(target, self.S)
        if not abs(fall) <= allowance:
            return fall > max(allowance, 0.0)
        if isinstance(exact, MatrixModel) and exact.surely_falls(here, target, self.S):
            return True
        return exact.traits.convex and self._gap(exact, target) <= 0.5 * self._gap(exact, here)

    def _gap(self, f: Objective, w: Iterate) -> float:
        """⟨∇f, w − d⟩ for the best atom d that the set finds, not proved to be the best."""
        g: Any = f.gradient(w)
        self.memory.extra_lmo_calls += 1
        return f.gradient_dot(w) - float(self.S.atom(g).dot(g))
