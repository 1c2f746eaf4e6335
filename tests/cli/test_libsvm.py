"""LIBSVM files: what is wrong is named with its line, and names of columns are not made before they are asked for."""

import json
from contextlib import nullcontext

import numpy as np
import pytest

from greedyhull.cli import run
from greedyhull.cli.tables import Selection, place_of, take
from greedyhull.data import files as numbered
from greedyhull.data.files import Numbered, most_columns
from greedyhull.data.tables import read_table
from greedyhull.errors import GreedyhullError


@pytest.fixture
def svm(tmp_path):
    """A function that writes a file and reads it."""

    def write(text):
        path = tmp_path / "t.svm"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(path)

    return write


@pytest.mark.parametrize("text, words", [
    ("1 1:2\n1 2000000000000:1\n", "Line 2 of t.svm has the index 2000000000000, which makes 2000000000000 columns: a point"),
    ("1 1:2\n\n# empty\n1 99999999999999999999999:1\n", "Line 4 of t.svm has the index 99999999999999999999999"),
    ("1 " + "9" * 5000 + ":1\n", "Line 1 of t.svm is not in LIBSVM's format"),
    ("1 1:2\n-1 -3:1\n", "Line 2 of t.svm has the index -3; indices from 1, or from 0, are wanted."),
    ("1 3:2 3:4\n", "Line 1 of t.svm has the index 3 twice"),
    ("nan 1:2\n", "Line 1 of t.svm has nan for a label; finite numbers are wanted"),
    ("1 1:2\ninf 1:2\n", "Line 2 of t.svm has inf for a label"),
    ("1 1:1e999\n", "Line 1 of t.svm has 1e999 for a value of index 1"),
    ("1 1:nan\n", "has nan for a value of index 1"),
    ("1 1:2 and more\n", 'Line 1 of t.svm is not in LIBSVM\'s format: "and" stands where index:value is wanted'),
    ("1 1:2:3\n", '"2:3" stands where a value of index 1 is wanted'),
    ("1 1:\n", '"" stands where a value of index 1 is wanted'),
    ("1 :2\n", '":2" stands where index:value is wanted'),
    ("1 1.5:2\n", '"1.5:2" stands where index:value is wanted'),
    ("1 1_0:2\n", '"1_0:2" stands where index:value is wanted'),
    ("1 1:1_0\n", '"1_0" stands where a value'),
    ("1,2 1:2\n", '"1,2" stands where a label is wanted'),
    ("1:2 3:4\n", '"1:2" stands where a label is wanted'),
    ("", "holds no data"),
    ("\n\n# only words\n", "holds no data"),
    ("1\n-1\n", "holds no data"),
    (b"1 1:2\n\xff\xfe 2:3\n", "is not UTF-8 text"),
    (b"\x00\x01\x02", "stands where a label is wanted"),
])
def test_what_is_wrong_is_named_with_its_line(svm, text, words):
    with pytest.raises(GreedyhullError) as caught:
        svm(text)
    assert words in str(caught.value) and "t.svm" in str(caught.value)


@pytest.mark.parametrize("text, labels, X, names", [
    ("1 1:2\n", [1.0], [[2.0]], ["1"]),
    ("1 1:2", [1.0], [[2.0]], ["1"]),
    ("1 1:2\r\n-1 2:3\r\n", [1.0, -1.0], [[2.0, 0.0], [0.0, 3.0]], ["1", "2"]),
    ("1 1:2\r-1 2:3\r", [1.0, -1.0], [[2.0, 0.0], [0.0, 3.0]], ["1", "2"]),
    ("\ufeff+1 3:2 1:5\n", [1.0], [[5.0, 0.0, 2.0]], ["1", "2", "3"]),
    ("0.5 0:2 2:1 # text: at the end\n-2\n", [0.5, -2.0], [[2.0, 0.0, 1.0], [0.0, 0.0, 0.0]], ["0", "1", "2"]),
    ("1 qid:7 +2:0 \t3:-0.0\n", [1.0], [[0.0, 0.0, 0.0]], ["1", "2", "3"]),
])
def test_sound_files_in_all_spellings(svm, text, labels, X, names):
    table = svm(text)
    assert table.apart["label"].tolist() == labels and table.X.toarray().tolist() == X and list(table.names) == names


def test_a_large_index_makes_no_names(svm, tmp_path):
    """Names of a hundred million columns would take ten gigabytes."""
    d = min(10**8, most_columns())
    table = svm(f"1 {d}:2\n-1 5:1\n")
    found = take(read_table(tmp_path / "t.svm"), Selection(), lambda key: nullcontext())
    assert len(table.names) == found.X.shape[1] == d and isinstance(found.names, Numbered) and found.names[-1] == str(d)
    assert place_of(table, str(d)) == d - 1 and place_of(table, -1) == d - 1
    with pytest.raises(GreedyhullError, match=f"Columns: {d}"):
        place_of(table, "x")


def test_the_memory_of_a_machine_is_known():
    assert numbered.memory() > 10**7


def test_how_many_columns_depends_on_memory(svm, monkeypatch, tmp_path):
    monkeypatch.setattr(numbered, "memory", lambda: 80_000)
    assert svm("1 1000:1\n").X.shape == (1, 1000)
    with pytest.raises(GreedyhullError, match=r"Line 1 of t\.svm has the index 1001.* there are 8e-05 GB of memory"):
        svm("1 1001:1\n")


def test_the_command_line_refuses_and_solves(problem, tmp_path, capsys):
    (tmp_path / "data.svm").write_text("1 1:2\n-1 2000000000000:1\n")
    file = problem(('"table.csv"\ntarget = "y"', '"data.svm"'))
    assert run(["solve", file]) == 2
    assert "Line 2 of data.svm has the index 2000000000000" in capsys.readouterr().err
    (tmp_path / "data.svm").write_text("1 1:2\n-1 2000000:1\n")
    assert run(["solve", file, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document["weights"]) == {"1", "2000000"}
    with np.load(tmp_path / "out" / "solution.npz") as stored:
        assert stored["point"].shape == (2_000_000,) and "names" not in stored  # two million numbers are no names


def test_numbers_are_names_only_as_they_are_written():
    names = Numbered(10, first=1)
    assert "10" in names and "0" not in names and "01" not in names and 3 not in names and "x" not in names
    assert names.index("10") == 9 and names[0:2] == ["1", "2"] and list(Numbered(2)) == ["0", "1"]
    with pytest.raises(ValueError, match="none of these names"):
        names.index("11")
