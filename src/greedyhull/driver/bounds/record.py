"""What a run left behind: values, certificates, steps, batches and constants."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.atoms.base import ClosedOracle
from greedyhull.atoms.wrapped import Inexact, Wrapped
from greedyhull.driver.trace import MOST
from greedyhull.errors import GreedyhullError, check
from greedyhull.measures.constants import jones_variance
from greedyhull.objectives.minibatches import count_of
from greedyhull.solvers.gradients.base import Size, size
from greedyhull.solvers.parts.steps import APriori, Capped, OpenLoop, Power
from greedyhull.theory import Bound, Constant, Constants, Quantity, line_search_rate, rate
from greedyhull.types import Array, AtomSet, Kind, Objective, StepRule, optional

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

SHARE = 1e-3  # the part of a bound that its steps may fall short by in all


class Counted(NamedTuple):
    """The steps that did what a rate asks for, and what all steps together fell short by."""

    steps: tuple[int, ...]
    short: float


class Record:
    """What a run left behind: f(w_k), certified gaps and slacks for k = 0, …, K, the steps between, its constants."""

    def __init__(self, solution: Solution) -> None:
        self.f: Objective = solution.objective
        self.S: AtomSet = solution.atom_set
        self.solver = optional(solution.solver, "solver") or solution.solver  # Aggregated takes the steps of another
        self.rule = optional(self.solver, "step")
        self.open_loop = two_over(self.rule)
        trace, certificate = solution.trace, solution.certificate
        self.values, self.gaps, self.slacks = (np.asarray(trace[c], dtype=np.float64) for c in ("value", "gap", "slack"))
        self.K = len(self.values) - 1
        check(self.K >= 1, "No step was taken.")
        self.etas = np.asarray(trace["step"], dtype=np.float64)[: self.K]
        sure = certificate.kind in ("always", "probability")
        check(sure, f"Its gaps are of kind {certificate.kind!r}, and the proofs need lower bounds of min f.")
        k = trace["iteration"]
        consecutive = bool(np.all(np.diff(k) == 1))
        check(consecutive or k[-1] - k[0] < MOST, f"The run was long, so that its trace keeps {len(k)} rows of "
              f"{k[-1] - k[0] + 1}. This proof needs every step. The certified gap holds as it is.")
        whole = np.isfinite(self.values).all() and np.isfinite(self.gaps).all() and consecutive
        check(bool(whole), "The trace does not hold a value and a finite gap for every step.")
        self.slacks = np.where(np.isfinite(self.slacks), self.slacks, self.gaps)
        single = self.f.precise() is not self.f  # gaps underway are then known to float32 only
        self.kind: Kind = "estimate" if single else certificate.kind
        # what rounding may do to f in a step, relative to its size
        self.noise = (2.0**29 if single else 1.0) * 1e-13 * float(np.abs(self.values).max() + self.gaps[0])
        best = self.values[-1] - (self.values - self.gaps).max()
        self.after: dict[Quantity, float] = {"error": max(certificate.value - self.values[-1], 0.0),  # recomputed at the end
                                             "certified gap": max(certificate.gap - best, 0.0)}
        self.atoms = np.asarray(trace["atoms"], dtype=np.float64)
        self.first, self.met = int(trace["iteration"][0]), solution.curvature or None
        self.point, self.gap = solution.point, np.inf if certificate.gap is None else certificate.gap

    @cached_property
    def e0(self) -> Constant:
        """The gap at the first point is at least its error."""
        return Constant(float(self.gaps[0]), "upper bound", "e_0")

    @cached_property
    def known(self) -> Constant | str:
        """The curvature of f over the hull, or why it is not known."""
        try:
            M: Constant = self.f.curvature(self.S)
        except (GreedyhullError, AttributeError, NotImplementedError) as error:
            return f"The curvature of {self.f!r} over {self.S!r} is not known. {error}"
        return M

    @property
    def M(self) -> Constant:
        """The curvature that the steps were chosen by: the largest met, where the rule looked for it, else that of f."""
        if isinstance(self.known, str):
            return self.local
        check(self.f.traits.smooth, f"{self.f!r} has kinks, so its curvature is infinite, and this bound needs a "
              "finite one. The certified gap holds; docs/reference/solvers/smoothed.md has the rate for smoothing.")
        check(bool(np.isfinite(self.known.value)), f"The curvature of {self.f!r} over {self.S!r} is infinite, and this bound "
              "needs a finite one. FrankWolfe(Backtracking()) certifies its run by the curvature that it meets.")
        return self.known if self.met is None else self.local

    @property
    def local(self) -> Constant:
        """The largest curvature that the steps of this run met."""
        if self.met is None:
            raise GreedyhullError(str(self.known))
        return Constant(float(self.met), "upper bound", "M (steps taken)")

    def shortfall(self, M: float | Array, eps: Array) -> Array:
        """By how much each step misses f(w_{k+1}) ≤ f(w_k) − η_k(h_k − ε_k) + (M/2)η_k² at the step η_k that was taken."""
        eta, h = self.etas, self.gaps[:-1]
        return np.maximum(np.diff(self.values) + eta * (h - eps) - 0.5 * M * eta**2, 0.0)

    def above(self, share: Array, more: Array | float = 0.0) -> Array:
        """By how much each step misses f(w_{k+1}) ≤ f(w_k) − share·e_k + more, with the least e_k that the record allows.

        min f is at most the least value of the record, so that what holds with min f holds with that value.
        """
        errors = self.values[:-1] - self.values.min()
        return np.asarray(np.maximum(np.diff(self.values) + share * errors - more, 0.0))

    def admits(self, short: float, bound: float) -> bool:
        """Whether what the steps fell short by is rounding, or small beside the bound."""
        return short <= SHARE * bound + self.noise * self.K

    def count(self, promise: Callable[[int, int], float], bound: float) -> Counted:
        """The steps k that lowered f by ``promise(n, k)`` at least, where n is how many did before."""
        good, short, leeway = list[int](), 0.0, SHARE * bound / self.K + self.noise
        for k, change in enumerate(np.diff(self.values).tolist()):
            missing = change + promise(len(good), k)
            if missing <= leeway:
                good.append(k)
            short += max(missing if missing <= leeway else change, 0.0)
        check(self.admits(short, bound), f"Steps that brought less than this rate asks for raised f, by {short:.3g} in all.")
        check(2 * len(good) >= self.K, f"Only {len(good)} of {self.K} steps brought what this rate asks for.")
        return Counted(tuple(good), short)

    @cached_property
    def scheduled(self) -> Counted:
        """The steps that are no worse than the model's at 2/(n + 2), the hypothesis of Theorem 2."""
        check(not isinstance(self.rule, APriori) or self.open_loop, "It speaks of the steps 2/(k + 2) and of updates that are "
              f"no worse; {self.rule!r} sets other steps in advance.")
        M, h, eps = float(self.M), self.gaps.tolist(), self.slacks.tolist()

        def promise(n: int, k: int) -> float:
            eta = 2.0 / (n + 2.0)
            return float(eta * (h[k] - eps[k] - 0.5 * M * eta))

        return self.count(promise, rate(M, 0.0, self.K, exact=True))

    @cached_property
    def searched(self) -> Counted:
        """The steps that are no worse than the model's best, whatever the oracle's slack."""
        check(not isinstance(self.rule, APriori), f"{self.rule!r} sets its steps in advance and does not look for the best.")
        M, h = float(self.M), self.gaps.tolist()
        best = [gap - 0.5 * M if gap >= M else 0.5 * gap * (gap / M) for gap in h]
        return self.count(lambda n, k: best[k], line_search_rate(M, self.K))

    def c(self, last: bool = False) -> Constant:
        """max ε_k/η_k for η_k = 2/(n + 2), the schedule; ``last`` includes the slack at the last point."""
        steps = [*self.scheduled.steps, *([self.K] if last else [])]
        return slack("c", max((self.slacks[k] * (n + 2) / 2 for n, k in enumerate(steps)), default=0.0))

    def bound(self, name: str, value: float, short: float, constants: tuple[Constant, ...], formula: str,
              of: Quantity = "error") -> Bound:
        constants = (Constant(self.K, "exact", "k"), *constants)
        return Bound(name, value + short + self.after.get(of, 0.0), constants, formula, of, self.kind)

    def rated(self, name: str, value: Callable[[int], float], counted: Counted, constants: tuple[Constant, ...], formula: str,
              of: Quantity = "error") -> Bound:
        """A rate in k, or in the number n of steps that count."""
        n = len(counted.steps)
        if n < self.K:
            formula = formula.replace("k", "n")
            constants = (Constant(n, "exact", "n"), *constants)
        return self.bound(name, value(n), counted.short, constants, formula, of)


def two_over(rule: object) -> bool:
    """Whether the steps are 2/(k + 2), as far as a warm start does not move their count."""
    return isinstance(rule, OpenLoop) and rule.ell == 2.0


def slack(name: str, value: float) -> Constant:
    return Constant(float(value), "upper bound" if value > 0 else "exact", name)


def steps_of(rule: APriori, T: int) -> Array:
    """Return η_1, …, η_T: the rule at 0, …, T − 1."""
    return np.array([float(rule.at(k)) for k in range(T)])


class StochasticRecord:
    """Steps η_1, …, η_T, tolerances, e_1 and constants of a run that returned w_{T+1}, or a mean of w_1, …, w_T."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.solver: Any = solution.solver  # it is the solver that named this record
        self.f: Objective = solution.objective
        self.S: AtomSet = solution.atom_set
        self.n = count_of(self.f)
        first = int(solution.trace["iteration"][0])
        check(first == 1, f"The record begins at step {first}: the run was resumed, and what came before is not on it.")
        self.T = int(solution.iterations) - 1
        check(self.T >= 1, "No step was taken.")
        self.eta = steps_of(self.rule, self.T)

    @property
    def rule(self) -> APriori:
        """The schedule of the steps η_k."""
        return scheduled(self.solver.step)

    @property
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
        return np.array([float(tolerance(k, None)) for k in range(self.T)])

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
        b = np.array([float(size(batch, k, self.n)) for k in range(1, self.T + 1)])
        return np.where(b >= (np.inf if self.n is None else self.n), np.inf, b)

    def must_be_convex(self, last: bool = False) -> None:
        """Raise unless f is convex and, for ``last``, the run returned its last point."""
        check(self.f.traits.convex, "f is not known to be convex, so that only gaps can be spoken of.")
        check(not last or not self.returns_mean, "It is about the last point, and the run returned a mean of the points.")

    def must_be_exact(self) -> None:
        check(not self.eps.any(), "It is about an exact oracle.")

    @property
    def by_values(self) -> bool:
        """Whether the solver compared values at the atoms."""
        return False

    @property
    def returns_mean(self) -> bool:
        """Whether the point that was returned is a mean of w_1, …, w_T."""
        return bool(self.solver.look.averages)

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


def fast_enough(run: StochasticRecord, batch: Size) -> float:
    """p, if η_k = k^−p with p < 1 and b_k ≥ η_k^−2 at every step."""
    rule = scheduled(run.solver.step)
    if not (isinstance(rule, Power) and rule.p < 1.0):
        raise GreedyhullError(f"It is about steps k^−p with p < 1, and those were of {rule!r}.")
    short = np.flatnonzero(run.sizes(batch) < (1.0 - 1e-9) * run.eta**-2.0)
    k = int(short[0]) + 1 if short.size else 0
    check(k == 0, f"It asks for batches b_k ≥ η_k^−2, and that of step {k} was smaller.")
    return float(rule.p)
