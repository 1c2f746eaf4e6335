"""The top singular pair of a gradient: what an oracle call costs beside `scipy.sparse.linalg.svds`, at the same tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import svds

import greedyhull as gh
from benchmarks.completion import Case, made_up
from benchmarks.tables import Table
from benchmarks.timing import interleaved, seconds

STEPS = 6  # of Frank-Wolfe with exact line search, whose last two gradients are asked for
TOLERANCES = (1e-2, 1e-3)  # relative to σ₁


def top_pair(repeats: int = 5) -> Table:
    table = Table("top_pair", "Top singular pair of a gradient, milliseconds", (
        "gradient", "tolerance", "ours, cold", "its error", "ours, warm", "its error ", "svds, cold", "svds / cold",
        "svds / warm"))
    for case in (made_up(943, 1682, 100_000, 1000.0), made_up(5000, 5000, 1_000_000, 5000.0)):
        before, g = gradients(case)
        top = float(svds(g, k=1, tol=1e-10, return_singular_vectors=False)[0])
        table.rows += [measured(case, before, g, top, tol, repeats) for tol in TOLERANCES]
    return table


def gradients(case: Case) -> tuple[Any, Any]:
    """Two in a row."""
    f, S = gh.completion(case.i, case.j, case.v, case.shape), gh.NuclearBall(case.shape, case.radius)
    w, oracle, seen = S.centre(), S.oracle(np.random.default_rng(0)), []
    for _ in range(STEPS):
        seen.append(f.gradient(w))
        move = w.toward(oracle.best(seen[-1], 1).atoms[0])
        w.move(move, float(f.along(w, move).argmin()))
    return seen[-2], seen[-1]


def measured(case: Case, before: Any, g: Any, top: float, tol: float, repeats: int) -> tuple[object, ...]:
    S, near, errors = gh.NuclearBall(case.shape, case.radius), tol * top * case.radius, {}

    def asked(name: str, oracle: Any) -> None:
        errors[name] = 1.0 + oracle.best(g, 1, tol=near).atoms[0].dot(g) / (case.radius * top)

    def fresh() -> Any:
        return S.oracle(np.random.default_rng(1))

    warm = []
    for _ in range(repeats):
        oracle = fresh()
        oracle.best(before, 1)
        warm.append(seconds(lambda oracle=oracle: asked("warm", oracle)))
    times = interleaved({"cold": lambda: asked("cold", fresh()), "svds": lambda: svds(g, k=1, tol=tol)}, repeats)
    cold, rival, again = 1e3 * times["cold"], 1e3 * times["svds"], 1e3 * float(np.median(warm))
    return f"{case.name}", tol, cold, errors["cold"], again, errors["warm"], rival, rival / cold, rival / again
