"""Columns by name, and checks of the rows that were read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from warnings import warn

import numpy as np

from greedyhull.data.files import SeenFile
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check, nearest
from greedyhull.errors import shown as in_words
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array, Shard


@dataclass(frozen=True, slots=True)
class Place:
    """Where rows come from: a file, the number of its first row here, and the names of the columns if they have any."""

    file: str
    first: int = 0
    columns: tuple[str, ...] | None = None
    target: str = "the target"
    weight: str = "the weights"

    def row(self, i: int) -> str:
        return f"row {self.first + i} of {self.file} (counted from 0)"

    def column(self, j: int) -> str:
        return f"column {j if self.columns is None else self.columns[j]}"


def checked(X: Any, y: Array, sample_weight: Array | None, place: Place) -> Shard:
    """Check rows and return their shard: X float32 or float64 in C order, or CSR; y and weights float64."""
    X = X if is_sparse(X) else np.ascontiguousarray(X)
    i, j = first_odd(X)
    check(i < 0, lambda: f"{_odd(X[i, j])} stands in {place.column(j)}, {place.row(i)}. {HINT}")
    y = _vector(y, X.shape[0], place.target, place)
    s = None if sample_weight is None else _vector(sample_weight, X.shape[0], place.weight, place)
    if s is not None and len(s) and s.min() < 0.0:
        i = int(np.argmax(s < 0.0))
        check(False, f"{float(s[i])!r} stands in {place.weight}, {place.row(i)}; weights of at least 0 are wanted.")
    return Shard(X, y, s)


HINT = "Finite numbers are wanted: fill the cell, or leave the row or the column out."


def _vector(given: Array, n: int, what: str, place: Place) -> Array:
    found = np.array(given)
    check(found.dtype.kind in "biuf", f"{what} of {place.file} holds {found.dtype}; numbers are wanted. Encode words as "
                                      "numbers.")
    found = found.ravel() if found.size == max(found.shape, default=0) else found
    check(found.shape == (n,), f"{what} of {place.file} has shape {found.shape} where X has {n} rows; one number a row is "
                               "wanted.")
    with np.errstate(over="ignore"):
        found = found.astype(np.float64)
    i, _ = first_odd(found[:, None])
    check(i < 0, lambda: f"{_odd(found[i])} stands in {what}, {place.row(i)}. {HINT}")
    return found


def first_odd(X: Any) -> tuple[int, int]:
    """Return row and column of the first entry that is not finite, or (−1, −1); by blocks, to save memory."""
    if is_sparse(X):
        at, _ = first_odd(X.data[:, None])
        return (-1, -1) if at < 0 else (int(np.searchsorted(X.indptr, at, side="right")) - 1, int(X.indices[at]))
    step = max(1, (1 << 16) // max(1, X.shape[1]))  # entries that are looked at together
    for start in range(0, len(X), step):
        wrong = ~np.isfinite(X[start : start + step])
        if wrong.any():
            i, j = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
            return start + int(i), int(j)
    return -1, -1


def _odd(value: Any) -> str:
    return "NaN" if np.isnan(value) else "an infinite number"


Column = str | int
SOME = 12  # names that a sentence can bear


class Wanted(NamedTuple):
    """The arguments of gh.shards: target, features and weights, where None stands for what the format says, or for all
    others; the number of columns and the rows of a shard; and the source in ``words``."""

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
    """Convert an integer of NumPy's to Python's; return everything else unchanged."""
    return int(given) if isinstance(given, np.integer) else given


def wanted(target: Column | None, features: Sequence[Column] | None, sample_weight: Column | None) -> Wanted:
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
    """Return the place of a column among d: by its name, or by its number from 0; −1 is the last one."""
    if isinstance(column, str):
        if names is not None and column in names:
            return names.index(column)
        check(names is not None, lambda: f"{what} = {column!r} was given, and the columns of {file} have no names; a number "
              f"from 0 to {d - 1} is wanted.")
        near = nearest(column.lower(), {name.lower(): name for name in names or ()})
        hint = f" Did you mean {near}?" if near else ""
        raise GreedyhullError(f"There is no column {column} in {file}, which {what} names.{hint} Its columns are "
                              f"{listed(names or ())}.")
    check(-d <= column < d, lambda: f"{what} = {column} was given; {file} has {d} columns, numbered from 0.")
    return column % d


def places(given: Wanted, names: Sequence[str] | None, d: int, file: str) -> Places:
    """Return the places of columns in a matrix of d columns; raise if one is listed twice."""
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
    """Raise unless each feature is listed once, and is neither the target nor the weights."""
    seen: set[int | str] = set()
    for column, name in zip(kept, shown, strict=True):
        check(column not in seen, f"The feature {name} is listed twice; list each once.")
        check(column != target, f"{name} is the target; it cannot be a feature as well.")
        check(column != weight, f"{name} has the weights; it cannot be a feature as well.")
        seen.add(column)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, the first ones of many.

    >>> listed(["a", "b"])
    'a, b'
    """
    some = ", ".join(names[:SOME])
    return f"{some}, ... ({len(names)} in all)" if len(names) > SOME else some


class ColumnType(NamedTuple):
    """A column: whether it holds numbers, whether these are float32, the name of its type, and whether it holds words."""

    numeric: bool
    single: bool
    shown: str
    words: bool


class Schema(NamedTuple):
    file: SeenFile
    kinds: dict[str, ColumnType]


@dataclass(frozen=True, slots=True)
class Taken:
    """The columns that are taken from every file, by name; X is loaded in ``dtype``."""

    features: tuple[str, ...]
    target: str
    weight: str | None
    dtype: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.features, self.target, *(() if self.weight is None else (self.weight,)))


def schema(file: SeenFile, columns: Sequence[tuple[str, ColumnType]]) -> Schema:
    names = [name for name, _ in columns]
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    check(not twice, f"{file.shown} has several columns named {listed(twice)}; each name once is wanted.")
    check(len(names) > 0, f"{file.shown} has no columns.")
    return Schema(file, dict(columns))


def agreed(schemas: Sequence[Schema], given: Wanted) -> Taken:
    """Choose the columns; every file must have them, with numbers. Their order is that of the first file.

    By default columns of words are left out, and so are dates and the like, which a warning names.
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
    wrong = [name for name in used if not first.kinds[name].numeric]
    roles = {"target": "target", "sample_weight": "column of weights", "features": "feature"}
    check(not wrong, lambda: f"The {roles[used[wrong[0]]]} {_typed(first, wrong)} of {first.file.shown} cannot be used as it "
          "is: columns of integers, floats, decimals or booleans are wanted. Encode it as numbers, or leave it out.")
    for other in schemas[1:]:
        _check_same(first, other, used, given.features is None)
    single = all(one.kinds[name].single for one in schemas for name in features)
    odd = [name for name, kind in first.kinds.items() if given.features is None and name not in used and not kind.words]
    if odd:
        warn(f"{first.file.shown} has columns that are neither numbers nor words and are not used: {_typed(first, odd)}. "
             "Encode them as numbers, or name the columns to use by features=.", GreedyhullWarning, stacklevel=5)
    return Taken(tuple(features), target, weight, "float32" if single else "float64")


def _named(of: Schema, column: Column, what: str) -> str:
    names = list(of.kinds)
    return names[place_of(column, names, len(names), what, of.file.shown)]


def _check_same(first: Schema, other: Schema, used: dict[str, str], every: bool) -> None:
    """Raise unless the other file has the columns that are used, with numbers, and no others if all numbers are features."""
    a, b = first.file.shown, other.file.shown
    lost = [name for name in used if name not in other.kinds]
    new = [name for name, kind in other.kinds.items() if kind.numeric and name not in first.kinds] if every else []
    more = [name for name, kind in other.kinds.items()
            if every and kind.numeric and name in first.kinds and not first.kinds[name].numeric]
    said = [*([f"only {a} has {listed(lost)}"] if lost else []), *([f"only {b} has {listed(new)}"] if new else [])]
    check(not said, lambda: f"The files disagree on columns: {', and '.join(said)}. {a} has {listed(list(first.kinds))}; {b} "
          f"has {listed(list(other.kinds))}. Name the columns that all have by features=.")
    changed = [name for name in used if not other.kinds[name].numeric] + more
    check(not changed, lambda: f"The files disagree on the type of {changed[0]}: it is {first.kinds[changed[0]].shown} in {a} "
          f"and {other.kinds[changed[0]].shown} in {b}.")


def _typed(one: Schema, names: Sequence[str]) -> str:
    return listed([f"{name} ({one.kinds[name].shown})" for name in names])
