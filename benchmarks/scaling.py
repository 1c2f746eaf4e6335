"""How time and memory grow with rows, columns and entries, and what the first solve of a process costs.

Every cell is a process of its own: its peak memory is then that of one problem, compiled code included.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.tables import Table

FITTED = 3  # the largest sizes of a sweep, through which the exponent is fitted: below them is the fixed cost of a call
MEANT = 10  # columns that the targets are made of


class Cell(NamedTuple):
    """One problem: ``entries`` is 0 for dense data."""

    kind: str  # "lasso" or "logistic"
    n: int
    d: int
    entries: int = 0


SWEEPS: dict[str, tuple[str, list[Cell]]] = {
    "dense lasso, rows": ("n", [Cell("lasso", n, 20) for n in (1000, 10_000, 100_000, 1_000_000)]),
    "dense lasso, columns": ("d", [Cell("lasso", 50, d) for d in (1000, 10_000, 100_000, 1_000_000)]),
    "dense logistic, rows": ("n", [Cell("logistic", n, 20) for n in (1000, 10_000, 100_000, 1_000_000)]),
    "dense logistic, columns": ("d", [Cell("logistic", 50, d) for d in (1000, 10_000, 100_000, 1_000_000)]),
    "sparse logistic, entries": ("entries", [Cell("logistic", 20_000, 2000, 10**e) for e in (4, 5, 6, 7)]),
}
CHILD = "import benchmarks, sys; from benchmarks.scaling import child; child(*sys.argv[1:])"


def scaling(repeats: int = 5, only: tuple[str, ...] = ()) -> Iterator[Table]:
    """A table of cells with the exponents below it, and one of first calls."""
    columns = ("sweep", "n", "d", "entries", "solve, ms", "rounds", "atoms", "data, MB", "beyond, MB")
    table = Table("scaling", "A solve to a certified relative gap of 1e-6, and its memory beyond the data", columns)
    calls = ("problem", "import, ms", "first solve, ms", "second solve, ms")
    first = Table("scaling_first", "The first solve of a process", calls)
    for name, (along, cells) in SWEEPS.items():
        if only and not any(word in name for word in only):
            continue
        seen = [measured(cell, repeats) for cell in cells]
        for cell, found in zip(cells, seen, strict=True):
            entries = cell.entries or cell.n * cell.d
            table.rows.append((name, cell.n, cell.d, entries, 1e3 * found["solve"], found["rounds"], found["atoms"],
                               found["data"] / 1e6, found["beyond"] / 1e6))
        power = exponent([getattr(cell, along) for cell in cells], [found["solve"] for found in seen])
        table.notes.append(f"{name}: seconds grow with the power {power:.2f} of {along}, over the {FITTED} largest.")
        first.rows.append((f"{name.partition(',')[0]}, {cells[0].n} x {cells[0].d}", 1e3 * seen[0]["import"],
                           1e3 * seen[0]["first"], 1e3 * seen[0]["second"]))
    yield table
    yield first


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """The slope of log seconds over log size at the largest sizes."""
    x, y = ([log(v) for v in values[-FITTED:]] for values in (sizes, seconds))
    return float(np.polyfit(x, y, 1)[0])


def measured(cell: Cell, repeats: int) -> dict[str, Any]:
    """What a process that solves this problem alone says."""
    from benchmarks import timing

    command = [sys.executable, "-c", CHILD, json.dumps(cell), str(repeats), timing.clock.__name__]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=dict(os.environ),
                          cwd=Path(__file__).resolve().parent.parent)
    return dict(json.loads(done.stdout))


# --- in the process of a cell -----------------------------------------------------------------------------------------


def child(cell: str, repeats: str, clock: str) -> None:
    """Import, solve for the first time, solve again; print what it took."""
    import time

    now = getattr(time, clock)
    X, y, radius = problem(Cell(*json.loads(cell)))
    data = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    before = peak()
    began = now()
    import greedyhull as gh

    kind, times = json.loads(cell)[0], [now() - began]
    for _ in range(1 + max(int(repeats), 1)):
        began = now()
        f = (gh.least_squares if kind == "lasso" else gh.logistic)(X, y)
        s = gh.minimize(f, gh.L1Ball(X.shape[1], radius), stop=gh.Relative(1e-6))
        times.append(now() - began)
    print(json.dumps({"import": times[0], "first": times[1], "second": times[2], "solve": float(np.median(times[2:])),
                      "rounds": s.iterations, "atoms": len(s.point), "data": data + y.nbytes, "beyond": peak() - before}))


def peak() -> int:
    """The most memory that this process has had, in bytes.

    Linux says it in VmHWM; its ru_maxrss begins with what the process had that started this one.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        return 1024 * int(status.read_text().partition("VmHWM:")[2].split()[0])
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


def problem(cell: Cell) -> tuple[Any, Any, float]:
    """Data by column, made without a copy of them; targets of ten columns with noise; half of what these add up to."""
    rng = np.random.default_rng(0)
    X: Any
    if cell.entries:
        from scipy.sparse import csc_array

        each = cell.entries // cell.d  # one row of every stretch, so that rows are sorted and differ
        places = np.empty((cell.d, each), dtype=np.int32)
        for column in places:  # one by one: no array of all of them but this
            column[:] = (np.arange(each) + rng.random(each)) * (cell.n / each)
        starts = np.arange(cell.d + 1, dtype=np.int32) * each
        X = csc_array((rng.standard_normal(cell.d * each), places.ravel(), starts), shape=(cell.n, cell.d))
    else:
        X = rng.standard_normal((cell.d, cell.n)).T
    w = np.zeros(cell.d)
    w[:MEANT] = 1.0
    z = X @ w + rng.standard_normal(cell.n)
    return X, (z if cell.kind == "lasso" else np.where(z > 0, 1.0, -1.0)), MEANT / 2
