"""Solves of large data by one thread and by several, in turns; and solves with default settings next to busy processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from benchmarks.busy import PROBLEMS
from benchmarks.tables import Table, shown

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
    if table.rows:
        yield table
    yield _defaults(repeats, only)


def _defaults(repeats: int, only: tuple[str, ...]) -> Table:
    """Two processes solve in turns, one with the threads that users have by default, one with a single thread."""
    columns = ["problem"]
    for load in ("idle", "one busy", "two busy"):
        columns += [f"{load}, ms (worst)", "ratio"]
    table = Table("default_threads", "default threads / one thread, next to busy processes: median and worst", columns)
    for name in PROBLEMS:
        if only and not any(word in name for word in only):
            continue
        row: list[object] = [name]
        for busy in range(3):
            with ExitStack() as stack:
                pair = [stack.enter_context(_worker(one)) for one in (False, True)]
                warm = max(_seconds(each, name) for each in pair)
                for _ in range(busy):
                    stack.enter_context(_busy())
                times: tuple[list[float], list[float]] = ([], [])
                for turn in range(repeats * (20 if warm < 0.01 else 1)):
                    for k in (0, 1) if turn % 2 else (1, 0):
                        times[k].append(1e3 * _seconds(pair[k], name))
            (default, one), worst = [median(each) for each in times], [max(each) for each in times]
            row += [f"{shown(default)} / {shown(one)} ({shown(worst[0])} / {shown(worst[1])})", default / one]
        table.rows.append(row)
    return table


@contextmanager
def _worker(one: bool) -> Iterator[Any]:
    """A process that solves the problems it is told, with one thread or as many as there are by default."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    variables = {name: value for name, value in os.environ.items() if name not in names}
    script = Path(__file__).with_name("busy.py")
    with subprocess.Popen([sys.executable, "-P", "-W", "ignore", str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, env={**variables, **(dict.fromkeys(names, "1") if one else {})}) as process:
        try:
            process.stdout.readline()  # type: ignore[union-attr]
            yield process
        finally:
            process.kill()


def _seconds(worker: Any, name: str) -> float:
    print(name, file=worker.stdin, flush=True)
    return float(worker.stdout.readline())


@contextmanager
def _busy() -> Iterator[None]:
    """A process that keeps a core busy."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            yield
        finally:
            process.kill()


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
