"""Fully-corrective Frank-Wolfe: many atoms a round, their weights solved for together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from greedyhull.errors import GreedyhullError, check, hinted
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import least_of
from greedyhull.solvers.parts.atom_refinement import AtomRefinement
from greedyhull.solvers.parts.compiled_loop import CompiledRounds, compiled_coordinates, compiled_rounds
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.solvers.parts.working_set import EARLY, ROUNDING, Working, coordinate_rounds, exhausted, in_both, named
from greedyhull.types import Array, AtomSet, Gradient, Index, Needs, Objective, Solver


@hinted
@dataclass(frozen=True)
class Corrective(Solver):
    """Fully-corrective Frank-Wolfe: add the oracle's best atoms, then solve for the weights of all working atoms.

    The weights are solved for exactly if f is quadratic, and by Newton steps with a line search otherwise. Over a product the
    weights of each factor sum to one, and all factors are reweighted together. Over `Box`, `LinfBall`, `L2Ball`, `KSparse`,
    `HyperSimplex`, `Simplex` with bounds, `GroupedSimplex`, `GroupL1Ball` and small `Birkhoff`, `LinearProgram` and
    `Transport` no atoms are kept: Newton steps move many coordinates at once. It is the default for f with a Hessian.

    Parameters
    ----------
    batch : int, default 20
        Atoms looked at in a round, at least. More atoms take fewer rounds, each with a larger small problem.
    steps : int, default 5
        Newton steps in a round, at most. A quadratic takes one. More steps pay where gradients are expensive.

    Notes
    -----
    For quadratics a round does at least as well as a Frank-Wolfe step with exact line search: the error is at most 2M/(k + 3).
    For other f `Solution.bounds` says whether the rounds did as well.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(4), np.array([2.0, 1.0, 0.0, 0.0]))
    >>> gh.minimize(f, gh.L1Ball(4, radius=2), gh.Corrective()).point.array()
    array([1.5, 0.5, 0. , 0. ])
    """

    batch: int = 20
    steps: int = 5
    needs = Needs(smooth=True, second_order=True, regions=True)

    def __post_init__(self) -> None:
        check(self.batch >= 1 and self.steps >= 1, f"batch and steps of Corrective must be integers of at least 1; got "
                                                   f"{self.batch!r} and {self.steps!r}.")

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        if not f.traits.second_order:
            raise GreedyhullError(f"Corrective reweights atoms by Newton steps, and {f!r} has no finite Hessian for them. Use "
                                  "BlendedPairwise().")
        compiled: CompiledRounds | None = None
        if "fallback" not in memory.arrays and w.keeps_atoms:
            compiled = compiled_rounds(f, S, w, self.batch, self.steps)
        elif "fallback" not in memory.arrays:
            compiled = compiled_coordinates(f, S, w, self.steps, memory.k == 0 and not memory.warm)
        if compiled is not None:
            continues = yield from memory.part("rounds", lambda: compiled).run(f, w, memory)
            if not continues:
                return
        memory.arrays["fallback"] = np.array(memory.k)  # where the core can do no more, Python continues, resumed or not
        yield from in_both(f, w, memory, lambda f: self._rounds(f, S, w, memory))

    def _rounds(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        if not w.keeps_atoms:
            yield from coordinate_rounds(f, S, w, memory, self.steps)
            return
        oracle, slide = memory.oracle(S), AtomRefinement(f, S, memory)
        working: Working = memory.part(named("working", memory), lambda: Working(f, w))
        for _ in memory.count(first=0):
            g = f.gradient(w)
            asked, owners = max(self.batch, len(w)), S.traits.owners
            found = oracle.best(g, 1 if slide.slides else asked if owners == 1 else 1 + asked // owners)
            atoms, scores = found.atoms, found.atoms.dots(g)
            estimate = f.gradient_dot(w) - least_of(scores, found.owners)
            yield Progress.of(w, estimate, found)
            if exhausted(f, S, w, estimate):
                return
            if slide.slides and slide.after_step(w, atoms[0]):
                working.begin(w)
                continue
            gap = max(estimate, ROUNDING * (abs(f.value(w)) + abs(f.gradient_dot(w))))  # atoms may promise nothing
            early = gap > EARLY * abs(f.value(w))
            if not early:  # only those that promise something
                atoms = atoms.take((scores < _promising(w, g, f.gradient_dot(w), gap, found.owners)).nonzero()[0])
            working.join(w, atoms)
            working.reweight(w, gap, self.steps, early)


def _promising(w: Iterate, g: Gradient, here: float, gap: float, owners: Index | None) -> Array | float:
    """The score below which an atom joins: ⟨∇f, w⟩ less a share of the gap, of each owner where there are several."""
    share = 0.05 * gap
    if owners is None or w.owners is None:
        return here - share
    own = np.bincount(w.owners, weights=w.weights * w.scores(g))
    return np.asarray(own[owners] - share / len(own))
