"""Frank-Wolfe with away and pairwise steps: AwayStep, Pairwise, BlendedPairwise, DecompositionInvariant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from greedyhull.errors import GreedyhullError, hinted
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Dense
from greedyhull.solvers.parts.atom_refinement import AtomRefinement
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.schedules import tolerance_at, zero
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.solvers.parts.steps import Exact
from greedyhull.solvers.parts.working_set import move_if_lower, pairwise_within
from greedyhull.types import AtomSet, Needs, Objective, Schedule, Solver, StepRule


@hinted
@dataclass(frozen=True)
class AwayStep(Solver):
    """Away-step Frank-Wolfe: step toward the oracle's atom, or away from the worst active atom, whichever promises more.

    It is the literature's baseline; `BlendedPairwise` takes about as many iterations with fewer atoms.

    Parameters
    ----------
    step : step rule, default Exact()
        How far to go.

    Notes
    -----
    On a polytope and for strongly convex f the error falls by a constant factor in at least half of the steps
    (Guélat and Marcotte, 1986; Lacoste-Julien and Jaggi, 2015).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.AwayStep(), stop=gh.Gap(1e-9)).converged
    True
    """

    step: StepRule = field(default_factory=Exact)
    needs = Needs(smooth=True, one_owner=True)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        step, oracle = memory.step(self.step), memory.oracle(S)
        for k in memory.count(first=0):
            g, here = f.gradient(w), f.gradient_dot(w)
            answer, worst = oracle.argmin(g, enough=here - (f.value(w) - memory.steering_bound)), w.worst(g)
            gap = here - answer.atom.dot(g)
            yield Progress.of(w, gap, answer)
            away = len(w) > 1 and worst.score - here > gap
            move = w.away_from(worst) if away else w.toward(answer.atom)
            w.move(move, step(f.along(w, move), k))


@hinted
@dataclass(frozen=True)
class Pairwise(Solver):
    """Pairwise Frank-Wolfe: move weight from the worst active atom to the oracle's atom.

    It is the literature's baseline and keeps more atoms than `BlendedPairwise`, which swaps among those at hand first.

    Parameters
    ----------
    step : step rule, default Exact()
        How far to go, at most the weight of the worst atom.

    Notes
    -----
    On a polytope and for strongly convex f it converges linearly, but the theory counts swap steps that make no progress
    (Lacoste-Julien and Jaggi, 2015).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.Pairwise(), stop=gh.Gap(1e-9)).converged
    True
    """

    step: StepRule = field(default_factory=Exact)
    needs = Needs(smooth=True, one_owner=True)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        step, oracle = memory.step(self.step), memory.oracle(S)
        for k in memory.count(first=0):
            g, here = f.gradient(w), f.gradient_dot(w)
            answer = oracle.argmin(g, enough=here - (f.value(w) - memory.steering_bound))
            yield Progress.of(w, here - answer.atom.dot(g), answer)
            move = w.between(w.worst(g), answer.atom)
            w.move(move, step(f.along(w, move), k))


@hinted
@dataclass(frozen=True)
class BlendedPairwise(Solver):
    """Blended pairwise conditional gradients: move weight between active atoms, or add an atom, whichever promises more.

    If ⟨∇f, worst − best⟩ among the active atoms is at least the Frank-Wolfe gap, weight moves from the worst to the best;
    otherwise the step goes toward the oracle's atom. Over a product, weight moves between two atoms of one factor.

    Parameters
    ----------
    step : step rule, default Exact()
        How far to go. `Short` needs no values of f, `Backtracking` suits a black box.
    tolerance : schedule, default zero
        Error ε_k allowed to the oracle on the linear function.

    Notes
    -----
    On a polytope and for strongly convex f the error falls by a constant factor in at least half of the steps
    (Tsuji, Tanaka and Pokutta, 2022).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.BlendedPairwise(), stop=gh.Gap(1e-9))
    >>> s.converged
    True
    """

    step: StepRule = field(default_factory=Exact)
    tolerance: Schedule = zero
    needs = Needs(smooth=True)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        step, oracle, slide = memory.step(self.step), memory.oracle(S), AtomRefinement(f, S, memory)
        for k in memory.count(first=0):
            g = f.gradient(w)
            here, epsilon = f.gradient_dot(w), tolerance_at(self.tolerance, k, memory.gap)
            answer = oracle.argmin(g, tol=epsilon, enough=here - (f.value(w) - memory.steering_bound) + epsilon)
            worst, best = w.farthest(g)
            gap, local = here - answer.atom.dot(g), worst.score - best.score
            yield Progress.of(w, gap, answer, tolerance=epsilon)
            move = w.between(worst, best.atom) if local >= gap else w.toward(answer.atom)
            w.move(move, step(f.along(w, move), k))
            slide(w)


@hinted
@dataclass(frozen=True)
class DecompositionInvariant(Solver):
    """Decomposition-invariant conditional gradients: pairwise steps by the faces of the set.

    Weight moves from the worst atom of the smallest face that holds w to the oracle's atom. No atoms are kept, which pays only
    where the optimum mixes very many; elsewhere `Corrective` is faster.

    Parameters
    ----------
    step : step rule, default Exact()
        How far to go, at most until the boundary.

    Notes
    -----
    It runs over simplices, boxes and their products (``traits.faces``). For strongly convex f the error falls linearly, at a
    rate that depends on the non-zeros of the optimum and not on the dimension (Garber and Meshi, 2016).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.DecompositionInvariant(), stop=gh.Gap(1e-9))
    >>> s.converged
    True
    """

    step: StepRule = field(default_factory=Exact)
    needs = Needs(smooth=True, atoms=False, faces=True)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        step, oracle = memory.step(self.step), memory.oracle(S)
        if not S.traits.faces:
            raise GreedyhullError(f"{S!r} does not know its faces. Use BlendedPairwise() or Corrective().")
        for k in memory.count(first=0):
            if k == 0 and S.traits.spreads and not memory.warm and move_if_lower(f, w, Dense(S.centre().array())):
                w.refresh()  # what a resume would compute; a minimum near a corner is closer to the next atom
                if move_if_lower(f, w, S.atom(as_array(f.gradient(w), w.shape))):  # a resume repeats the oracle's answers
                    w.refresh()
            g, here = f.gradient(w), f.gradient_dot(w)
            answer = oracle.argmin(g)
            yield Progress.of(w, here - answer.atom.dot(g), answer)
            move = pairwise_within(S, w, g, answer.atom)
            w.move(move, step(f.along(w, move), k))
