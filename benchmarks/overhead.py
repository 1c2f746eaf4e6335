"""What the driver costs beyond its matrix products, what a call costs, and what the import costs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import greedyhull as gh
from benchmarks.tables import Table
from benchmarks.timing import best

N, D, STEPS = 50, 500, 2000


def overhead(repeats: int = 7, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("overhead", "The cost of the driver", ("what", "figure", "unit"))
    f, S = _problem(N, D, radius=5.0)
    run = partial(gh.minimize, f, S, gh.FrankWolfe(gh.Exact()), stop=gh.Iterations(STEPS))
    trace = run().trace
    total, bare = best(run, repeats) / STEPS, best(lambda: _products(f), repeats) / STEPS
    tiny, ball = _problem(4, 3, radius=1.0)
    empty = best(lambda: gh.minimize(f, S, stop=gh.Iterations(0)), 5 * repeats)
    table.rows += [
        (f"iteration of FrankWolfe(Exact()), least squares, L1Ball, n={N}, d={D}", 1e6 * total, "µs"),
        ("its products alone (an adjoint and a column)", 1e6 * bare, "µs"),
        ("the driver beyond them", 1e6 * (total - bare), "µs"),
        ("passes over the data for each iteration", float(trace.products[-1]) / STEPS, "products"),
        ("a call with Iterations(0), same problem", 1e6 * empty, "µs"),
        ("a call with the defaults, n=4, d=3", 1e6 * best(lambda: gh.minimize(tiny, ball), 5 * repeats), "µs"),
        ("import greedyhull, best of 5", 1e3 * min(_import_seconds() for _ in range(5)), "ms"),
    ]
    yield table


def _problem(n: int, d: int, radius: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return gh.least_squares(np.asfortranarray(rng.standard_normal((n, d))), rng.standard_normal(n)), gh.L1Ball(d, radius)


def _products(f: Any) -> None:
    """As many adjoints and columns as the run makes, and nothing else."""
    X, r = f.design.X, np.ones(N)
    transposed = X.T
    for k in range(STEPS):
        transposed.dot(r)
        5.0 * X[:, k % D]


def _import_seconds() -> float:
    code = "from time import perf_counter as t; a = t(); import greedyhull; print(t() - a)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)
