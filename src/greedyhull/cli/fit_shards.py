"""``greedyhull fit`` on files that are read in shards: a pattern, a folder, Parquet or Arrow; rows are never all in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from greedyhull.cli.fit_directly import direct
from greedyhull.cli.tables import Taken, Wanted
from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.shards.call import shards
from greedyhull.types import Shards

NEEDS_A_TABLE = "{what} needs all rows in one table, and {data} is read in shards. {instead}"


class Extent:
    """What is told of rows that are not in memory: how many there are, and how many columns."""

    def __init__(self, n: int, d: int) -> None:
        self.shape = (n, d)


def read_shards(data: Path, layout: str | None, wanted: Wanted) -> Shards:
    """The shards; columns that are spelled as numbers are names if there are such names, else places."""
    check(layout is None, f"--format {layout} was given; files that are read in shards tell their format by their endings. "
                          "Leave it out.")
    check(not wanted.exclude, "--exclude was given; of files that are read in shards, name the columns to use, by --features.")
    columns: dict[str, Any] = {"target": wanted.target, "features": wanted.features, "sample_weight": wanted.sample_weight}
    try:
        return shards(str(data.expanduser()), **columns)
    except GreedyhullError:
        placed = {name: _placed(given) for name, given in columns.items()}
        if placed == columns:
            raise
        return shards(str(data.expanduser()), **placed)


def _placed(given: Any) -> Any:
    if isinstance(given, str):
        return int(given) if given.lstrip("-").isdigit() else given
    return [_placed(one) for one in given] if isinstance(given, Sequence) else given


def check_kind(kind: str, options: Mapping[str, Any], data: Path) -> None:
    """An error for fits that look at all rows more than shards allow."""
    known = direct(kind, options)
    instead = {"l1": "Give a --radius, without --standardize: cross-validation and penalties look at single rows.",
               "ensemble": "Write one file, or use greedyhull fit simplex."}.get(kind, "Write one file.")
    check(known, NEEDS_A_TABLE.format(what=f"This fit of {kind}", data=data, instead=instead))


def task_of(data: Shards, task: str) -> tuple[str, str]:
    """Regression, or classification where all targets are −1 and +1, or 0 and 1; one pass over the shards tells."""
    if task != "auto":
        return task, ""
    seen: set[float] = set()
    for k in range(data.count):
        seen.update(float(value) for value in set(data.load(k).y.tolist()))
        if len(seen) > 2:
            return "regression", ""
    if seen in ({-1.0, 1.0}, {0.0, 1.0}):
        return "classification", "The target has two values; --task regression fits them as numbers."
    return "regression", ""


def taken_from(data: Shards, wanted: Wanted, n: int) -> Taken:
    """What is told of the data: names of columns and how many rows there are."""
    names = list(data.names) if data.names is not None else [str(j) for j in range(data.d)]
    return Taken(Extent(n, data.d), names, None, "label" if wanted.target is None else str(wanted.target), None)
