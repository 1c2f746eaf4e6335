"""The table of mutants fits the source: what it replaces is there, once, and so are the tests that it names."""

import ast
from functools import cache
from pathlib import Path

import pytest
from planted import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]


@cache
def named_in(file: str) -> set[str]:
    return {node.name for node in ast.parse((ROOT / file).read_text()).body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file}: {mutant.promise}")
def test_a_mutant_fits_the_source(mutant: Mutant) -> None:
    path = ROOT / "src" / "greedyhull" / mutant.file
    whole = path.read_text()
    assert whole.count(mutant.old) == 1, "plant the same fault in the code as it is now"
    changed = whole.replace(mutant.old, mutant.new)
    assert changed != whole
    compile(changed, mutant.file, "exec")  # a mutant that cannot be imported would fail every test
    assert mutant.tests and all(test.split("::")[1] in named_in(test.split("::")[0]) for test in mutant.tests)
