"""Logistic regression over an l1 ball, its rows in shards on disk: in memory, one shard after the other, two processes, Dask.

Beside them stand rivals, which solve the penalised problem whose penalty is the price of our radius: liblinear with all rows
in memory, `SGDClassifier` by `partial_fit` over the shards, and dask-glm's proximal gradient (dense rows only). ``above`` is
how far their value of that problem is above ours, relative to it.

Every cell is a process of its own, so that its peak memory is that of one way to solve. Shards are .npy files that are mapped
into memory; the pages of files that are read count as memory of the process, though the system may take them back.
"""

from __future__ import annotations

import json
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.tables import Table

ROOT = Path(__file__).parents[1]
SHARDS, ENTRIES, WIDE = 4, 20, 100_000
WAYS = ("in memory", "serial", "processes", "dask")
RIVALS = ("liblinear", "SGDClassifier", "dask-glm")
PASSES = 5  # of SGDClassifier


class Cell(NamedTuple):
    """One problem: dense rows, or rows of 20 entries in 100 000 columns."""

    kind: str
    n: int

    @property
    def d(self) -> int:
        return 50 if self.kind == "dense" else WIDE


CELLS = [Cell("sparse", 10**e) for e in (4, 5, 6, 7)] + [Cell("dense", e) for e in (100_000, 500_000, 5_000_000)]


class OnDisk:
    """Shards in files that are mapped into memory."""

    names = None

    def __init__(self, folder: Path, cell: Cell) -> None:
        self.folder, self.cell, self.d, self.count = folder, cell, cell.d, SHARDS

    def write(self) -> None:
        """Make the shards, one after the other."""
        for k in range(SHARDS):
            rng, n = np.random.default_rng(k), self.cell.n // SHARDS
            if self.cell.kind == "dense":
                X = rng.standard_normal((n, self.d))
                z, parts = X[:, :10].sum(axis=1), {"X": X}
            else:
                places = np.sort((self.d * rng.random((n, ENTRIES)) ** 3).astype(np.int32), axis=1)  # some columns are common
                data = rng.standard_normal(n * ENTRIES)
                z = (data.reshape(n, ENTRIES) * np.cos(places)).sum(axis=1)
                parts = {"data": data, "places": places.ravel()}
            y = np.where(z + rng.logistic(size=n) > 0, 1.0, -1.0)
            for name, array in {**parts, "y": y}.items():
                np.save(self.folder / f"{name}{k}.npy", array)

    def load(self, k: int) -> Any:
        from scipy.sparse import csr_array

        from greedyhull.types import Shard

        read = lambda name: np.load(self.folder / f"{name}{k}.npy", mmap_mode="r")
        y = read("y")
        if self.cell.kind == "dense":
            return Shard(read("X"), y)
        starts = np.arange(0, len(y) * ENTRIES + 1, ENTRIES, dtype=np.int32)  # as scikit-learn wants them
        return Shard(csr_array((read("data"), read("places"), starts), shape=(len(y), self.d)), y)

    def name(self, k: int) -> str:
        return f"shard {k}"

    def mark(self, k: int) -> str:
        return str(k)


def one(way: str, folder: str, kind: str, n: int, price: float = 0.0) -> dict[str, float]:
    """One solve in this process."""
    from contextlib import nullcontext

    import greedyhull as gh
    from greedyhull.objectives.sharded.serial import Serial

    if way in RIVALS:
        return rival(way, OnDisk(Path(folder), Cell(kind, n)), price)
    data = OnDisk(Path(folder), Cell(kind, n))
    made = {"processes": lambda: gh.processes(2), "dask": lambda: gh.cluster(workers=2)}.get(way, nullcontext)
    with made() as crew:
        if way == "in memory":
            f: Any = gh.logistic(*_whole(data))
        else:
            weighing = Weighing(Serial() if crew is None else crew)
            f = gh.logistic(data).on(weighing)
        S, stop = gh.L1Ball(data.d, radius=10.0), gh.Relative(1e-6)
        gh.minimize(f, S, stop=gh.Iterations(0))  # files are read, workers have started
        before, began = 0 if way == "in memory" else f.trips, time.perf_counter()
        s = gh.minimize(f, S, stop=stop)
        seconds = time.perf_counter() - began
    up, down = (0.0, 0.0) if way == "in memory" else weighing.a_trip()
    trips = 0 if way == "in memory" else f.trips - before
    return {"seconds": seconds, "trips": trips, "rounds": s.iterations, "gap": float(s.gap or 0.0), "value": float(s.value),
            "price": float(s.price or 0.0), "up": up, "down": down, "norm": float(np.abs(s.x).sum()),
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


class Weighing:
    """A crew, and how many bytes go to a worker and come back from all of them, as they are pickled."""

    def __init__(self, crew: Any) -> None:
        self.crew, self.workers = crew, crew.workers
        self.up: list[int] = []
        self.down: list[int] = []

    def map(self, task: Any, bundles: Any) -> Any:
        found = self.crew.map(task, bundles)
        self.down.append(len(pickle.dumps(task)))
        self.up.append(len(pickle.dumps(found)))
        return found

    def a_trip(self) -> tuple[float, float]:
        return float(np.mean(self.up)), float(np.mean(self.down))


def rival(way: str, data: OnDisk, price: float) -> dict[str, float]:
    """Another library on min mean loss + price·‖w‖₁, whose solution has our radius."""
    w, seconds = RIVAL[way](data, price)
    X, y = _whole(data)
    value = float(np.logaddexp(0.0, -y * (X @ w)).mean() + price * np.abs(w).sum())
    return {"seconds": seconds, "trips": 0, "rounds": 0, "penalised": value, "up": 0.0, "down": 0.0,
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def _liblinear(data: OnDisk, price: float) -> tuple[Any, float]:
    from sklearn.linear_model import LogisticRegression

    X, y = _whole(data)
    began = time.perf_counter()
    model = LogisticRegression(l1_ratio=1.0, C=1.0 / (price * len(y)), solver="liblinear", fit_intercept=False, tol=1e-4)
    return model.fit(X, y).coef_[0], time.perf_counter() - began


def _sgd(data: OnDisk, price: float) -> tuple[Any, float]:
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(loss="log_loss", penalty="l1", alpha=price, fit_intercept=False, random_state=0)
    began = time.perf_counter()
    for _ in range(PASSES):
        for k in range(data.count):
            shard = data.load(k)
            model.partial_fit(np.asarray(shard.X) if data.cell.kind == "dense" else shard.X, shard.y, classes=[-1.0, 1.0])
    return model.coef_[0], time.perf_counter() - began


def _dask_glm(data: OnDisk, price: float) -> tuple[Any, float]:
    import dask
    import dask.array as da
    from dask_glm.algorithms import proximal_grad

    X, y = _whole(data)
    rows = len(y) // data.count
    began = time.perf_counter()
    with dask.config.set(scheduler="threads"):
        w = proximal_grad(da.from_array(X, chunks=(rows, X.shape[1])), da.from_array((y > 0).astype(float), chunks=rows),
                          regularizer="l1", lamduh=price * len(y), max_iter=100)
    return np.asarray(w), time.perf_counter() - began


RIVAL = {"liblinear": _liblinear, "SGDClassifier": _sgd, "dask-glm": _dask_glm}


def _whole(data: OnDisk) -> tuple[Any, Any]:
    from scipy.sparse import vstack

    shards = [data.load(k) for k in range(data.count)]
    y = np.concatenate([shard.y for shard in shards])
    if data.cell.kind == "dense":
        return np.concatenate([shard.X for shard in shards]), y
    return vstack([shard.X for shard in shards], format="csr"), y


def scale(repeats: int, only: tuple[str, ...]) -> list[Table]:
    """Time, trips and peak memory of every way to solve."""
    table = Table("scale", "Rows in four shards on disk: l1 logistic regression to a relative gap of 1e-6",
                  ("rows", "way", "seconds", "trips", "seconds a trip", "rounds", "peak MB of the driver",
                   "bytes up a trip", "bytes down to a worker", "above"))
    for cell in CELLS:
        if only and not any(word in (f"{cell.kind} {cell.n}", cell.kind) for word in only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            OnDisk(Path(folder), cell).write()
            price, best = 0.0, float("nan")
            for way in (*WAYS, *(name for name in RIVALS if name != "dask-glm" or cell.kind == "dense")):
                call = [sys.executable, "-m", "benchmarks.scale", way, folder, cell.kind, str(cell.n), repr(price)]
                done = subprocess.run(call, cwd=ROOT, text=True, capture_output=True, check=True)
                told = json.loads(done.stdout.splitlines()[-1])
                if way == "serial":
                    price, best = told["price"], told["value"] + told["price"] * told["norm"]
                above = (told["penalised"] - best) / best if "penalised" in told else float("nan")
                each = told["seconds"] / told["trips"] if told["trips"] else float("nan")
                table.rows.append((f"{cell.kind} {cell.n}", way, round(told["seconds"], 3), int(told["trips"]), round(each, 4),
                                   int(told["rounds"]), round(told["peak"]), round(told["up"]), round(told["down"]),
                                   float(f"{above:.2g}")))
    return [table]


if __name__ == "__main__":
    from benchmarks import scale as module  # loaders must be importable by workers, not part of __main__

    print(json.dumps(module.one(*sys.argv[1:4], int(sys.argv[4]), *map(float, sys.argv[5:]))))
