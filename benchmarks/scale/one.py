"""``python -m benchmarks.scale.one '{"way": …}'``: one way to solve, in a process of its own; what was measured as JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import inf, nan
from pathlib import Path
from typing import Any

from benchmarks.scale.data import Cell, Made, Stored
from benchmarks.scale.others import RIVALS, dask_glm_to, rival
from benchmarks.scale.ours import READ, solved

ROOT = Path(__file__).parents[2]
LONGEST = 3600.0  # seconds of a solve
PATIENCE = 600.0  # seconds in which a rival may come as near as is wanted
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}  # threads that wait use processors


def asked(way: str, cell: Cell, folder: str, *, price: float = 0.0, tol: float = 1e-6, enough: float = 0.0) -> dict[str, Any]:
    """Run one way in a new process, which computes with one thread; so does each worker that it starts."""
    order = {"way": way, "cell": list(cell), "folder": folder, "price": price, "tol": tol, "enough": enough}
    call = [sys.executable, "-m", "benchmarks.scale.one", json.dumps(order)]
    try:
        done = subprocess.run(call, cwd=ROOT, text=True, capture_output=True, timeout=PATIENCE if enough else LONGEST,
                              env=os.environ | ONE_THREAD)
    except subprocess.TimeoutExpired:
        return {"seconds": inf, "processor": inf, "steps": 0, "penalised": nan, "peak": nan, "workers": None}
    if done.returncode:
        raise RuntimeError(f"{way} on {cell} failed:\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def answered(order: dict[str, Any]) -> dict[str, Any]:
    """What is measured, in this process."""
    cell, way = Cell(*order["cell"]), order["way"]
    data = Stored(cell, folder=order["folder"], mapped=not way.endswith(READ)) if order["folder"] else Made(cell)
    if order["enough"]:
        return dask_glm_to(data, order["price"], order["enough"])
    if way in RIVALS:
        return rival(way, data, order["price"])
    return solved(way, data, order["tol"])


if __name__ == "__main__":
    print(json.dumps(answered(json.loads(sys.argv[1]))))
