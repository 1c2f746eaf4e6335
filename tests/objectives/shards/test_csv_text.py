"""CSV files: blocks of records, columns by name in any order, and every fault with its line."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import greedyhull as gh
from greedyhull.data import files as text_blocks


@pytest.mark.parametrize("size", [60, 300, 10**6])
def test_large_files_are_cut_at_records(folder, rows, whole, monkeypatch, size):
    monkeypatch.setattr(text_blocks, "BYTES", size)
    monkeypatch.setattr(text_blocks, "PORTION", size // 3)
    rows.write(folder / "a.csv")
    data = gh.shards("a.csv", target="y", sample_weight="s")
    X, y, s = whole(data)
    assert np.array_equal(X, rows.X) and np.array_equal(y, rows.y) and np.array_equal(s, rows.s)
    assert (data.count > 3) == (size < 1000) and len({data.name(k) for k in range(data.count)}) == data.count


def test_quoted_cells_stay_whole(folder, whole, monkeypatch):
    monkeypatch.setattr(text_blocks, "BYTES", 20)
    monkeypatch.setattr(text_blocks, "PORTION", 1)
    (folder / "a.csv").write_text('a,"the\nword",y\n' + '1.5,"one\n, two",3\n"2.5",w,4\n' * 5)
    data = gh.shards("a.csv", target="y")
    X, y, _ = whole(data)
    assert X.tolist() == [[1.5], [2.5]] * 5 and y.tolist() == [3.0, 4.0] * 5 and data.names == ["a"] and data.count > 2


@pytest.mark.parametrize("text", ["a;b;y\n1;2;3\n", "a\tb\ty\n1\t2\t3\n", "\ufeffa,b,y\r\n1,2,3\r\n\r\n", "a,b,y\n1,2,3",
                                  "a,b,y\r1,2,3\r"])
def test_separators_and_line_ends(folder, whole, text):
    (folder / "a.csv").write_bytes(text.encode())
    X, y, _ = whole(gh.shards("a.csv", target="y"))
    assert X.tolist() == [[1.0, 2.0]] and y.tolist() == [3.0]


def test_without_names_columns_have_numbers(folder, whole):
    (folder / "a.csv").write_text("1,2,3\n4,5,6\n")
    X, y, _ = whole(gh.shards("a.csv", target=-1))
    assert X.tolist() == [[1.0, 2.0], [4.0, 5.0]] and y.tolist() == [3.0, 6.0]


def test_columns_are_taken_by_name_and_words_are_left_out(folder, whole):
    (folder / "a-0.csv").write_text("a,town,y\n1,x,2\n")
    (folder / "a-1.csv").write_text("y,a,town\n20,10,y\n")
    (folder / "a-2.csv").write_text("y,a,town\n")
    X, y, _ = whole(gh.shards("a-*.csv", target="y"))
    assert X.tolist() == [[1.0], [10.0]] and y.tolist() == [2.0, 20.0]


@pytest.mark.parametrize("text, options, words", [
    ("a,b,y\n1,2,3\n1,x,3\n", {}, 'Line 3 of a.csv has "x" in column b; a number is wanted'),
    ("a,b,y\n1,2,3\n1,,3\n", {}, "Line 3 of a.csv has nothing in column b"), ("a,b,y\n1,,3\n", {}, "Line 2 of a.csv has "
              "nothing in column b"),
    ("a,b,y\n1,2,3\n1,2\n", {}, "Line 3 of a.csv has 2 cells; 3 are wanted"), ("a,b,y\n1,2,3\n1,2,3,4\n", {}, "Line 3 of "
              "a.csv has 4 cells"),
    ('a,b,y\n"1",2,3\n1,2,3,4\n', {}, "Line 3 of a.csv has 4 cells"), ("a,b,y\n1,2\n", {}, "Line 2 of a.csv has 2 cells"),
    ("a,b,y\n1,2,3\n1,nan,3\n", {}, "NaN stands in column b, row 1 of a.csv"), ("a,b,y\n1,2,inf\n", {}, "an infinite number "
              "stands in column y"),
    ("a,b,y\n1,2,yes\n", {}, "The target y (words) of a.csv cannot be used"), ("a,b,z\n1,2,3\n", {}, "There is no column y "
              "in a.csv, which target"),
    ("a,a,y\n1,2,3\n", {}, "several columns named a"), ("\n1,2\n", {}, "begins with an empty line"), ("", {}, "begins with "
              "an empty line"),
    ("a,b,y\n1,2,3\n", {"features": ["bb"]}, "There is no column bb in a.csv, which features names"),
    ("a,t,y\n1,x,3\n", {"features": ["t"]}, "The feature t (words) of a.csv cannot be used"),
    ("y,w\n1,x\n", {}, "has no columns of numbers besides the "
                       "target"), ('a,y\n"1,2\n', {}, "a.csv"), ("a,b,y\n1,2,3\n1_0,2,3\n", {}, 'has "1_0"'),
])
def test_what_is_wrong_is_said(folder, refused, text, options, words):
    (folder / "a.csv").write_text(text)
    assert words in refused("a.csv", **{"target": "y", **options})


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet='01,;\n\r"ay.#', max_size=40) | st.binary(max_size=30))
def test_any_text_is_read_or_refused(folder, text):
    (folder / "a.csv").write_bytes(b"a,y\n" + text if isinstance(text, bytes) else ("a,y\n" + text).encode())
    try:
        shard = gh.shards("a.csv", target="y").load(0)
    except gh.GreedyhullError as error:
        assert "a.csv" in str(error)
    else:
        assert shard.X.shape == (len(shard.y), 1) and np.isfinite(shard.X).all() and np.isfinite(shard.y).all()
