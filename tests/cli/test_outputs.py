"""Where results go is tried before anything is computed; what cannot be written in the end is printed, never lost."""

import errno
import json
import os
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from greedyhull.cli import main, run
from greedyhull.cli.console import check_file, check_folder
from greedyhull.errors import GreedyhullError


def full(*args, **kwargs):
    """A disk on which there is no room."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def never(*args, **kwargs):
    pytest.fail("something was computed before it was known that the result can be written")


@pytest.fixture
def places(tmp_path):
    """Places that cannot be written, whoever asks: under a file, and in a file system of the kernel."""
    (tmp_path / "file").write_text("kept")
    return [tmp_path / "file" / "below", *([Path("/proc/greedyhull")] if Path("/proc/self").exists() else [])]


def test_a_folder_that_cannot_be_written_is_refused_before_the_solve(problem, tmp_path, places, capsys, monkeypatch):
    monkeypatch.setattr("greedyhull.cli.solve.minimize", never)
    file = problem()
    for place in [*places, places[0] / "deeper"]:
        assert run(["solve", file, "--out", str(place)]) == 2
        out, err = capsys.readouterr()
        assert out == "" and f"Nothing can be written to the folder {place}: " in err and err.endswith("with --out.\n")
    assert run(["solve", file, "--out", str(tmp_path / "file")]) == 2
    assert "is a file. Name a folder for the results." in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "kept"


def test_the_folder_that_the_file_names_is_tried_too(problem, tmp_path, places, capsys, monkeypatch):
    monkeypatch.setattr("greedyhull.cli.solve.minimize", never)
    assert run(["solve", problem(('folder = "out"', 'folder = "file/out"'))]) == 2
    assert "Nothing can be written to the folder" in capsys.readouterr().err


def test_a_folder_in_the_place_of_a_file_is_refused_before_the_solve(problem, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("greedyhull.cli.solve.minimize", never)
    (tmp_path / "out" / "solution.npz").mkdir(parents=True)
    assert run(["solve", problem()]) == 2
    assert "solution.npz is a folder; the name of a file is wanted." in capsys.readouterr().err


@pytest.mark.parametrize("command, computed", [
    (["fit", "l1", "table.csv", "--target", "y", "--out", "{}.csv"], "greedyhull.cli.fit.fitted"),
    (["demo", "--out", "{}.html"], "greedyhull.cli.builtin.solve"),
    (["paper", "--out", "{}"], "greedyhull.cli.builtin.measured"),
])
def test_every_command_tries_first(command, computed, table, tmp_path, places, capsys, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(computed, never)
    for place in places:
        assert run([word.format(place) for word in command]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.startswith("greedyhull: ") and str(place.parent) in err and err.count("\n") == 1


def test_trying_leaves_nothing_behind_and_changes_nothing(tmp_path):
    check_folder(tmp_path / "a" / "b", ["x.csv"])
    check_file(tmp_path / "new.csv")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "old.csv").write_text("as it was")
    check_file(tmp_path / "old.csv")
    check_folder(tmp_path, ["old.csv"])
    assert (tmp_path / "old.csv").read_text() == "as it was"
    for name in ("n" * 5000, "no\0name"):
        for ask in (check_file, check_folder):
            with pytest.raises(GreedyhullError, match=r"cannot be written|Nothing can be written"):
                ask(tmp_path / name)


def test_a_device_is_a_file():
    if Path(os.devnull).exists():
        check_file(Path(os.devnull))


# --- failures at the end --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [[], ["--quiet"]])
def test_a_solution_that_cannot_be_written_is_printed(problem, tmp_path, capsys, monkeypatch, how):
    monkeypatch.setattr("greedyhull.cli.solve.write_solution", full)
    assert run(["solve", problem(), *how]) == 1
    out, err = capsys.readouterr()
    assert "solution.npz could not be written: No space left on device." in err and "is printed" in err
    assert "is within" in out and out.rstrip().splitlines()[-1].split()[1] in "abc"
    assert (tmp_path / "out" / "trace.csv").exists()  # what can be written is


def test_the_printed_weights_are_all_of_them_and_exact(problem, tmp_path, capsys, monkeypatch):
    file = problem()
    assert run(["solve", file, "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)
    monkeypatch.setattr("greedyhull.cli.solve.write_solution", full)
    assert run(["solve", file, "--quiet"]) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert {name: float(weight) for weight, name in lines} == kept["weights"]
    assert run(["solve", file, "--json"]) == 1
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["weights"] == kept["weights"] and list(document["files"]) == ["trace"] and "could not be written" in err
    assert [Path(path).name for path in document["not_written"]] == ["solution.npz"]


@pytest.mark.parametrize("name", ["w.csv", "w.json"])
def test_a_fit_that_cannot_be_written_is_printed_in_full(table, tmp_path, capsys, monkeypatch, name):
    pytest.importorskip("sklearn")
    call = ["fit", "l1", str(tmp_path / "table.csv"), "--target", "y", "--radius", "1.5", "--out", str(tmp_path / name)]
    assert run([*call, "--quiet"]) == 0
    text = (tmp_path / name).read_text()
    (tmp_path / name).unlink()
    monkeypatch.setattr(Path, "write_text", full)
    assert run([*call, "--quiet"]) == 1
    out, err = capsys.readouterr()
    assert out == text and f"{name} could not be written: No space left" in err
    assert run([*call, "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["not_written"]) == 1


def test_a_page_that_cannot_be_written_loses_no_result(tmp_path, capsys, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.setattr("greedyhull.report.write", full)
    page = str(tmp_path / "page.html")
    assert run(["demo", "--quiet", "--out", page]) == 1
    out, err = capsys.readouterr()
    assert "that is proved" in out and "worst" in out and "page.html could not be written" in err
    assert run(["demo", "--json", "--out", page]) == 1
    assert json.loads(capsys.readouterr().out)["certificate"]["gap"] > 0
    monkeypatch.setattr("greedyhull.experiments.paper.page.write", full)
    assert run(["paper", "--quick", "--only", "theorem3", "--quiet", "--out", str(tmp_path / "paper")]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("holds  Theorem 3") and "could not be written" in err
    assert len(out.splitlines()) == 1


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("command", ["fit portfolio --help", "solve problem.toml", "solve problem.toml --json",
                                     "certify problem.toml out/solution.npz", "solve gone−é.toml",
                                     "fit l1 table.csv --target y --radius 1 --json", "doctor"])
def test_commands_write_to_a_stream_of_any_encoding(problem, tmp_path, monkeypatch, encoding, command):
    """−, …, and names of columns that the encoding lacks."""
    problem(('"l1_ball"\nradius = 1.5', '"box"\nlower = -0.5\nupper = [0.1, 0.2, 0.3]'))
    table = (tmp_path / "table.csv").read_text()
    (tmp_path / "table.csv").write_text(table.replace("a,b,c,y", "größe,日本,−c,y"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    if command.startswith("certify"):
        assert run(["solve", "problem.toml", "--quiet"]) == 0
    out, err = (TextIOWrapper(BytesIO(), encoding=encoding) for _ in range(2))
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    with pytest.raises(SystemExit) as ended:
        main(command.split())
    out.flush()
    err.flush()
    said = out.buffer.getvalue().decode(encoding, errors="replace")  # click writes help to ASCII streams as UTF-8
    assert ended.value.code == (2 if "gone" in command else 0), err.buffer.getvalue()
    if "--json" in command:
        assert set(json.loads(said)["weights"]) == {"größe", "日本", "−c"}
    if command == "solve problem.toml" and encoding == "ascii":
        assert "gr\\xf6\\xdfe" in said and "Box(-0.5, [0.1 ... 0.3], shape=(3,))" in said
