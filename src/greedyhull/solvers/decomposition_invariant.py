"""Decomposition-invariant conditional gradients: pairwise steps without a list of atoms, by the faces of the set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from greedyhull.errors import GreedyhullError
from greedyhull.errors.hinted import hinted
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Dense
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.steps import Exact
from greedyhull.solvers.parts.within_faces import pairwise_within
from greedyhull.types import Atom, AtomSet, Needs, Objective, Solver, StepRule
from greedyhull.types.kinds import faced
from greedyhull.types.override import KeepsSolver, keeps, override


@hinted
@dataclass(frozen=True)
class DecompositionInvariant(KeepsSolver):
    """Decomposition-invariant conditional gradients: pairwise steps by the faces of the set.

    Weight moves from the worst atom of the smallest face that holds w to the oracle's atom. No atoms are kept, so memory and
    the cost of a step do not grow with the number of atoms that the optimum mixes. It pays where that is very large, and
    only there; elsewhere `Corrective` is faster.

    Parameters
    ----------
    step : step rule, default Exact()
        How far to go, at most until the boundary.

    See Also
    --------
    Corrective : Usually faster where few atoms suffice.
    BlendedPairwise : The same steps among atoms that are kept, for any set.

    Notes
    -----
    Sets say that they know their faces by ``traits.faces``: simplices, boxes, their products. For strongly convex f the error
    falls linearly, with a constant that depends on the number of non-zeros of the optimum and not on the dimension
    (Garber and Meshi, 2016; with line search and for general polytopes Bashiri and Zhang, 2017).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.DecompositionInvariant(), stop=gh.Gap(1e-9))
    >>> s.converged
    True
    """

    step: StepRule = field(default_factory=Exact)
    needs = Needs(smooth=True, atoms=False, faces=True)

    if TYPE_CHECKING:
        keeps(Solver.needs)

    @override
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        P, step, oracle = faced(S), memory.step(self.step), memory.oracle(S)
        if P is None:
            raise GreedyhullError(f"{S!r} does not know its faces. Use BlendedPairwise() or Corrective().")
        for k in memory.count(first=0):
            if k == 0 and S.traits.spreads and not memory.warm:
                _go_inside(f, S, w)
            g, here = f.gradient(w), f.gradient_dot(w)
            answer = oracle.argmin(g)
            yield Progress.of(w, here - answer.atom.dot(g), answer)
            move = pairwise_within(P, w, g, answer.atom)
            w.move(move, step(f.along(w, move), k))


def _go_inside(f: Objective, S: AtomSet, w: Iterate) -> None:
    """Go to the centre where f is lower there: a step takes in one atom, and a minimum may mix very many. If f is still lower
    at the atom that its gradient there names, the minimum is near a corner."""
    if _go(f, w, Dense(S.centre().array())):
        _go(f, w, S.atom(as_array(f.gradient(w), w.shape)))  # not the run's oracle, whose answers a resume repeats


def _go(f: Objective, w: Iterate, there: Atom) -> bool:
    """Go where f is lower; whether it is."""
    move = w.toward(there)
    line = f.along(w, move)
    if not (line.limit > 1.0 and line.value(1.0) < f.value(w)):
        return False
    w.move(move, 1.0)
    w.refresh()  # what a resume would compute
    return True
