"""The layers: imports point down, also those inside functions, and no two packages need each other.

A package is a folder or a file of src/greedyhull. Imports that only type checkers follow count as well.
"""

from __future__ import annotations

import ast
import pydoc
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import greedyhull as gh

SRC = Path(__file__).parents[1] / "src" / "greedyhull"
LAYERS = (  # from the bottom up: a package may import from its own layer, without a way back, and from those below
    {"errors", "types"},
    {"kernels", "points", "theory"},
    {"atoms", "data"},
    {"objectives"},
    {"remote"},
    {"measures"},
    {"solvers"},
    {"driver"},
    {"apps", "cli", "estimators", "experiments", "report", "testing"},
)
PACKAGES = {package: layer for layer, packages in enumerate(LAYERS) for package in packages}
TOP = LAYERS[-1]
ENTRIES = {"__init__", "__main__", "extend", "gradients", "schedules"}  # only the top layer imports through them
ALLOWED = {  # arrows that point upwards, each with its reason
    ("objectives/ridge.py", "remote"): "objectives take shards in place of X and y; loaded when shards are given",
    ("objectives/smoothing.py", "remote"): "smoothed losses over shards; loaded when shards are given",
    ("driver/solution.py", "report"): "solution.report(path) writes a page; the page is made when it is asked for",
    ("theory/__init__.py", "measures"): "constants, jones_variance and expect_violation need a problem; loaded when asked for",
}
NAMED = "types"  # for type checkers the protocols name the classes that are handed around, wherever they live


class Arrow(NamedTuple):
    """``file`` imports ``module``, a dotted path below greedyhull; ``typed`` if only for type checkers, ``late`` if in a
    function."""

    file: str
    line: int
    module: str
    late: bool
    typed: bool

    @property
    def package(self) -> str:
        return self.file.split("/")[0].removesuffix(".py")

    @property
    def to(self) -> str:
        return self.module.split(".")[0]

    @property
    def words(self) -> str:
        there = f"layer {PACKAGES[self.to]}" if self.to in PACKAGES else "an entry point"
        return (f"src/greedyhull/{self.file}, line {self.line}, imports greedyhull.{self.module}: from the package "
                f"{self.package} (layer {PACKAGES.get(self.package, 'of no package')}) to {self.to} ({there}).")


def modules(node: ast.AST, inside: str) -> Iterator[str]:
    """What an import statement in the package ``inside`` imports from greedyhull."""
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = inside.split(".")
            base = ".".join([*parts[: len(parts) - node.level + 1], *([base] if base else [])])
        yield from (f"greedyhull.{name.name}" for name in node.names) if base == "greedyhull" else (base,)
    elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("import_module", "importlib.import_module", "__import__"):
        said = node.args[0] if node.args else None
        yield from (said.value,) if isinstance(said, ast.Constant) and isinstance(said.value, str) else ()


def arrows_of(text: str, file: str) -> Iterator[Arrow]:
    tree = ast.parse(text)
    typed = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
             for part in node.body for inner in ast.walk(part)}
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    late = {id(inner) for node in ast.walk(tree) if isinstance(node, functions) for inner in ast.walk(node)}
    inside = ".".join(["greedyhull", *Path(file).parent.parts])
    for node in ast.walk(tree):
        for module in modules(node, inside):
            if module == "greedyhull" or module.startswith("greedyhull."):
                below = module.removeprefix("greedyhull").removeprefix(".") or "__init__"
                named = below if below.split(".")[0] in PACKAGES | dict.fromkeys(ENTRIES) else "__init__"  # else a public name
                yield Arrow(file, getattr(node, "lineno", 0), named, id(node) in late, id(node) in typed)


@cache
def arrows() -> tuple[Arrow, ...]:
    found = []
    for path in sorted(SRC.rglob("*.py")):
        found += arrows_of(path.read_text(encoding="utf-8"), path.relative_to(SRC).as_posix())
    return tuple(arrow for arrow in found if arrow.package not in ENTRIES and arrow.package != arrow.to)


def upwards(arrow: Arrow) -> bool:
    if arrow.to in ENTRIES:
        return arrow.package not in TOP
    return PACKAGES[arrow.to] > PACKAGES[arrow.package]


def test_every_file_and_folder_has_its_layer():
    there = {path.stem for path in SRC.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert there - ENTRIES == set(PACKAGES), "give the new package a layer here and in CONTRIBUTING.md"


def test_no_arrow_points_upwards():
    wrong = [arrow for arrow in arrows() if upwards(arrow) and (arrow.file, arrow.to) not in ALLOWED
             and not (arrow.typed and arrow.package == NAMED)]
    assert not wrong, "\n".join([*(arrow.words for arrow in wrong), "Move what is needed down, or ask for it from above."])


def test_no_two_packages_need_each_other():
    needs: dict[str, set[str]] = {package: set() for package in PACKAGES}
    for arrow in arrows():
        if not arrow.typed and (arrow.file, arrow.to) not in ALLOWED and arrow.to in PACKAGES:
            needs[arrow.package].add(arrow.to)
    while needs:  # packages that need none of the others leave, and packages that none of the others needs
        needed = set().union(*needs.values())
        free = [package for package, below in needs.items() if not below & set(needs) or package not in needed]
        some = [arrow.words for arrow in arrows() if not arrow.typed and {arrow.package, arrow.to} <= set(needs)]
        assert free, "\n".join([f"These packages need each other: {', '.join(sorted(needs))}.", *some])
        for package in free:
            del needs[package]


def test_what_is_allowed_is_there_and_late():
    for (file, package), reason in ALLOWED.items():
        found = [arrow for arrow in arrows() if (arrow.file, arrow.to) == (file, package)]
        assert found and all(arrow.late or arrow.typed for arrow in found), f"{file} -> {package}: {reason}"


@pytest.mark.parametrize(("text", "module", "late", "typed"), [
    ("from greedyhull.driver.run import minimize", "driver.run", False, False),
    ("def f():\n    from greedyhull import driver", "driver", True, False),
    ("import greedyhull.driver.stop as stop", "driver.stop", False, False),
    ("from ..driver import run", "driver", False, False),
    ("def f():\n    import_module('greedyhull.driver.run')", "driver.run", True, False),
    ("if TYPE_CHECKING:\n    from greedyhull.driver.solution import Solution", "driver.solution", False, True),
    ("import greedyhull as gh", "__init__", False, False),
    ("from greedyhull import minimize", "__init__", False, False),
])
def test_an_arrow_is_seen_however_it_is_written(text, module, late, typed):
    (arrow,) = arrows_of(text, "atoms/odd.py")
    assert (arrow.module, arrow.late, arrow.typed) == (module, late, typed)
    assert upwards(arrow) and "atoms/odd.py" in arrow.words and f"greedyhull.{module}" in arrow.words


def test_the_entry_point_shows_public_names_only():
    assert set(dir(gh)) == {*gh.__all__, "__version__"}
    text = pydoc.plain(pydoc.render_doc(gh))
    hidden = ("_LATER", "import_module", "TYPE_CHECKING", "annotations", *PACKAGES)
    assert [name for name in hidden if re.search(rf"^    {name}(?: = |\()", text, flags=re.MULTILINE)] == []
    assert re.search(r"^    minimize\(", text, flags=re.MULTILINE)


def test_the_entry_point_loads_what_every_solve_needs_and_other_names_when_they_are_used():
    """So that the first solve of a process takes no longer than the second."""
    code = ("import sys, greedyhull as gh; before = set(sys.modules); gh.StochasticJones; after = set(sys.modules); "
            "print('greedyhull.driver.run' in before, 'greedyhull.solvers.corrective' in before, 'scipy' in before, "
            "'greedyhull.solvers.stochastic_jones' in before, 'greedyhull.solvers.stochastic_jones' in after)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["True", "True", "False", "False", "True"], done.stdout + done.stderr


def test_every_module_with_public_names_can_be_the_first_one_that_is_loaded():
    """In a process of its own each, without the entry point: an import that works only after another one would fail here."""
    code = """
import os, sys, types
from importlib import import_module
import numpy
bare = types.ModuleType("greedyhull")
bare.__path__ = [sys.argv[1]]
sys.modules["greedyhull"] = bare
for module in sys.argv[2:]:
    child = os.fork()
    if child == 0:
        import_module(f"greedyhull.{module}")
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print(module)
"""
    if sys.platform == "win32":
        pytest.skip("Windows cannot fork")
    modules = sorted(set(gh._LATER.values()))
    command = [sys.executable, "-c", code, str(Path(gh.__file__).parent), *modules]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert len(modules) > 30 and done.stdout == "" and done.returncode == 0, done.stdout + done.stderr


def test_packages_that_were_always_there_still_are():
    code = ("import greedyhull as gh; "
            "print(gh.theory.__name__, gh.solvers.__name__, gh.errors.GreedyhullError is gh.GreedyhullError)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "greedyhull.theory greedyhull.solvers True\n", done.stderr


def test_the_table_of_the_entry_point_is_its_list():
    assert set(gh._LATER) == set(gh.__all__) and all(hasattr(gh, name) for name in gh.__all__)
