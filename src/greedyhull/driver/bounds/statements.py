"""The statements of the paper about a run of any solver with a step rule, each with its conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from greedyhull.driver.bounds.by_values import jones_by_variance, pairwise_contracts
from greedyhull.driver.bounds.record import Record, slack
from greedyhull.errors import GreedyhullError, check
from greedyhull.solvers.jones import Jones
from greedyhull.solvers.parts.steps import Constant as ConstantStep
from greedyhull.solvers.parts.steps import Exact
from greedyhull.theory import (
    Bound,
    Constant,
    gap_rate,
    late_start_rate,
    limit,
    line_search_rate,
    rate,
    recursion,
    warm_start_rate,
    zhang,
)
from greedyhull.types import Array
from greedyhull.types.kinds import listed


def _lemma_2(run: Record) -> Iterator[Bound]:
    check(run.rule is not None, f"{run.solver!r} follows no step rule, so that there are no η_k to speak of.")
    M = run.M if run.met is None else run.local  # the inequality is needed at the steps that were taken only
    if isinstance(run.known, Constant) and run.known.value < M.value:
        M = run.known
    E = float(recursion(float(M), run.etas, run.slacks[:-1], float(run.e0))[-1])
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
    yield Bound("Theorem 1 (limit)", limit(eta, late, float(M)), (M, step, ahead), "ε + Mη/2", "limit", run.kind)


def _theorem_2(run: Record) -> Iterator[Bound]:
    M, counted, c = run.M, run.scheduled, run.c()
    yield run.rated("Theorem 2 (rate)", lambda n: rate(float(M), float(c), n), counted, (M, c), "(2M + 4c)/(k + 2)")
    yield run.rated("Theorem 2 (exact)", lambda n: rate(float(M), float(c), n, exact=True), counted, (M, c),
                    "(2M + 4c)(k + 1 − H_{k+1})/(k(k + 1))")


def _zhang(run: Record) -> Iterator[Bound]:
    if not (isinstance(run.solver, Jones) and isinstance(run.rule, Exact) and listed(run.S) is not None):
        raise GreedyhullError("Step and atom were not chosen jointly to minimise f: that is Jones() over atoms that can be "
                              "listed.")
    M, counted, tolerance = run.M, run.scheduled, run.solver.tolerance
    allowed = (tolerance(run.first + k, float(run.gaps[k])) * (n + 2) / 2 for n, k in enumerate(counted.steps))
    c = max(slack("c", max(allowed)), run.c(), key=float)
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
    c = slack("c", float((eps / run.etas).max()))
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
    "Jones (variance)": jones_by_variance,
    "Pairwise Jones (contraction)": pairwise_contracts,
    "Line search (rate)": _line_search,
    "Warm start (line search)": _warm_start,
    "Warm start (open loop)": _late_start,
    "Aggregate rate": _certified,
    "Gap rate": _gap_rate,
}
