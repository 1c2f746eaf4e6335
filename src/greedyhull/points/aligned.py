"""Labels of frames and series: arrays in the order of other labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Index, lacks, own

PLAIN = (np.ndarray, list, tuple, float, int, bool, str, type(None))  # without labels, as most arguments are


def labels_of(thing: Any, axis: int = 0) -> Any:
    """Return the labels along an axis, −1 for the last one, as the library of a frame keeps them; None if there are none.

    >>> labels_of({"a": [1.0], "b": [2.0]}, 1), labels_of([1.0, 2.0])
    (['a', 'b'], None)
    """
    if type(thing) in PLAIN:
        return None
    if isinstance(thing, Mapping):  # a table of columns; a sparse matrix may be a mapping of places
        return None if axis == 0 or is_sparse(thing) else list(thing)
    names = _columns(thing)
    if axis == 0 or (axis < 0 and names is None):
        return None if lacks(thing, "iloc") else thing.index  # pandas, and what looks like it
    return names


def labelled(thing: Any) -> bool:
    """Whether rows, columns or entries of a thing have labels."""
    return type(thing) not in PLAIN and (labels_of(thing, 0) is not None or labels_of(thing, 1) is not None)


def numbered(labels: Any, *, shuffled: bool = False) -> bool:
    """Whether labels count 0, 1, 2, …, as where nothing was named; if ``shuffled``, in any order."""
    places = _integers(labels)
    return places is not None and bool(((np.sort(places) if shuffled else places) == np.arange(len(places))).all())


def alike(*given: tuple[str, Any, int]) -> tuple[Any, list[Any]]:
    """Return the labels of the first argument that has any, and all arguments in their order.

    Each is given as (name, argument, axis).

    >>> alike(("X", [1.0, 2.0], 0), ("y", None, 0))
    (None, [[1.0, 2.0], None])
    """
    things = [thing for _, thing, _ in given]
    for name, thing, axis in given:
        labels = labels_of(thing, axis)
        if labels is not None and not numbered(labels):
            whose = f"the {'columns' if axis else 'rows'} of {name}" if labels_of(thing, 1) is not None else name
            return labels, [ordered(other, labels, called, whose, along) for called, other, along in given]
    return None, things


def rows_alike(function: Callable[..., Any], args: tuple[Any, ...], given: dict[str, Any], *rows: str) -> Any:
    """Return the arguments of a call bound to their names, those that have an entry for each row aligned.

    None if nothing has labels, or if the arguments do not fit the function, which then says so itself.
    """
    for one in (*args, *given.values()):
        if type(one) is not np.ndarray and labelled(one):
            break
    else:
        return None
    try:
        bound = signature(function).bind(*args, **given)
    except TypeError:
        return None
    there = [name for name in rows if name in bound.arguments]
    bound.arguments.update(zip(there, alike(*((name, bound.arguments[name], 0) for name in there))[1], strict=True))
    return bound


def ordered(thing: Any, labels: Any, name: str, whose: str, axis: int = 0) -> Any:
    """Return ``thing`` with its entries along an axis in the order of ``labels``, or as it is if it has no labels.

    Labels that are missing, unknown or repeated are errors. ``whose`` says what ``labels`` belong to.
    """
    held = None if labels is None else labels_of(thing, axis)
    if held is None or _same(held, labels):
        return thing
    if numbered(labels) or numbered(held):
        one, other = _integers(held), _integers(labels)
        same = one is not None and other is not None and np.array_equal(np.sort(one), np.sort(other))
        check(not same, lambda: f"The labels of {name} and of {whose} are the same integers in another order, and one of them "
              f"counts 0, 1, 2, …, which may mean no labels. Pass {_bare(name)} to go by position.")
        return thing
    return _taken(thing, places_of(held, labels, name, whose, f"Pass {_bare(name)} to go by position."), axis)


def places_of(held: Any, labels: Any, name: str, whose: str, remedy: str = "", some: bool = False) -> Index:
    """Return the place of each of the ``labels`` in ``held``, −1 where ``some`` may be missing.

    Where all labels are text, those held are compared as text.
    """
    wanted = list(labels)
    mine = [str(one) for one in held] if all(isinstance(one, str) for one in wanted) else list(held)
    place = {one: k for k, one in enumerate(mine)}
    known = set(wanted)
    wrong = {"repeats": [one for k, one in enumerate(mine) if place[one] != k],
             "has the unknown": [one for one in mine if one not in known],
             "lacks": [] if some else [one for one in wanted if one not in place]}
    said = " and ".join(f"{what} {few(found)}" for what, found in wrong.items() if found)
    if said:
        which = "labels" if some else "the labels"
        raise GreedyhullError(f"{name} must have {which} of {whose}, each once; it {said}. {remedy}".rstrip())
    check(len(known) == len(wanted), lambda: f"The labels of {whose} must differ where {name} has another order; they repeat "
          f"{few([one for k, one in enumerate(wanted) if one in wanted[:k]])}. {remedy}".rstrip())
    return np.array([place.get(one, -1) for one in wanted], dtype=np.intp)


def square(Q: Any, name: str, labels: Any = None, whose: str = "") -> Any:
    """Return a square matrix with its columns in the order of ``labels``, its own columns by default, and its rows likewise.

    Rows without labels belong to the columns in their order.
    """
    columns = labels_of(Q, 1)
    if columns is None:
        return Q
    rows = labels_of(Q, 0)
    if labels is None or numbered(columns):
        labels, whose = columns, f"the columns of {name}"
    turned = ordered(Q, labels, name, whose, 1)
    if rows is not None and not numbered(rows):
        return ordered(turned, labels, f"The index of {name}", whose, 0)
    return turned if turned is Q else table_of(turned)[places_of(columns, labels, name, whose)]


def mapping_of(thing: Any, name: str) -> Any:
    """Return a labelled series as a mapping, and anything else as it is."""
    labels = labels_of(thing)
    if labels is None or numbered(labels):
        return thing
    places_of(labels, dict.fromkeys(labels), name, "its entries")
    return dict(zip(labels, np.asarray(thing).tolist(), strict=True))


def coordinates(owner: Any, **given: Any) -> list[Any]:
    """Return arguments of a set whose last axis is its coordinates, in the order of the first that has labels.

    The set remembers these, so that they are compared with those of the objective.
    """
    labels, found = alike(*((name, thing, -1) for name, thing in given.items()))
    keep(owner, labels)
    return found


def keep(owner: Any, labels: Any) -> None:
    """Let an objective or a set remember the labels of its coordinates; they are no part of what it is."""
    held = own(owner)
    if labels is not None and held is not None and not numbered(labels):
        held["_labels"] = tuple(labels)


def kept(owner: Any) -> tuple[Any, ...] | None:
    """Return the labels of the coordinates of an objective or a set, or of the set inside it."""
    held = own(owner) or {}
    found: tuple[Any, ...] | None = held.get("_labels")
    return kept(held["S"]) if found is None and "S" in held else found


def point_of(w: Any, *owners: Any, name: str = "The point") -> Any:
    """Return a point with its entries in the order of the labels that an objective or a set remembers."""
    labels = next((found for found in map(kept, owners) if found is not None), None) if labelled(w) else None
    return ordered(w, labels, name, "the coordinates", -1)


def agree(one: Any, other: Any, what: str) -> None:
    """Raise if both remember labels of their coordinates, and these differ or have another order."""
    mine, theirs = kept(one), kept(other)
    if mine is not None and theirs is not None and mine != theirs:
        raise GreedyhullError(f"{what} must have the same labels in the same order; got {few(mine)} and {few(theirs)}. Sort "
                              "what one of them was made from, for instance upper[X.columns].")


def few(labels: Sequence[Any]) -> str:
    """Return the first few of many labels in words."""
    more = f" and {len(labels) - 5} more" if len(labels) > 5 else ""
    return ", ".join(str(one) if isinstance(one, np.generic) else repr(one) for one in list(labels)[:5]) + more


def table_of(thing: Any) -> Any:
    """Return a frame or a mapping of columns as an array."""
    return np.column_stack([np.asarray(one) for one in thing.values()]) if isinstance(thing, Mapping) else np.asarray(thing)


def _integers(labels: Any) -> Index | None:
    """Labels as an array of integers; None if some are none."""
    found = None if isinstance(labels, list | tuple) and not all(type(one) is int for one in labels) else np.asarray(labels)
    return found if found is not None and found.dtype.kind in "iu" and found.ndim == 1 else None


def _columns(thing: Any) -> Any:
    """The names of the columns of a frame; a design has a method of that name."""
    # frames of any library have the one or the other
    names = getattr(thing, "column_names", getattr(thing, "columns", None))
    return None if callable(names) else names


def _same(one: Any, other: Any) -> bool:
    """Whether labels are equal in the same order; pandas compares its own fast."""
    if one is other or len(one) != len(other):
        return one is other
    return list(one) == list(other) if lacks(one, "equals") or lacks(other, "equals") else bool(one.equals(other))


def _taken(thing: Any, order: Index, axis: int) -> Any:
    """The entries of a frame, a series or a mapping of columns in another order."""
    last = axis == 1 or (axis < 0 and _columns(thing) is not None)
    if isinstance(thing, Mapping):
        keys = list(thing)
        return {keys[k]: thing[keys[k]] for k in order.tolist()}
    if not lacks(thing, "iloc"):
        return thing.iloc[:, order] if last else thing.iloc[order]
    names = list(_columns(thing))
    return thing.select([names[k] for k in order.tolist()])


def _bare(name: str) -> str:
    return "its values" if " " in name else f"{name}.to_numpy()"
