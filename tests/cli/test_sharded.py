"""Problem files whose data are in several files: shards, who computes with them, and what is said where they do not fit."""

import json
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.cli import run
from greedyhull.cli.problem import check_workers, computed, shards_of
from greedyhull.cli.problem_file import read
from greedyhull.remote.model import ShardedModel


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
    (["--workers", "2"], "--workers was given, and the data are read as one table"), (["--workers", "0"], "got 0."),
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
    asked, said = [], []
    crew = type("Crew", (), {"dashboard": "http://h:2"})()
    monkeypatch.setattr("greedyhull.cli.problem.processes", lambda n: asked.append(n) or nullcontext(crew))
    monkeypatch.setattr("greedyhull.cli.problem.joined", lambda address, _: asked.append(address) or nullcontext(crew))
    f = object.__new__(type("F", (ShardedModel,), {"on": lambda self, crew: (self, crew)}))
    with computed(f, None, None, said.append) as found:
        assert found is f and asked == []
    with computed(f, 3, None, said.append) as found:
        assert found == (f, crew) and asked == [3] and said == []
    with computed(f, None, "tcp://h:1", said.append) as found:
        assert found == (f, crew) and asked == [3, "tcp://h:1"] and said == ["Dask dashboard: http://h:2"]


def test_shards_may_be_computed_by_anybody(problem, parts):
    data = made(Path(problem(('"table.csv"', '"data/part-*.csv"'))))
    check_workers(data, 2, None)
    check_workers(data, None, "tcp://h:1")


@pytest.fixture(scope="module")
def scheduler():
    """The address of a Dask cluster with two workers, which nobody else can reach."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0",
                                  silence_logs=50, memory_limit=0) as cluster:
        yield cluster.scheduler_address


def point(folder):
    with np.load(folder / "solution.npz") as found:
        return found["point"], float(found["gap"])


LABELS = [('"least_squares"', '"logistic"'), ('"y"', '"label"')]


@pytest.fixture
def labelled(tmp_path, table):
    """A problem file about labels in three CSV files; it runs for a while."""
    X, y = table
    for k, part in enumerate((slice(0, 8), slice(8, 8), slice(8, 20))):
        rows = np.column_stack([X[part], np.where(y[part] > 0, 1.0, 0.0)])
        lines = ["a,b,c,label", *(",".join(map(repr, map(float, row))) for row in rows)]
        (tmp_path / f"row-{k}.csv").write_text("\n".join(lines) + "\n")

    def write(iterations):
        text = (tmp_path / "problem.toml").read_text()
        (tmp_path / "problem.toml").write_text(text.replace("gap = 1e-8", f"iterations = {iterations}")
                                               + '\n[solver]\nname = "frank_wolfe"\nstep = "open_loop"\n')

    return write


def test_a_problem_over_shards_is_solved_as_the_table_is(problem, parts, tmp_path, scheduler):
    assert run(["solve", problem(), "--out", str(tmp_path / "one")]) == 0
    file = problem(('"table.csv"', '"data/part-*.parquet"'))
    ways = {"two": [], "three": ["--workers", "2"], "four": ["--scheduler", scheduler]}
    for name, options in ways.items():
        assert run(["solve", file, "--out", str(tmp_path / name), *options]) == 0
    one, two = point(tmp_path / "one"), point(tmp_path / "two")
    assert np.allclose(one[0], two[0], atol=1e-6) and two[1] <= 1e-8
    for name in ("three", "four"):
        assert point(tmp_path / name)[0].tobytes() == two[0].tobytes() and point(tmp_path / name)[1] == two[1]


@pytest.mark.parametrize("options", [[], ["--workers", "2"]])
def test_a_report_tells_the_constants_whoever_computed(problem, parts, labelled, tmp_path, options):
    file = problem(('"table.csv"', '"row-*.csv"'), *LABELS, ("report = false", "report = true"))
    assert run(["solve", file, "--out", str(tmp_path / "told"), "--quiet", *options]) == 0
    page = (tmp_path / "told" / "report.html").read_text(encoding="utf-8")
    assert "estimated" in page


@pytest.mark.parametrize(("options", "words"), [([], True), (["--quiet"], False), (["--json"], False)])
def test_the_dashboard_is_told_where_words_are_wanted(problem, parts, scheduler, capfd, options, words):
    file = problem(('"table.csv"', '"data/part-*.parquet"'))
    assert run(["solve", file, "--scheduler", scheduler, *options]) == 0
    said = capfd.readouterr()
    assert ("Dask dashboard: http://127.0.0.1:" in said.out) is words and "dashboard" not in said.err
    if "--json" in options:
        assert json.loads(said.out)["converged"] is True
    if "--quiet" in options:
        assert said.out == ""


def test_a_driver_that_was_killed_goes_on_with_workers(problem, labelled, tmp_path, monkeypatch):
    """Signal 9 for the driver; its workers end with it, and `greedyhull resume` with new ones comes to the same end."""
    if sys.platform == "win32":
        pytest.skip("Windows has no signal 9")
    problem(('"table.csv"', '"row-*.csv"'), *LABELS)
    labelled(iterations=400)
    monkeypatch.chdir(tmp_path)
    call = [sys.executable, "-m", "greedyhull", "solve", "problem.toml", "--workers", "2", "--checkpoint", "run", "--quiet"]
    driver = subprocess.Popen(call)
    began = time.monotonic()
    while not list(tmp_path.glob("run/state-*.npz")) and driver.poll() is None and time.monotonic() - began < 60:
        time.sleep(0.005)
    driver.send_signal(signal.SIGKILL)
    assert driver.wait() == -signal.SIGKILL  # it was still at work
    assert run(["resume", "run", "--workers", "2", "--quiet"]) == 0
    again = gh.load(tmp_path / "out" / "solution.npz")
    assert run(["solve", "problem.toml", "--out", "whole", "--quiet"]) == 0
    whole = gh.load(tmp_path / "whole" / "solution.npz")
    assert again.x.tobytes() == whole.x.tobytes() and again.gap == whole.gap and again.iterations == whole.iterations == 400
