"""Which columns are which: names or numbers as they were given, and where they stand in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown as in_words
from greedyhull.errors.hints import nearest

Column = str | int
SOME = 12  # names that a sentence can bear


class Wanted(NamedTuple):
    """What was asked for: target, features and weights, where None stands for what the format says, or for all others; the
    number of columns and the rows of a shard where they were given; and the source in ``words``."""

    target: Column | None = None
    features: tuple[Column, ...] | None = None
    sample_weight: Column | None = None
    d: int | None = None
    rows: int | None = None
    words: str = ""


class Places(NamedTuple):
    """Where columns of a matrix stand: the features (None: all of them), target and weights; −1 is elsewhere."""

    features: tuple[int, ...] | None
    target: int = -1
    weight: int = -1


def plain(given: object) -> Any:
    """A whole number of NumPy's as Python's, and everything else as it is."""
    return int(given) if isinstance(given, np.integer) else given


def wanted(target: Column | None, features: Sequence[Column] | None, sample_weight: Column | None) -> Wanted:
    """The columns as they were given, if they are names or numbers."""
    target, sample_weight = plain(target), plain(sample_weight)
    for name, given in (("target", target), ("sample_weight", sample_weight)):
        if given is not None and not _is_column(given):
            raise GreedyhullError(f"{name} = {in_words(given)} was given; the name or the number of a column is wanted.")
    if features is None:
        return Wanted(target, None, sample_weight)
    check(not isinstance(features, str), f"features = {features!r} was given; a list of columns is wanted: [{features!r}].")
    listed = tuple(map(plain, features))
    wrong = [one for one in listed if not _is_column(one)]
    check(not wrong, lambda: f"{in_words(wrong[0])} was given among the features; names or numbers of columns are wanted.")
    check(len(listed) > 0, "features = [] was given; at least one column is wanted, or None for all.")
    return Wanted(target, listed, sample_weight)


def _is_column(given: object) -> bool:
    return isinstance(given, str | int) and not isinstance(given, bool)


def place_of(column: Column, names: Sequence[str] | None, d: int, what: str, file: str) -> int:
    """Where a column stands among d: by its name, or by its number from 0; −1 is the last one."""
    if isinstance(column, str):
        if names is not None and column in names:
            return names.index(column)
        check(names is not None, lambda: f"{what} = {column!r} was given, and the columns of {file} have no names; a number "
                                         "from "
                                         f"0 to {d - 1} is wanted.")
        raise GreedyhullError(f"There is no column {column} in {file}, which {what} names.{_hint(column, names or ())}")
    check(-d <= column < d, lambda: f"{what} = {column} was given; {file} has {d} columns, numbered from 0.")
    return column % d


def places(given: Wanted, names: Sequence[str] | None, d: int, file: str) -> Places:
    """Where the wanted columns of a matrix of d columns stand, if each is wanted once."""
    target = -1 if given.target is None else place_of(given.target, names, d, "target", file)
    weight = -1 if given.sample_weight is None else place_of(given.sample_weight, names, d, "sample_weight", file)
    check(target < 0 or target != weight, f"target and sample_weight are the same column of {file}; two columns are wanted.")
    if given.features is None:
        out = {target, weight} - {-1}
        kept = tuple(j for j in range(d) if j not in out) if out else None
        check(kept is None or len(kept) > 0, f"No columns of {file} are left for the features.")
        return Places(kept, target, weight)
    kept = tuple(place_of(column, names, d, "features", file) for column in given.features)
    once(kept, target, weight, [str(one) for one in given.features])
    return Places(kept, target, weight)


def once(kept: Sequence[int | str], target: int | str | None, weight: int | str | None, shown: Sequence[str]) -> None:
    """An error unless each feature is listed once, and is neither the target nor the weights."""
    seen: set[int | str] = set()
    for column, name in zip(kept, shown, strict=True):
        check(column not in seen, f"The feature {name} is listed twice; list each once.")
        check(column != target, f"{name} is the target; it cannot be a feature as well.")
        check(column != weight, f"{name} has the weights; it cannot be a feature as well.")
        seen.add(column)


def _hint(column: str, names: Sequence[str]) -> str:
    near = nearest(column.lower(), {name.lower(): name for name in names})
    hint = f" Did you mean {near}?" if near else ""
    return f"{hint} Its columns are {listed(names)}."


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, the first ones of many.

    >>> listed(["a", "b"])
    'a, b'
    """
    some = ", ".join(names[:SOME])
    return f"{some}, ... ({len(names)} in all)" if len(names) > SOME else some
