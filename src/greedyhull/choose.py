"""Which solver, when nobody said: by what the objective and the set can do."""

from __future__ import annotations

from typing import Any

from greedyhull.errors import check
from greedyhull.types import AtomSet, Objective, Solver


def choose_solver(f: Objective, S: AtomSet) -> tuple[Any, str]:
    """A solver and why: `Smoothed` where f has kinks, `Corrective` where it has a Hessian to reweight atoms with, else
    `BlendedPairwise`."""
    from greedyhull.solvers.blended_pairwise import BlendedPairwise
    from greedyhull.solvers.corrective import Corrective
    from greedyhull.solvers.smoothed import Smoothed

    if getattr(f, "n", 0) is None:
        from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe

        return StochasticFrankWolfe(), f"StochasticFrankWolfe was chosen: {f!r} can only be sampled."
    if not getattr(f, "smooth", True):
        return Smoothed(), (f"Smoothed was chosen: {f!r} has kinks, where gradients mislead; smoothed less and less, it is "
                            "minimised by a smooth solver and certified as it is.")
    if getattr(f, "correctable", False):
        return Corrective(), f"Corrective was chosen: {f!r} has a Hessian, so many atoms can be reweighted at once."
    return BlendedPairwise(), (f"BlendedPairwise was chosen: {f!r} has no finite Hessian to reweight many atoms with, and "
                               "swapping weight between two of them needs none.")


def check_smooth(f: Objective, solver: Solver) -> None:
    """Whether the solver can do with the gradients of f: steps that follow a subgradient at a kink need not lead down."""
    check(getattr(f, "smooth", True) or not getattr(solver, "needs_smooth", False),
          lambda: f"{type(solver).__name__} follows gradients, and {f!r} has kinks: there a subgradient may point nowhere, "
                  "and the method can stand still far from the minimum. Use Smoothed(), or "
                  "RegularizedStochasticFrankWolfe() for minibatches.")
