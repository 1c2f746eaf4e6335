"""Portfolios with sector and single caps, beside quadratic programming called directly, in factor form too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

import greedyhull as gh
from benchmarks.tables import Table
from benchmarks.timing import interleaved

ACCURACY = 1e-6  # relative: what everybody has to reach
LADDER = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)  # tolerances of rivals, the loosest that does counts
SECTORS, SECTOR_CAP, CAP, FACTORS = 11, 0.15, 0.05, 20


class Case(NamedTuple):
    """Half the variance of w less its mean return is ½‖Xw‖² − ⟨mean, w⟩; rows of X are factors, then single risks, or days."""

    name: str
    X: Any
    mean: Any
    sectors: Any
    factors: Any  # the rows of X that are factors or days
    single: Any  # the variances of single risks, or None

    def value(self, w: Any) -> float:
        z = self.X @ w
        return float(0.5 * z @ z - self.mean @ w)


class Program(NamedTuple):
    """½xᵀPx + ⟨q, x⟩ with A x ≤ b, E x = e and 0 ≤ x[:d] ≤ CAP; the weights are x[:d]."""

    P: Any
    q: Any
    A: Any
    b: Any
    E: Any
    e: Any
    d: int


def cases() -> Iterator[Case]:
    for d in (500, 2000, 5000):
        rng = np.random.default_rng(d)
        sectors = (rng.integers(0, SECTORS, d) == np.arange(SECTORS)[:, None]).astype(float)
        mean = 0.02 * rng.standard_normal(d)
        loads = 0.1 * rng.standard_normal((FACTORS, d))
        single = sparse.diags_array(np.sqrt(0.005 + 0.02 * rng.random(d)))
        risks = single.diagonal() ** 2
        X = sparse.csc_array(sparse.vstack([sparse.csc_array(loads), single]))
        yield Case(f"{d} assets, {FACTORS} factors", X, mean, sectors, loads, risks)
        days = 250
        R = (rng.standard_normal((days, FACTORS)) @ loads + single.diagonal() * rng.standard_normal((days, d))) / np.sqrt(days)
        R = np.asfortranarray(R - R.mean(axis=0))
        yield Case(f"{d} assets, {days} days", R, mean, sectors, R, None)


def ours(case: Case) -> Any:
    """The set and the objective are made anew each time, as for rivals."""
    S = gh.GroupedSimplex(case.sectors.argmax(axis=0), upper=CAP, group_upper=SECTOR_CAP)
    return gh.minimize(gh.quadratic(case.single, case.mean, factors=case.factors), S, stop=gh.Relative(ACCURACY))


def by_rows(case: Case) -> Any:
    """The same through a general linear program and the covariance as a matrix."""
    d, X = len(case.mean), case.X
    S = gh.LinearProgram(case.sectors, np.full(SECTORS, SECTOR_CAP), np.ones((1, d)), [1.0], (0, CAP))
    Q = (X.T @ X).toarray() if sparse.issparse(X) else X.T @ X
    return gh.minimize(gh.quadratic(Q, case.mean), S, stop=gh.Relative(ACCURACY))


def dense(case: Case) -> Program:
    """The covariance as a matrix."""
    d, X = len(case.mean), case.X
    P = (X.T @ X).toarray() if sparse.issparse(X) else X.T @ X
    return Program(sparse.csc_array(P), -case.mean, sparse.csc_array(case.sectors), np.full(SECTORS, SECTOR_CAP),
                   sparse.csc_array(np.ones((1, d))), np.ones(1), d)


def factored(case: Case) -> Program:
    """z = Xw as variables of their own: a diagonal P and a sparse E."""
    n, d = case.X.shape
    P = sparse.csc_array(sparse.block_diag([sparse.csc_array((d, d)), sparse.eye_array(n)]))
    sums = [sparse.csc_array(np.ones((1, d))), None]
    E = sparse.block_array([sums, [sparse.csc_array(case.X), -sparse.eye_array(n)]], format="csc")
    A = sparse.hstack([sparse.csc_array(case.sectors), sparse.csc_array((SECTORS, n))], format="csc")
    return Program(P, np.concatenate([-case.mean, np.zeros(n)]), A, np.full(SECTORS, SECTOR_CAP), E,
                   np.concatenate([[1.0], np.zeros(n)]), d)


def by_clarabel(program: Program, tol: float) -> Any:
    import clarabel

    p, d = program, program.d
    n = p.P.shape[0]
    box = sparse.eye_array(d, n, format="csc")
    A = sparse.vstack([p.E, p.A, box, -box], format="csc")
    b = np.concatenate([p.e, p.b, np.full(d, CAP), np.zeros(d)])
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    cones = [clarabel.ZeroConeT(len(p.e)), clarabel.NonnegativeConeT(len(p.b) + 2 * d)]
    upper = sparse.csc_matrix(sparse.triu(p.P))
    return np.array(clarabel.DefaultSolver(upper, p.q, sparse.csc_matrix(A), b, cones, settings).solve().x)[:d]


def by_piqp(program: Program, tol: float) -> Any:
    import piqp

    p = program
    n, d = p.P.shape[0], p.d
    solver = piqp.SparseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = tol
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    low[:d], high[:d] = 0.0, CAP
    m = len(p.b)
    matrices = [sparse.csc_matrix(M) for M in (p.P, p.E, p.A)]
    solver.setup(matrices[0], p.q, matrices[1], p.e, matrices[2], np.full(m, -np.inf), p.b, low, high)
    solver.solve()
    return np.array(solver.result.x)[:d]


def by_daqp(program: Program, tol: float) -> Any:
    import daqp

    p = program
    A = np.ascontiguousarray(sparse.vstack([p.E, p.A]).toarray())
    high, low = np.concatenate([np.full(p.d, CAP), p.e, p.b]), np.concatenate([np.zeros(p.d), p.e, np.full(len(p.b), -1e30)])
    sense = np.zeros(len(high), dtype=np.int32)
    sense[p.d : p.d + len(p.e)] = 5  # equations
    return np.array(daqp.solve(np.ascontiguousarray(p.P.toarray()), p.q, A, high, low, sense, primal_tol=tol)[0])


def by_highs(program: Program, tol: float) -> Any:
    import highspy

    p = program
    n, d = p.P.shape[0], p.d
    h, lp = highspy.Highs(), highspy.HighsLp()
    h.setOptionValue("output_flag", False)
    h.setOptionValue("threads", 1)
    h.setOptionValue("time_limit", 60.0)
    A = sparse.vstack([p.E, p.A], format="csc")
    low, high = np.full(n, -highspy.kHighsInf), np.full(n, highspy.kHighsInf)
    low[:d], high[:d] = 0.0, CAP
    lp.num_col_, lp.num_row_, lp.col_cost_, lp.col_lower_, lp.col_upper_ = n, A.shape[0], p.q, low, high
    lp.row_lower_, lp.row_upper_ = np.concatenate([p.e, np.full(len(p.b), -highspy.kHighsInf)]), np.concatenate([p.e, p.b])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = A.indptr, A.indices, A.data
    h.passModel(lp)
    lower = sparse.csc_array(sparse.tril(p.P))
    h.passHessian(n, lower.nnz, 1, lower.indptr, lower.indices, lower.data)
    h.run()
    return np.array(h.getSolution().col_value)[:d]


def by_cvxpy(case: Case, tol: float) -> Any:
    import cvxpy

    w = cvxpy.Variable(len(case.mean))
    limits = [w >= 0, w <= CAP, cvxpy.sum(w) == 1, case.sectors @ w <= SECTOR_CAP]
    cvxpy.Problem(cvxpy.Minimize(0.5 * cvxpy.sum_squares(case.X @ w) - case.mean @ w), limits).solve(
        solver="CLARABEL", tol_gap_abs=tol, tol_gap_rel=tol, tol_feas=tol)
    return w.value


RIVALS = ("Clarabel", "Clarabel, factors", "PIQP", "PIQP, factors", "DAQP", "HiGHS", "HiGHS, factors", "cvxpy")
SLOW = 2.0  # seconds: who takes longer is timed once


def tables(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("polytopes_portfolios", f"Portfolios with sector caps: seconds to {ACCURACY:g}, relative",
                  ["problem", "rounds", "greedyhull", "as rows", *RIVALS, "best rival / ours"],
                  notes=["Rivals at the loosest tolerance that reaches the accuracy, set-up included everywhere, forming the "
                         f"covariance too where it is used; those that take more than {SLOW:g} seconds are timed once. With "
                         "2000 assets and the covariance as a matrix they have one tolerance, 1e-6, and with 5000 assets "
                         "they are not tried. 'As rows' is ours over LinearProgram, with the covariance."])
    for case in cases():
        if not only or any(word in case.name for word in only):
            table.rows.append(_row(case, repeats))
    yield table


def _ways(case: Case) -> dict[str, Callable[[float], Any]]:
    """The rivals that are tried, by tolerance."""
    ways: dict[str, Callable[[float], Any]] = {
        "Clarabel, factors": lambda tol: by_clarabel(factored(case), tol),
        "PIQP, factors": lambda tol: by_piqp(factored(case), tol),
        "HiGHS, factors": lambda tol: by_highs(factored(case), tol),
        "cvxpy": lambda tol: by_cvxpy(case, tol)}
    if len(case.mean) <= 2000:
        ways |= {"Clarabel": lambda tol: by_clarabel(dense(case), tol), "PIQP": lambda tol: by_piqp(dense(case), tol),
                 "DAQP": lambda tol: by_daqp(dense(case), tol), "HiGHS": lambda tol: by_highs(dense(case), tol)}
    return ways


def _row(case: Case, repeats: int) -> list[object]:
    exact, d = ours(case), len(case.mean)
    good = exact.value + ACCURACY * abs(exact.value)
    calls: dict[str, Callable[[], Any]] = {"greedyhull": lambda: ours(case)}
    if d <= 2000:
        calls["as rows"] = lambda: by_rows(case)
    slow: dict[str, float] = {}
    for name, way in _ways(case).items():
        once = name.startswith("HiGHS") or (d > 500 and name in ("Clarabel", "PIQP", "DAQP"))  # HiGHS knows no tolerance
        for tol in (1e-6,) if once else LADDER:
            begin = process_time()
            reached, seconds = _reaches(case, way(tol), good), process_time() - begin
            if reached and seconds > SLOW:
                slow[name] = seconds
            elif reached:
                calls[name] = lambda way=way, tol=tol: way(tol)
            if reached or seconds > 30.0:
                break
    times = {**slow, **interleaved(calls, repeats)}
    best = min((times[name] for name in RIVALS if name in times), default=None)
    return [case.name, exact.iterations, times["greedyhull"], times.get("as rows"), *(times.get(name) for name in RIVALS),
            None if best is None else best / times["greedyhull"]]


def _reaches(case: Case, w: Any, good: float) -> bool:
    """Whether a point is feasible to 1e-6 and good enough."""
    if w is None or not np.isfinite(w).all():
        return False
    off = max(abs(w.sum() - 1), float((case.sectors @ w).max() - SECTOR_CAP), float(-w.min()), float(w.max() - CAP))
    return off <= 1e-6 and case.value(w) <= good + 1e-9
