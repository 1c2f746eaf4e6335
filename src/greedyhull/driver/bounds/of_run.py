"""Which of the paper's bounds hold for a finished run, with their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from greedyhull import theory
from greedyhull.driver.bounds.expected import ABOUT
from greedyhull.driver.bounds.record import Counted, Record, slack
from greedyhull.errors import GreedyhullError, check
from greedyhull.measures.constants import condition, jones_variance
from greedyhull.solvers.jones import Jones, PairwiseJones
from greedyhull.solvers.parts.joint import EXACT
from greedyhull.solvers.parts.steps import Constant as ConstantStep
from greedyhull.solvers.parts.steps import Exact
from greedyhull.theory import Bound, Bounds, Constant, Refused, Theorems
from greedyhull.types import Array, listed, optional

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution


def jones_by_variance(run: Record) -> Iterator[Bound]:
    """(2V + 4c)/(k + 2), and 2V/(k + 3) for the exact joint choice, V the lesser of M and what is known of V."""
    solver = run.solver
    if not (isinstance(solver, Jones) and listed(run.S) is not None):
        raise GreedyhullError("It is about Jones() over atoms that can be listed.")
    _sure(run)
    joint, n = isinstance(solver.step, Exact), np.arange(run.K)
    check(joint or (run.open_loop and bool(np.all(np.abs(run.etas * (n + 2.0) - 2.0) <= 1e-9))),
          "It is about the joint choice of step and atom, and about steps 2/(k + 2).")
    V, M = jones_variance(run.f, run.S), run.known
    if isinstance(M, Constant) and float(M) < float(V):
        V = Constant(float(M), "upper bound", "V")
    allowed = [solver.tolerance(run.first + k, float(run.gaps[k])) * (k + 2) / 2 for k in range(run.K)]
    c = slack("c", max(allowed))
    counted, eta = Counted(tuple(range(run.K)), _rounding(run)), 2.0 / (n + 2.0)
    missing = run.above(eta, (0.5 * float(V) + float(c)) * eta**2)
    yield _compared(run, missing, run.rated("Jones (variance)", lambda k: theory.jones_rate(float(V), float(c), k), counted,
                                            (V, c), "(2V + 4c)/(k + 2)"))
    if joint and float(c) == 0.0:
        yield _compared(run, missing, run.rated("Jones (variance, joint)", lambda k: theory.joint_jones_rate(float(V), k),
                                                counted, (V,), "2V/(k + 3)"))


def pairwise_contracts(run: Record) -> Iterator[Bound]:
    """e_0 times the product of 1 − κ/(2a_k(2 + κ)), a_k the number of atoms in w_k."""
    check(isinstance(run.solver, PairwiseJones), "It is about PairwiseJones().")
    _sure(run)
    check(not run.slacks[:-1].any(), "It is about an exact oracle.")
    large = condition(run.f, run.S)
    kappa, atoms = 1.0 / max(float(large), 1.0), run.atoms[: run.K]
    errors = theory.pairwise_jones_error(kappa, atoms, float(run.e0))
    most = Constant(float(atoms.max()), "exact", "max a_k")
    yield _compared(run, run.above(theory.pairwise_jones_rate(kappa, atoms)), run.bound(
        "Pairwise Jones (contraction)", float(errors[-1]), _rounding(run), (large, most, run.e0),
        "e_0 Π (1 − κ/(2a_k(2 + κ)))"))


def _sure(run: Record) -> None:
    check(run.f.traits.exact_gradient, f"The gradients of {run.f!r} are inexact, so that the choices need not be the best.")
    check(run.kind == "always", f"The gaps of the run are of kind {run.kind!r}, and so would be the choices that it rests on.")


def _compared(run: Record, missing: Array, bound: Bound) -> Bound:
    """``bound``, unless a step of the record, or the certified gap, speaks against its constants."""
    k = int(missing.argmax())
    check(run.admits(float(missing.sum()), bound.value), f"Step {k} brought {missing[k]:.3g} less than it must with these "
          f"constants, {', '.join(map(repr, bound.constants))}: one of them is wrong.")
    check(run.f.traits.quadratic or run.gap <= bound.value, f"The run certifies a gap of {run.gap:.3g}, more than the "
          f"{bound.value:.3g} that it says, and the record cannot prove the smoothness of {run.f!r} that it rests on.")
    return bound


def _rounding(run: Record) -> float:
    """What the choices may have lost to the best: a share of the decrease that counts as none, and rounding."""
    of_value = float(run.f.precise().rounding(run.point, run.S))
    return EXACT * abs(float(run.values[0] - run.values[-1])) + run.noise * run.K + of_value * (run.K + 1)


def _lemma_2(run: Record) -> Iterator[Bound]:
    check(run.rule is not None, f"{run.solver!r} follows no step rule, so that there are no η_k to speak of.")
    M = run.M if run.met is None else run.local  # the inequality is needed at the steps that were taken only
    if isinstance(run.known, Constant) and run.known.value < M.value:
        M = run.known
    E = float(theory.recursion(float(M), run.etas, run.slacks[:-1], float(run.e0))[-1])
    missing = run.shortfall(float(M), run.slacks[:-1])
    _holds_at_every_step(run, missing, E)
    eps = slack("max ε_k", run.slacks[:-1].max())
    yield run.bound("Lemma 2 (recursion)", E, float(missing.sum()), (M, eps, run.e0),
                    "E ← (1 − η_k)E + η_kε_k + (M/2)η_k², from e_0")


def _holds_at_every_step(run: Record, missing: Array, bound: float) -> None:
    k = int(missing.argmax())
    check(run.admits(float(missing.sum()), bound), f"Step {k} brought {missing[k]:.3g} less than a step η = {run.etas[k]:.3g} "
          "toward the best atom does: the run did not take such steps.")


def _theorem_1(run: Record) -> Iterator[Bound]:
    check(isinstance(run.rule, ConstantStep) and float(np.ptp(run.etas)) <= 1e-12,
          "The steps are not constant.")
    M, eps, eta = run.M, slack("ε", run.slacks[:-1].max()), float(run.etas[0])
    level = float(eps) + 0.5 * float(M) * eta
    value = level + (1.0 - eta) ** run.K * max(float(run.e0) - level, 0.0)
    missing = run.shortfall(float(M), run.slacks[:-1])
    _holds_at_every_step(run, missing, value)
    step = Constant(eta, "exact", "η")
    yield run.bound("Theorem 1 (constant step)", value, float(missing.sum()),
                    (M, step, eps, run.e0), "δ + (1 − η)^k (e_0 − δ)₊, δ = ε + Mη/2")
    late = float(run.slacks[run.K // 2 : -1].max())
    ahead = Constant(late, "estimated" if late > 0 else "exact", "ε")  # slacks to come are not on the record
    yield Bound("Theorem 1 (limit)", theory.limit(eta, late, float(M)), (M, step, ahead), "ε + Mη/2", "limit", run.kind)


def _theorem_2(run: Record) -> Iterator[Bound]:
    M, counted, c = run.M, run.scheduled, run.c()
    yield run.rated("Theorem 2 (rate)", lambda n: theory.rate(float(M), float(c), n), counted, (M, c), "(2M + 4c)/(k + 2)")
    yield run.rated("Theorem 2 (exact)", lambda n: theory.rate(float(M), float(c), n, exact=True), counted, (M, c),
                    "(2M + 4c)(k + 1 − H_{k+1})/(k(k + 1))")


def _zhang(run: Record) -> Iterator[Bound]:
    if not (isinstance(run.solver, Jones) and isinstance(run.rule, Exact) and listed(run.S) is not None):
        raise GreedyhullError("Step and atom were not chosen jointly to minimise f: that is Jones() over atoms that can be "
                              "listed.")
    M, counted, tolerance = run.M, run.scheduled, run.solver.tolerance
    allowed = (tolerance(run.first + k, float(run.gaps[k])) * (n + 2) / 2 for n, k in enumerate(counted.steps))
    c = max(slack("c", max(allowed)), run.c(), key=float)
    yield run.rated("Zhang's corollary", lambda n: theory.zhang(float(M), float(c), n), counted, (M, c), "(2M + 4c)/(k + 2)")


def _late_start(run: Record) -> Iterator[Bound]:
    check(run.open_loop, "The steps are not those of OpenLoop().")
    check(bool(np.all(run.etas > 0.0)) and run.etas[0] < 1.0, "The count of the steps 2/(k + 2) did not begin late.")
    name, M, k, eps = "Warm start (open loop)", run.M, np.arange(run.K), run.slacks[:-1]
    met = 0.5 * (2.0 / run.etas - k) * float(run.e0)  # the m_k for which η_k = 2/(k + 2m_k/e_0)
    missing = run.shortfall(met, 0.0 * eps)
    if np.all(np.diff(met) >= -1e-9 * met[0]) and met[-1] <= (1 + 1e-9) * float(M) and float(run.e0) <= float(M):
        value = theory.warm_start_rate(float(M), float(run.e0), run.K)
        if run.admits(float(missing.sum()), value):
            yield run.bound(name, value, float(missing.sum()), (M, run.e0), "2M/(k + 2M/e_0)")
            return
    late = 2.0 / float(run.etas[0]) - 2.0
    check(float(np.ptp(2.0 / run.etas - k)) <= 1e-9 * (late + run.K), "The count of the steps moved on during the run.")
    c = slack("c", float((eps / run.etas).max()))
    value, missing = theory.late_start_rate(float(M), float(c), float(run.e0), late, run.K), run.shortfall(float(M), eps)
    _holds_at_every_step(run, missing, value)
    yield run.bound(name, value, float(missing.sum()), (Constant(late, "exact", "s"), M, c, run.e0),
                    "max{2M + 4c, (s + 2)e_0}/(s + k + 2)")


def _line_search(run: Record) -> Iterator[Bound]:
    M = run.M
    yield run.rated("Line search (rate)", lambda n: theory.line_search_rate(float(M), n), run.searched, (M,), "2M/(k + 3)")


def _warm_start(run: Record) -> Iterator[Bound]:
    M, e0 = run.M, run.e0
    yield run.rated("Warm start (line search)", lambda n: theory.warm_start_rate(float(M), float(e0), n), run.searched,
                    (M, e0), "2M/(k + 2M/e_0)")


def _certified(run: Record) -> Iterator[Bound]:
    M, c = run.M, run.c()
    yield run.rated("Aggregate rate", lambda n: theory.rate(float(M), float(c), n, exact=True), run.scheduled, (M, c),
                    "(2M + 4c)(k + 1 − H_{k+1})/(k(k + 1))", "certified gap")


def _gap_rate(run: Record) -> Iterator[Bound]:
    M, counted, c = run.M, run.scheduled, run.c(last=True)
    counted = counted._replace(short=4 * counted.short)
    yield run.rated("Gap rate", lambda n: theory.gap_rate(float(M), float(c), n), counted, (M, c), "(6M + 12c)/(k + 3)",
                    "least gap")


STATEMENTS: dict[str, Callable[[Record], Iterator[Bound]]] = {
    "Lemma 2 (recursion)": _lemma_2,
    "Theorem 1 (constant step)": _theorem_1,
    "Theorem 2 (rate)": _theorem_2,
    "Zhang's corollary": _zhang,
    "Jones (variance)": jones_by_variance,
    "Pairwise Jones (contraction)": pairwise_contracts,
    "Line search (rate)": _line_search,
    "Warm start (line search)": _warm_start,
    "Warm start (open loop)": _late_start,
    "Aggregate rate": _certified,
    "Gap rate": _gap_rate,
}


BEYOND = "Its numbers leave the range of floating point. Scale the data and the set."


def bounds_of(solution: Solution) -> Bounds:
    """The bounds that hold at the last point of a run, the certified gap first."""
    found, refused = Bounds([]), list[Refused]()
    certificate = solution.certificate
    if certificate.gap is not None and certificate.kind != "stationary":
        found.append(Bound("Lemma 1 (duality)", certificate.gap, (), "f(w) − best lower bound", kind=certificate.kind))
    solver = solution.solver
    stated = optional(solver, "theorems")
    theorems = stated() if stated is not None else next(
        (ABOUT[kind] for kind in type(solver).__mro__ if kind in ABOUT), Theorems(Record, STATEMENTS))
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            run = theorems.record(solution)
        except GreedyhullError as error:
            run = str(error)
        for name, statement in theorems.statements.items():
            try:
                if isinstance(run, str):
                    raise GreedyhullError(run)
                for bound in statement(run):
                    check(bool(np.isfinite(bound.value)), BEYOND)
                    found.append(bound)
            except GreedyhullError as error:
                refused.append(Refused(name, str(error)))
            except ArithmeticError:  # an overflow, or a division by what has vanished
                refused.append(Refused(name, BEYOND))
    found.refused = tuple(refused)
    return found
