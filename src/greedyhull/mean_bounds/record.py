"""What a stochastic run leaves behind: steps and batches that were known in advance, e_1, the constants of the problem."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from greedyhull.atoms.base import ClosedOracle
from greedyhull.errors import check
from greedyhull.gradients.base import size
from greedyhull.steps import Power
from greedyhull.theory import Bound, Constant, Quantity
from greedyhull.types import Array


class StochasticRecord:
    """Steps η_1, …, η_T, tolerances, e_1 and constants of a run that returned w_{T+1}, or a mean of w_1, …, w_T."""

    def __init__(self, solution: Any) -> None:
        self.solution, self.solver = solution, solution.solver
        self.f, self.S, self.n = solution.objective, solution.atom_set, getattr(solution.objective, "n", None)
        first = int(solution.trace["iteration"][0])
        check(first == 1, f"The record begins at step {first}: the run was resumed, and what came before is not on it.")
        self.T = int(solution.iterations) - 1
        check(self.T >= 1, "No step was taken.")
        eta = getattr(self.solver, "eta", None) or (lambda k: self.solver.step.at(k - 1))
        self.eta = np.array([float(eta(k)) for k in range(1, self.T + 1)])

    @cached_property
    def constants(self) -> Any:
        return self.solution.constants

    @cached_property
    def e1(self) -> Constant:
        """The certified gap at w_1; where there is none that always holds, L_rms D, which is at least as large."""
        if self.solution.certificate.kind == "always":
            single = self.f.precise() is not self.f
            return Constant(float(self.solution.trace["gap"][0]), "estimated" if single else "upper bound", "e_1")
        L, D = self.constants.L_rms, self.constants.D
        return Constant(float(L) * float(D), "estimated" if "estimated" in (L.status, D.status) else "upper bound", "e_1")

    @cached_property
    def allowed(self) -> Array:
        """The solver's tolerances."""
        tolerance = self.solver.tolerance
        adaptive = any(float(tolerance(k, None)) != float(tolerance(k, 1.0)) for k in range(min(self.T, 3)))
        check(not adaptive, "The tolerance depends on the gap, which is not on the record of every step. Give a schedule.")
        return np.array([float(tolerance(k, None)) for k in range(self.T)])

    @cached_property
    def eps(self) -> Array:
        """What the answers may have been off at each step, at most: none where the set's oracle is exact."""
        if type(self.S.oracle(np.random.default_rng(0))) is ClosedOracle:  # one derived from it may err
            return np.zeros(self.T)
        own = getattr(self.S, "epsilon", None)
        check(not callable(own), "The oracle errs by a schedule of its own calls, which are not on the record.")
        known = own is not None or bool(self.allowed.any()) or not np.any(self.solution.trace["slack"] > 0.0)
        check(known, "The oracle's error at each step is not on the record.")
        return self.allowed if own is None else np.full(self.T, float(own))

    @property
    def c(self) -> Constant:
        """max ε_k/η_k."""
        value = float((self.eps / self.eta).max()) if self.eps.any() else 0.0
        return Constant(value, "upper bound" if value > 0.0 else "exact", "c")

    def sizes(self, batch: Any) -> Array:
        """b_k, infinite where the batch is all of the data."""
        b = np.array([float(size(batch, k, self.n)) for k in range(1, self.T + 1)])
        return np.where(b >= (np.inf if self.n is None else self.n), np.inf, b)

    def must_be_convex(self) -> None:
        check(getattr(self.f, "convex", True), "f is not known to be convex, so that only gaps can be spoken of.")

    @property
    def returns_mean(self) -> bool:
        """Whether the point that was returned is a mean of w_1, …, w_T."""
        return bool(getattr(self.solver, "averages", False) or getattr(getattr(self.solver, "look", None), "averages", False))

    def must_return_last(self) -> None:
        check(not self.returns_mean, "It is about the last point, and the run returned a mean of the points.")

    def bound(self, name: str, value: float, names: tuple[str, ...], formula: str, of: Quantity = "error",
              also: tuple[Constant, ...] = ()) -> Bound:
        given = (Constant(self.T, "exact", "t"), *(self.constants[n] for n in names), *also)
        check(bool(np.isfinite(value)), f"It is infinite: {', '.join(map(repr, given))}.")
        return Bound(name, value, given, formula, of, "expectation")


def fast_enough(run: StochasticRecord, batch: Any) -> float:
    """p, if η_k = k^−p with p < 1 and b_k ≥ η_k^−2 at every step."""
    rule = getattr(run.solver.step, "rule", run.solver.step)
    check(isinstance(rule, Power) and rule.p < 1.0, f"It is about steps k^−p with p < 1, and those were of {rule!r}.")
    short = np.flatnonzero(run.sizes(batch) < (1.0 - 1e-9) * run.eta**-2.0)
    k = int(short[0]) + 1 if short.size else 0
    check(k == 0, f"It asks for batches b_k ≥ η_k^−2, and that of step {k} was smaller.")
    return float(rule.p)
