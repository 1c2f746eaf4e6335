"""Tables from files: every format gives the same numbers, and bad cells are named."""

from contextlib import nullcontext

import numpy as np
import pytest
from scipy.sparse import csr_array, save_npz

from greedyhull.cli.tables import Selection, take
from greedyhull.data.tables import read_table
from greedyhull.errors import GreedyhullError

X = np.array([[1.5, 0.0, -2.0], [0.0, 3.25, 1e-3]])
Y = np.array([1.0, -1.0])


def taken(path, **wanted):
    return take(read_table(path), Selection(**wanted), lambda key: nullcontext())


def written(folder, name):
    path = folder / name
    rows = np.column_stack([X, Y]).tolist()
    if name.endswith(".csv"):
        path.write_text('"a","b, or c",d,y\n' + "\n".join(",".join(map(str, row)) for row in rows) + "\n\n")
    elif name.endswith(".tsv"):
        path.write_text("\ufeffa\tb\td\ty\n" + "\n".join("\t".join(map(str, row)) for row in rows), encoding="utf-8")
    elif name.endswith(".txt"):
        path.write_text("\n".join(";".join(map(str, row)) for row in rows))
    elif name == "sparse.npz":
        save_npz(path, csr_array(np.array(rows)))
    elif name.endswith(".npz"):
        np.savez(path, X=X, y=Y)
    elif name.endswith(".npy"):
        np.save(path, np.array(rows))
    else:
        path.write_text("+1 1:1.5 3:-2 # a comment\n\n-1 qid:3 2:3.25 3:1e-3\n")
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "sparse.npz", "t.npz", "t.npy", "t.svm"])
def test_every_format_gives_the_same_numbers(tmp_path, name):
    found = taken(written(tmp_path, name), target=None if name in ("t.npz", "t.svm") else -1)
    dense = found.X.toarray() if hasattr(found.X, "toarray") else found.X
    assert dense.tolist() == X.tolist() and found.y.tolist() == Y.tolist()
    assert len(found.names) == 3


@pytest.mark.parametrize("name", ["t.csv", "t.svm"])
def test_text_may_be_packed(tmp_path, name):
    import bz2
    import gzip

    plain = written(tmp_path, name)
    for end, pack in ((".gz", gzip.compress), (".bz2", bz2.compress)):
        packed = plain.with_name(name + end)
        packed.write_bytes(pack(plain.read_bytes()))
        one, other = (taken(path, target=-1).X for path in (plain, packed))
        assert abs(one - other).max() == 0.0


def test_names_and_numbers_of_columns(tmp_path):
    path = written(tmp_path, "t.csv")
    found = taken(path, target="b, or c", features=["y", "0"], sample_weight=2)
    assert found.names == ["y", "a"] and found.X.tolist() == [[1.0, 1.5], [-1.0, 0.0]]
    assert found.y.tolist() == X[:, 1].tolist() and found.sample_weight.tolist() == X[:, 2].tolist()
    assert taken(path, target="y", sample_weight="d", exclude=["a"]).names == ["b, or c"]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ['"a{0}in cm"', '"a {0}{0} in cm"', '"a{0}in, cm; or\tless"'])
def test_a_name_may_have_a_line_break(tmp_path, mark, end, name):
    path = tmp_path / "t.csv"
    lines = [mark.join((name.format(end), "b", "y")), mark.join(("1", '"2"', "3")), mark.join(("4", "x", "6"))]
    path.write_bytes(end.join(lines).encode())
    found = taken(path, target="y", exclude=["b"])
    assert [" ".join(named.split()) for named in found.names] == [" ".join(name[1:-1].format(" ").split())]
    assert "\n" not in found.names[0] and "\r" not in found.names[0]
    assert found.X.tolist() == [[1.0], [4.0]] and found.y.tolist() == [3.0, 6.0]
    with pytest.raises(GreedyhullError, match=f'Line {path.read_text().count(chr(10)) + 1} of t.csv has "x" in column b'):
        taken(path, target="y")


def test_marks_within_quotes_part_nothing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"a, b, or c";y\n1;2\n3;4\n')
    assert taken(path, target="y").names == ["a, b, or c"]


def test_names_may_be_many(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(",".join(f"column{j}" for j in range(20_000)) + "\n" + ",".join("1" * 20_000) + "\n")
    assert len(read_table(path).names) == 20_000


def test_a_quote_that_is_not_closed_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"a,y\n1,2\n3,4\n')
    with pytest.raises(GreedyhullError, match="wanted"):
        taken(path, target="y")


def test_words_in_columns_that_are_not_used_do_no_harm(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,town,y\n1,Ulm,yes\n2,,no\n")
    found = taken(path, target="y", exclude=["town"])
    assert found.X.tolist() == [[1.0], [2.0]] and found.y.tolist() == ["yes", "no"]


@pytest.mark.parametrize("name, text, words", [
    ("t.csv", "a,b\n1,2\n3,x\n", 'Line 3 of t.csv has "x" in column b; a number is wanted.'),
    ("t.csv", "a,b\n1,2\n\n3,\n", "Line 4 of t.csv has nothing in column b"),
    ("t.csv", "a,b\n1,2\n3\n", "Line 3 of t.csv has 1 cells; 2 are wanted, one for each column."),
    ("t.csv", "a,b\n", "has column names but no rows"),
    ("t.csv", "", "begins with an empty line"),
    ("t.csv", "a,a\n1,2\n", "several columns named a"),
    ("t.svm", "1 1:2\n1 x:3\n", "Line 2 of t.svm is not in LIBSVM's format"),
    ("t.svm", "", "holds no data"),
    ("t.npz", "no archive", "cannot be read as an NPZ file"),
    ("t.npy", "no array", "cannot be read as numbers"),
    ("t.xyz", "1", "does not tell its format"),
])
def test_what_is_wrong_is_named(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(GreedyhullError) as caught:
        taken(tmp_path / name)
    assert words in str(caught.value)


def test_an_archive_with_names_and_weights(tmp_path):
    np.savez(tmp_path / "t.npz", sample_weight=np.ones(2), X=X, columns=["u", "v", "w"], labels=np.array(["yes", "no"]))
    found = taken(tmp_path / "t.npz", sample_weight="sample_weight", exclude=["v"])
    assert found.names == ["u", "w"] and found.y.tolist() == ["yes", "no"] and found.sample_weight.tolist() == [1.0, 1.0]


def test_an_archive_without_a_matrix(tmp_path):
    np.savez(tmp_path / "t.npz", u=np.ones((2, 2)), v=np.ones((2, 3)))
    with pytest.raises(GreedyhullError, match=r"holds u \(2, 2\), v \(2, 3\); a matrix named X"):
        read_table(tmp_path / "t.npz")


@pytest.mark.parametrize("line", ["1,234,5,3", "1,2"])
def test_a_line_with_other_cells_than_columns_is_refused(tmp_path, line):
    path = tmp_path / "t.csv"
    path.write_text(f"a,b,y\n1,2,3\n{line}\n")
    with pytest.raises(GreedyhullError, match=r"Line 3 of t\.csv has \d cells; 3 are wanted"):
        read_table(path)
