"""Files whose columns have names: which of them are features, target and weights, and whether all files agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from warnings import warn

from greedyhull.errors import GreedyhullWarning, check
from greedyhull.objectives.shards.marks import SeenFile
from greedyhull.objectives.shards.wanted import Column, Wanted, listed, once, place_of


class Kind(NamedTuple):
    """Of a column: whether it holds numbers, whether these are float32, how its file calls its type, and whether it holds
    words."""

    numeric: bool
    single: bool
    shown: str
    words: bool


class Schema(NamedTuple):
    """The columns of a file by name, in its order."""

    file: SeenFile
    kinds: dict[str, Kind]


@dataclass(frozen=True, slots=True)
class Taken:
    """The columns that are taken from every file, by name; X is loaded in ``dtype``."""

    features: tuple[str, ...]
    target: str
    weight: str | None
    dtype: str


def schema(file: SeenFile, columns: Sequence[tuple[str, Kind]]) -> Schema:
    """The columns of a file, if each has a name of its own."""
    names = [name for name, _ in columns]
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    check(not twice, f"{file.shown} has several columns named {listed(twice)}; each name once is wanted.")
    check(len(names) > 0, f"{file.shown} has no columns.")
    return Schema(file, dict(columns))


def agreed(schemas: Sequence[Schema], given: Wanted) -> Taken:
    """The columns that are wanted, if every file has them and they hold numbers; their order is that of the first file.

    Words that nobody asked for are left out, and so are dates and the like, which a warning names.
    """
    first = schemas[0]
    check(given.target is not None, f"target is missing; the column to predict is wanted, one of {listed(list(first.kinds))}.")
    assert given.target is not None
    target = _named(first, given.target, "target")
    weight = None if given.sample_weight is None else _named(first, given.sample_weight, "sample_weight")
    check(target != weight, f"target and sample_weight are both {target}; two columns are wanted.")
    if given.features is None:
        features = [name for name, kind in first.kinds.items() if kind.numeric and name not in (target, weight)]
        check(len(features) > 0, f"{first.file.shown} has no columns of numbers besides the target; its columns are "
                                 f"{_typed(first, list(first.kinds))}.")
    else:
        features = [_named(first, column, "features") for column in given.features]
        once(features, target, weight, features)
    used = {target: "target", **({} if weight is None else {weight: "sample_weight"}), **dict.fromkeys(features, "features")}
    _check_numbers(first, used)
    for other in schemas[1:]:
        _check_same(first, other, used, given.features is None)
    single = all(one.kinds[name].single for one in schemas for name in features)
    odd = [name for name, kind in first.kinds.items() if given.features is None and name not in used and not kind.words]
    if odd:
        warn(f"{first.file.shown} has columns that are neither numbers nor words and are not used: {_typed(first, odd)}. "
             "Encode them as numbers, or name the columns to use by features=.", GreedyhullWarning, stacklevel=6)
    return Taken(tuple(features), target, weight, "float32" if single else "float64")


def _named(of: Schema, column: Column, what: str) -> str:
    names = list(of.kinds)
    return names[place_of(column, names, len(names), what, of.file.shown)]


def _check_numbers(one: Schema, used: dict[str, str]) -> None:
    """An error that names the columns which hold no numbers."""
    wrong = [name for name in used if not one.kinds[name].numeric]
    check(not wrong, lambda: f"The {_role(used[wrong[0]])} {_typed(one, wrong)} of {one.file.shown} cannot be used as it is: "
                             "columns of "
                             "integers, floats, decimals or booleans are wanted. Encode it as numbers, or leave it out.")


def _role(argument: str) -> str:
    return {"target": "target", "sample_weight": "column of weights"}.get(argument, "feature")


def _check_same(first: Schema, other: Schema, used: dict[str, str], every: bool) -> None:
    """An error unless the other file has the columns that are used, with numbers in them; and, where all columns of numbers
    are features, no further ones."""
    a, b = first.file.shown, other.file.shown
    lost = [name for name in used if name not in other.kinds]
    new = [name for name, kind in other.kinds.items() if kind.numeric and name not in first.kinds] if every else []
    more = [name for name, kind in other.kinds.items()
            if every and kind.numeric and name in first.kinds and not first.kinds[name].numeric]
    said = [*([f"only {a} has {listed(lost)}"] if lost else []), *([f"only {b} has {listed(new)}"] if new else [])]
    check(not said, lambda: f"The files disagree on columns: {', and '.join(said)}. {a} has {listed(list(first.kinds))}; {b} "
                            "has "
                            f"{listed(list(other.kinds))}. Name the columns that all have by features=.")
    changed = [name for name in used if not other.kinds[name].numeric] + more
    check(not changed, lambda: f"The files disagree on the type of {changed[0]}: it is {first.kinds[changed[0]].shown} in "
                               f"{a} and "
                               f"{other.kinds[changed[0]].shown} in {b}.")


def _typed(one: Schema, names: Sequence[str]) -> str:
    return listed([f"{name} ({one.kinds[name].shown})" for name in names])
