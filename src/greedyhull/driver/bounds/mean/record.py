"""What a stochastic run leaves behind: steps and batches that were known in advance, e_1, the constants of the problem."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Generic, Protocol, TypeVar, cast

import numpy as np

from greedyhull.atoms.closed_oracle import ClosedOracle
from greedyhull.atoms.inexact import Inexact
from greedyhull.atoms.wrapped import Wrapped
from greedyhull.driver.bounds.mean.in_advance import sizes_of, steps_of, tolerances_of
from greedyhull.driver.bounds.solved import Solved
from greedyhull.errors import GreedyhullError, check
from greedyhull.measures.spread import jones_variance
from greedyhull.solvers.gradients.base import Size
from greedyhull.solvers.parts.looks import Look
from greedyhull.solvers.parts.rules import APriori
from greedyhull.solvers.parts.steps import Capped, Power
from greedyhull.theory import Bound, Constant, Constants, Quantity
from greedyhull.types import Array, AtomSet, Objective, Schedule, Solver, StepRule
from greedyhull.types.kinds import summed


class Sampling(Solver, Protocol):
    """What the stochastic solvers have in common."""

    @property
    def step(self) -> StepRule: ...
    @property
    def tolerance(self) -> Schedule: ...
    @property
    def look(self) -> Look: ...


Sampler = TypeVar("Sampler", bound=Sampling)


class StochasticRecord(Generic[Sampler]):
    """Steps η_1, …, η_T, tolerances, e_1 and constants of a run that returned w_{T+1}, or a mean of w_1, …, w_T."""

    def __init__(self, solution: Solved) -> None:
        self.solution = solution
        self.solver = cast(Sampler, solution.solver)  # it is the solver that named this record
        self.f: Objective = solution.objective
        self.S: AtomSet = solution.atom_set
        whole = summed(self.f)
        self.n = None if whole is None else whole.n
        first = int(solution.trace["iteration"][0])
        check(first == 1, f"The record begins at step {first}: the run was resumed, and what came before is not on it.")
        self.T = int(solution.iterations) - 1
        check(self.T >= 1, "No step was taken.")
        self.eta = steps_of(self.rule, self.T)

    @property
    def rule(self) -> APriori:
        """The schedule of the steps η_k."""
        return scheduled(self.solver.step)

    @cached_property
    def constants(self) -> Constants:
        return self.solution.constants

    @cached_property
    def V(self) -> Constant:
        """The lesser of M and what is known of the variance of a minimiser's atoms, the constant of Jones' choice."""
        try:
            found = jones_variance(self.f, self.S)
        except GreedyhullError:
            found = self.constants.M
        return Constant(min(float(found), float(self.constants.M)), "estimated" if found.status == "estimated" else
                        "upper bound", "V")

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
        return tolerances_of(tolerance, self.T)

    @cached_property
    def eps(self) -> Array:
        """What the answers may have been off at each step, at most: none where the set's oracle is exact."""
        if type(self.S.oracle(np.random.default_rng(0))) is ClosedOracle:  # one derived from it may err
            return np.zeros(self.T)
        own = _own_error(self.S)
        if callable(own):
            raise GreedyhullError("The oracle errs by a schedule of its own calls, which are not on the record.")
        known = own is not None or bool(self.allowed.any()) or not np.any(self.solution.trace["slack"] > 0.0)
        check(known, "The oracle's error at each step is not on the record.")
        return self.allowed if own is None else np.full(self.T, float(own))

    @property
    def c(self) -> Constant:
        """max ε_k/η_k."""
        value = float((self.eps / self.eta).max()) if self.eps.any() else 0.0
        return Constant(value, "upper bound" if value > 0.0 else "exact", "c")

    def sizes(self, batch: Size) -> Array:
        """b_k, infinite where the batch is all of the data."""
        return sizes_of(batch, self.eta, self.n)

    def must_be_convex(self) -> None:
        check(self.f.traits.convex, "f is not known to be convex, so that only gaps can be spoken of.")

    @property
    def returns_mean(self) -> bool:
        """Whether the point that was returned is a mean of w_1, …, w_T."""
        return self.solver.look.averages

    def must_return_last(self) -> None:
        check(not self.returns_mean, "It is about the last point, and the run returned a mean of the points.")

    def bound(self, name: str, value: float, names: tuple[str, ...], formula: str, of: Quantity = "error",
              also: tuple[Constant, ...] = ()) -> Bound:
        given = (Constant(self.T, "exact", "t"), *(self.constants[n] for n in names), *also)
        check(bool(np.isfinite(value)), f"It is infinite: {', '.join(map(repr, given))}.")
        return Bound(name, value, given, formula, of, "expectation")


def scheduled(step: StepRule) -> APriori:
    """The schedule that sets the steps, or holds them back."""
    rule = step.rule if isinstance(step, Capped) else step
    if not isinstance(rule, APriori):
        raise GreedyhullError(f"{rule!r} does not set its steps in advance.")
    return rule


def _own_error(S: AtomSet) -> float | Callable[[int], float] | None:
    """The error that an oracle makes on purpose, where it has one of its own."""
    while isinstance(S, Wrapped):
        if isinstance(S, Inexact):
            return S.epsilon
        S = S.S
    return None


def fast_enough(run: StochasticRecord[Sampler], batch: Size) -> float:
    """p, if η_k = k^−p with p < 1 and b_k ≥ η_k^−2 at every step."""
    rule = scheduled(run.solver.step)
    if not (isinstance(rule, Power) and rule.p < 1.0):
        raise GreedyhullError(f"It is about steps k^−p with p < 1, and those were of {rule!r}.")
    short = np.flatnonzero(run.sizes(batch) < (1.0 - 1e-9) * run.eta**-2.0)
    k = int(short[0]) + 1 if short.size else 0
    check(k == 0, f"It asks for batches b_k ≥ η_k^−2, and that of step {k} was smaller.")
    return float(rule.p)
