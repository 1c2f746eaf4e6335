"""Portfolios that trade little, through the app, beside quadratic programming called directly in the best of several forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

import greedyhull as gh
from benchmarks.polytopes.portfolios import ACCURACY, CAP, FACTORS, LADDER, SECTOR_CAP, SECTORS
from benchmarks.tables import Table
from benchmarks.timing import interleaved
from greedyhull.apps import portfolio

TURNOVER = 0.3


class Case(NamedTuple):
    """The least ½‖Rw‖² near ``previous``: R has scaled and centred returns, or is a root of the covariance."""

    name: str
    returns: Any
    covariance: Any
    previous: Any
    sectors: Any

    @property
    def R(self) -> Any:
        n = len(self.returns)
        return (self.returns - self.returns.mean(axis=0)) / np.sqrt(n - 1)

    def value(self, w: Any) -> float:
        return float(0.5 * w @ self.covariance @ w if self.returns is None else 0.5 * ((self.R @ w) ** 2).sum())


def cases() -> Iterator[Case]:
    for d in (500, 2000):
        rng = np.random.default_rng(d)
        sectors = rng.integers(0, SECTORS, d)
        caps = gh.GroupedSimplex(sectors, upper=CAP, group_upper=SECTOR_CAP)
        previous = np.mean([gh.Simplex(d).decompose(_dense(caps.argmin(rng.standard_normal(d)), d)).array()
                            for _ in range(3)], axis=0)
        loads, single = 0.1 * rng.standard_normal((FACTORS, d)), 0.005 + 0.02 * rng.random(d)
        yield Case(f"{d} assets, covariance", None, loads.T @ loads + np.diag(single), previous, sectors)
        returns = rng.standard_normal((250, FACTORS)) @ loads + np.sqrt(single) * rng.standard_normal((250, d))
        yield Case(f"{d} assets, 250 days", returns, None, previous, sectors)


def _dense(atom: Any, d: int) -> Any:
    x = np.zeros(d)
    atom.add_to(x, 1.0)
    return x


def ours(case: Case) -> Any:
    return portfolio(case.returns, covariance=case.covariance, groups=case.sectors, group_upper=SECTOR_CAP, upper=CAP,
                     turnover=TURNOVER, previous=case.previous, tol=ACCURACY)


class Program(NamedTuple):
    """½xᵀPx with A x ≤ b, E x = e and low ≤ x ≤ high; the weights are x[:d]."""

    P: Any
    A: Any
    b: Any
    E: Any
    e: Any
    low: Any
    high: Any


def formulated(case: Case, split: bool) -> Program:
    """Trades as w = previous + bought − sold (``split``), or as sizes s with |w − previous| ≤ s; returns as z = Rw."""
    d, one = len(case.previous), sparse.eye_array(len(case.previous))
    G = sparse.csc_array((case.sectors == np.arange(SECTORS)[:, None]).astype(float))
    more, n = (2 * d if split else d), 0 if case.returns is None else len(case.returns)
    E, e = [[sparse.csc_array(np.ones((1, d))), None, None]], [np.ones(1)]
    A, b = [[G, None, None], [None, sparse.csc_array(np.ones((1, more))), None]], [np.full(SECTORS, SECTOR_CAP), [TURNOVER]]
    if split:
        E, e = [*E, [one, sparse.hstack([-one, one]), None]], [*e, case.previous]
    else:
        A, b = [*A, [one, -one, None], [-one, -one, None]], [*b, case.previous, -case.previous]
    if n:
        E, e = [*E, [sparse.csc_array(case.R), None, -sparse.eye_array(n)]], [*e, np.zeros(n)]
    sizes = [sparse.csc_array((0, d)), sparse.csc_array((0, more)), sparse.csc_array((0, n))]
    P = sparse.block_diag([sparse.csc_array(case.covariance) if n == 0 else sparse.csc_array((d, d)),
                           sparse.csc_array((more, more)), sparse.eye_array(n)], format="csc")
    P = P / case.value(case.previous)  # so that the least value is about one, and tolerances mean what they say
    low = np.concatenate([np.zeros(d + more), np.full(n, -np.inf)])
    high = np.concatenate([np.full(d, CAP), np.full(more + n, np.inf)])
    return Program(P, sparse.block_array([sizes, *A], format="csc"), np.concatenate(b),
                   sparse.block_array([sizes, *E], format="csc"), np.concatenate(e), low, high)


def by_clarabel(p: Program, tol: float) -> Any:
    import clarabel

    n = len(p.low)
    below, above = np.isfinite(p.low).nonzero()[0], np.isfinite(p.high).nonzero()[0]
    eye = sparse.eye_array(n, format="csr")
    A = sparse.vstack([p.E, p.A, eye[above], -eye[below]], format="csc")
    b = np.concatenate([p.e, p.b, p.high[above], -p.low[below]])
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    cones = [clarabel.ZeroConeT(len(p.e)), clarabel.NonnegativeConeT(len(b) - len(p.e))]
    upper = sparse.csc_matrix(sparse.triu(p.P))
    return np.array(clarabel.DefaultSolver(upper, np.zeros(n), sparse.csc_matrix(A), b, cones, settings).solve().x)


def by_piqp(p: Program, tol: float) -> Any:
    import piqp

    solver = piqp.SparseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = tol
    P, E, A = (sparse.csc_matrix(M) for M in (p.P, p.E, p.A))
    solver.setup(P, np.zeros(len(p.low)), E, p.e, A, np.full(len(p.b), -np.inf), p.b, p.low, p.high)
    solver.solve()
    return np.array(solver.result.x)


def by_highs(p: Program, tol: float) -> Any:
    import highspy

    n, h, lp = len(p.low), highspy.Highs(), highspy.HighsLp()
    for option, value in (("output_flag", False), ("threads", 1), ("time_limit", 30.0)):
        h.setOptionValue(option, value)
    A = sparse.vstack([p.E, p.A], format="csc")
    inf = highspy.kHighsInf
    lp.num_col_, lp.num_row_, lp.col_cost_ = n, A.shape[0], np.zeros(n)
    lp.col_lower_, lp.col_upper_ = np.maximum(p.low, -inf), np.minimum(p.high, inf)
    lp.row_lower_, lp.row_upper_ = np.concatenate([p.e, np.full(len(p.b), -inf)]), np.concatenate([p.e, p.b])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = A.indptr, A.indices, A.data
    h.passModel(lp)
    lower = sparse.csc_array(sparse.tril(p.P))
    h.passHessian(n, lower.nnz, 1, lower.indptr, lower.indices, lower.data)
    h.run()
    return np.array(h.getSolution().col_value)


def tables(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    rivals = ["Clarabel, split", "Clarabel, sizes", "PIQP, split", "PIQP, sizes", "HiGHS, split"]
    table = Table("polytopes_turnover", f"Portfolios with a turnover of {TURNOVER:g}: seconds to {ACCURACY:g}, relative",
                  ["problem", "rounds", "greedyhull", *rivals, "best rival / ours"],
                  notes=["Ours is apps.portfolio, all included. Rivals are called directly at the loosest tolerance that "
                         "reaches the accuracy, set-up included. 'Split' has w = previous + bought − sold, 'sizes' has "
                         "|w − previous| ≤ s; returns are factors for everybody. HiGHS has 30 seconds."])
    for case in cases():
        if not only or any(word in case.name for word in only):
            table.rows.append(_row(case, rivals, repeats))
    yield table


def _row(case: Case, rivals: list[str], repeats: int) -> list[object]:
    exact = ours(case).solution
    good = case.value(exact.x) * (1.0 + ACCURACY)
    solvers = {"Clarabel": by_clarabel, "PIQP": by_piqp, "HiGHS": by_highs}
    calls: dict[str, Callable[[], Any]] = {"greedyhull": lambda: ours(case)}
    for name in rivals:
        solver, split = solvers[name.split(",")[0]], name.endswith("split")
        if solver is by_highs and len(case.previous) > 500:
            continue
        way = lambda tol, solver=solver, split=split: solver(formulated(case, split), tol)[: len(case.previous)]
        ladder = LADDER if solver is not by_highs else LADDER[3:4]
        tol = next((tol for tol in ladder if _reaches(case, way(tol), good)), None)
        if tol is not None:
            calls[name] = lambda way=way, tol=tol: way(tol)
    times = interleaved(calls, repeats)
    best = min((times[name] for name in rivals if name in times), default=None)
    return [case.name, exact.iterations, times["greedyhull"], *(times.get(name) for name in rivals),
            None if best is None else best / times["greedyhull"]]


def _reaches(case: Case, w: Any, good: float) -> bool:
    """Whether a point is feasible to 1e-6 and good enough."""
    if w.shape != case.previous.shape or not np.isfinite(w).all():
        return False
    groups = float(np.bincount(case.sectors, w, SECTORS).max()) - SECTOR_CAP
    off = max(abs(w.sum() - 1.0), groups, float(-w.min()), float(w.max()) - CAP, np.abs(w - case.previous).sum() - TURNOVER)
    return off <= 1e-6 and case.value(w) <= good
