"""Contracts are declared and checked, not probed: few calls of hasattr and of getattr with a default, each with its reason.

A call of getattr with two arguments reads an attribute that is there.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "greedyhull"
MOST = 30  # `greedyhull.types` checks users' objects; others call `lacks` and `optional` there


def probes(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that call hasattr, or getattr with a default, each with the comments on it and on the line above."""
    comments = {token.start[0]: token.string for token in tokenize.generate_tokens(io.StringIO(text).readline)
                if token.type == tokenize.COMMENT}
    for node in ast.walk(ast.parse(text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        if node.func.id == "hasattr" or (node.func.id == "getattr" and len(node.args) == 3):
            yield node.lineno, "".join(comments.get(line, "") for line in (node.lineno - 1, node.lineno))


def all_probes() -> list[tuple[str, str]]:
    return [(f"{path.relative_to(SRC).as_posix()}:{line}", comment) for path in sorted(SRC.rglob("*.py"))
            for line, comment in probes(path.read_text(encoding="utf-8"))]


def test_few_attributes_are_probed():
    found = [place for place, _ in all_probes()]
    assert 0 < len(found) < MOST, f"{len(found)} calls of hasattr and getattr: {', '.join(found)}. Declare the attribute on " \
                                  "the base class, or call greedyhull.types.lacks."


def test_every_probe_has_its_reason():
    bare = [place for place, comment in all_probes() if not comment.lstrip("# ")]
    assert not bare, f"No comment says why these probe for an attribute: {', '.join(bare)}."


@pytest.mark.parametrize(("text", "found"), [
    ("hasattr(x, 'a')  # why", [(1, "# why")]),
    ("# why\ny = getattr(x, 'a', None)", [(2, "# why")]),
    ("# why\n\ny = getattr(x, 'a', 0)", [(3, "")]),
    ("y = '# getattr(x)'\nz = f'{getattr(x, \"a\", 0)}'", [(2, "")]),
    ("y = getattr(x, name)", []),
    ("x.getattr('a')\n'hasattr(x)'", []),
    ("def __getattr__(self, name): ...", []),
])
def test_a_probe_is_seen_however_it_is_written(text, found):
    assert list(probes(text)) == found
