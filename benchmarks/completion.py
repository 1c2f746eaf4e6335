"""Matrix completion: ours to a certified gap, beside rivals that are told the penalty of the radius, and the rank.

Rivals minimise f(W) + λ‖W‖_* in plain NumPy. Their error is measured at every iterate, with the clock stopped: how far this
is above its minimum, which our solution at a small gap tells, relative to f(0).
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

import greedyhull as gh
from benchmarks.cases import data_folder
from benchmarks.tables import Table
from benchmarks.timing import seconds
from greedyhull.objectives.designs.observed import Observed

PATIENCE = 120.0  # seconds after which a rival is stopped


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
    table = Table("completion", "Matrix completion: seconds to a relative gap of 1e-3", (
        "case", "ours, certified", "rank", "soft-impute-ALS, told the rank", "soft-impute", "proximal gradient",
        "peak GB so far"))
    cases = [jester(), made_up(943, 1682, 100_000, 1000.0), made_up(5000, 5000, 1_000_000, 5000.0)]
    for case in cases:
        if case is not None and (not only or any(word in case.name for word in only)):
            table.rows.append(measured(case, repeats))
    yield table


def measured(case: Case, repeats: int, goal: float = 1e-3) -> tuple[object, ...]:
    f, S = gh.completion(case.i, case.j, case.v, case.shape), gh.NuclearBall(case.shape, case.radius)
    ours = [seconds(lambda: gh.minimize(f, S, stop=gh.Relative(goal))) for _ in range(repeats)]
    best = gh.minimize(f, S, stop=gh.Relative(0.01 * goal) | gh.Iterations(30))
    G = f.gradient(best.point)
    penalty = -best.point.dot(G) / case.radius
    rank = len(best.point.factors().sigma)
    least = best.value + penalty * case.radius
    small = case.shape[0] * case.shape[1] < 5_000_000  # of larger ones full decompositions take minutes
    rivals = [alternating(case, penalty, rank), *((soft(case, penalty, fast) for fast in (False, True)) if small else ())]
    times = [time_to(rival, case, penalty, least, goal * f.scale) for rival in rivals]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return case.name, median(ours), rank, *times, *([None] * (3 - len(times))), peak


def time_to(rival: Iterator[Factored], case: Case, penalty: float, least: float, near: float) -> float | None:
    """The seconds until a rival is near; None where its patience ends first."""
    design, spent, found = Observed(case.i, case.j, case.shape), 0.0, []
    while spent < PATIENCE:
        spent += seconds(lambda: found.append(next(rival)))
        A, B = found.pop()
        (_, R), (_, T) = np.linalg.qr(A), np.linalg.qr(B)
        value = 0.5 * float(((design.bilinear(A, B, np.ones(A.shape[1])) - case.v) ** 2).sum())
        if value + penalty * float(np.linalg.svd(R @ T.T, compute_uv=False).sum()) - least <= near:
            return spent
    return None


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
