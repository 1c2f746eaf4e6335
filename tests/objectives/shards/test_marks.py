"""A file that vanished or changed is named; marks change with it."""

import os

import numpy as np
import pytest

import greedyhull as gh

ENDINGS = {"parquet": "y", "arrow": "y", "csv": "y", "npy": -1, "npz": "y", "svm": None}


@pytest.fixture(params=ENDINGS)
def data(request, folder, rows):
    rows.write(folder / f"part.{request.param}")
    return gh.shards(f"part.{request.param}", target=ENDINGS[request.param]), folder / f"part.{request.param}"


def test_a_file_that_vanished_is_named(data):
    data, path = data
    path.unlink()
    for ask in (data.load, data.mark):
        with pytest.raises(gh.GreedyhullError, match=rf"{path.name} was there when gh\.shards was called, and cannot be"):
            ask(0)


def test_a_file_that_grew_or_was_cut_is_named(data):
    data, path = data
    mark, text = data.mark(0), path.read_bytes()
    path.write_bytes(text + b"\n")
    assert data.mark(0) != mark
    with pytest.raises(gh.GreedyhullError, match=rf"{path.name} has changed since .* it had {len(text)} bytes, and has "
                                                  f"{len(text) + 1}"):
        data.load(0)
    path.write_bytes(text[:-9])
    with pytest.raises(gh.GreedyhullError, match=f"{path.name} has changed since"):
        data.load(0)


def test_a_file_that_was_written_to_is_named_though_its_size_is_the_same(data):
    data, path = data
    text, before = path.read_bytes(), path.stat().st_mtime_ns
    os.utime(path, ns=(before + 10**9, before + 10**9))
    with pytest.raises(gh.GreedyhullError, match=f"{path.name} was written to since"):
        data.load(0)
    os.utime(path, ns=(before, before))
    data.load(0)
    mark = data.mark(0)
    path.write_bytes(bytes([text[0] ^ 1]) + text[1:])
    os.utime(path, ns=(before, before))  # size and time are the same: sampled bytes are not
    assert data.mark(0) != mark


def test_a_file_of_targets_counts_too(folder):
    np.save(folder / "x.npy", np.ones((3, 2)))
    np.save(folder / "y.npy", np.ones(3))
    data = gh.shards("x.npy", target="y.npy")
    mark = data.mark(0)
    np.save(folder / "y.npy", np.ones((3, 1), dtype=np.float32))
    assert data.mark(0) != mark
    with pytest.raises(gh.GreedyhullError, match=r"y\.npy has changed since"):
        data.load(0)


def test_a_mark_reads_little(folder, monkeypatch):
    """64 MB of rows: 16 places of 1 KiB are looked at."""
    import tracemalloc

    np.save(folder / "x.npy", np.zeros((1 << 20, 8), dtype=np.float64))
    data = gh.shards("x.npy", target=0)
    tracemalloc.start()
    data.mark(0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000
