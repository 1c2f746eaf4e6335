"""Which solver, when nobody said, and whether the one that was given can do with this problem."""

from __future__ import annotations

from greedyhull.errors import check
from greedyhull.types import AtomSet, Needs, Objective, Solver


def choose_solver(f: Objective, S: AtomSet) -> tuple[Solver, str]:
    """A solver and why: `Smoothed` where f has kinks, `Corrective` where it has a Hessian to reweight atoms with, else
    `BlendedPairwise`."""
    from greedyhull.solvers.blended_pairwise import BlendedPairwise
    from greedyhull.solvers.corrective import Corrective
    from greedyhull.solvers.smoothed import Smoothed

    if f.traits.terms == "stream":
        from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe

        return StochasticFrankWolfe(), f"StochasticFrankWolfe was chosen: {f!r} can only be sampled."
    if not f.traits.smooth:
        return Smoothed(), (f"Smoothed was chosen: {f!r} has kinks, where gradients mislead; smoothed less and less, it is "
                            "minimised by a smooth solver and certified as it is.")
    if f.traits.second_order:
        return Corrective(), f"Corrective was chosen: {f!r} has a Hessian, so many atoms can be reweighted at once."
    return BlendedPairwise(), (f"BlendedPairwise was chosen: {f!r} has no finite Hessian to reweight many atoms with, and "
                               "swapping weight between two of them needs none.")


def needs_of(solver: Solver) -> Needs:
    """What the solver asks of a problem. One that says nothing needs its atoms, and may say so by the older ``looks_back``."""
    told = getattr(solver, "needs", None)  # a user's class, which may be of the first edition
    if isinstance(told, Needs):
        return told
    return Needs(smooth=bool(getattr(solver, "needs_smooth", False)), atoms=bool(getattr(solver, "looks_back", True)))


def check_needs(f: Objective, solver: Solver) -> None:
    """Whether f has what the solver needs; if not, what is missing, and what to use instead."""
    needs, name = needs_of(solver), type(solver).__name__
    check(f.traits.smooth or not needs.smooth,
          lambda: f"{name} follows gradients, and {f!r} has kinks: there a subgradient may point nowhere, and the method can "
                  "stand still far from the minimum. Use Smoothed(), or RegularizedStochasticFrankWolfe() for minibatches.")
    check(f.traits.second_order or not needs.second_order,
          lambda: f"{name} reweights atoms by Newton steps, and {f!r} has no finite Hessian for them. Use BlendedPairwise().")
