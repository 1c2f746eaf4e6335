"""Archives in .npz files: arrays by name, sparse matrices, names in any order; hostile ones are refused in words."""

import io
import zipfile

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.data import arrays as npz

M = sparse.random(12, 40, density=0.1, format="csr", random_state=0)
CSR = {"format": np.array(b"csr"), "shape": np.array([12, 40]), "data": M.data, "indices": M.indices, "indptr": M.indptr,
       "y": np.arange(12.0)}


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "dia"])
def test_every_format_of_scipy_becomes_csr(folder, form):
    sparse.save_npz(folder / "m.npz", M.asformat(form))
    with np.load(folder / "m.npz") as stored:
        np.savez(folder / "a.npz", **stored, y=np.arange(12.0))
    shard = gh.shards("a.npz").load(0)
    assert shard.X.format == "csr" and np.array_equal(shard.X.toarray(), M.toarray())
    assert np.array_equal(shard.y, np.arange(12.0))


def test_sparse_rows_with_a_column_for_the_target(folder):
    np.savez(folder / "a.npz", **{name: part for name, part in CSR.items() if name != "y"})
    data = gh.shards("a.npz", target=3, features=[5, 0, 4])
    assert np.array_equal(data.load(0).y, M.toarray()[:, 3])
    assert np.array_equal(data.load(0).X.toarray(), M.toarray()[:, [5, 0, 4]])


def test_a_sparse_matrix_without_rows_or_without_entries(folder):
    for k, n in enumerate((0, 3)):
        np.savez(folder / f"a-{k}.npz", shape=np.array([n, 5]), data=np.empty(0), indices=np.empty(0, int),
                 indptr=np.zeros(n + 1, int), y=np.zeros(n))
    data = gh.shards("a-*.npz")
    assert [data.load(k).X.shape for k in range(2)] == [(0, 5), (3, 5)]


def test_entries_that_stand_twice_are_added(folder):
    np.savez(folder / "a.npz", shape=[1, 3], data=[1.0, 2.0], indices=[1, 1], indptr=[0, 2], y=[0.0])
    shard = gh.shards("a.npz").load(0)
    assert shard.X.toarray().tolist() == [[0.0, 3.0, 0.0]] and shard.X.nnz == 1


def test_columns_are_taken_by_name(folder):
    X = np.arange(6.0).reshape(2, 3)
    np.savez(folder / "a-0.npz", X=X, y=np.zeros(2), names=["a", "b", "c"])
    np.savez(folder / "a-1.npz", X=X[:, [2, 0, 1]], y=np.zeros(2), names=["c", "a", "b"])
    for options, names in (({}, ["a", "b", "c"]), ({"features": ["c", "a"]}, ["c", "a"]), ({"features": [2, 0]}, ["c", "a"]),
                           ({"target": "b"}, ["a", "c"]), ({"target": 1}, ["a", "c"])):
        data = gh.shards("a-*.npz", **options)
        assert data.names == names and data.d == len(names)
        assert np.array_equal(data.load(0).X, data.load(1).X) and np.array_equal(data.load(0).y, data.load(1).y)
        assert np.array_equal(data.load(1).X, X[:, ["abc".index(name) for name in names]])


def test_one_matrix_needs_no_name_and_labels_are_found(folder):
    np.savez(folder / "a.npz", rows=np.ones((2, 3), np.float32), label=[1, 0], w=[True, False])
    data = gh.shards("a.npz", sample_weight="w")
    shard = data.load(0)
    assert shard.X.dtype == np.float32 and shard.y.tolist() == [1.0, 0.0] and shard.sample_weight.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("arrays, options, words", [
    ({**CSR, "indices": M.indices + 10**7}, {}, "malformed: indices "
                                                "holds"), ({**CSR, "indices": M.indices - 50}, {}, "malformed"),
    ({**CSR, "indptr": M.indptr[::-1].copy()}, {}, "malformed: "
                                                   "indptr"), ({**CSR, "indptr": 10**6 * M.indptr}, {}, "malformed: indptr "
              "ends"),
    ({**CSR, "shape": np.array([2**62, 2**62])}, {}, "y in a.npz has shape (12,) where the matrix has"),
    ({**CSR, "shape": np.array([12, 2**62])}, {}, "GB of memory"), ({**CSR, "shape": np.array([-12, 40])}, {}, "two whole "
              "numbers"),
    ({**CSR, "shape": np.array([12.0, 40.0])}, {}, "two whole numbers"), ({**CSR, "format": np.array(b"xyz")}, {}, 'format '
              '"xyz"'),
    ({name: part for name, part in CSR.items() if name != "indices"}, {}, "without indices"),
    ({**CSR, "data": np.where(np.arange(len(M.data)) == 7, np.nan, M.data)}, {}, "NaN stands in column"),
    ({"X": np.ones((2, 3))}, {}, "holds no array y or target or label or labels"), ({}, {}, "holds nothing"),
    ({"X": np.ones((2, 3)), "y": np.ones(3)}, {}, "y in a.npz has shape (3,) where the matrix has 2 rows"),
    ({"X": np.ones((2, 3)), "y": np.array(["a", "b"])}, {}, "y in a.npz holds <U1; an array of real numbers is wanted"),
    ({"X": np.ones((2, 3)), "y": np.ones(2)}, {"target": "z"}, "has no array z, which target names. It holds X, y."),
    ({"X": np.ones((2, 3)), "y": np.ones(2)}, {"sample_weight": "w"}, "has no array w, which sample_weight names"),
    ({"X": np.ones((2, 0)), "y": np.ones(2)}, {}, "at least one "
                                                  "column"), ({"A": np.ones((2, 2)), "B": np.ones((2, 2))}, {}, "a matrix "
              "named X"),
    ({"X": np.ones((2, 3)), "y": np.ones(2), "names": ["a", "b"]}, {}, "holds 2 names for 3 columns"),
    ({"X": np.ones((2, 2)), "y": np.ones(2), "names": ["a", "a"]}, {}, "several columns of the same name"),
    ({"X": np.ones((2, 2)), "y": np.array([1.0, np.nan])}, {}, "NaN stands in y, row 1 of a.npz"),
    ({"X": np.ones((2, 2)), "y": np.ones(2), "s": np.array([1.0, -1.0])}, {"sample_weight": "s"}, "-1.0 stands in s, row 1 "
              "of a.npz"),
])
def test_what_is_wrong_is_said(folder, refused, arrays, options, words):
    np.savez(folder / "a.npz", **arrays)
    said = refused("a.npz", **options)
    assert words in said and "a.npz" in said


def test_files_that_disagree(folder, refused):
    np.savez(folder / "a-0.npz", X=np.ones((2, 2)), y=np.ones(2), names=["a", "b"])
    np.savez(folder / "a-1.npz", X=np.ones((2, 2)), y=np.ones(2), names=["a", "c"])
    assert "only a-0.npz has b, and only a-1.npz has c" in refused("a-*.npz")
    np.savez(folder / "a-1.npz", X=np.ones((2, 3)), y=np.ones(2))
    assert "a-0.npz has 2, and a-1.npz has 3" in refused("a-*.npz")
    np.savez(folder / "a-1.npz", X=np.ones((2, 2)), y=np.ones(2))
    assert "only one of a-0.npz and a-1.npz names them" in refused("a-*.npz")


class Trap:
    """Makes a file when it is unpickled."""

    def __reduce__(self):
        return (open, ("sprung", "w"))


@pytest.mark.parametrize("name", ["X", "y", "names", "format", "data"])
def test_objects_are_never_unpickled(folder, refused, name):
    trap = np.empty((2, 2), dtype=object)
    trap[:] = Trap()
    np.savez(folder / "a.npz", **{"X": np.ones((2, 2)), "y": np.ones(2), "shape": [2, 2], name: trap})
    assert "holds Python objects, which are not unpickled" in refused("a.npz")
    with zipfile.ZipFile(folder / "a.npz", "w") as file:  # a pickle alone, under the name of an array
        import pickle

        file.writestr("X.npy", pickle.dumps(Trap()))
    assert "cannot be read as an NPZ file" in refused("a.npz") and not (folder / "sprung").exists()


def test_what_unpacks_to_more_than_memory_is_refused_before_it_is_unpacked(folder, refused, monkeypatch):
    """A megabyte of zeros packs into a kilobyte, and so would a terabyte."""
    np.savez_compressed(folder / "a.npz", X=np.zeros((1000, 125)), y=np.zeros(1000))
    assert (folder / "a.npz").stat().st_size < 3000
    monkeypatch.setattr(npz, "memory", lambda: 10**6)
    assert "a.npz unpacks to 0.00101 GB, and there are 0.001 GB of memory" in refused("a.npz")


def test_a_header_that_promises_more_than_there_is(folder, refused):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**6)})
    with zipfile.ZipFile(folder / "a.npz", "w") as file:
        file.writestr("X.npy", buffer.getvalue())
    assert "X in a.npz is cut off: its header promises shape (1000000000, 1000000)" in refused("a.npz")
