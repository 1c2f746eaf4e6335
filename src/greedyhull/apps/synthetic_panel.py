"""The panel of a synthetic control: labels, donors' weights, placebos."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.arguments import HUGE
from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.batch.call import batch
from greedyhull.driver.batch.problems import WIDEST
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.run import minimize
from greedyhull.driver.stop import Stop
from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.by_name import least_squares
from greedyhull.points.aligned import labels_of, ordered
from greedyhull.types import Array, Index, lacks


def place(label: Any, labels: Sequence[Any], what: str, wanted: str) -> int:
    """The position of ``label`` in ``labels``.

    Dates and periods may also be given as text, as a year or as another kind of date. The first one that begins with what
    was given is meant; "1990-1" is not the beginning of "1990-10".

    >>> place("b", ["a", "b"], "treated", "a unit"), place("2020-02", [date(2020, 1, 1), date(2020, 2, 1)], "t0", "a period")
    (1, 1)
    """
    for i, known in enumerate(labels):
        if _same(label, known):
            return i
    given = _text(label) if isinstance(label, str | int | np.integer) or _is_date(label) else ""
    for i, known in enumerate(labels):
        if given[:1].isdigit() and _is_date(known) and (_begins(_text(known), given) or _begins(str(known), given)):
            return i
    some = [typed(label) for label in (labels if len(labels) <= 5 else [*labels[:3], labels[-1]])]
    there = ", ".join(some) if len(labels) <= 5 else f"{', '.join(some[:3])}, …, {some[-1]}"
    raise GreedyhullError(f"{what}={label!r} was given; {wanted} is wanted: {there}.{_meant(label, labels)}")


def _is_date(label: Any) -> bool:
    """Whether a label is a date, a time or a period of pandas: an object with a text that is neither text nor number."""
    return not isinstance(label, str | bytes | Real | tuple) and label is not None


def _text(label: Any) -> str:
    """A label as text, of midnight the date alone."""
    return str(label).replace("T", " ").removesuffix(" 00:00:00")


def _begins(text: str, beginning: str) -> bool:
    """Whether the text begins so and no number is cut in two."""
    return text.startswith(beginning) and not (beginning[-1].isdigit() and text[len(beginning):][:1].isdigit())


def typed(label: Any) -> str:
    """A label as a user would type it: dates as text, numbers without their type.

    >>> typed(date(2020, 1, 1)), typed(np.int64(7)), typed(1990.0), typed("a")
    ("'2020-01-01'", '7', '1990', "'a'")
    """
    if _is_date(label):
        return repr(_text(label))
    plain = label.item() if isinstance(label, np.generic) else label
    return f"{plain:.0f}" if isinstance(plain, float) and plain.is_integer() else repr(plain)


def known(label: Any, labels: Sequence[Any]) -> bool:
    return any(_same(label, other) for other in labels)


def _same(label: Any, known: Any) -> bool:
    """Whether the two are equal; labels that cannot be compared, or only entry by entry, are not."""
    try:
        return bool(label == known)
    except (TypeError, ValueError):
        return False


def _meant(label: Any, labels: Sequence[Any]) -> str:
    texts = [str(known) for known in labels]
    near = get_close_matches(str(label), texts, n=1, cutoff=0.6 if isinstance(label, str) else 1.0)
    if not near:
        return ""
    meant = labels[texts.index(near[0])]
    kind = ", a number" if isinstance(meant, Real) else ", as text" if not isinstance(label, str) else ""
    return f" Did you mean {typed(meant)}{kind}?"


def check_distinct(labels: Sequence[Any], what: str) -> None:
    """Refuse labels that occur twice, and missing ones."""
    seen: set[Any] = set()
    for label in labels:
        check(not missing(label), f"Y has a missing value among its {what}s; each must have a label.")
        check(label not in seen, f"Y has the {what} {typed(label)} more than once; each {what} must occur once. Drop or "
                                 "aggregate the repeated ones, or name the columns of a long table: unit=, time=, outcome=.")
        seen.add(label)


def missing(label: Any) -> bool:
    """Whether a label is None, NaN, NaT or NA: none of these is equal to itself."""
    return label is None or not _same(label, label)


def check_ordered(periods: Sequence[Any]) -> None:
    """Refuse rows of numbers or dates that are not in order of time; other labels are in the order of their rows."""
    sortable = all(isinstance(p, Real | date | np.datetime64) for p in periods)
    for before, after in pairwise(periods) if sortable else ():
        check(before < after, f"The rows of Y are not in order of time: {typed(after)} follows {typed(before)}. Sort "
                              "them first, a data frame by Y.sort_index().")


def in_order(periods: Sequence[Any], column: str) -> list[Any]:
    """The distinct periods of a long table, sorted. Text is accepted only where sorting keeps the order of the rows."""
    distinct = list(dict.fromkeys(periods))
    check(not any(map(missing, distinct)), f"The column {column!r} of Y has missing values; every row needs its period.")
    try:
        ordered = sorted(distinct)
    except TypeError as error:
        raise GreedyhullError(f"The column {column!r} cannot be sorted: {error}. Convert it to numbers or dates.") from error
    check(ordered == distinct or not any(isinstance(p, str) for p in distinct),
          f"The column {column!r} of Y holds text whose order in time is not clear: sorted it begins with {ordered[:2]}, in "
          f"the table with {distinct[:2]}. Convert it to numbers or dates.")
    return ordered


TIMES = {"year", "quarter", "month", "week", "day", "date", "time", "period"}  # what columns of periods are called
LONG = " For a table with one row for each unit and period, name its columns: unit=, time=, outcome=."


@dataclass(frozen=True, eq=False)
class Panel:
    """Outcomes of the treated unit, in the first column, and of its donors; ``columns`` are their positions in ``given``."""

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
        try:
            table = numbers(Y, "Y", LONG)
        except ValueError as error:
            if isinstance(error, GreedyhullError):
                raise
            raise GreedyhullError(f"Y is no table: {error}. Give periods in rows and units in columns.") from error
        check(table.ndim == 2, f"Y must be a table with periods in rows and units in columns; got shape {table.shape}."
                               f"{_of_series(Y)}")
        names, periods = list(range(table.shape[1])), list(range(table.shape[0]))
        columns = chosen(names, treated, donors)
        return _checked(Panel(table[:, columns], columns, periods, columns, names))
    names = names_of(Y)
    check_distinct(names, "unit")
    periods, axis = list(range(len(Y[names[0]]) if names else 0)), "period"
    if time is not None:
        periods, axis = labels(Y, time, "time"), str(time)
    elif not lacks(Y, "index", "columns"):
        periods, axis = list(Y.index), "period" if Y.index.name is None else str(Y.index.name)
    check_distinct(periods, "period")
    check_ordered(periods)
    units = [name for name in names if time is None or name != time]
    if known(treated, periods) and not known(treated, units):
        raise GreedyhullError(f"treated={treated!r} is a row of Y; periods in rows and units in columns are wanted. Give Y.T.")
    columns = chosen(units, treated, donors, "a column of Y (or, of a long table, an entry of its column unit=)")
    for name in (units[j] for j in columns):
        if isinstance(name, str) and name.casefold() in TIMES:
            x = np.asarray(Y[name])
            outcomes = x.dtype.kind in "biuf" and not bool((np.diff(x.astype(np.float64)) > 0).all())
            check(outcomes, f"The column {name!r} of Y seems to hold periods. Give time={name!r}; if it is a unit, rename it.")
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
    for wrong, said in ((counts > 1, "several rows; one is wanted. Drop or aggregate the duplicates."),
                        (counts < 1, "no row; a balanced panel is wanted. Drop the units or periods that are not observed "
                                     "throughout.")):
        t, j = np.unravel_index(int(wrong.argmax()), counts.shape)
        check(not wrong.any(), f"For the unit {typed(names[j])} and the period {typed(periods[t])} Y has {said}")
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
    check(not lacks(frame, "columns"), f"Y must have named columns; got a {type(frame).__name__}.{_of_series(frame)}")
    return list(frame.columns)


def _of_series(Y: Any) -> str:
    """What to do with a pandas series, whose index holds units and periods."""
    return "" if lacks(Y, "reset_index") else " If its index holds units and periods, Y.reset_index() is a long table."


def column(frame: Any, name: Any, what: str) -> Any:
    """A column, which is there and of which there is one, or a level of a pandas index."""
    names, indexed = names_of(frame), not isinstance(frame, Mapping) and not lacks(frame, "index")
    levels = [level for level in frame.index.names if level is not None] if indexed else []
    if known(name, levels) and not known(name, names):
        return frame.index.get_level_values(name)
    name = names[place(name, [*names, *levels], what, "a column of Y")]
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
        found = np.empty(given.size)
        for i, entry in enumerate(given.ravel()):
            try:
                found[i] = np.nan if missing(entry) else float(entry)
            except (TypeError, ValueError) as error:
                raise GreedyhullError(f"{whose} holds {entry!r}; numbers are wanted. Convert it first.") from error
        return found.reshape(given.shape)
    check(given.dtype.kind in "biuf", lambda: f"{whose} holds {'text' if given.dtype.kind in 'SU' else given.dtype} such as "
          f"{str(given.ravel()[0]) if given.size else ''!r}; numbers are wanted. Convert it first.{hint}")
    return given.astype(np.float64)


def _checked(panel: Panel) -> Panel:
    """The panel, whose numbers are finite and neither too large nor too small to be squared."""
    check(len(panel.periods) > 0, "Y has no rows; periods before the treatment and after it are wanted.")
    check_size(panel.table, "Y")
    bad = ~np.isfinite(panel.table)
    t, j = np.unravel_index(int(bad.argmax()), bad.shape)
    check(not bad.any(), lambda: f"Y holds NaN or infinite values, first for the unit {typed(panel.names[j])} in the period "
          f"{typed(panel.periods[t])}; a balanced panel is wanted. Drop units or periods that are not observed throughout.")
    return panel


def check_size(table: Array, name: str) -> None:
    """Refuse numbers whose squares overflow, and tables whose squares all vanish."""
    largest = float(np.abs(table[np.isfinite(table)]).max(initial=0.0))
    check(largest <= HUGE, f"{name} has entries as large as {largest:.3g}: their squares overflow. Scale it down.")
    check(largest == 0.0 or largest >= 1e-140, f"{name} has no entry above {largest:.3g}: their squares vanish. Scale it up.")


def rmspe(effects: Array, start: int) -> tuple[Array, Array]:
    """Root mean squared prediction errors before and after ``start``; periods in rows, one column for each unit.

    >>> before, after = rmspe(np.array([[3e-200], [4e-200], [5e-200]]), 2)
    >>> round(float(after[0] / before[0]), 6)
    1.414214
    """
    scale = np.abs(effects).max(axis=0, initial=0.0)
    unit = np.ascontiguousarray((effects / np.where(scale > 0.0, scale, 1.0)).T)  # squares neither overflow nor vanish
    before, after = (np.sqrt((part**2).mean(axis=1)) * scale for part in (unit[:, :start], unit[:, start:]))
    return before, after  # summed row by row: equal effects have equal errors, whatever stands beside them


def ratios(before: Array, after: Array) -> Array:
    """after/before; infinite where the fit before is exact and the one after is not, 0 where both are."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(after > 0.0, after / before, 0.0)


def well_fitted(before: Array, own: float, max_pre_mspe: float) -> Array:
    """Which errors before the treatment are, squared, at most ``max_pre_mspe`` times that of the treated unit."""
    return before <= np.sqrt(max_pre_mspe) * own if np.isfinite(max_pre_mspe) else np.ones(len(before), dtype=bool)


def share(own: float, others: Array) -> float:
    """The share of all units, the treated one included, whose ratio is at least its own; NaN where there are no others."""
    return float((1 + np.count_nonzero(others >= own)) / (1 + len(others))) if len(others) else float("nan")


class DonorFit(NamedTuple):
    """Weights of some donors and the series they give; ``exact`` where the error before the treatment may be zero."""

    weights: Array
    intercept: float
    synthetic: Array
    certificate: Certificate
    exact: bool


@dataclass(frozen=True, eq=False)
class Problem:
    """The rows of ``matched``, one column for each unit of the panel: with ``outcomes`` those before ``start``."""

    panel: Panel
    matched: Array
    start: int
    intercept: bool
    outcomes: bool
    stop: Stop

    def fit(self, j: int, donors: Index, near: Array | None = None) -> DonorFit:
        """Weights of ``donors`` for unit j, begun at weights ``near`` the answer, if there are any."""
        begin = near / near.sum() if near is not None and near.sum() > 0.5 else None
        f = least_squares(self.matched[:, donors], self.matched[:, j], intercept=self.intercept and self.outcomes)
        solution = minimize(f, Simplex(len(donors)), start=begin, stop=self.stop)
        w = solution.point.array()
        mean = self.panel.table[:, donors] @ w
        shift = float((self.panel.table[: self.start, j] - mean[: self.start]).mean()) if self.intercept else 0.0
        return DonorFit(w, shift, mean + shift, solution.certificate, self._is_exact(j, mean + shift, solution.certificate))

    def _is_exact(self, j: int, synthetic: Array, certificate: Certificate) -> bool:
        """Whether the error before the treatment may be zero, which the gap does not exclude, or is nothing but rounding."""
        table = self.panel.table[: self.start]
        largest = float(np.abs(table[:, j] - synthetic[: self.start]).max())
        if largest <= 16.0 * float(np.finfo(np.float64).eps) * float(np.abs(table).max()):  # rounding
            return True
        return self.outcomes and certificate.value is not None and certificate.value <= (certificate.gap or 0.0)

    def placebos(self, w: Array) -> tuple[Array, Array]:
        """The effect on each donor as if it had been treated, from the other donors, and which fits are exact."""
        donors = np.arange(1, len(w) + 1)
        table = self.panel.table
        if len(donors) < 2:
            return np.zeros((len(table), 0)), np.zeros(0, dtype=bool)
        if len(donors) <= WIDEST:
            X = self.matched[:, 1:]
            found = batch(least_squares, Simplex(len(donors)), X=X, Y=X, without=np.arange(len(donors)), stop=self.stop,
                          intercept=self.intercept and self.outcomes)
            for error in found.errors.values():
                raise error.__cause__ if isinstance(error.__cause__, KeyboardInterrupt) else error
            means = table[:, 1:] @ found.x.T
            if self.intercept:
                means += (table[: self.start, 1:] - means[: self.start]).mean(axis=0)
            exact = [self._is_exact(j + 1, means[:, j], certificate) for j, certificate in enumerate(found.certificates())]
            return table[:, 1:] - means, np.array(exact)
        # a batch would be too wide: one by one, each from the treated unit's weights
        fits = [self.fit(j, np.delete(donors, i), np.delete(w, i)) for i, j in enumerate(donors.tolist())]
        effects = [table[:, j] - fitted.synthetic for j, fitted in zip(donors.tolist(), fits, strict=True)]
        return np.column_stack(effects), np.array([fitted.exact for fitted in fits])


def matched_rows(panel: Panel, start: int, Y: Any, predictors: Any, importance: Sequence[float] | None, unit: Any,
                 time: Any) -> Array:
    """The outcomes before the treatment, or the predictors, each over its standard deviation, by their importance."""
    if predictors is None:
        check(importance is None, "importance was given without predictors; it weighs these. Give both, or neither.")
        return panel.table[:start]
    names = [predictors] if isinstance(predictors, str) else predictors
    named = isinstance(names, list | tuple) and len(names) > 0 and all(isinstance(name, str) for name in names)
    P = _means(panel, start, Y, names, unit, time) if named else _aligned(panel, predictors)
    importance = ordered(importance, list(names) if named else labels_of(predictors), "importance", "the predictors")
    check(bool(np.isfinite(P).all()), "predictors holds NaN or infinite values; drop those predictors or units first.")
    check_size(P, "predictors")
    V = np.full(len(P), 1.0 / len(P)) if importance is None else numbers(importance, "importance")
    check(V.shape == (len(P),) and bool((V >= 0).all()) and 0.0 < float(V.sum()) < np.inf,
          lambda: f"importance must be {len(P)} numbers ≥ 0, not all zero; got shape {V.shape}, sum {V.sum():g}.")
    top = np.abs(P).max(axis=1, initial=0.0)
    P = P / np.where(top > 0.0, top, 1.0)[:, None]  # squares neither overflow nor vanish
    spread = P.std(axis=1, ddof=1)
    return np.asarray(np.sqrt(V)[:, None] * P / np.where(spread > 0, spread, 1.0)[:, None])


def _aligned(panel: Panel, predictors: Any) -> Array:
    """One row for each predictor, one column for each unit of the panel; columns of a data frame are found by name."""
    if labels_of(predictors, 1) is not None:
        names = names_of(predictors)
        there = [names[place(name, names, "unit", "a column of predictors")] for name in panel.names]
        return np.column_stack([numbers(predictors[name], f"The column {name!r} of predictors") for name in there])
    P = numbers(predictors, "predictors")
    check(P.ndim == 2 and P.shape[1] == len(panel.given) and len(P) > 0, f"predictors has shape {P.shape}; one row for each "
          f"predictor and {len(panel.given)} columns, one for each unit, are wanted.")
    return P[:, panel.columns]


def _means(panel: Panel, start: int, Y: Any, names: Iterable[str], unit: Any, time: Any) -> Array:
    """The means of columns of a long table over the periods before the treatment, as far as they are observed."""
    check(unit is not None, "predictors names columns of a long table; for a wide one give a row for each predictor.")
    before, who = set(panel.periods[:start]), {name: j for j, name in enumerate(panel.names)}
    whose, when = labels(Y, unit, "unit"), labels(Y, time, "time")
    rows = [i for i, (name, period) in enumerate(zip(whose, when)) if name in who and period in before]
    P = []
    for name in names:
        x = numbers(column(Y, name, "predictor"), f"The column {name!r} of Y")[rows]
        seen = ~np.isnan(x)
        j = np.array([who[whose[i]] for i in rows])[seen]
        count = np.bincount(j, minlength=len(who))
        check(bool((count > 0).all()), f"The predictor {name!r} is missing in all periods before the treatment for the "
                                       f"unit {panel.names[int(count.argmin())]!r}; drop one of them.")
        P.append(np.bincount(j, weights=x[seen], minlength=len(who)) / count)
    return np.array(P)
