"""What holds in expectation for `VarianceReducedJones`: the recursion of its estimator, and the rate with SVRG."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

import numpy as np

from greedyhull.driver.bounds.mean.record import StochasticRecord
from greedyhull.errors import GreedyhullError, check
from greedyhull.solvers.gradients import Svrg
from greedyhull.solvers.parts.steps import OpenLoop
from greedyhull.solvers.variance_reduced_jones import VarianceReducedJones
from greedyhull.theory import Along, Bound, Theorems, variance_reduced_jones_rate
from greedyhull.theory.expected import following
from greedyhull.theory.reduced import doubled
from greedyhull.types import Array
from greedyhull.types.kinds import listed


class ReducedRecord(StochasticRecord[VarianceReducedJones]):
    """A run that compares values of a model: where atoms are listed it is the solver's own search that errs."""

    @cached_property
    def eps(self) -> Array:
        return self.allowed if listed(self.S) is not None else super().eps


Run: TypeAlias = ReducedRecord


def _expected(run: Run) -> Iterator[Bound]:
    run.must_be_convex()
    by_values = listed(run.S) is not None
    known = doubled({**run.constants, "V": run.V}) if by_values else run.constants  # else the steps are those of Frank-Wolfe
    at = Along(known, run.n, float(run.e1))
    E = following(run.solver.estimator, at, run.eta, run.eps)
    also = (run.V, run.e1) if by_values else (run.e1,)
    formula = f"E ← (1 − η_k)E + η_k(ν_k + ε_k) + ({'½(M + V)' if by_values else 'M/2'})η_k², from e_1"
    if run.returns_mean:  # that of a regret: w_k has weight k
        k = np.arange(1.0, run.T + 1.0)
        mean = float(k @ E[:-1] / k.sum())
        yield run.bound("Variance-reduced Jones (mean)", mean, tuple(at.used), f"Σ kE_k/Σ k; {formula}", also=also)
    else:
        yield run.bound("Variance-reduced Jones (recursion)", float(E[-1]), tuple(at.used), formula, also=also)


def _svrg(run: Run) -> Iterator[Bound]:
    run.must_be_convex()
    run.must_return_last()
    given, n = run.solver.estimator, run.n
    if not (isinstance(given, Svrg) and given.epoch is None and run.solver.step == OpenLoop() and n is not None):
        raise GreedyhullError("It is about Svrg(batch), snapshots at 1, 2, 4, …, with steps OpenLoop().")
    k = np.arange(1, run.T + 1)
    b = np.full(run.T, np.inf) if given.batch is None else run.sizes(given.batch)
    check(bool(np.all((b >= 16 * (k + 1)) | (k <= 2) | (2 * b >= n))), "It asks for batches of at least 16(k + 1) terms.")
    value = variance_reduced_jones_rate(float(run.constants.L_max), float(run.constants.D), run.T + 1, float(run.c))
    yield run.bound("Variance-reduced Jones (rate)", float(value), ("L_max", "D"), "6(LD² + c)/(t + 2)", also=(run.c,))


REDUCED = Theorems(ReducedRecord, {
    "Variance-reduced Jones (recursion)": _expected,
    "Variance-reduced Jones (rate)": _svrg,
})
