"""Which solver, when nobody said: by what the objective and the set can do."""

from __future__ import annotations

from typing import Any


def choose_solver(f: Any, S: Any) -> Any:
    """`Corrective` where f has a finite Hessian to solve small problems with, else `BlendedPairwise`."""
    from greedyhull.solvers.blended_pairwise import BlendedPairwise
    from greedyhull.solvers.corrective import Corrective

    return Corrective() if hasattr(f, "restricted") and f.correctable else BlendedPairwise()
