"""``greedyhull fit completion``, ``design`` and ``portfolio``."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from greedyhull.cli.console import Console, certificate_fields
from greedyhull.cli.fit import check_out, finish, fitted
from greedyhull.cli.tables import place_of
from greedyhull.data.tables import Table, read_table
from greedyhull.driver.solution import count
from greedyhull.errors import GreedyhullError, check, installing, no_file
from greedyhull.types import Array


def fit_completion(data: Path, layout: str | None, columns: tuple[str, str, str], predict: Path | None, out: Path | None,
                   console: Console, **settings: Any) -> int:
    """Complete a matrix from columns with the rows, the columns and the values of its entries; return the exit code."""
    check_out(out)
    if find_spec("sklearn") is None:
        raise ModuleNotFoundError(f"greedyhull fit completion needs scikit-learn. {installing('demo')}")
    from greedyhull.estimators import MatrixCompletion

    table = read_table(data, layout)
    pairs, values = _pairs(table, columns), table.column(place_of(table, columns[2]))
    check(values.dtype.kind in "biuf", f"Column {columns[2]} holds words; numbers are wanted.")
    wanted = None if predict is None else _pairs(read_table(predict), columns)
    console.say(f"{count(len(values), 'known value')} at {count(len(np.unique(pairs[:, 0])), 'row')} and "
                f"{count(len(np.unique(pairs[:, 1])), 'column')}.")
    model = MatrixCompletion(**settings)
    with console.noting():
        fitted(model, pairs, values)
    s, sizes = model.solution_, model.singular_values_.tolist()
    document = {"command": "fit", "estimator": "MatrixCompletion", "rows": len(model.rows_), "columns": len(model.columns_),
                "radius": model.radius_, "rank": len(sizes), "singular_values": sizes, "mean": model.biases_.mean,
                "converged": bool(s.converged), "reason": str(s.reason), "certificate": certificate_fields(model.certificate_)}
    lines: list[Sequence[Any]] = [["singular_value"], *([value] for value in sizes)]
    console.say(f"Radius {model.radius_:.6g}, rank {len(sizes)}. {model.certificate_}")
    if wanted is not None:
        found = [[*pair, float(value)] for pair, value in zip(wanted.tolist(), model.predict(wanted), strict=True)]
        document["predictions"], lines = found, [columns, *found]
        console.weights([(f"{row}, {column}", value) for row, column, value in found], 10)  # predictions that are printed
    return finish(out, document, lines, console)


def _pairs(table: Table, columns: tuple[str, str, str]) -> Array:
    """A label of a row and one of a column for each line."""
    labels = [table.column(place_of(table, column)).tolist() for column in columns[:2]]
    pairs = np.empty((len(labels[0]), 2), dtype=object)
    pairs[:, 0], pairs[:, 1] = labels
    return pairs


def fit_design(data: Path, layout: str | None, exclude: Sequence[str], out: Path | None, console: Console, *, criterion: Any,
               intercept: bool, experiments: int | None, name: str | None, tol: float) -> int:
    from greedyhull.apps import optimal_design

    check_out(out)
    table = read_table(data, layout)
    called = None if name is None else place_of(table, name)
    places = _others(table, exclude, called)
    check(len(places) > 0 or intercept, "No column is left for a regressor.")
    X = np.asarray(table.numbers(places), dtype=np.float64) if places else np.zeros((len(table.column(0)), 0))
    X = np.column_stack([np.ones(len(X)), X]) if intercept else X
    names = None if called is None else [str(one) for one in table.column(called).tolist()]
    with console.noting():
        found = optimal_design(X, criterion, names=names, tol=tol)
    document: dict[str, Any] = {"criterion": found.criterion, "weights": found.support, "value": found.value,
                                "efficiency": found.efficiency, "converged": found.solution.converged,
                                **certificate_fields(found.certificate)}
    lines: list[Sequence[Any]] = [("candidate", "weight"), *found.support.items()]
    console.say(f"{len(found.support)} of {len(X)} candidates; the efficiency is at least {found.efficiency:.8g}.")
    console.weights(found.support.items())
    if experiments is not None:
        counts = found.round(experiments)
        shared = document["experiments"] = {found.names[j]: int(counts[j]) for j in np.flatnonzero(counts)}
        lines = [("candidate", "weight", "experiments"),
                 *((one, weight, shared.get(one, 0)) for one, weight in found.support.items())]
        console.say(f"{experiments} experiments, with an efficiency of at least {found.efficiency_of(counts):.4g}:")
        console.weights((one, float(number)) for one, number in shared.items())
    return finish(out, document, lines, console)


def _others(table: Table, exclude: Sequence[str], taken: int | None) -> list[int]:
    """The places of the columns that are neither excluded nor taken for something else."""
    out = {taken, *(place_of(table, column) for column in exclude)}
    return [j for j in range(len(table.names)) if j not in out]


def fit_portfolio(data: Path, layout: str | None, exclude: Sequence[str], out: Path | None, console: Console, *, risk: str,
                  groups: Path | None, benchmark: str | None, **limits: Any) -> int:
    from greedyhull.apps import Portfolio, portfolio

    check_out(out)
    table = read_table(data, layout)
    target = None if benchmark is None else place_of(table, benchmark)
    places = _others(table, exclude, target)
    check(len(places) > 0, "No column is left for an asset.")
    names, X = [str(table.names[j]) for j in places], np.asarray(table.numbers(places), dtype=np.float64)
    tracked = None if target is None else np.asarray(table.numbers([target]), dtype=np.float64)[:, 0]
    with console.noting():
        found = portfolio(dict(zip(names, X.T, strict=True)), risk=_risk(risk), groups=_groups(groups), benchmark=tracked,
                          **limits)
    assert isinstance(found, Portfolio)
    held = found.held(12)
    document = {"weights": held, "prices": found.prices, "expected": found.expected, "variance": found.variance,
                "converged": found.solution.converged, **certificate_fields(found.certificate)}
    console.say(str(found.certificate))
    console.weights(held.items())
    if found.prices:
        console.say("What one more unit of each active cap is worth:")
        console.weights(found.prices.items())
    return finish(out, document, [("asset", "weight"), *held.items()], console)


def _risk(word: str) -> float | str:
    try:
        return float(word)
    except ValueError:
        check(word in ("minimum", "log"), f"--risk {word} was given; minimum, log or a number is wanted.")
        return word


def _groups(path: Path | None) -> dict[str, str] | None:
    """The group of each asset: the first two columns of a file, or those called asset and group."""
    if path is None:
        return None
    check(path.is_file(), lambda: no_file(path))
    rows = [row for row in csv.reader(StringIO(path.read_text(encoding="utf-8-sig"))) if row]
    if not rows or min(len(row) for row in rows) < 2:
        raise GreedyhullError(f"{path} has rows with fewer than two columns; asset and group are wanted in each.")
    head = [word.strip().lower() for word in rows[0]]
    a, b = (head.index("asset"), head.index("group")) if {"asset", "group"} <= set(head) else (0, 1)
    named = {"asset", "name", "ticker", "symbol"} & set(head) or {"group", "sector"} & set(head)
    return {row[a].strip(): row[b].strip() for row in (rows[1:] if named else rows)}
