"""What holds in expectation for `MoreauFrankWolfe`: the rate of the run whose mean was returned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np

from greedyhull.atoms.inexact import Inexact
from greedyhull.atoms.wrapped import Wrapped
from greedyhull.driver.bounds.solved import Solved
from greedyhull.errors import check
from greedyhull.measures.steepness import steepness
from greedyhull.solvers.moreau_frank_wolfe import MoreauFrankWolfe
from greedyhull.theory import Bound, Constant, Theorems
from greedyhull.types import AtomSet


def _rate(solution: Solved) -> Iterator[Bound]:
    """Steps are counted as in the solver's `Pair`."""
    check(int(solution.trace["iteration"][0]) == 1, "The run was resumed, and what came before is not on the record.")
    f, S, solver = solution.objective, solution.atom_set, cast(MoreauFrankWolfe, solution.solver)
    check(not _errs(S) and not np.any(solution.trace["slack"] > 0.0),
          "It is about an oracle that errs by no more than it is allowed to, and this one may.")
    D, L = S.sizes().diameter, steepness(f, S, solver.first(f, S).array()).L
    if solver.lipschitz is not None:
        L = Constant(solver.lipschitz, "upper bound", "L")
    N, k, last = solver.horizon, int(solution.iterations) - 1, 0
    while k >= N:
        N, k, last = 2 * N, k - N, N
    if k == 0 or (last and 4 * k < 3 * N):
        N = k = last
    check(k > 0, "No step was taken.")
    yield Bound("Moreau envelope (rate)", solver.rate(N, float(L), float(D), k), (L, D, Constant(N, "exact", "N"),
                Constant(k, "exact", "k")), "2.55λL² + 10.8D²/(k(k + 1)λ), λ the best for k = N", kind="expectation")


def _errs(S: AtomSet) -> bool:
    """Whether the oracle makes an error of its own, whatever the solver tolerates."""
    return isinstance(S, Wrapped) and ((isinstance(S, Inexact) and S.epsilon is not None) or _errs(S.S))


MOREAU = Theorems(lambda solution: solution, {"Moreau envelope (rate)": _rate})
