"""What a solver needs of a problem, and whether it is there."""

from __future__ import annotations

from greedyhull.errors import check
from greedyhull.types import AtomSet, Needs, Objective, Solver


def needs_of(solver: Solver) -> Needs:
    """What the solver asks of a problem. One that says nothing needs its atoms, and may say so by the older ``looks_back``."""
    told = getattr(solver, "needs", None)  # a user's class, which may be of the first edition
    if isinstance(told, Needs):
        return told
    return Needs(smooth=bool(getattr(solver, "needs_smooth", False)), atoms=bool(getattr(solver, "looks_back", True)))


def check_needs(f: Objective, S: AtomSet, solver: Solver) -> None:
    """Whether f and S have what the solver needs; if not, what is missing, and what to use instead."""
    needs, name = needs_of(solver), type(solver).__name__
    check(f.traits.smooth or not needs.smooth,
          lambda: f"{name} follows gradients, and {f!r} has kinks: there a subgradient may point nowhere, and the method can "
                  "stand still far from the minimum. Use Smoothed(), or RegularizedStochasticFrankWolfe() for minibatches.")
    check(f.traits.second_order or not needs.second_order,
          lambda: f"{name} reweights atoms by Newton steps, and {f!r} has no finite Hessian for them. Use BlendedPairwise().")
    check(not needs.one_owner or S.traits.owners == 1,
          lambda: f"{name} moves weight between any two atoms, and a point of {S!r} has {S.traits.owners} owners, whose "
                  "weights sum to one each. Use BlendedPairwise() or Corrective().")
