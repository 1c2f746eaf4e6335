"""LIBSVM files: blocks of lines, indices that count from 0 or from 1 in all files alike, and every fault with its line."""

import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import greedyhull as gh
from greedyhull.data import files as numbered
from greedyhull.data import files as text_blocks


def test_large_files_are_cut_at_lines(folder, rows, whole, monkeypatch):
    monkeypatch.setattr(text_blocks, "BYTES", 300)
    monkeypatch.setattr(text_blocks, "PORTION", 100)
    rows.write(folder / "a.svm")
    data = gh.shards("a.svm")
    X, y, _ = whole(data)
    assert data.count > 4 and np.array_equal(X, rows.X) and np.array_equal(y, rows.y)
    assert data.name(0) == "a.svm, from line 1 on" and len({data.name(k) for k in range(data.count)}) == data.count


def test_a_fault_in_a_later_block_has_its_line(folder, rows, refused, monkeypatch):
    monkeypatch.setattr(text_blocks, "BYTES", 300)
    monkeypatch.setattr(text_blocks, "PORTION", 100)
    (folder / "a.svm").write_text(rows.lines() + "1 1:x\n")
    assert 'Line 24 of a.svm is not in LIBSVM\'s format: "x" stands' in refused("a.svm")


@pytest.mark.parametrize("first", [0, 1])
def test_indices_count_alike_in_all_files(folder, whole, first):
    (folder / "a-0.svm").write_text("1 3:5\n")
    (folder / "a-1.svm").write_text(f"-1 {first}:7 # or so\n")
    X, y, _ = whole(gh.shards("a-*.svm"))
    assert X.shape == (2, 4 - first) and X[0, 3 - first] == 5.0 and X[1, 0] == 7.0 and y.tolist() == [1.0, -1.0]


def test_columns_may_be_told_and_chosen(folder, whole):
    (folder / "a.svm").write_text("1 3:5 1:2\n0 qid:4\n")
    assert gh.shards("a.svm", d=10).load(0).X.shape == (2, 10)
    assert np.array_equal(whole(gh.shards("a.svm", d=4, features=[3, 2, 0]))[0], [[0, 5, 2], [0, 0, 0]])
    (folder / "b.svm").write_text("1\n-1\n")
    assert gh.shards("b.svm", d=2, target="label").load(0).X.shape == (2, 2)


@pytest.mark.parametrize("text, options, words", [
    ("1 1:2\n-1 -3:1\n", {}, "Line 2 of a.svm has the index -3"), ("1 1000000000000000000:1\n", {}, "Line 1 of a.svm has the "
              "index 1000000000000000000"),
    ("1 1:2\n1 99999999999999999999999:1\n", {}, "Line 2 of a.svm has the index 99999999999999999999999"),
    ("1 3:2 3:4\n", {}, "Line 1 of a.svm has the index 3 twice"), ("1 1:2\n1 1:nan\n", {}, "Line 2 of a.svm has nan for a "
              "value of index 1"),
    ("inf 1:2\n", {}, "Line 1 of a.svm has inf for a label"), ("1 1:1e999\n", {}, "has 1e999"), ("yes 1:2\n", {}, '"yes" '
              'stands where a label is wanted'),
    ("1 1:2\n", {"target": "y"}, "the target of a LIBSVM file is the label"), ("1 1:2\n", {"sample_weight": "s"}, "LIBSVM "
              "files have no weights"),
    ("1 5:2\n", {"d": 3}, "d = 3 was given, and a.svm has more columns: indices up to 5, counted from 1"),
    ("1\n", {}, "The files hold no entries"), ("", {}, "The files hold no entries"), ("1 1:2\n", {"features": ["x"]}, "have "
              "no names"),
    ("1 1:2\n", {"features": [1]}, "a.svm has 1 columns"), ("1 1:2:3\n", {}, '"2:3" stands where a value'),
])
def test_what_is_wrong_is_said(folder, refused, text, options, words):
    (folder / "a.svm").write_text(text)
    assert words in refused("a.svm", **options)


def test_bytes_that_are_no_text(folder, refused):
    (folder / "a.svm").write_bytes(b"1 1:2\n\xff\xfe 2:3\n")
    assert "a.svm is not UTF-8 text" in refused("a.svm")


def test_a_packed_file_that_unpacks_to_more_than_memory(folder, refused, monkeypatch):
    (folder / "a.svm.gz").write_bytes(gzip.compress(b"1 1:1\n" * 10**6))
    assert (folder / "a.svm.gz").stat().st_size < 30_000
    monkeypatch.setattr(text_blocks, "memory", lambda: 3 * 10**6)
    assert "a.svm.gz unpacks to more than the 0.003 GB of memory" in refused("a.svm.gz")


def test_a_line_without_end(folder, refused, monkeypatch):
    monkeypatch.setattr(text_blocks, "LONGEST", 1000)
    (folder / "a.svm").write_text("1 " + "1:1 " * 1000)
    assert "has a line of more than 1000 bytes" in refused("a.svm")


def test_how_many_columns_depends_on_memory(folder, refused, monkeypatch):
    monkeypatch.setattr(numbered, "memory", lambda: 80_000)
    (folder / "a.svm").write_text("1 1001:1\n")
    assert "Line 1 of a.svm has the index 1001" in refused("a.svm")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet="01:-+.e #\n\tq", max_size=60) | st.binary(max_size=40))
def test_any_text_is_read_or_refused(folder, text):
    (folder / "a.svm").write_bytes(text if isinstance(text, bytes) else text.encode())
    try:
        shard = gh.shards("a.svm").load(0)
    except gh.GreedyhullError as error:
        assert "a.svm" in str(error) or "The files hold no entries" in str(error)
    else:
        assert shard.X.shape[0] == len(shard.y) and np.isfinite(shard.X.data).all() and np.isfinite(shard.y).all()
