"""Problem files whose data are in several files: shards, who computes with them, and what is said where they do not fit."""

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.cli import run
from greedyhull.cli.problem_file import read
from greedyhull.cli.sharded import check_crew, computed, shards_of

MERGED = "cluster" in gh.__all__
NEEDS = pytest.mark.skipif(not MERGED, reason="objectives do not take shards yet")


@pytest.fixture
def parts(tmp_path, table):
    """The table in three CSV files and three Parquet files, in a folder."""
    X, y = table
    (tmp_path / "data").mkdir()
    for k, part in enumerate((slice(0, 8), slice(8, 8), slice(8, 20))):
        lines = ["a,b,c,y", *(",".join(map(repr, map(float, row))) for row in np.column_stack([X[part], y[part]]))]
        (tmp_path / "data" / f"part-{k}.csv").write_text("\n".join(lines) + "\n")
        pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
        pq.write_table(pa.table({**{name: X[part, j] for j, name in enumerate("abc")}, "y": y[part]}),
                       tmp_path / "data" / f"part-{k}.parquet")
    return X, y


def made(path):
    file, faults = read(path)
    assert faults.found == []
    data = shards_of(file, faults)
    faults.settle()
    return data


@pytest.mark.parametrize("file, names", [
    ('"data/part-*.parquet"', ["a", "b", "c"]), ('"data/part-*.csv"', ["a", "b", "c"]),
    ('"data/part-0.parquet"', ["a", "b", "c"]),
    ('["data/part-0.csv", "data/part-2.csv"]', ["a", "b", "c"]), ('"data/part-?.parquet"\nfeatures = ["c", "a"]', ["c", "a"]),
])
def test_patterns_lists_and_parquet_files_make_shards(problem, parts, tmp_path, file, names):
    data = made(Path(problem(('"table.csv"', file))))
    X, y = parts
    found = np.vstack([data.load(k).X for k in range(data.count)])
    assert data.names == names and np.array_equal(found, X[: len(found), ["abc".index(name) for name in names]])
    assert np.array_equal(np.concatenate([data.load(k).y for k in range(data.count)]), y[: len(found)])


def test_weights_are_a_column(problem, parts, tmp_path):
    path = Path(problem(('"table.csv"', '"data/part-*.csv"'), ('"least_squares"', '"least_squares"\nsample_weight = "b"')))
    with pytest.raises(gh.GreedyhullError, match="stands in column b"):  # some of its numbers are negative
        made(path).load(0)


@pytest.mark.parametrize("file, words", [
    ('"data/prt-*.parquet"', ["line 3, data.file: The pattern", "prt-*.parquet matches no file", "part-0.parquet"]),
    ('[]', ["line 3, data.file: An empty list of files"]), ('["nowhere.csv"]', ["There is no file"]),
    ('"data/part-*.parquet"\nexclude = ["a"]', ["data.exclude: exclude was given"]),
    ('"data/part-*.parquet"\nformat = "csv"', ["data.format: csv was given"]),
    ('"data/part-*.parquet"\nfeatures = ["bb"]', ["There is no column bb in"]), ('"data"', ["The files are of several "
              "formats"]), ("3", ["3 was given"]),
])
def test_what_is_wrong_is_said_with_its_line(problem, parts, capsys, file, words):
    assert run(["solve", problem(('"table.csv"', file))]) == 2
    said = capsys.readouterr().err
    assert [word for word in words if word not in said] == [], said


@pytest.mark.parametrize("options, words", [
    (["--workers", "2"], "--workers was given, and the data are read as one table"), (["--workers", "0"], "--workers 0 was "
              "given"),
    (["--scheduler", "tcp://h:1"], "--scheduler was given, and the data"), (["--scheduler", "h:1"], "an address such as "
              "tcp://HOST:8786"),
    (["--scheduler", "tcp://h:1", "--workers", "2"], "were both given"), (["--workers", "x"], "--workers must be a whole "
              "number"),
])
def test_options_that_do_not_fit_are_said(problem, capsys, options, words):
    assert run(["solve", problem(), *options]) == 2
    assert words in capsys.readouterr().err


def test_who_computes_is_asked_when_it_is_needed(monkeypatch):
    """Without options nobody; with --workers so many processes; with --scheduler the cluster at that address."""
    asked = []
    fake = type("Library", (), {"processes": staticmethod(lambda n: asked.append(n) or nullcontext("crew")),
                                "cluster": staticmethod(lambda address: asked.append(address) or nullcontext("crew"))})
    monkeypatch.setattr("greedyhull.cli.sharded.import_module", lambda name: fake)
    f = type("F", (), {"on": lambda self, crew: (self, crew)})()
    with computed(f, None, None) as found:
        assert found is f and asked == []
    with computed(f, 3, None) as found:
        assert found == (f, "crew") and asked == [3]
    with computed(f, None, "tcp://h:1") as found:
        assert found == (f, "crew") and asked == [3, "tcp://h:1"]


def test_shards_may_be_computed_by_anybody(problem, parts):
    data = made(Path(problem(('"table.csv"', '"data/part-*.csv"'))))
    check_crew(data, 2, None)
    check_crew(data, None, "tcp://h:1")


@NEEDS
@pytest.mark.parametrize("options", [[], ["--workers", "2"]])
def test_a_problem_over_shards_is_solved_as_the_table_is(problem, parts, tmp_path, options):
    assert run(["solve", problem(), "--out", str(tmp_path / "one")]) == 0
    assert run(["solve", problem(('"table.csv"', '"data/part-*.parquet"')), "--out", str(tmp_path / "two"), *options]) == 0
    with np.load(tmp_path / "one" / "solution.npz") as one, np.load(tmp_path / "two" / "solution.npz") as two:
        assert np.allclose(one["point"], two["point"], atol=1e-6) and two["gap"] <= 1e-8
