"""Matrix completion: ours to a certified gap, beside rivals that are told the penalty of the radius, and the rank.

Rivals minimise f(W) + λ‖W‖_*, in plain NumPy, and cmfrec where it is installed. Their error is measured at every iterate, with
the clock stopped: how far this is above its minimum, which our solution at a small gap tells, relative to f(0).
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

import greedyhull as gh
from benchmarks import timing
from benchmarks.cases import data_folder
from benchmarks.tables import Table
from benchmarks.timing import seconds
from greedyhull.objectives.designs.matrix import Observed

PATIENCE = 120.0  # seconds after which a rival is stopped
SHORT = 20.0  # the same for Frank-Wolfe with plain steps, which needs thousands of them
ENOUGH = 15.0  # seconds, after which nobody is run again


class Case(NamedTuple):
    """Known entries in the order of their rows, and the radius."""

    name: str
    i: Any
    j: Any
    v: Any
    shape: tuple[int, int]
    radius: float


class Factored(NamedTuple):
    """A Bᵀ."""

    A: Any
    B: Any


def made_up(m: int, n: int, entries: int, radius: float) -> Case:
    """Whole ratings from 1 to 5, centred, of forty hidden tastes and noise."""
    rng = np.random.default_rng(0)
    U, V = rng.standard_normal((m, 40)), rng.standard_normal((n, 40))
    i, j = np.divmod(np.sort(rng.choice(m * n, entries, replace=False)), n)
    v = np.einsum("er,er->e", U[i], V[j]) / np.sqrt(40) + rng.standard_normal(entries)
    return Case(f"made up {m}x{n}, {entries} entries", i, j, np.clip(np.round(3 + v), 1, 5) - 3, (m, n), radius)


def jester() -> Case | None:
    path = data_folder() / "recsys" / "jester5k.npz"
    if not path.is_file():
        return None
    z = np.load(path)
    order = np.lexsort((z["col"], z["row"]))
    i, j, v = (z[name][order] for name in ("row", "col", "rating"))
    return Case("Jester 5000x100", i.astype(int), j.astype(int), v.astype(float), (5000, 100), 5000.0)


def completion(repeats: int = 5, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("completion", "Matrix completion: seconds to a relative gap", (
        "case", "gap", "ours, certified", "rank", "soft-impute-ALS, told the rank", "cmfrec, told the rank", "soft-impute",
        "proximal gradient", "copt, Frank-Wolfe", "peak GB of a process"))
    cases = [(jester(), (1e-3, 1e-5)), (made_up(943, 1682, 100_000, 1000.0), (1e-3,)),
             (made_up(5000, 5000, 1_000_000, 5000.0), (1e-3,))]
    for case, goals in cases:
        if case is not None and (not only or any(word in case.name for word in only)):
            table.rows += [measured(case, repeats, goal) for goal in goals]
    if table.rows:
        yield table
    if not only or "pair" in only:
        from benchmarks.top_pair import top_pair

        yield top_pair(repeats)


def measured(case: Case, repeats: int, goal: float) -> tuple[object, ...]:
    """Medians of runs that take turns; a rival that has used up its patience is not run again, nor is cmfrec, which was run
    several times."""
    f, S = gh.completion(case.i, case.j, case.v, case.shape), gh.NuclearBall(case.shape, case.radius)
    best = gh.minimize(f, S, stop=gh.Relative(0.01 * goal) | gh.Iterations(30))
    penalty = -best.point.dot(f.gradient(best.point)) / case.radius
    sigma = best.point.factors().sigma
    rank, least = int((sigma > 1e-3 * sigma[0]).sum()), best.value + penalty * case.radius
    small = case.shape[0] * case.shape[1] < 5_000_000  # of larger ones full decompositions take minutes
    near = goal * f.scale
    calls: dict[str, Callable[[], float | None]] = {
        "ours": lambda: seconds(lambda: gh.minimize(f, S, stop=gh.Relative(goal))),
        "alternating": lambda: time_to(alternating(case, penalty, rank), case, penalty, least, near),
        "collective": lambda: collective(case, penalty, rank, least, near)}
    if small:
        calls |= {"soft": lambda: time_to(soft(case, penalty, False), case, penalty, least, near),
                  "fast": lambda: time_to(soft(case, penalty, True), case, penalty, least, near),
                  "copt": lambda: conditional_gradient(case, best.value, near)}
    times: dict[str, list[float | None]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            spent = times[name]
            if None not in spent and sum(x or 0.0 for x in spent) < ENOUGH and not (spent and name == "collective"):
                spent.append(call())
    found = [None if None in times.get(name, [None]) else median(x or 0.0 for x in times[name])
             for name in ("ours", "alternating", "collective", "soft", "fast", "copt")]
    return case.name, goal, found[0], rank, *found[1:], peak(case, goal)


def peak(case: Case, goal: float) -> float:
    """The largest memory of a fresh process that solves the case, in GB."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(memory_of, case, goal).result()


def memory_of(case: Case, goal: float) -> float:
    f, S = gh.completion(case.i, case.j, case.v, case.shape), gh.NuclearBall(case.shape, case.radius)
    gh.minimize(f, S, stop=gh.Relative(goal))
    status = Path("/proc/self/status")  # where there is one: ru_maxrss is inherited from the parent
    told = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM")] if status.exists() else []
    return float(told[0] if told else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1e6


def time_to(rival: Iterator[Factored], case: Case, penalty: float, least: float, near: float) -> float | None:
    """The seconds until a rival is near; None where its patience ends first."""
    design, spent, found = Observed(case.i, case.j, case.shape), 0.0, []
    while spent < PATIENCE:
        spent += seconds(lambda: found.append(next(rival)))
        if penalised(case, design, found.pop(), penalty) - least <= near:
            return spent
    return None


def penalised(case: Case, design: Observed, at: Factored, penalty: float) -> float:
    """f(W) + λ‖W‖_*."""
    A, B = (np.ascontiguousarray(part, dtype=float) for part in at)
    (_, R), (_, T) = np.linalg.qr(A), np.linalg.qr(B)
    value = 0.5 * float(((design.bilinear(A, B, np.ones(A.shape[1])) - case.v) ** 2).sum())
    return value + penalty * float(np.linalg.svd(R @ T.T, compute_uv=False).sum())


def collective(case: Case, penalty: float, rank: int, least: float, near: float) -> float | None:
    """cmfrec's alternating least squares by conjugate gradients, without biases and centring: ‖AB' − v‖² + λ(‖A‖² + ‖B‖²).

    It cannot be watched. So the fewest iterations that are enough are looked for, and the time of a fit with so many counts.
    """
    try:
        from cmfrec import CMF
    except ImportError:
        return None
    from scipy.sparse import coo_matrix

    known, design = coo_matrix((case.v, (case.i, case.j)), shape=case.shape), Observed(case.i, case.j, case.shape)

    def fit(iterations: int) -> tuple[float, bool]:
        model = CMF(k=rank, lambda_=penalty, niter=iterations, user_bias=False, item_bias=False, center=False, nthreads=1,
                    use_float=near > 1e-4 * least, finalize_chol=False, precompute_for_predictions=False, verbose=False)
        spent = seconds(lambda: model.fit(known))
        return spent, penalised(case, design, Factored(model.A_, model.B_), penalty) - least <= near

    fewer, enough, (spent, good) = 0, 8, fit(8)
    while not good and 4.0 * spent < SHORT:
        fewer, enough = enough, 2 * enough
        spent, good = fit(enough)
    while good and enough - fewer > 1 + enough // 16:
        middle = (fewer + enough) // 2
        now, there = fit(middle)
        fewer, enough, spent = (fewer, middle, now) if there else (middle, enough, spent)
    return spent if good else None


def conditional_gradient(case: Case, least: float, near: float) -> float | None:
    """copt's Frank-Wolfe over the same ball, on the matrix written out, with its backtracking step."""
    try:
        import copt
        from copt.constraint import TraceBall
    except ImportError:
        return None
    flat, began, waited = case.i * case.shape[1] + case.j, timing.clock(), [0.0]
    done: list[float] = []

    def value_and_slope(x: Any) -> tuple[float, Any]:
        g, r = np.zeros(len(x)), x[flat] - case.v
        g[flat] = r
        return 0.5 * float(r @ r), g

    def watch(seen: dict[str, Any]) -> bool:
        now = timing.clock()
        near_enough = value_and_slope(seen["x"])[0] - least <= near
        if near_enough:
            done.append(now - began - waited[0])
        waited[0] += timing.clock() - now
        return not (near_enough or now - began > SHORT)

    copt.minimize_frank_wolfe(value_and_slope, np.zeros(case.shape[0] * case.shape[1]),
                              TraceBall(case.radius, case.shape).lmo, step="backtracking", lipschitz=1.0, max_iter=10_000,
                              tol=0.0, callback=watch)
    return done[0] if done else None


def alternating(case: Case, penalty: float, rank: int) -> Iterator[Factored]:
    """Soft-impute by alternating least squares (Hastie et al. 2015): the known entries and the last matrix elsewhere."""
    rng, design = np.random.default_rng(0), Observed(case.i, case.j, case.shape)
    U, _ = np.linalg.qr(rng.standard_normal((case.shape[0], rank)))
    V, d = np.zeros((case.shape[1], rank)), np.ones(rank)
    while True:
        for turned in (False, True):
            rest: Any = design.adjoint(case.v - design.bilinear(U, V, d))
            if turned:
                X = (np.asarray(rest @ V) + U * d) * (d / (d + penalty))
                U, d, R = np.linalg.svd(X, full_matrices=False)
                V = V @ R.T
            else:
                X = (np.asarray(rest.T @ U) + V * d) * (d / (d + penalty))
                V, d, R = np.linalg.svd(X, full_matrices=False)
                U = U @ R.T
        yield Factored(U * d, V)


def soft(case: Case, penalty: float, fast: bool) -> Iterator[Factored]:
    """Soft-impute (Mazumder et al. 2010), which is the proximal gradient with step 1; ``fast`` with Nesterov's momentum."""
    M = csr_array((case.v, (case.i, case.j)), shape=case.shape).toarray()
    mask = csr_array((np.ones(len(case.v)), (case.i, case.j)), shape=case.shape).toarray()
    X = Y = np.zeros(case.shape)
    t = 1.0
    while True:
        U, s, V = np.linalg.svd(Y - mask * (Y - M), full_matrices=False)
        s = np.maximum(s - penalty, 0.0)
        keep = s > 0.0
        X, before = (U[:, keep] * s[keep]) @ V[keep], X
        t, last = ((1.0 + np.sqrt(1.0 + 4.0 * t * t)) / 2.0, t) if fast else (1.0, 1.0)
        Y = X + (last - 1.0) / t * (X - before) if fast else X
        yield Factored(U[:, keep] * s[keep], V[keep].T)
