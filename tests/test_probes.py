"""Contracts are declared and checked, not probed: few calls of hasattr and getattr, and each says why it is needed."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "greedyhull"
MOST = 30  # `greedyhull.types` asks for the names of users' objects; others call that


def probes(text: str) -> Iterator[tuple[int, str]]:
    """The lines that call hasattr or getattr, each with the comments on it and on the line above."""
    comments = {token.start[0]: token.string for token in tokenize.generate_tokens(io.StringIO(text).readline)
                if token.type == tokenize.COMMENT}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("hasattr", "getattr"):
            yield node.lineno, "".join(comments.get(line, "") for line in (node.lineno - 1, node.lineno))


def all_probes() -> list[tuple[str, str]]:
    return [(f"{path.relative_to(SRC).as_posix()}:{line}", comment) for path in sorted(SRC.rglob("*.py"))
            for line, comment in probes(path.read_text(encoding="utf-8"))]


def test_few_attributes_are_probed():
    found = [place for place, _ in all_probes()]
    assert 0 < len(found) < MOST, f"{len(found)} calls of hasattr and getattr: {', '.join(found)}. Declare the attribute on " \
                                  "the protocol or the base class, or ask greedyhull.types.lacks."


def test_every_probe_has_its_reason():
    bare = [place for place, comment in all_probes() if not comment.lstrip("# ")]
    assert not bare, f"No comment says why these probe for an attribute: {', '.join(bare)}."


@pytest.mark.parametrize(("text", "found"), [
    ("hasattr(x, 'a')  # why", [(1, "# why")]),
    ("# why\ny = getattr(x, 'a', None)", [(2, "# why")]),
    ("# why\n\ny = getattr(x, 'a')", [(3, "")]),
    ("y = '# getattr(x)'\nz = f'{getattr(x, \"a\")}'", [(2, "")]),
    ("x.getattr('a')\n'hasattr(x)'", []),
    ("def __getattr__(self, name): ...", []),
])
def test_a_probe_is_seen_however_it_is_written(text, found):
    assert list(probes(text)) == found
