"""One solve of large data by one thread and by several, in turns: how much faster, and whether the bits are the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from statistics import median
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from benchmarks.tables import Table

SHAPES = ("dense rows, 1e6 x 50", "dense columns, 1e6 x 50", "sparse, 1e6 x 1e5")


def threads(repeats: int = 7, only: tuple[str, ...] = ()) -> Iterator[Table]:
    """Wall clock, and the processor time of the calling thread, which tells on a busy machine as well."""
    many = max(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2)
    columns = ("problem", "one, ms", f"{many}, ms", "ratio", "ratio, caller's processor time", "same bits")
    table = Table("threads", f"minimize, from a built objective to 1e-6, by one thread and by {many}", columns)
    for shape in SHAPES:
        for loss in ("lasso", "logistic"):
            name = f"{shape}, {loss}"
            if not only or any(word in name for word in only):
                table.rows.append((name, *_measured(shape, loss, many, repeats)))
    yield table


def _measured(shape: str, loss: str, many: int, repeats: int) -> tuple[Any, ...]:
    import greedyhull as gh

    X, y, radius = _data(shape)
    f = gh.least_squares(X, y) if loss == "lasso" else gh.logistic(X, np.sign(y))
    S, turns, answers = gh.L1Ball(X.shape[1], radius), {1: [], many: []}, set()
    gh.minimize(f, S)  # memory that is asked for once
    for _ in range(repeats):
        for count, seen in turns.items():
            wall, own = perf_counter(), thread_time()
            s = gh.minimize(f, S, threads=count)
            seen.append((perf_counter() - wall, thread_time() - own))
            answers.add((s.value, s.gap, s.x.tobytes()))
    (one, own), (two, less) = ([median(v) for v in zip(*seen, strict=True)] for seen in turns.values())
    return 1e3 * one, 1e3 * two, one / two, own / less, "yes" if len(answers) == 1 else "no"


def _data(shape: str) -> tuple[Any, Any, float]:
    rng = np.random.default_rng(0)
    if shape.startswith("dense"):
        X = rng.standard_normal((1_000_000, 50), dtype=np.float64)
        X = np.asfortranarray(X) if "columns" in shape else X
        return X, X[:, :10].sum(axis=1) + rng.standard_normal(len(X)), 5.0
    import scipy.sparse as sp

    n, d, each = 1_000_000, 100_000, 20
    places = (d * rng.random(n * each) ** 3).astype(np.int32)  # some columns are frequent, as words are
    Z = sp.csr_array((rng.random(n * each), places, np.arange(0, n * each + 1, each)), shape=(n, d))
    Z.sum_duplicates()
    w = np.zeros(d)
    w[:200] = rng.standard_normal(200)
    return Z, Z @ w + rng.standard_normal(n), 100.0
