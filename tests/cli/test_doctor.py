"""``greedyhull doctor``, and what all commands have in common: help that is quick, exit codes, ``--debug``."""

import json
import subprocess
import sys

import pytest

import greedyhull as gh
from greedyhull.cli import run
from greedyhull.cli.console import plain

COMMANDS = [["demo"], ["paper"], ["solve"], ["certify"], ["doctor"], ["fit"], ["fit", "simplex"],
            ["fit", "l1"], ["fit", "ensemble"]]


def test_the_doctor_tells_what_is_there(capsys):
    assert run(["doctor"]) == 0
    said = capsys.readouterr().out
    for part in (gh.__version__, "numpy", "scikit-learn", "processors", "Compiled core", "passed: certified gap"):
        assert part in said
    assert run(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["self_test"]["ok"] and found["needed"]["numpy"] and found["blas"] and found["core"]["words"]
    assert run(["doctor", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_blas_that_the_core_cannot_call_is_named(capsys, monkeypatch):
    assert run(["doctor"]) == 0
    assert "SciPy's, called directly" in capsys.readouterr().out
    monkeypatch.setitem(sys.modules, "greedyhull.kernels.lapack", None)
    assert run(["doctor"]) == 0
    assert "not called: import of greedyhull.kernels.lapack halted" in " ".join(capsys.readouterr().out.split())


def test_what_is_missing_is_named_with_the_remedy(capsys, monkeypatch):
    monkeypatch.setattr("greedyhull.cli.builtin._version", lambda name: None)
    monkeypatch.setattr("greedyhull.cli.builtin.find_spec", lambda name: None)  # no threadpoolctl: numpy's own words
    assert run(["doctor"]) == 0
    said = capsys.readouterr().out
    assert 'pip install -e ".[demo]"' in said and "install threadpoolctl" in said


def test_a_failed_self_test_is_exit_code_one(capsys, monkeypatch):
    monkeypatch.setattr("greedyhull.cli.builtin.self_test", lambda: {"ok": False, "words": "FAILED"})
    assert run(["doctor"]) == 1


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_and_both_voices(command, capsys):
    assert run([*command, "--help"]) == 0
    said = capsys.readouterr().out
    if command != ["fit"]:
        assert "--quiet" in said and "--json" in said


def test_help_imports_nothing_heavy():
    code = ("import sys; from greedyhull.cli import run; run(['fit', 'l1', '--help']); run(['solve', '--help']); "
            "print([m for m in ('sklearn', 'matplotlib', 'scipy', 'pandas', 'jinja2') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith("[]\n"), done.stdout + done.stderr


def broken(console):
    raise ZeroDivisionError("by nought")


def test_an_error_inside_is_exit_code_three_and_debug_shows_where(capsys, monkeypatch):
    monkeypatch.setattr("greedyhull.cli.builtin.doctor", broken)
    assert run(["doctor"]) == 3
    out, err = capsys.readouterr()
    assert out == "" and "ZeroDivisionError: by nought" in err and "Traceback" not in err and "--debug" in err
    assert run(["--debug", "doctor"]) == 3
    assert "in broken" in capsys.readouterr().err
    monkeypatch.setenv("GREEDYHULL_DEBUG", "1")
    assert run(["doctor"]) == 3
    assert "Traceback" in capsys.readouterr().err


def test_files_that_cannot_be_written_are_exit_code_two(capsys, monkeypatch, tmp_path):
    def full(console):
        (tmp_path / "none" / "file").write_text("")

    monkeypatch.setattr("greedyhull.cli.builtin.doctor", full)
    assert run(["doctor"]) == 2
    assert "No such file or directory" in capsys.readouterr().err


def test_the_demo_as_json(tmp_path, capsys):
    assert run(["demo", "--json", "--budget", "2", "--out", str(tmp_path / "page.html")]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["certificate"]["kind"] == "always" and (tmp_path / "page.html").exists()


def test_json_has_no_numbers_that_are_not():
    assert plain({"a": float("nan"), "b": [float("inf"), 1], "c": None, "d": {1: True}}) == {
        "a": None, "b": [None, 1], "c": None, "d": {"1": True}}
