"""The site is complete: every public name is in the reference, every set, solver and estimator on a page of its own kind."""

import importlib
import re
from pathlib import Path

import pytest

import greedyhull as gh

DOCS = Path(__file__).parents[1] / "docs"
REFERENCE = "\n".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "reference" / "api").glob("*.rst")))


def names_of_kind(kind):
    homes = {name: getattr(gh, name).__module__ for name in gh.__all__}
    return [name for name, home in homes.items() if home.startswith(f"greedyhull.{kind}.") and ".parts." not in home]


def pages_of(folder):
    return [page for page in sorted((DOCS / "reference" / folder).glob("*.md")) if page.stem != "index"]


def test_every_public_name_is_in_the_reference_once():
    named = re.findall(r"^\.\. (?:auto)?(?:function|class|exception):: (\w+)", REFERENCE, flags=re.MULTILINE)
    assert [name for name in gh.__all__ if named.count(name) != 1] == []
    assert [name for name in named if not hasattr(gh, name) and name != "greedyhull"] == []


def test_every_public_name_is_in_a_table_of_the_reference_once():
    from greedyhull import estimators
    from greedyhull.solvers import gradients

    page = (DOCS / "reference" / "api" / "index.rst").read_text(encoding="utf-8")
    tables = re.findall(r"autosummary::\n   :nosignatures:\n\n((?:   \S+\n)+)", page)
    listed = [name for table in tables for name in table.split()]
    names = [*gh.__all__, *estimators.__all__, *gradients.__all__]
    assert [name for name in names if listed.count(name) != 1] == []


@pytest.mark.parametrize("module", ["apps", "estimators", "experiments", "extend", "solvers.gradients", "testing", "theory"])
def test_every_public_module_is_in_the_reference(module):
    assert f".. automodule:: greedyhull.{module}\n" in REFERENCE
    assert importlib.import_module(f"greedyhull.{module}").__all__


@pytest.mark.parametrize(("kind", "folder"), [("solvers", "solvers"), ("atoms", "sets")])
def test_every_solver_and_set_is_on_a_page_and_in_the_index(kind, folder):
    index = (DOCS / "reference" / folder / "index.md").read_text(encoding="utf-8")
    pages = "\n".join(page.read_text(encoding="utf-8") for page in pages_of(folder))
    names = [name for name in names_of_kind(kind) if kind == "atoms" or hasattr(getattr(gh, name), "run")]
    names = [name for name in names if name != "AtomSet"]
    assert len(names) > 5
    assert [name for name in names if f"`{name}(" not in pages or f"`{name}(" not in index] == []


@pytest.mark.parametrize("folder", ["sets", "solvers"])
def test_every_page_of_a_set_or_solver_has_a_picture(folder):
    for page in pages_of(folder):
        pictures = re.findall(r"!\[[^\]]+\]\(([^)]+\.svg)\)", page.read_text(encoding="utf-8"))
        assert pictures and all((page.parent / picture).is_file() for picture in pictures), page.name


def test_every_estimator_is_on_a_page():
    from greedyhull import estimators

    pages = "\n".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "howto").glob("*.md")))
    assert [name for name in estimators.__all__ if name not in pages] == []


def test_the_walk_shows_lines_as_they_are_and_files_that_exist():
    text, source = (DOCS / "project" / "architecture.md").read_text(encoding="utf-8"), DOCS.parent / "src" / "greedyhull"
    named = re.findall(r"`([a-z_0-9/]+(?:\.py|/))`", text)
    assert [name for name in named if not any((home / name).exists() for home in (source, DOCS.parent))] == []
    shown = re.findall(r"```text\n# (\S+)\n(.*?)```", text, flags=re.DOTALL)
    assert len(shown) >= 4
    for name, lines in shown:
        there = {line.strip() for line in (source / name).read_text(encoding="utf-8").splitlines()}
        assert [line for line in lines.splitlines() if line.strip() not in there | {"…", ""}] == [], name


@pytest.mark.parametrize("folder", ["tutorials", "howto", "reference", "explanation", "project"])
def test_every_page_is_listed_in_the_index_of_its_kind(folder):
    index = (DOCS / folder / "index.md").read_text(encoding="utf-8")
    pages = {page.stem for page in (DOCS / folder).glob("*.md")} - {"index"}
    assert pages == set(re.findall(r"^(\w+)$", index.split("```{toctree}")[1], flags=re.MULTILINE))
    named = {"contributing": "../../CONTRIBUTING.md", "changes": "../../CHANGELOG.md"}
    assert [page for page in sorted(pages) if f"({named.get(page, page + '.md')})" not in index] == []
