"""What docs/howto/command_line.md shows works as it is written there."""

import re
import shlex
from pathlib import Path

import pytest

from greedyhull.cli import run
from greedyhull.cli.names import LOSSES, SETS, SOLVERS

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "command_line.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "houses.csv").write_text(blocks("csv")[0])
    (tmp_path / "problem.toml").write_text(blocks("toml")[0])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands_of_the_page_run(folder, capsys):
    solving, fitting = blocks("sh")
    for line in [*solving.splitlines(), *fitting.splitlines()]:
        assert run(shlex.split(line)[1:]) == 0, (line, capsys.readouterr())
    written = {path.name for path in folder.rglob("*.*")}
    assert {"solution.npz", "trace.csv", "report.html", "weights.csv"} <= written
    assert "What makes a house expensive?" in (folder / "results" / "report.html").read_text(encoding="utf-8")


def test_every_loss_and_set_is_named(folder):
    assert [name for name in (*LOSSES, *SETS) if f"`{name}`" not in PAGE] == []


@pytest.mark.parametrize(("names", "folder"), [(SETS, "sets"), (SOLVERS, "solvers")])
def test_what_the_reference_lists_can_be_named_in_a_file(names, folder):
    """Only what takes functions cannot; all others are in greedyhull.cli.names.py."""
    page = (Path(__file__).parents[2] / "docs" / "reference" / folder / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| \[`(\w+)\(", page, re.MULTILINE)) - {"oracle", "Sum"}
    assert len(listed) > 15
    called = [made.__name__ for made in names.values()]
    assert "sum" in SETS
    assert listed - {name.title().replace("_", "") if name.islower() else name for name in called} == set()


def test_every_command_is_named():
    from greedyhull.cli.commands import app

    for command in app.registered_commands:
        assert f"`greedyhull {command.callback.__name__}" in PAGE
