"""Files that cannot be written or read: an error that names the path, and nothing left behind."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh

rng = np.random.default_rng(3)
X, y = rng.standard_normal((20, 4)), rng.standard_normal(20)
F, S = gh.least_squares(X, y), gh.L1Ball(4, 1.0)
WRITERS = {
    "save": lambda s, path: s.save(path),
    "to_csv": lambda s, path: s.trace.to_csv(path),
    "report": lambda s, path: s.report(path),
    "compare": lambda s, path: gh.compare([s], path=path),
    "batch": lambda s, path: gh.batch([F, F], S).save(path),
    "checkpoint": lambda s, path: gh.minimize(F, S, stop=gh.Iterations(3), checkpoint=path),
}
READERS = {
    "load": gh.load,
    "resume": lambda path: gh.minimize(F, S, stop=gh.Iterations(3), resume=path),
    "LinearProgram.read": gh.LinearProgram.read,
}
ODD = {"a full disk": "/dev/full", "/proc": "/proc/greedyhull.npz", "a name of 300 bytes": "x" * 300}


@pytest.fixture(scope="module")
def solution() -> gh.Solution:
    return gh.minimize(F, S)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the paths are those of Linux")
@pytest.mark.parametrize("where", ODD.values(), ids=ODD)
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_paths_that_cannot_be_written(write, where, solution, tmp_path):
    path = where if where.startswith("/") else tmp_path / where
    with pytest.raises(gh.GreedyhullError, match=r"cannot be written|does not exist") as raised:
        write(solution, path)
    assert str(path) in str(raised.value) and not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the paths are those of Linux")
@pytest.mark.parametrize("where", [*ODD.values(), "/proc/self/mem"], ids=[*ODD, "/proc/self/mem"])
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_paths_that_cannot_be_read(read, where, tmp_path):
    path = where if where.startswith("/") else tmp_path / where
    with pytest.raises(gh.GreedyhullError) as raised:
        read(path)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize("there", [True, False], ids=["replaced", "new"])
@pytest.mark.parametrize("write", [WRITERS[name] for name in WRITERS if name != "checkpoint"],
                         ids=[name for name in WRITERS if name != "checkpoint"])
def test_a_disk_that_fills_up_leaves_what_was_there(write, there, solution, tmp_path, monkeypatch):
    def full(place: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "file"
    if there:
        path.write_text("before")
    monkeypatch.setattr(os, "fsync", full)
    left = "What was there before is still there" if there else "Nothing was written"
    with pytest.raises(gh.GreedyhullError, match=rf"file' cannot be written \(No space left on device\). {left}"):
        write(solution, path)
    assert [p.name for p in tmp_path.iterdir()] == (["file"] if there else [])
    assert not there or path.read_text() == "before"
