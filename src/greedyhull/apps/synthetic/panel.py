"""The table of outcomes, periods in rows and units in columns, however it was given: an array, a wide or a long frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from greedyhull.apps.synthetic.labels import check_distinct, check_ordered, in_order, missing, place
from greedyhull.atoms.arguments import HUGE
from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Array
from greedyhull.types.attributes import lacks

SMALL = 1e-140  # squares of differences of numbers below it vanish
LONG = " For a table with one row for each unit and period, name its columns: unit=, time=, outcome=."


@dataclass(frozen=True, eq=False)
class Panel:
    """Outcomes of the treated unit, in the first column, and of its donors; ``columns`` are their positions in what was given.

    ``given`` counts the units that were given, ``time`` and ``outcome`` are the names of the axes.
    """

    table: Array
    names: list[Any]
    periods: list[Any]
    columns: list[int]
    given: list[Any]
    time: str = "period"
    outcome: str = "outcome"


def read_wide(Y: Any, treated: Any, donors: Sequence[Any] | None, time: Any = None) -> Panel:
    """An array, or a frame with one column for each unit; ``time`` names a column with the periods, if there is one."""
    if lacks(Y, "columns") and not isinstance(Y, Mapping):
        check(time is None, f"time={time!r} was given, but Y is no data frame, and has no column of that name.")
        table = _array(Y)
        names, periods = list(range(table.shape[1])), list(range(table.shape[0]))
        columns = chosen(names, treated, donors)
        return _checked(Panel(table[:, columns], columns, periods, columns, names))
    names = names_of(Y)
    check_distinct(names, "unit")
    periods, axis = _periods(Y, time)
    check_distinct(periods, "period")
    check_ordered(periods)
    units = [name for name in names if time is None or name != time]
    columns = chosen(units, treated, donors, "a column of Y (or, of a long table, an entry of its column unit=)")
    table = np.column_stack([numbers(Y[units[j]], f"The column {units[j]!r} of Y", LONG) for j in columns])
    return _checked(Panel(table, [units[j] for j in columns], periods, columns, units, time=axis))


def read_long(Y: Any, treated: Any, donors: Sequence[Any] | None, unit: Any, time: Any, outcome: Any) -> Panel:
    """A frame with one row for each unit and period."""
    check(None not in (unit, time, outcome), f"unit={unit!r}, time={time!r}, outcome={outcome!r} were given; a long table "
          "needs the names of all three columns. Leave unit and outcome out where Y has one column for each unit.")
    whose, when = labels(Y, unit, "unit"), labels(Y, time, "time")
    check(not any(map(missing, whose)), f"The column {unit!r} of Y has missing values; every row needs its unit.")
    units = list(dict.fromkeys(whose))
    columns = chosen(units, treated, donors)
    names = [units[j] for j in columns]
    ours = set(names)
    rows = [i for i, name in enumerate(whose) if name in ours]
    periods = in_order([when[i] for i in rows], time)
    at, who = ({label: k for k, label in enumerate(some)} for some in (periods, names))
    cells = np.array([at[when[i]] * len(names) + who[whose[i]] for i in rows])
    counts = np.bincount(cells, minlength=len(periods) * len(names)).reshape(len(periods), len(names))
    _check_balanced(counts, names, periods)
    table = np.empty(counts.size)
    table[cells] = numbers(column(Y, outcome, "outcome"), f"The column {outcome!r} of Y")[rows]
    return _checked(Panel(table.reshape(counts.shape), names, periods, columns, units, str(time), str(outcome)))


def chosen(units: list[Any], treated: Any, donors: Sequence[Any] | None, wanted: str = "one of the units") -> list[int]:
    """The positions of the treated unit and of its donors, all others unless some are named."""
    check(len(units) > 0, "Y has no units; the treated unit and at least one donor are wanted.")
    j = place(treated, units, "treated", wanted)
    if donors is None:
        others = [i for i in range(len(units)) if i != j]
        check(len(others) > 0, "Y has one unit only; the treated unit and at least one donor are wanted.")
        return [j, *others]
    check(not isinstance(donors, str), f"donors={donors!r} was given; a list of units is wanted.")
    others = [place(name, units, "donor", "one of the units") for name in donors]
    check(len(others) > 0, "donors is empty; at least one donor is wanted.")
    check(j not in others, f"The treated unit, {treated!r}, is among the donors; leave it out.")
    twice = [name for name, i in zip(donors, others) if others.count(i) > 1]
    check(not twice, lambda: f"donors has {twice[0]!r} more than once.")
    return [j, *others]


def names_of(frame: Any) -> list[Any]:
    """The names of the columns of a data frame, or of a mapping from names to columns."""
    if isinstance(frame, Mapping):
        return list(frame)
    check(not lacks(frame, "columns"), f"Y is a {type(frame).__name__}; where columns are named, a data frame or a "
                                       "dictionary of columns is wanted.")
    return list(frame.columns)


def column(frame: Any, name: Any, what: str) -> Any:
    """A column, which is there and of which there is one."""
    names = names_of(frame)
    name = names[place(name, names, what, "a column of Y")]
    check(names.count(name) == 1, f"Y has several columns named {name!r}; one is wanted for {what}.")
    return frame[name]


def labels(frame: Any, name: Any, what: str) -> list[Any]:
    """The entries of a column as labels: Python's numbers where NumPy has its own, dates as they are."""
    given = column(frame, name, what)
    return given.tolist() if isinstance(given, np.ndarray) and given.dtype.kind in "biufSU" else list(given)


def numbers(values: Any, whose: str, hint: str = "") -> Array:
    """A column as numbers, NaN where one is missing; text is refused, even text that reads like a number."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    given = np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)
    if given.dtype.kind == "O":
        text = next((entry for entry in given.ravel() if isinstance(entry, str | bytes)), None)
        check(text is None, f"{whose} holds text such as {text!r}; numbers are wanted. Convert it first.{hint}")
        return np.array([_number(entry, whose) for entry in given.ravel()]).reshape(given.shape)
    check(given.dtype.kind in "biuf", lambda: f"{whose} holds {'text' if given.dtype.kind in 'SU' else given.dtype} such as "
          f"{str(given.ravel()[0]) if given.size else ''!r}; numbers are wanted. Convert it first.{hint}")
    return given.astype(np.float64)


def _number(entry: Any, whose: str) -> float:
    if entry is None or missing(entry):
        return float("nan")
    try:
        return float(entry)
    except (TypeError, ValueError) as error:
        raise GreedyhullError(f"{whose} holds {entry!r}; numbers are wanted. Convert it first.") from error


def _array(Y: Any) -> Array:
    try:
        table = numbers(Y, "Y", LONG)
    except GreedyhullError:
        raise
    except ValueError as error:
        raise GreedyhullError(f"Y is no table: {error}. Periods in rows and units in columns are wanted.") from error
    check(table.ndim == 2, f"Y has {table.ndim} dimensions; a table with periods in rows and units in columns is wanted.")
    return table


def _periods(Y: Any, time: Any) -> tuple[list[Any], str]:
    """The periods of a wide frame, and what they are called: its column ``time``, else its index, else 0, 1, …"""
    if time is not None:
        return labels(Y, time, "time"), str(time)
    if not lacks(Y, "index", "columns"):
        return list(Y.index), "period" if Y.index.name is None else str(Y.index.name)
    names = names_of(Y)
    return list(range(len(Y[names[0]]) if names else 0)), "period"


def _check_balanced(counts: Array, names: list[Any], periods: list[Any]) -> None:
    """Each unit has one row for each period."""
    for wrong, said in ((counts > 1, "several rows; one is wanted. Drop or aggregate the duplicates."),
                        (counts < 1, "no row; a balanced panel is wanted. Drop the units or periods that are not observed "
                                     "throughout.")):
        t, j = np.unravel_index(int(wrong.argmax()), counts.shape)
        check(not wrong.any(), f"For the unit {names[j]!r} and the period {periods[t]!r} Y has {said}")


def _checked(panel: Panel) -> Panel:
    """The panel, whose numbers are finite and neither too large nor too small to be squared."""
    check(len(panel.periods) > 0, "Y has no rows; periods before the treatment and after it are wanted.")
    check_size(panel.table, "Y")
    bad = ~np.isfinite(panel.table)
    t, j = np.unravel_index(int(bad.argmax()), bad.shape)
    check(not bad.any(), lambda: f"Y holds NaN or infinite values, first for the unit {panel.names[j]!r} in the period "
          f"{panel.periods[t]!r}; a balanced panel is wanted. Drop units or periods that are not observed throughout.")
    return panel


def check_size(table: Array, name: str) -> None:
    """Refuse numbers whose squares overflow, and tables whose squares all vanish."""
    largest = float(np.abs(table[np.isfinite(table)]).max(initial=0.0))
    check(largest <= HUGE, f"{name} has entries as large as {largest:.3g}: their squares overflow. Scale it down.")
    check(largest == 0.0 or largest >= SMALL, f"{name} has no entry larger than {largest:.3g}: their squares vanish. Scale it "
                                              "up.")
