"""No misspelt words in code or pages; pages are written in British English."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLACES = ["src", "tests", "docs", "examples", "benchmarks", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "pyproject.toml"]
PAGES = [*(ROOT / name for name in PLACES if name.endswith(".md")), *sorted((ROOT / "docs").rglob("*.md"))]
AMERICAN = re.compile(
    r"\b(?:optimi|minimi|maximi|regulari|normali|penali|initiali|summari|vectori|randomi|recogni|generali|speciali|factori"
    r"|standardi|lineari|emphasi)z(?:e|ed|es|er|ers|ing|ation|ations)\b"
    r"|\b(?:color|behavior|neighbor|favor|honor)\w*|\b(?:center|centers|centered|gray|modeling|labeled|catalog)\b",
    re.IGNORECASE)
TITLES = ["Approximate and Stochastic Greedy Optimization"]


def prose(path):
    """A page without code, formulas, links' targets and titles of others."""
    text = path.read_text(encoding="utf-8")
    for title in TITLES:
        text = text.replace(title, "")
    text = re.sub(r"(?ms)^\s*```.*?^\s*```", "", text)
    return re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|<[^>]*>", "", text)


def codespell(folder, *places):
    command = [sys.executable, "-m", "codespell_lib", *places]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_no_word_is_misspelt():
    said = codespell(ROOT, *(name for name in PLACES if (ROOT / name).exists()))
    assert said.stdout + said.stderr == ""
    assert said.returncode == 0


def test_a_misspelt_word_is_noticed(tmp_path):
    (tmp_path / "page.md").write_text("The certifcate is recieved.\n")
    assert "recieved ==> received" in codespell(tmp_path, "page.md").stdout


REPLACED = re.compile(  # phrases that are not plain English here, each with a plain one in its place
    r"\b(?:is|are|was) wanted\b|\bwanted is\b|\bw(?:as|ere) given\b"  # must be ...; got ...
    r"|\b(?:no|some|any|every)body\b|\bwhoever\b"  # name the user, the callback, the thread
    r"|\btold\b|\btells\b|\bhears?\b|\bin words\b"  # reports, raises an error
    r"|\bgo(?:es)? on\b|\bgone on\b|\bstands? still\b"  # continues, stalls
    r"|\b(?:is|are) (?-i:none)\b|\bwhole numbers?\b|\brefuse[sd]?\b|\bcrews?\b"  # invalid, integer, reject, workers
    r"|\bby hand\b|\bafresh\b|\banew\b|\bmended\b|\bonce more\b|\bstoreys?\b",  # manually, again, fixed, layer
    re.IGNORECASE)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_are_in_plain_english(path):
    assert [match[0] for match in REPLACED.finditer(prose(path))] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_are_in_british_english(path):
    assert [match[0] for match in AMERICAN.finditer(prose(path))] == []
