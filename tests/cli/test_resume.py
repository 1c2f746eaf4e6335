"""``greedyhull resume``: a run that was saved goes on, and says which file has changed where one has."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.cli import run

PROBLEM = """
[data]
file = "d.csv"
target = "y"
[objective]
loss = "least_squares"
[set]
kind = "{kind}"
radius = 0.7
[solver]
name = "frank_wolfe"
[stop]
iterations = {k}
[output]
report = false
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5))
    rows = np.c_[X, X[:, 0] + rng.standard_normal(60)]
    np.savetxt(tmp_path / "d.csv", rows, delimiter=",", header="a,b,c,d,e,y", comments="")
    (tmp_path / "p.toml").write_text(PROBLEM.format(k=40, kind="l2_ball"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def solved(folder: Path) -> gh.Solution:
    return gh.load(folder / "solution.npz")


def refused(capsys: pytest.CaptureFixture[str], folder: str = "run") -> str:
    assert run(["resume", folder]) == 2
    return capsys.readouterr().err


def test_a_run_goes_on_to_the_same_end_and_writes_the_same_files(place: Path) -> None:
    (place / "p.toml").write_text(PROBLEM.format(k=25, kind="l2_ball"))
    assert run(["solve", "p.toml", "--checkpoint", "run", "--quiet"]) == 0
    (place / "p.toml").write_text(PROBLEM.format(k=40, kind="l2_ball"))  # [stop] may change
    assert run(["resume", "run/", "--quiet"]) == 0
    again = solved(place / "p-output")
    assert run(["solve", "p.toml", "--out", "whole", "--quiet"]) == 0
    whole = solved(place / "whole")
    assert again.x.tobytes() == whole.x.tobytes() and again.certificate == whole.certificate and again.iterations == 40
    assert (place / "p-output" / "trace.csv").is_file()


def test_a_command_that_was_killed_goes_on(place: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no signal 9")
    (place / "p.toml").write_text(PROBLEM.format(k=3000, kind="l2_ball"))
    process = subprocess.Popen([sys.executable, "-m", "greedyhull", "solve", "p.toml", "--checkpoint", "run", "--out", "here"])
    began = time.monotonic()
    while not list(place.glob("run/state-*.npz")) and process.poll() is None and time.monotonic() - began < 60:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert run(["resume", "run", "--quiet"]) == 0
    again = solved(place / "here")  # where the first command was told to write
    run(["solve", "p.toml", "--out", "whole", "--quiet"])
    whole = solved(place / "whole")
    assert again.x.tobytes() == whole.x.tobytes() and again.iterations == whole.iterations > 100


def test_a_file_that_has_changed_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["solve", "p.toml", "--checkpoint", "run", "--quiet"])
    data, text = (place / "d.csv").read_bytes(), (place / "p.toml").read_text()
    (place / "p.toml").write_text(text.replace("0.7", "0.8"))
    assert "p.toml has changed since the run was saved, first in line 9" in refused(capsys)
    (place / "p.toml").unlink()
    assert "p.toml of the saved run is gone" in refused(capsys)
    (place / "p.toml").write_text(text)
    (place / "d.csv").write_bytes(data + b"1,2,3,4,5,6\n")
    assert f"d.csv has {len(data) + 12} bytes, not {len(data)}" in refused(capsys)
    (place / "d.csv").write_bytes(data.replace(b"1", b"2", 1))
    assert "d.csv has other contents" in refused(capsys)
    (place / "d.csv").unlink()
    assert "d.csv is gone" in refused(capsys)
    (place / "d.csv").write_bytes(data)
    assert run(["resume", "run", "--quiet"]) == 0


def test_matrices_and_patterns_are_files_of_the_problem(tmp_path: Path) -> None:
    from greedyhull.cli.solve import files_of

    for name in ("q.npy", "part-1.npy", "part-2.npy", "logistic"):
        (tmp_path / name).write_bytes(b"")
    text = 'title = "q.npy"\n[data]\nfile = "part-*.npy"\n[objective]\nloss = "logistic"\nQ = "q.npy"\n[set]\nx = [["nope"]]\n'
    assert [path.name for path in files_of(text, tmp_path)] == ["part-1.npy", "part-2.npy", "q.npy"]


def test_large_files_are_told_apart_by_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from greedyhull.cli import solve as stored

    monkeypatch.setattr(stored, "WHOLE", 1000)
    monkeypatch.setattr(stored, "BLOCK", 100)
    path = tmp_path / "large"
    path.write_bytes(bytes(50_000))
    before = stored.fingerprint(path)
    path.write_bytes(bytes(49_999) + b"1")
    assert stored.fingerprint(path) != before == {"bytes": 50_000, "blake2b": before["blake2b"]}


def test_folders_without_a_problem_get_words(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "There is no folder missing" in refused(capsys, "missing")
    (place / "empty").mkdir()
    assert "no problem.json in empty" in refused(capsys, "empty")
    run(["solve", "p.toml", "--checkpoint", "run", "--quiet"])
    kept = json.loads((place / "run" / "problem.json").read_text())
    for damaged in ("", "[]", "{}", json.dumps({**kept, "files": 3}), json.dumps({**kept, "problem": None})):
        (place / "run" / "problem.json").write_text(damaged)
        assert "problem.json is damaged" in refused(capsys)
    (place / "run" / "problem.json").write_text(json.dumps({**kept, "format": 2}))
    assert "newer version" in refused(capsys)


def test_a_folder_that_another_run_took_over_is_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["solve", "p.toml", "--checkpoint", "run", "--quiet"])
    with pytest.warns(gh.GreedyhullWarning, match="replaces"):
        gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), checkpoint="run/")
    assert "holds a run that minimises quadratic(d=3) over Simplex(3, total=1)" in refused(capsys).replace("\n", " ")


def test_a_run_without_a_state_begins_at_its_start(place: Path) -> None:
    run(["solve", "p.toml", "--checkpoint", "run", "--quiet"])
    want = solved(place / "p-output")
    for path in (place / "run").glob("state-*.npz"):
        path.unlink()
    assert run(["resume", "run", "--quiet"]) == 0
    assert solved(place / "p-output").x.tobytes() == want.x.tobytes()
