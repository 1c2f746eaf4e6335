"""Files that are damaged or hold something else: a sentence, never a crash, and never numbers that are not in the file."""

import io
import zipfile

import numpy as np
import pytest
from scipy import sparse

from greedyhull.cli import run
from greedyhull.data.tables import load_array, read_table
from greedyhull.errors import GreedyhullError

X = sparse.random(12, 40, density=0.1, format="csr", random_state=0)
CSR = {"format": np.array(b"csr"), "shape": np.array([12, 40]), "data": X.data, "indices": X.indices, "indptr": X.indptr}
COO = {"format": np.array(b"coo"), "shape": np.array([12, 40]), "data": np.ones(2), "row": np.array([0, 1]),
       "col": np.array([2, 3])}


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "dia"])
def test_every_format_of_scipy_is_read(tmp_path, form):
    sparse.save_npz(tmp_path / "t.npz", X.asformat(form))
    table = read_table(tmp_path / "t.npz")
    assert np.array_equal(table.X.toarray(), X.toarray()) and list(table.names) == [str(j) for j in range(40)]
    assert table.apart == {}


@pytest.mark.parametrize("arrays, words", [
    ({**CSR, "indices": X.indices + 10**7}, "malformed: indices holds"),
    ({**CSR, "indices": X.indices - 50}, "malformed: indices holds"),
    ({**CSR, "indices": X.indices.astype(float)}, "malformed: indptr has dtype"),
    ({**CSR, "indices": X.indices.astype(np.uint64) + np.uint64(2**32)}, "malformed: indices holds"),
    ({**CSR, "indptr": X.indptr[::-1].copy()}, "malformed: indptr does not begin with 0, or it falls"),
    ({**CSR, "indptr": X.indptr[:5]}, "malformed: indptr has 5 numbers where 13 are wanted"),
    ({**CSR, "indptr": 10**6 * X.indptr}, "malformed: indptr ends with"),
    ({**CSR, "data": X.data[:3]}, "malformed: indptr ends with"),
    ({**CSR, "data": X.data.astype(complex)}, "entries of dtype complex128; real numbers are wanted"),
    ({**CSR, "data": X.data.astype(str)}, "real numbers are wanted"),
    ({**CSR, "shape": np.array([12])}, "of shape [12]; two positive whole numbers are wanted"),
    ({**CSR, "shape": np.array([-12, 40])}, "two positive whole numbers"),
    ({**CSR, "shape": np.array([12.0, 40.0])}, "two positive whole numbers"),
    ({**CSR, "shape": np.array(12)}, "two positive whole numbers"),
    ({**CSR, "shape": np.array([2**62, 2**62])}, "GB of memory"),
    ({**COO, "shape": np.array([2**40, 4])}, "GB of memory"),
    ({**CSR, "format": np.array(b"xyz")}, 'of the format "xyz"; one of csr, csc'),
    ({**CSR, "format": np.array([])}, 'of the format ""'),
    ({**CSR, "format": np.array(b"coo")}, "without row, col"),
    ({**CSR, "format": np.array(b"bsr")}, "do not fill a matrix"),
    ({**CSR, "format": np.array(b"dia"), "offsets": np.array([0, 1])}, "malformed"),
    ({k: v for k, v in CSR.items() if k != "indices"}, "without indices"),
    ({**COO, "row": np.array([0, 10**7])}, "malformed: row holds 10000000"),
    ({**COO, "col": np.array([0, -1])}, "malformed: col holds -1"),
    ({**COO, "col": np.array([0, 1, 2])}, "malformed: it has 2 entries"),
    ({"X": np.ones((2, 3)), "names": np.array("ab")}, "holds 1 names for 3 columns"),
    ({"X": np.ones((2, 3)), "names": np.array(["a", "b", "a"])}, "several columns of the same name"),
    ({"X": np.ones((2, 0))}, "holds a matrix of shape (2, 0)"),
    ({"X": np.ones((0, 2))}, "holds a matrix of shape (0, 2)"),
    ({"X": np.ones((2, 2), complex)}, "a matrix named X"),
    ({}, "holds nothing"),
])
def test_what_is_wrong_in_an_archive_is_said(tmp_path, arrays, words):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(GreedyhullError) as caught:
        read_table(tmp_path / "t.npz")
    assert words in str(caught.value) and "t.npz" in str(caught.value)


def test_objects_are_not_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("it was unpickled",))

    np.savez(tmp_path / "t.npz", X=np.eye(2), y=np.array([Trap(), 1], dtype=object))
    np.save(tmp_path / "t.npy", np.array([Trap()], dtype=object))
    for name in ("t.npz", "t.npy"):
        with pytest.raises(GreedyhullError, match="cannot be read as"):
            load_array(tmp_path / name)


@pytest.mark.parametrize("array", [np.array(["a"]), np.ones((2, 2), complex), np.zeros(2, "datetime64[D]"),
                                   np.zeros(2, "i4,f8")])
def test_an_array_is_of_real_numbers(tmp_path, array):
    np.save(tmp_path / "t.npy", array)
    with pytest.raises(GreedyhullError, match="real numbers"):
        load_array(tmp_path / "t.npy")


def test_other_members_of_an_archive_are_passed_over(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(3))
    with zipfile.ZipFile(tmp_path / "t.npz", "a") as file:
        file.writestr("README.txt", "not an array")
    assert read_table(tmp_path / "t.npz").X.shape == (3, 3)


def test_a_header_that_promises_more_than_there_is(tmp_path):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**6)})
    (tmp_path / "t.npy").write_bytes(buffer.getvalue())
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as file:
        file.writestr("X.npy", buffer.getvalue())
    for name in ("t.npy", "t.npz"):
        with pytest.raises(GreedyhullError, match=r"t\.np[yz] (cannot be read|does not fit)"):
            load_array(tmp_path / name)


@pytest.mark.parametrize("name", ["t.npz", "t.npy", "t.csv", "t.csv.gz", "t.svm.xz", "t.svm.bz2"])
@pytest.mark.parametrize("seed", range(12))
def test_damaged_bytes_make_an_error_or_a_table(tmp_path, name, seed):
    """Whole files with a few bytes changed or cut off: nothing but our own errors."""
    import bz2
    import gzip
    import lzma

    rng = np.random.default_rng(seed)
    path = tmp_path / name
    if name == "t.npz":
        np.savez(path, **CSR) if seed % 2 else sparse.save_npz(path, X)
    elif name == "t.npy":
        np.save(path, X.toarray())
    else:
        text = b"a,b\n1,2\n3,4\n" * 20 if "csv" in name else b"1 1:2 5:3\n-1 2:4\n" * 20
        path.write_bytes({".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}.get(path.suffix, bytes)(text))
    damaged = bytearray(path.read_bytes())
    for place in rng.integers(len(damaged), size=1 + seed % 4):
        damaged[place] = rng.integers(256)
    path.write_bytes(damaged[: len(damaged) if seed % 3 else len(damaged) // 2])
    try:
        table = read_table(path)
        table.numbers(range(len(table.names)))
    except GreedyhullError as error:
        assert "t." in str(error)


def test_the_command_line_ends_with_code_two(problem, tmp_path, capsys):
    np.savez(tmp_path / "bad.npz", y=np.ones(12), **{**CSR, "indices": X.indices + 10**7})
    assert run(["solve", problem(('"table.csv"\ntarget = "y"', '"bad.npz"'))]) == 2
    assert "line 3, data.file: The sparse matrix bad.npz is malformed" in capsys.readouterr().err
    np.savez(tmp_path / "w.npz", point=np.array(["a"]))
    assert run(["certify", problem(), str(tmp_path / "w.npz")]) == 2
    assert "real numbers is wanted" in capsys.readouterr().err
