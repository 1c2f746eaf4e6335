"""Pairwise Jones: of all swaps of weight between two atoms, the one that lowers f most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from greedyhull.errors.hinted import hinted
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.joint import Mover, swaps
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.schedules import tolerance_at, zero
from greedyhull.types import AtomSet, CautiousSolver, Needs, Objective, Schedule, Step
from greedyhull.types.override import KeepsCautiousSolver, keeps, override


@hinted
@dataclass(frozen=True)
class PairwiseJones(KeepsCautiousSolver):
    """Pairwise Jones: make the swap of weight between two atoms that lowers f most.

    w ← w + η(d − d') with η, the atom d to add and the atom d' of w to drop chosen jointly, or w ← w + η(d − w) where that is
    lower. For quadratics over listed atoms all swaps are compared, in closed form. Otherwise d is the oracle's atom, and d'
    and η are chosen to within a tenth of the best decrease.

    Parameters
    ----------
    tolerance : schedule, default zero
        Error ε_k allowed to the oracle on the linear function, as for `FrankWolfe`.

    See Also
    --------
    BlendedPairwise : Chooses swaps by gradients; much cheaper steps.
    Jones : Steps toward one atom, without swaps.

    Notes
    -----
    A step is never worse than a Frank-Wolfe step with line search, so the error is at most 2M/(k + 3) with an exact oracle.
    If f is strongly convex, *every* step lowers the error by a factor of at least 1 − κ/(2a(2 + κ)), a the number of atoms in
    the point, including the steps that drop an atom (`theory.pairwise_jones_rate`).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(3), np.array([0.9, 0.6, -0.5]))
    >>> gh.minimize(f, gh.L1Ball(3, radius=1), gh.PairwiseJones(), stop=gh.Gap(1e-12)).point.array().round(9)
    array([ 0.56666667,  0.26666667, -0.16666667])
    """

    tolerance: Schedule = zero
    needs = Needs(one_owner=True)

    if TYPE_CHECKING:
        keeps(CautiousSolver.needs)

    @override
    def cautions(self, f: Objective, S: AtomSet) -> Iterator[str]:
        if not f.traits.smooth:
            yield (f"Theorem 2 needs a finite curvature, and {f!r} has kinks: this greedy choice by values may stall "
                   "above the minimum. Smoothed() converges.")

    @override
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        oracle, choose = memory.oracle(S), self.mover(f, S, w, memory)
        for k in memory.count(first=0):
            g = f.gradient(w)
            epsilon = tolerance_at(self.tolerance, k, memory.gap)
            answer = oracle.argmin(g, tol=epsilon)
            yield Progress.of(w, f.gradient_dot(w) - answer.atom.dot(g), answer, tolerance=epsilon)
            move, eta, _, _ = choose(w, answer, k)
            w.move(move, eta)

    def mover(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory, step: Step | None = None) -> Mover:
        """The choice of (η, d, d') at w_k, given the oracle's answer there."""
        pairs = swaps(f, S, w, memory)
        return lambda w, answer, k: pairs.best(w, answer)
