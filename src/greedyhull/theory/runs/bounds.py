"""Which of the paper's bounds hold for a finished run, with their numbers.

Nothing is taken on trust. All that the proofs use of the step from w_k to w_{k+1} is one inequality,

    f(w_{k+1}) ≤ f(w_k) − η(h_k − ε_k) + (M/2)η²,

where h_k, the certified gap in the trace, is at least the error e_k, and ε_k is the oracle's slack. Lemma 2 gives it at
the step η_k that was taken, the domination principle at every η for updates that are no worse than the best step of
the model. All of it stands in the trace. So a statement is listed if it speaks of steps like these and its inequality
holds on the record, and refused with the reason otherwise; what a step falls short by, rounding as a rule, is added.
Steps that bring less than a rate asks for, such as those that drop an atom, are not counted, as long as f did not rise.

Solvers that need other statements, stochastic ones, name them in their method ``theorems`` (`mean_bounds`).

Since h_{k+1} ≤ f(w_{k+1}) − (the lower bound at k), the certified gap itself obeys whatever is proved of the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.kinds import listed
from greedyhull.solvers.parts.rules import APriori, rule_of, stepper
from greedyhull.solvers.parts.steps import Constant as ConstantStep
from greedyhull.solvers.parts.steps import Exact, OpenLoop
from greedyhull.theory import (
    Bound,
    Bounds,
    Constant,
    Quantity,
    Refused,
    Theorems,
    gap_rate,
    late_start_rate,
    limit,
    line_search_rate,
    rate,
    recursion,
    warm_start_rate,
    zhang,
)
from greedyhull.theory.listed import Proving
from greedyhull.types import Array, AtomSet, Kind, Objective

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

BEYOND = "Its numbers leave the range of floating point. Scale the data and the set."
SHARE = 1e-3  # the part of a bound that its steps may fall short by in all
NOISE = 1e-13  # what rounding may do to f in a step, relative to its size


def bounds_of(solution: Solution) -> Bounds:
    """The bounds that hold at the last point of a run, the certified gap first.

    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.quadratic(2 * np.eye(9)), gh.Simplex(9), gh.FrankWolfe(), stop=gh.Iterations(5))
    >>> bounds_of(s).named("Line search")
    Line search (rate): 2M/(k + 3) = 1, always; k = 5 (exact), M = 4 (exact)
    """
    found, refused = Bounds([]), list[Refused]()
    certificate = solution.certificate
    if certificate.gap is not None and certificate.kind != "stationary":
        found.append(Bound("Lemma 1 (duality)", certificate.gap, (), "f(w) − best lower bound", kind=certificate.kind))
    solver = solution.solver
    theorems = solver.theorems() if isinstance(solver, Proving) else Theorems(Record, STATEMENTS)
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            run = theorems.record(solution)
        except GreedyhullError as error:
            run = str(error)
        for name, statement in theorems.statements.items():
            try:
                if isinstance(run, str):
                    raise GreedyhullError(run)
                found.extend(_finite(bound) for bound in statement(run))
            except GreedyhullError as error:
                refused.append(Refused(name, str(error)))
            except ArithmeticError:  # an overflow, or a division by what has vanished
                refused.append(Refused(name, BEYOND))
    found.refused = tuple(refused)
    return found


def _finite(bound: Bound) -> Bound:
    check(bool(np.isfinite(bound.value)), BEYOND)
    return bound


# --- the record ---------------------------------------------------------------------------------------------------


class Counted(NamedTuple):
    """The steps that did what a rate asks for, and what all steps together fell short by."""

    steps: tuple[int, ...]
    short: float


class Record:
    """What a run left behind: f(w_k), certified gaps and slacks for k = 0, …, K, the steps between, its constants."""

    def __init__(self, solution: Solution) -> None:
        self.f: Objective = solution.objective
        self.S: AtomSet = solution.atom_set
        self.solver = stepper(solution.solver)  # Aggregated takes the steps of another
        self.rule = rule_of(self.solver)
        self.open_loop = isinstance(self.rule, OpenLoop) and self.rule.ell == 2.0
        trace, certificate = solution.trace, solution.certificate
        self.values, self.gaps, self.slacks = (np.asarray(trace[c], dtype=np.float64) for c in ("value", "gap", "slack"))
        self.K = len(self.values) - 1
        check(self.K >= 1, "No step was taken.")
        self.etas = np.asarray(trace["step"], dtype=np.float64)[: self.K]
        sure = certificate.kind in ("always", "probability")
        check(sure, f"Its gaps are of kind {certificate.kind!r}, and the proofs need lower bounds of min f.")
        whole = np.isfinite(self.values).all() and np.isfinite(self.gaps).all() and np.all(np.diff(trace["iteration"]) == 1)
        check(bool(whole), "The trace does not hold a value and a finite gap for every step.")
        self.slacks = np.where(np.isfinite(self.slacks), self.slacks, self.gaps)
        single = self.f.precise() is not self.f  # gaps underway are then known to float32 only
        self.kind: Kind = "estimate" if single else certificate.kind
        self.noise = (2.0**29 if single else 1.0) * NOISE * float(np.abs(self.values).max() + self.gaps[0])
        best = self.values[-1] - (self.values - self.gaps).max()
        self.after: dict[Quantity, float] = {"error": max(certificate.value - self.values[-1], 0.0),  # recomputed at the end
                                             "certified gap": max(certificate.gap - best, 0.0)}
        self.first, self.met = int(trace["iteration"][0]), solution.curvature or None

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
              "finite one. The certified gap holds; docs/solvers/smoothed.md has the rate for smoothing.")
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
        return _slack("c", max((self.slacks[k] * (n + 2) / 2 for n, k in enumerate(steps)), default=0.0))

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


def _slack(name: str, value: float) -> Constant:
    return Constant(float(value), "upper bound" if value > 0 else "exact", name)


# --- the statements -----------------------------------------------------------------------------------------------


def _lemma_2(run: Record) -> Iterator[Bound]:
    check(run.rule is not None, f"{run.solver!r} follows no step rule, so that there are no η_k to speak of.")
    M = run.M if run.met is None else run.local  # the inequality is needed at the steps that were taken only
    if isinstance(run.known, Constant) and run.known.value < M.value:
        M = run.known
    E = float(recursion(float(M), run.etas, run.slacks[:-1], float(run.e0))[-1])
    missing = run.shortfall(float(M), run.slacks[:-1])
    _holds_at_every_step(run, missing, E)
    eps = _slack("max ε_k", run.slacks[:-1].max())
    yield run.bound("Lemma 2 (recursion)", E, float(missing.sum()), (M, eps, run.e0),
                    "E ← (1 − η_k)E + η_kε_k + (M/2)η_k², from e_0")


def _holds_at_every_step(run: Record, missing: Array, bound: float) -> None:
    k = int(missing.argmax())
    check(run.admits(float(missing.sum()), bound), f"Step {k} brought {missing[k]:.3g} less than a step η = {run.etas[k]:.3g} "
          "toward the best atom does: the run did not take such steps.")


def _theorem_1(run: Record) -> Iterator[Bound]:
    check(isinstance(run.rule, ConstantStep) and float(np.ptp(run.etas)) <= 1e-12,
          "The steps are not constant.")
    M, eps, eta = run.M, _slack("ε", run.slacks[:-1].max()), float(run.etas[0])
    level = float(eps) + 0.5 * float(M) * eta
    value = level + (1.0 - eta) ** run.K * max(float(run.e0) - level, 0.0)
    missing = run.shortfall(float(M), run.slacks[:-1])
    _holds_at_every_step(run, missing, value)
    step = Constant(eta, "exact", "η")
    yield run.bound("Theorem 1 (constant step)", value, float(missing.sum()),
                    (M, step, eps, run.e0), "δ + (1 − η)^k (e_0 − δ)₊, δ = ε + Mη/2")
    late = float(run.slacks[run.K // 2 : -1].max())
    ahead = Constant(late, "estimated" if late > 0 else "exact", "ε")  # slacks to come are not on the record
    yield Bound("Theorem 1 (limit)", limit(eta, late, float(M)), (M, step, ahead), "ε + Mη/2", "limit", run.kind)


def _theorem_2(run: Record) -> Iterator[Bound]:
    M, counted, c = run.M, run.scheduled, run.c()
    yield run.rated("Theorem 2 (rate)", lambda n: rate(float(M), float(c), n), counted, (M, c), "(2M + 4c)/(k + 2)")
    yield run.rated("Theorem 2 (exact)", lambda n: rate(float(M), float(c), n, exact=True), counted, (M, c),
                    "(2M + 4c)(k + 1 − H_{k+1})/(k(k + 1))")


def _zhang(run: Record) -> Iterator[Bound]:
    from greedyhull.solvers.jones import Jones

    if not (isinstance(run.solver, Jones) and isinstance(run.rule, Exact) and listed(run.S) is not None):
        raise GreedyhullError("Step and atom were not chosen jointly to minimise f: that is Jones() over atoms that can be "
                              "listed.")
    M, counted, tolerance = run.M, run.scheduled, run.solver.tolerance
    allowed = (tolerance(run.first + k, float(run.gaps[k])) * (n + 2) / 2 for n, k in enumerate(counted.steps))
    c = max(_slack("c", max(allowed)), run.c(), key=float)
    yield run.rated("Zhang's corollary", lambda n: zhang(float(M), float(c), n), counted, (M, c), "(2M + 4c)/(k + 2)")


def _late_start(run: Record) -> Iterator[Bound]:
    check(run.open_loop, "The steps are not those of OpenLoop().")
    check(bool(np.all(run.etas > 0.0)) and run.etas[0] < 1.0, "The count of the steps 2/(k + 2) did not begin late.")
    name, M, k, eps = "Warm start (open loop)", run.M, np.arange(run.K), run.slacks[:-1]
    met = 0.5 * (2.0 / run.etas - k) * float(run.e0)  # the m_k for which η_k = 2/(k + 2m_k/e_0)
    missing = run.shortfall(met, 0.0 * eps)
    if np.all(np.diff(met) >= -1e-9 * met[0]) and met[-1] <= (1 + 1e-9) * float(M) and float(run.e0) <= float(M):
        value = warm_start_rate(float(M), float(run.e0), run.K)
        if run.admits(float(missing.sum()), value):
            yield run.bound(name, value, float(missing.sum()), (M, run.e0), "2M/(k + 2M/e_0)")
            return
    late = 2.0 / float(run.etas[0]) - 2.0
    check(float(np.ptp(2.0 / run.etas - k)) <= 1e-9 * (late + run.K), "The count of the steps moved on during the run.")
    c = _slack("c", float((eps / run.etas).max()))
    value, missing = late_start_rate(float(M), float(c), float(run.e0), late, run.K), run.shortfall(float(M), eps)
    _holds_at_every_step(run, missing, value)
    yield run.bound(name, value, float(missing.sum()), (Constant(late, "exact", "s"), M, c, run.e0),
                    "max{2M + 4c, (s + 2)e_0}/(s + k + 2)")


def _line_search(run: Record) -> Iterator[Bound]:
    M = run.M
    yield run.rated("Line search (rate)", lambda n: line_search_rate(float(M), n), run.searched, (M,), "2M/(k + 3)")


def _warm_start(run: Record) -> Iterator[Bound]:
    M, e0 = run.M, run.e0
    yield run.rated("Warm start (line search)", lambda n: warm_start_rate(float(M), float(e0), n), run.searched, (M, e0),
                    "2M/(k + 2M/e_0)")


def _certified(run: Record) -> Iterator[Bound]:
    M, c = run.M, run.c()
    yield run.rated("Aggregate rate", lambda n: rate(float(M), float(c), n, exact=True), run.scheduled, (M, c),
                    "(2M + 4c)(k + 1 − H_{k+1})/(k(k + 1))", "certified gap")


def _gap_rate(run: Record) -> Iterator[Bound]:
    M, counted, c = run.M, run.scheduled, run.c(last=True)
    yield run.rated("Gap rate", lambda n: gap_rate(float(M), float(c), n), counted._replace(short=4 * counted.short), (M, c),
                    "(6M + 12c)/(k + 3)", "least gap")


STATEMENTS: dict[str, Callable[[Record], Iterator[Bound]]] = {
    "Lemma 2 (recursion)": _lemma_2,
    "Theorem 1 (constant step)": _theorem_1,
    "Theorem 2 (rate)": _theorem_2,
    "Zhang's corollary": _zhang,
    "Line search (rate)": _line_search,
    "Warm start (line search)": _warm_start,
    "Warm start (open loop)": _late_start,
    "Aggregate rate": _certified,
    "Gap rate": _gap_rate,
}
