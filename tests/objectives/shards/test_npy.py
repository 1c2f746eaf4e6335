"""Matrices in .npy files: blocks of rows, each read by itself; damaged headers are said, and objects are never unpickled."""

import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import greedyhull as gh


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rows", [1, 2, 3, 7, 23, 100, None])
def test_blocks_of_rows_are_the_matrix(folder, whole, rows, order):
    A = np.random.default_rng(0).standard_normal((23, 5))
    np.save(folder / "a.npy", np.asarray(A, order=order))
    data = gh.shards("a.npy", target=1, sample_weight=None, rows=rows)
    sizes = [len(data.load(k)) for k in range(data.count)]
    assert sum(sizes) == 23 and max(sizes) <= (rows or 23) and max(sizes) - min(sizes) <= 1
    X, y, _ = whole(data)
    assert np.array_equal(X, A[:, [0, 2, 3, 4]]) and np.array_equal(y, A[:, 1]) and data.load(0).X.flags.c_contiguous


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(n=st.integers(0, 30), d=st.integers(2, 5), most=st.integers(1, 40),
       kind=st.sampled_from(["f8", "f4", "i4", "u1", "?", ">f8", "f2"]))
def test_every_shape_and_dtype_in_every_cut(folder, whole, n, d, most, kind):
    A = np.random.default_rng(n).integers(0, 2, (n, d)).astype(kind)
    np.save(folder / "a.npy", A)
    data = gh.shards("a.npy", target=-1, rows=most)
    X, y, _ = whole(data)
    assert np.array_equal(X, A[:, :-1]) and np.array_equal(y, A[:, -1]) and data.d == d - 1
    assert X.dtype == (np.float32 if kind == "f4" else np.float64) and y.dtype == np.float64


def test_large_files_are_cut_and_not_read_whole(folder):
    """160 MB in blocks of 64 MB at most: a block is all that is ever read."""
    stored = np.lib.format.open_memmap(folder / "a.npy", "w+", np.float64, (400_000, 50))
    stored[::1000] = 1.0
    del stored
    data = gh.shards("a.npy", target=0)
    assert data.count == 3
    tracemalloc.start()
    gh.shards("a.npy", target=0)
    looked = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    shard = data.load(1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert looked < 1_000_000 and 8 * shard.X.size < 54_000_000 and peak < 60_000_000


def test_targets_and_weights_in_files_of_their_own(folder, whole):
    rng = np.random.default_rng(1)
    X, y, s = rng.random((10, 3)).astype(np.float32), rng.random(10), rng.random(10)
    for k, part in enumerate((slice(0, 4), slice(4, 10))):
        np.save(folder / f"X-{k}.npy", X[part])
        np.save(folder / f"y-{k}.npy", y[part])
        np.save(folder / f"s-{k}.npy", s[part][:, None])
    data = gh.shards("X-*.npy", target="y-*.npy", sample_weight="s-*.npy", rows=3, features=[2, 0])
    found = whole(data)
    assert np.array_equal(found[0], X[:, [2, 0]]) and np.array_equal(found[1], y) and np.array_equal(found[2], s)
    assert data.count == 4 and data.load(0).X.dtype == np.float32


def test_one_file_of_float64_among_float32_makes_all_float64(folder):
    np.save(folder / "a-0.npy", np.ones((2, 2), np.float32))
    np.save(folder / "a-1.npy", np.ones((2, 2)))
    data = gh.shards("a-*.npy", target=0)
    assert [data.load(k).X.dtype for k in range(2)] == [np.float64, np.float64]


@pytest.mark.parametrize("array, options, words", [
    (np.ones(3), {"target": 0}, "a.npy holds an array of shape (3,); a matrix"), (np.ones((2, 0)), {"target": 0}, "shape (2, "
              "0)"),
    (np.ones((2, 2, 2)), {"target": 0}, "shape (2, 2, 2)"), (np.ones((2, 2), complex), {"target": 0}, "holds complex128"),
    (np.array([["a"]]), {"target": 0}, "real numbers is wanted"), (np.zeros(2, "i4,f8"), {"target": 0}, "real numbers is "
              "wanted"),
    (np.zeros((2, 2), "M8[D]"), {"target": 0}, "real numbers is wanted"), (np.ones((2, 2)), {}, 'such as target="y-*.npy"'),
    (np.ones((2, 2)), {"target": 2}, "target = 2 was given; a.npy has 2 columns"), (np.ones((2, 1)), {"target": 0}, "No "
              "columns of a.npy are left"),
    (np.ones((2, 2)), {"target": "y.npy"}, "There is no file "
                                           "y.npy"), (np.ones((2, 2)), {"target": 0, "sample_weight": 0}, "the same column"),
    (np.ones((2, 2)), {"target": 0, "features": [0, 1]}, "0 is the target; it cannot be a feature"),
    (np.ones((2, 3)), {"target": 0, "features": [1, -2]}, "-2 is listed "
                                                          "twice"),
    (np.ones((2, 3)), {"target": 0, "features": ["b"]}, "have no names"),
    (np.array([[1.0, np.nan], [1.0, 2.0]]), {"target": 0}, "NaN stands in column 1, row 0 of a.npy"),
    (np.array([[1.0, 2.0], [1.0, 2.0], [1.0, -np.inf]]), {"target": 0, "rows": 1}, "an infinite number stands in column 1, "
                                                                                   "row 2 of a.npy"),
    (np.array([[1.0, 2.0], [np.nan, 2.0]]), {"target": 0}, "NaN stands in column 0, row 1 of a.npy"),
    (np.array([[1.0, 2.0, 3.0], [1.0, 2.0, -0.5]]), {"target": 0, "sample_weight": 2}, "-0.5 stands in column 2, row 1 of "
              "a.npy"),
    (np.array([[1, 1]], dtype=np.longdouble) * np.longdouble("1e4000"), {"target": 0}, "an infinite number"),
])
def test_what_is_wrong_is_said(folder, refused, array, options, words):
    np.save(folder / "a.npy", array)
    assert words in refused("a.npy", **options)


def test_files_that_disagree(folder, refused):
    np.save(folder / "a-0.npy", np.ones((2, 2)))
    np.save(folder / "a-1.npy", np.ones((2, 3)))
    np.save(folder / "y-0.npy", np.ones(2))
    assert "The files disagree on columns: a-0.npy has 2, and a-1.npy has 3." in refused("a-*.npy", target=0)
    np.save(folder / "y-0.npy", np.ones(3))
    assert "y-0.npy has shape (3,) for the 2 rows of a-0.npy" in refused("a-0.npy", target="y-0.npy")
    np.save(folder / "a-1.npy", np.ones((2, 2)))
    assert "target = 'y-*.npy' names 1 files for 2 files of rows" in refused("a-*.npy", target="y-*.npy")


class Trap:
    """Makes a file when it is unpickled."""

    def __reduce__(self):
        return (open, ("sprung", "w"))


def test_objects_are_never_unpickled(folder, refused):
    objects = np.empty((2, 2), dtype=object)
    objects[:] = Trap()
    np.save(folder / "a.npy", objects, allow_pickle=True)
    np.save(folder / "x.npy", np.ones((2, 2)))
    assert "holds Python objects, which are not unpickled" in refused("a.npy", target=0)
    assert "holds Python objects" in refused("x.npy", target="a.npy")
    np.load(folder / "a.npy", allow_pickle=True)
    assert (folder / "sprung").exists()  # the trap works


@pytest.mark.parametrize("shape, words", [((10**9, 10**6), "is cut off: its header promises"), ((3, 3), "is cut off"),
                                          ((-1, 3), "shape (-1, 3)"), ((2**62, 2**62), "is cut off")])
def test_a_header_that_promises_more_than_there_is(folder, refused, shape, words):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": shape})
    (folder / "a.npy").write_bytes(buffer.getvalue() + bytes(64))
    assert words in refused("a.npy", target=0)


@pytest.mark.parametrize("text", [b"", b"\x93NUMPY", b"\x93NUMPY\x03\x00", b"\x93NUMPY\x01\x00\x10\x00{'descr': open()}",
                                  b"PK\x03\x04", b"1,2\n"])
def test_what_is_no_array_is_said(folder, refused, text):
    (folder / "a.npy").write_bytes(text)
    assert "a.npy" in refused("a.npy", target=0)
