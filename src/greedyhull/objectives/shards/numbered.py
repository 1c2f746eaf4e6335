"""Columns without names: their numbers, and how many of them a machine can hold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import overload

VECTORS = 10  # of one float64 for each column, in a solve: the point, its gradient, where columns begin, …
LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))  # of a container


class Numbered(Sequence[str]):
    """The names first, first + 1, … of ``count`` columns, each made when it is asked for.

    >>> names = Numbered(2_000_000_000, first=1)
    >>> names[-1], names[:2], "7" in names, names.index("7")
    ('2000000000', ['1', '2'], True, 6)
    """

    def __init__(self, count: int, first: int = 0) -> None:
        self.numbers = range(first, first + count)

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return [str(number) for number in self.numbers[place]] if isinstance(place, slice) else str(self.numbers[place])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.isdecimal() and str(int(name)) == name and int(name) in self.numbers

    def index(self, name: object, start: int = 0, stop: int | None = None) -> int:
        if name not in self:
            raise ValueError(f"{name!r} is none of these names")
        return self.numbers.index(int(str(name)))


@cache
def memory() -> int:
    """The bytes of memory of this machine, or of the container; as many as there can be where it does not say."""
    found = [2**62]
    if {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= set(getattr(os, "sysconf_names", ())):  # Windows has none
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for limit in LIMITS:
        try:
            found.append(int(limit.read_text()))
        except (OSError, ValueError):  # there is no container, or it has no limit
            continue
    return min(size for size in found if size > 0)


def most_columns() -> int:
    """The largest number of columns with which a solve fits into memory."""
    return min(memory() // (8 * VECTORS), 2**48)


def too_many(count: int) -> str:
    """Why so many columns, or rows, are refused."""
    return (f"{count} columns: a point would take {8 * count / 1e9:.3g} GB, a solve about {VECTORS} times as much, and there "
            f"are {memory() / 1e9:.3g} GB of memory")
