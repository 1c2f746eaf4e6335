"""`greedyhull.extend` is enough: the pages on pieces of one's own import nothing else, and it says all that it has."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from greedyhull import extend

DOCS = Path(__file__).parents[2] / "docs"
ALLOWED = {"greedyhull", "greedyhull.extend"}


def imported(page: Path) -> set[str]:
    """The modules of this library that the Python blocks of a page import, names of ``greedyhull`` itself left out."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    found = set()
    for node in ast.walk(ast.parse("\n".join(blocks))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "greedyhull":
            found |= {f"greedyhull.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module))
    return {name for name in found if name.split(".")[0] == "greedyhull"}


@pytest.mark.parametrize("page", ["howto/extending.md", "howto/test_your_own.md"])
def test_a_page_on_pieces_of_ones_own_imports_nothing_else(page: str) -> None:
    assert imported(DOCS / page) - ALLOWED == set()
    assert "greedyhull.extend" in imported(DOCS / page)


def test_pieces_proved_by_use_import_nothing_else() -> None:
    tests = [path for path in Path(__file__).parent.glob("test_*.py") if path != Path(__file__)]
    named = re.compile(r"^(?:from|import) (greedyhull[.\w]*)", flags=re.MULTILINE)
    found = [(path.name, name) for path in tests for name in named.findall(path.read_text(encoding="utf-8"))]
    assert [pair for pair in found if pair[1] not in ALLOWED] == []


def test_every_name_is_there_and_in_its_table() -> None:
    table = set(re.findall(r"\w+", " ".join(re.findall(r"``(.+?)``", str(extend.__doc__), flags=re.DOTALL))))
    assert len(set(extend.__all__)) == len(extend.__all__) > 80
    assert [name for name in extend.__all__ if not hasattr(extend, name)] == []
    assert sorted(set(extend.__all__) - table) == []
    public = {name for name in vars(extend) if not name.startswith("_")} - {"annotations"}
    assert public == set(extend.__all__)


def test_what_both_imports_have_is_the_same() -> None:
    import greedyhull as gh

    shared = set(gh.__all__) & set(extend.__all__)
    assert {"AtomSet", "Basis", "Dense", "Sparse", "GreedyhullError"} <= shared
    assert [name for name in shared - {"Constant"} if getattr(gh, name) is not getattr(extend, name)] == []


def test_a_plain_import_does_not_pay_for_it() -> None:
    code = "import sys, greedyhull; print({'greedyhull.extend', 'greedyhull.testing'} & set(sys.modules) or 'neither')"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "neither"
