"""What the README and the documentation say is true: every Python block runs, every link leads somewhere.

The blocks of one file share a namespace, in order, in an empty folder. A block marked ``output`` right after a Python
block is what that block prints.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXTS = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
NAME = lambda path: path.relative_to(ROOT).as_posix()


class Block(NamedTuple):
    language: str
    text: str
    line: int  # of its first line, counted from one
    follows: bool  # only blank lines stand between it and the block before


def blocks(path):
    """The fenced blocks of a Markdown file."""
    found, inside, text, follows = [], None, [], False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fence = re.match(r"\s*(```+)\s*(\S*)", line)
        if inside is None and fence:
            inside, text, first = fence[2], [], number + 1
        elif inside is not None and line.strip() == "```":
            found.append(Block(inside, textwrap.dedent("\n".join(text)), first, follows))
            inside, follows = None, True
        elif inside is not None:
            text.append(line)
        elif line.strip():
            follows = False
    assert inside is None, f"{NAME(path)} leaves a block open"
    return found


@pytest.mark.parametrize("path", PAGES, ids=NAME)
def test_every_python_block_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    module = ModuleType("documented")
    monkeypatch.setitem(sys.modules, "documented", module)
    page, printed = blocks(path), ""
    for block in page:
        if block.language == "python":
            code = compile("\n" * (block.line - 1) + block.text, str(path), "exec")
            paper = io.StringIO()
            with contextlib.redirect_stdout(paper):
                exec(code, module.__dict__)
            printed = paper.getvalue()
        elif block.language == "output":
            assert block.follows, f"{NAME(path)}:{block.line} shows an output that follows no block"
            assert printed.rstrip() == block.text.rstrip(), f"{NAME(path)}:{block.line}"


@pytest.mark.parametrize("path", TEXTS, ids=NAME)
def test_no_python_hides_under_another_name(path):
    assert {block.language.lower() for block in blocks(path)} & {"py", "python3", "pycon", "ipython"} == set()
    assert not any(block.language != "python" and "import greedyhull" in block.text for block in blocks(path))


@pytest.mark.parametrize("path", [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "explanation" / "paper_to_code.md"], ids=NAME)
def test_every_file_that_is_named_exists(path):
    text = path.read_text(encoding="utf-8").split("## Later sections")[0]
    named = set(re.findall(r"`([a-z_0-9/]+(?:\.py|/))`", text))
    homes = (ROOT, ROOT / "tests", ROOT / "src" / "greedyhull")
    assert [name for name in sorted(named) if not any((home / name).exists() for home in homes)] == []


def test_every_function_of_the_theory_is_in_the_paper_s_table():
    from greedyhull import theory

    table = (ROOT / "docs" / "explanation" / "paper_to_code.md").read_text(encoding="utf-8")
    functions = [name for name in theory.__all__ if name.islower()]
    assert [name for name in functions if f"`theory.{name}" not in table] == []
    assert [name for name in re.findall(r"`theory\.(\w+)", table) if not hasattr(theory, name)] == []


def links(path):
    text = re.sub(r"(?ms)^\s*```.*?^\s*```", "", path.read_text(encoding="utf-8"))
    found = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    return [link.split("#")[0] for link in found if not re.match(r"[a-z]+:|#", link)]


@pytest.mark.parametrize("path", TEXTS, ids=NAME)
def test_every_link_leads_somewhere(path):
    assert [link for link in links(path) if not (path.parent / link).exists()] == []


def commands():
    return [block.text.strip() for block in blocks(ROOT / "README.md") if block.language == "sh"]


def test_readme_has_two_commands_of_one_line_each_right_after_the_example():
    assert commands() == ["python3 dev.py demo", "python3 dev.py test"]
    assert [block.language for block in blocks(ROOT / "README.md")][:4] == ["python", "output", "sh", "sh"]


def test_figures_of_the_readme_are_those_of_the_pages_they_link_to():
    words = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    project = ROOT / "docs" / "project"
    fuzzing, benchmarks = ((project / name).read_text(encoding="utf-8") for name in ("fuzzing.md", "benchmarks.md"))
    cases, certificates = re.search(r"On (\d+) random problems .*? to (\d+) certificates", words).groups()
    assert f"{certificates} always" in fuzzing and f"{cases} cases" in fuzzing and "0 false" in fuzzing
    named, median = re.search(r"On (\d+) lasso and logistic cases .*?\[a median of ([\d.]+) times", words).groups()
    rows = re.findall(r"^\| (?:lasso|logistic) \S+ r=.*", benchmarks, flags=re.MULTILINE)
    ratios = [float(row.split("|")[4]) for row in rows]
    assert len(ratios) == int(named) and sorted(ratios)[len(ratios) // 2] == float(median)


@pytest.mark.skipif(os.name == "nt", reason="needs bash")
def test_ci_runs_the_commands_of_the_readme_as_they_are_written():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    said = subprocess.run([str(script), "--list"], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[:2] == commands()
    assert {"ruff check .", "mypy --strict", "python dev.py docs"} <= set(said.splitlines())
    assert "--python 3.11" in said and "--resolution lowest-direct" in said and "-m pytest -m quick" in said.splitlines()[-1]


def test_the_version_is_the_same_everywhere():
    import greedyhull

    version = greedyhull.__version__
    assert f'version = "{version}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"version: {version}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
