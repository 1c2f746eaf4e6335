"""Which solver, when nobody said: by what the objective and the set can do."""

from __future__ import annotations

from typing import Any


def choose_solver(f: Any, S: Any) -> tuple[Any, str]:
    """A solver and why: `Corrective` where f has a Hessian to reweight atoms with, else `BlendedPairwise`."""
    from greedyhull.solvers.blended_pairwise import BlendedPairwise
    from greedyhull.solvers.corrective import Corrective

    if getattr(f, "correctable", False):
        return Corrective(), f"Corrective was chosen: {f!r} has a Hessian, so many atoms can be reweighted at once."
    return BlendedPairwise(), (f"BlendedPairwise was chosen: {f!r} has no finite Hessian to reweight many atoms with, and "
                               "swapping weight between two of them needs none.")
