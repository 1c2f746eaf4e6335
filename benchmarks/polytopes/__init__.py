"""Polytopes and norm balls beside their rivals: every module of this folder has ``tables(repeats, only)``."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from benchmarks.tables import Table


def polytopes(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    """The tables of all modules, in the order of their names; ``only`` may name modules or cases."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))
    chosen = [name for name in names if name in only]
    for name in chosen or names:
        yield from import_module(f"{__name__}.{name}").tables(repeats, tuple(word for word in only if word not in names))
