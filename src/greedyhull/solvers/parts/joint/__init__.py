"""The joint choice of a step and an atom: closed form for quadratics, branch and bound for any convex f.

A Jones step minimises f itself, where a Frank-Wolfe step minimises its linearisation. Each way to choose has two
methods: ``jointly`` minimises over η and the atom, ``at`` over the atom at a given η. Both return a `Choice`, whose
error is proved.
"""

from __future__ import annotations

from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.joint.choice import Choice, Mover, closed, searched
from greedyhull.solvers.parts.joint.closed_form import ClosedForm
from greedyhull.solvers.parts.joint.pairs import ListedPairs, VertexPairs, swaps
from greedyhull.solvers.parts.joint.search import BranchAndBound, Vertex, search, search_at
from greedyhull.solvers.parts.memory import Memory
from greedyhull.types import AtomSet, Objective
from greedyhull.types.kinds import listed

__all__ = ["BranchAndBound", "Choice", "ClosedForm", "ListedPairs", "Mover", "Vertex", "VertexPairs", "closed", "search",
           "search_at", "searched", "swaps", "toward"]


def toward(f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> ClosedForm | BranchAndBound | Vertex:
    """How to choose among the moves toward the atoms of S."""
    atoms, quadratic = listed(S), closed(f)
    if atoms is None:
        return Vertex(f, S)
    if quadratic is None:
        return BranchAndBound(f, atoms)
    form: ClosedForm = memory.part("joint", lambda: ClosedForm(quadratic, atoms, w))
    return form
