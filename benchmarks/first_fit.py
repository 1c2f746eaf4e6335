"""What the first fit of a process costs: compiled from nothing, from the disk cache, and the second fit for comparison."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import timing
from benchmarks.rivals import RIVALS, absent
from benchmarks.tables import Table

FIT = """
import sys
import time
import benchmarks
import numpy as np
from benchmarks.first_fit import fitter
rng = np.random.default_rng(0)
X = np.asfortranarray(rng.standard_normal((100, 200)))
z = X[:, :5].sum(axis=1) + rng.standard_normal(100)
fit = fitter(sys.argv[1], sys.argv[2])
y = z if sys.argv[2] == "lasso" else np.where(z > 0, 1.0, -1.0)
clock = getattr(time, sys.argv[3])
began = clock()
fit(X, y)
first = clock()
fit(X, y)
print(first - began, clock() - first)
"""


def first_fit(repeats: int = 7, only: tuple[str, ...] = ()) -> Iterator[Table]:
    columns = ("fit of 100x200", "first, nothing cached, s", "first, from a cache, s", "second fit, s")
    table = Table("first_fit", "The first fit of a process", columns)
    table.notes += [f"Left out: {package} is not installed." for package in absent()]
    for name, kind in [("greedyhull", "lasso"), ("greedyhull", "logistic")] + [(r.name, r.kind) for r in RIVALS if r.present]:
        with tempfile.TemporaryDirectory() as cache:
            cold = _run(name, kind, cache)
            cached = [_run(name, kind, cache) for _ in range(3)]
        table.rows.append((f"{name} {kind}", cold[0], min(first for first, _ in cached), min(second for _, second in cached)))
    yield table


def fitter(name: str, kind: str):  # type: ignore[no-untyped-def]
    """fit(X, y), with the imports of its package already made, so that only compilation and work are timed."""
    if name == "greedyhull":
        import greedyhull as gh

        f, solver = (gh.least_squares if kind == "lasso" else gh.logistic), getattr(gh, "Corrective", lambda: None)()
        return lambda X, y: gh.minimize(f(X, y), gh.L1Ball(X.shape[1], 2.0), solver, stop=gh.Relative(1e-6))
    rival = next(r for r in RIVALS if r.name == name and r.kind == kind)
    __import__(rival.package)
    return lambda X, y: rival(X, y, 0.1, 1e-6)


def _run(name: str, kind: str, cache: str) -> tuple[float, float]:
    """The first and the second fit of a new process whose compiled code is kept in ``cache``."""
    command = [sys.executable, "-c", FIT, name, kind, timing.clock.__name__]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True,
                          cwd=Path(__file__).resolve().parent.parent, env={**os.environ, "NUMBA_CACHE_DIR": cache})
    first, second = map(float, done.stdout.split())
    return first, second
