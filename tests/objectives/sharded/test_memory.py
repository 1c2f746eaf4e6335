"""Peak memory: two shards and a little, in the driver and in workers, however many shards there are; how often they load."""

from __future__ import annotations

import os
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.remote.executors import Serial
from greedyhull.types import Shard

D, ROWS, COUNT = 100, 26_000, 8  # eight shards of 20 MB
MB = 1 << 20
SIZE = 8 * ROWS * (D + 1) / MB
MARGIN = 24.0  # MB: sums, what a task needs for some rows at a time, the interpreter


class Heavy:
    """Shards that are made when they are loaded; loads are logged, with the peak memory of whoever loads so far."""

    names, d, count = None, D, COUNT

    def __init__(self, folder: Path) -> None:
        self.log = str(folder / "log")

    def load(self, k: int) -> Shard:
        with Path(self.log).open("a") as log:
            log.write(f"{os.getpid()} {k} {resident('VmHWM')} {resident('VmRSS')}\n")
        rng = np.random.default_rng(k)
        X = rng.random((ROWS, D))
        X -= 0.5
        return Shard(X, np.where(X[:, 0] - X[:, 1] > 0.0, 1.0, -1.0))

    def name(self, k: int) -> str:
        return f"shard {k}"

    def mark(self, k: int) -> str:
        return str(k)

    def lines(self) -> list[list[float]]:
        """Process, shard, and its peak and present memory in MB before the load."""
        return [[float(word) for word in line.split()] for line in Path(self.log).read_text().splitlines()]


def resident(what: str) -> float:
    """The peak of this process' memory (VmHWM), or what it has now (VmRSS), in MB; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith(what))


def solved(f: Any) -> gh.Solution:
    return gh.minimize(f, gh.L1Ball(D, 3.0), stop=gh.Iterations(1))


def test_the_driver_alone_holds_two_shards_at_most(tmp_path):
    data = Heavy(tmp_path)
    f = gh.logistic(data).on(Serial(room=0))
    tracemalloc.start()
    try:
        solved(f)
        peak = tracemalloc.get_traced_memory()[1] / MB
    finally:
        tracemalloc.stop()
    assert SIZE < peak <= 2 * SIZE + MARGIN < COUNT * SIZE / 2
    assert len(data.lines()) == f.trips * COUNT  # nothing was kept


def test_what_is_kept_fits_into_the_room(tmp_path):
    data = Heavy(tmp_path)
    f = gh.logistic(data).on(Serial(room=int(3.5 * SIZE * MB)))
    tracemalloc.start()
    try:
        solved(f)
        peak = tracemalloc.get_traced_memory()[1] / MB
    finally:
        tracemalloc.stop()
    assert 4 * SIZE < peak <= 5 * SIZE + MARGIN
    assert len(data.lines()) == 3 + f.trips * (COUNT - 3)  # three stay, the others are loaded in every trip


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_workers_hold_two_shards_and_the_driver_none(tmp_path):
    data = Heavy(tmp_path)
    before = resident("VmRSS")
    with gh.processes(2, room=0) as crew:
        f = gh.logistic(data).on(crew)
        solved(f)
        peaks = {pid: _peak_of(pid) for pid in crew.pids}
        grown = resident("VmRSS") - before
    seen = data.lines()
    assert len(peaks) == 2 and {line[0] for line in seen} == set(peaks)
    for pid, peak in peaks.items():
        empty = next(line[3] for line in seen if line[0] == pid)  # before its first shard
        assert SIZE < peak - empty <= 2 * SIZE + MARGIN + 16.0  # what it imports meanwhile
    assert grown < SIZE
    assert len(seen) == f.trips * COUNT
    assert all({line[1] for line in seen if line[0] == pid} in ({0, 1, 2, 3}, {4, 5, 6, 7}) for pid in peaks)


def keep_nothing() -> int:
    """In a Dask worker: its number, and from now on no shard stays in memory there."""
    from greedyhull.remote import worker

    worker.CACHE.room = 0
    return os.getpid()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_dask_workers_hold_two_shards_and_the_driver_none(tmp_path):
    pytest.importorskip("distributed")
    data, before = Heavy(tmp_path), resident("VmRSS")
    with gh.cluster(workers=2) as crew:
        pids = set(crew._client.run(keep_nothing).values())
        before = max(before, resident("VmRSS"))  # Dask is imported
        f = gh.logistic(data).on(crew)
        solved(f)
        peaks = {pid: _peak_of(pid) for pid in pids}
        grown = resident("VmRSS") - before
    seen = data.lines()
    assert len(pids) == 2 and {line[0] for line in seen} == pids and len(seen) == f.trips * COUNT
    for pid, peak in peaks.items():
        empty = next(line[3] for line in seen if line[0] == pid)  # before its first shard
        assert SIZE < peak - empty <= 2 * SIZE + MARGIN + 16.0  # what it imports meanwhile
    assert grown < SIZE


def test_workers_load_each_shard_once_where_all_fit(tmp_path):
    data = Heavy(tmp_path)
    with gh.processes(2) as crew:
        f = gh.logistic(data).on(crew)
        solved(f)
    assert f.trips > 2 and sorted(line[1] for line in data.lines()) == list(range(COUNT))


def _peak_of(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


class Wide(Heavy):
    """Sparse rows, twenty entries each; 19 MB a shard."""

    d = 20_000

    def load(self, k: int) -> Shard:
        from scipy.sparse import csr_array

        n, rng = 80_000, np.random.default_rng(k)
        entries = rng.random(20 * n)
        places = rng.integers(0, self.d // 20, (n, 20), dtype=np.int32) + np.arange(0, self.d, self.d // 20, dtype=np.int32)
        X = csr_array((entries, places.ravel(), np.arange(0, 20 * n + 1, 20, dtype=np.int32)), shape=(n, self.d))
        return Shard(X, np.where(entries[::20] > 0.5, 1.0, -1.0))


def test_the_first_pass_over_sparse_rows_copies_none_of_them(tmp_path):
    f = gh.logistic(Wide(tmp_path)).on(Serial(room=0))
    tracemalloc.start()
    try:
        assert f.n == COUNT * 80_000
        peak = tracemalloc.get_traced_memory()[1] / MB
    finally:
        tracemalloc.stop()
    assert peak <= 2 * 19.0


@pytest.mark.parametrize("n", [1, 40])
@pytest.mark.parametrize("portion", [1, 7, 1 << 20])
@pytest.mark.parametrize("kind", ["sparse", "dense", "whole numbers", "by column"])
def test_columns_are_measured_in_portions(n, portion, kind, monkeypatch):
    from scipy.sparse import csr_array

    from greedyhull.remote import rows
    from greedyhull.remote import summary as first_look

    monkeypatch.setattr(first_look, "PORTION", portion)
    monkeypatch.setattr(rows, "IN_CACHE", 4 * portion)
    monkeypatch.setattr(rows, "STORED", 4 * portion)
    rng = np.random.default_rng(n)
    X = np.where(rng.random((n, 3)) < 0.5, rng.integers(-9, 9, (n, 3)), 0)
    X[n // 2 :: 4] = 0
    s = rng.random(n)
    given = {"sparse": csr_array(X.astype(float)), "dense": X.astype(float), "whole numbers": X,
             "by column": np.asfortranarray(X, dtype=float)}[kind]
    found = first_look._columns(given, s, "a shard")
    assert np.array_equal(found["max columns"], np.abs(X).max(axis=0, initial=0.0))
    assert np.allclose(found["squares"], (X * X).sum(axis=0)) and np.allclose(found["mean"], s @ X)
