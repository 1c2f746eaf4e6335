"""Labels of units and periods: found by value, with a suggestion where one is misspelt, and put in order of time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from difflib import get_close_matches
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check


def place(label: Any, labels: Sequence[Any], what: str, wanted: str) -> int:
    """The position of ``label`` in ``labels``. A date may also be given as text, the first one that begins so is meant.

    >>> place("b", ["a", "b"], "treated", "a unit"), place("2020-02", [date(2020, 1, 1), date(2020, 2, 1)], "t0", "a period")
    (1, 1)
    """
    for i, known in enumerate(labels):
        if isinstance(label, str) and isinstance(known, date | np.datetime64) and str(known).startswith(label) and label:
            return i
        if _same(label, known):
            return i
    raise GreedyhullError(f"{what}={label!r} was given; {wanted} is wanted: {_shown(labels)}.{_meant(label, labels)}")


def _same(label: Any, known: Any) -> bool:
    """Whether the two are equal; labels that cannot be compared, or only entry by entry, are not."""
    try:
        return bool(label == known)
    except (TypeError, ValueError):
        return False


def _shown(labels: Sequence[Any]) -> str:
    """A few of the labels, as a user would type them."""
    typed = [repr(label.item() if isinstance(label, np.generic) else label) for label in labels]
    return ", ".join(typed) if len(typed) <= 5 else f"{', '.join(typed[:3])}, …, {typed[-1]}"


def _meant(label: Any, labels: Sequence[Any]) -> str:
    near = get_close_matches(str(label), [str(known) for known in labels], n=1) if isinstance(label, str) else []
    return f" Did you mean {near[0]!r}?" if near else ""


def check_distinct(labels: Sequence[Any], what: str) -> None:
    """Refuse labels that occur twice, and missing ones."""
    seen: set[Any] = set()
    for label in labels:
        check(not missing(label), f"Y has a missing value among its {what}s; each must have a label.")
        check(label not in seen, f"Y has the {what} {label!r} more than once; each {what} must occur once. Drop or aggregate "
                                 "the repeated ones, or name the columns of a long table: unit=, time=, outcome=.")
        seen.add(label)


def missing(label: Any) -> bool:
    """Whether a label is None, NaN, NaT or NA: none of these is equal to itself."""
    return label is None or not _same(label, label)


def check_ordered(periods: Sequence[Any]) -> None:
    """Refuse rows of numbers or dates that are not in order of time; other labels are in the order of their rows."""
    if not all(isinstance(p, Real | date | np.datetime64) for p in periods):
        return
    for before, after in pairwise(periods):
        check(before < after, f"The rows of Y are not in order of time: {after!r} follows {before!r}. Sort them first, a data "
                              "frame by Y.sort_index().")


def in_order(periods: Sequence[Any], column: str) -> list[Any]:
    """The distinct periods of a long table, sorted. Text is accepted only where sorting keeps the order of the rows.

    >>> in_order([1991, 1990, 1991], "year")
    [1990, 1991]
    """
    distinct = list(dict.fromkeys(periods))
    check(not any(map(missing, distinct)), f"The column {column!r} of Y has missing values; every row needs its period.")
    try:
        ordered = sorted(distinct)
    except TypeError as error:
        raise GreedyhullError(f"The periods in the column {column!r} of Y cannot be sorted: {error}. Convert them to numbers "
                              "or dates.") from error
    check(ordered == distinct or not any(isinstance(p, str) for p in distinct),
          f"The column {column!r} of Y holds text whose order in time is not clear: sorted it begins with {ordered[:2]}, in "
          f"the table with {distinct[:2]}. Convert it to numbers or dates.")
    return ordered
