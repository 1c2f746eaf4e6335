"""The columns of a table that are features, targets and weights."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from glob import has_magic
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from greedyhull.cli.suggestions import one_of
from greedyhull.data.columns import Column
from greedyhull.data.files import FORMATS
from greedyhull.data.tables import Table
from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Array


class Selection(NamedTuple):
    """Which columns are which; None stands for what the file says, or for all others."""

    target: Column | None = None
    features: Sequence[Column] | None = None
    exclude: Sequence[Column] = ()
    sample_weight: Column | None = None
    targets: Sequence[Column] = ()  # of several responses


class Samples(NamedTuple):
    """The features with their names, the target and the weights of the samples, where there are any."""

    X: Any
    names: Sequence[str]
    y: Array | None
    target: str
    sample_weight: Array | None
    Y: Array | None = None  # several targets, a column each


def in_shards(path: Path, spelled: str) -> bool:
    """Whether a path is read in shards: a folder, a Parquet or Arrow file, or a pattern as it was spelled."""
    columnar = FORMATS.get(path.suffix.lower()) in ("parquet", "arrow")
    return path.is_dir() or columnar or (has_magic(spelled) and not path.is_file())


def place_of(table: Table, column: Column) -> int:
    """Where a column stands: by its name, or by its number from 0; −1 is the last one."""
    names, d = table.names, len(table.names)
    if isinstance(column, str) and column in names:
        return names.index(column)
    number = int(column) if re.fullmatch("-?[0-9]{1,18}", str(column)) else d
    if -d <= number < d:
        return number % d
    some = [*names[:12], *(["..."] if d > 12 else [])]
    raise GreedyhullError(one_of(column, some) + f" Columns: {d}.")


def take(table: Table, wanted: Selection, at: Callable[[str], AbstractContextManager[None]]) -> Samples | None:
    """The columns that are wanted, None where some are not there: ``at(key)`` collects what is wrong with each part."""
    y, label, inside = None, "", -1
    with at("target"):
        y, label, inside = _target(table, wanted.target)
    s, weight = None, -1
    with at("sample_weight"):
        if wanted.sample_weight is not None:
            s, _, weight = _target(table, wanted.sample_weight)
            check(s is not None and s.dtype.kind in "biuf", f"Column {wanted.sample_weight} holds words; numbers are wanted.")
    Y, several = None, list[int]()
    with at("targets"):
        several = [place_of(table, column) for column in wanted.targets]
        check(len(set(several)) == len(several), "a column is listed twice; list each target once.")
        columns = [table.column(j) for j in several]
        words = [table.names[j] for j, column in zip(several, columns, strict=True) if column.dtype.kind not in "biuf"]
        check(not words, lambda: f"Column {words[0]} holds words; numbers are wanted.")
        Y = np.column_stack(columns) if columns else None
    out = {inside, weight, *several}
    with at("exclude"):
        out |= {place_of(table, column) for column in wanted.exclude}
    with at("features"):
        places: Sequence[int] = range(len(table.names))  # there may be many
        if wanted.features is not None:
            places = [place_of(table, column) for column in wanted.features]
        elif out - {-1}:
            places = [j for j in places if j not in out]
        check(len(places) > 0, "No columns are left for the features. Name some, or exclude fewer.")
        again = [] if isinstance(places, range) else [table.names[j] for j, count in Counter(places).items() if count > 1]
        check(not again, f"{', '.join(again)} is listed twice; list each feature once.")
        check(inside not in places, f"{label} is the target; it cannot be a feature as well.")
        both = [table.names[j] for j in several if j in places]
        check(not both, lambda: f"{', '.join(both)} is a target; it cannot be a feature as well.")
        named = table.names if isinstance(places, range) else [table.names[j] for j in places]
        return Samples(table.numbers(places), named, y, label, s, Y)
    return None


def take_entries(table: Table, places: dict[str, Column], sample_weight: Column | None,
                 at: Callable[[str], AbstractContextManager[None]]) -> dict[str, Array] | None:
    """Arguments of `completion` from the columns ``row``, ``column`` and ``value``; None where a column is not there."""
    called = {"row": "rows", "column": "cols", "value": "values"}
    found: dict[str, Array] = {}
    for key, column in {**places, **({} if sample_weight is None else {"sample_weight": sample_weight})}.items():
        with at(key):
            values = found[called.get(key, key)] = table.column(place_of(table, column))
            check(key in ("row", "column") or values.dtype.kind in "biuf", f"Column {column} holds words; numbers are wanted.")
    return found if {"rows", "cols", "values"} <= set(found) else None


def _target(table: Table, column: Column | None) -> tuple[Array | None, str, int]:
    """The values of a column, its name and place; −1 is the place of what stands apart."""
    if column is None:
        found = next(iter(table.apart.items()), None)
        return (None, "", -1) if found is None else (found[1], found[0], -1)
    if isinstance(column, str) and column in table.apart:
        return table.apart[column], column, -1
    place = place_of(table, column)
    return table.column(place), table.names[place], place
