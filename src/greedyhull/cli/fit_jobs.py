"""``greedyhull fit completion``, ``design`` and ``portfolio``."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from greedyhull.cli import DONE, SHORT
from greedyhull.cli.console import Voice, certificate_fields
from greedyhull.cli.fit import check_out, write_result
from greedyhull.cli.tables import place_of
from greedyhull.data.tables import Table, read_table
from greedyhull.driver.solution import count
from greedyhull.errors import GreedyhullError, check, installing, no_file
from greedyhull.types import Array


class Places(NamedTuple):
    """The columns of the table that name the rows, the columns and the entries of the matrix."""

    row: str
    column: str
    value: str


def run(data: Path, layout: str | None, places: Places, settings: Mapping[str, Any], predict: Path | None, out: Path | None,
        voice: Voice) -> int:
    """Fit, predict, tell and write."""
    check_out(out)
    if find_spec("sklearn") is None:
        raise ModuleNotFoundError("greedyhull fit completion needs scikit-learn, which is not installed. "
                                  f"{installing('demo')}")
    from greedyhull.estimators import MatrixCompletion

    table = read_table(data, layout)
    pairs, values = _pairs(table, places), _column(table, places.value)
    check(values.dtype.kind in "biuf", f"Column {places.value} holds words; numbers are wanted.")
    asked = None if predict is None else _pairs(read_table(predict), places)
    voice.say(f"{count(len(values), 'known value')} at {count(len(np.unique(pairs[:, 0])), 'row')} and "
              f"{count(len(np.unique(pairs[:, 1])), 'column')}.")
    with voice.noting():
        model = _fitted(MatrixCompletion(**settings), pairs, values)
    document = _told(model, asked)
    _explain(model, document, voice)
    write_result(out, document, _lines(document, places), voice)
    voice.result(document)
    return DONE if document["converged"] else SHORT


def _column(table: Table, name: str) -> Array:
    return table.column(place_of(table, name))


def _pairs(table: Table, places: Places) -> Array:
    """A label of a row and one of a column for each line."""
    rows, cols = _column(table, places.row), _column(table, places.column)
    pairs = np.empty((len(rows), 2), dtype=object)
    pairs[:, 0], pairs[:, 1] = rows.tolist(), cols.tolist()
    return pairs


def _fitted(model: Any, pairs: Array, values: Array) -> Any:
    """Fit; what scikit-learn refuses is the user's to mend."""
    try:
        return model.fit(pairs, values)
    except GreedyhullError:
        raise
    except ValueError as error:
        raise GreedyhullError((str(error).splitlines() or [type(error).__name__])[0]) from error


def _told(model: Any, asked: Array | None) -> dict[str, Any]:
    s = model.solution_
    document = {"command": "fit", "estimator": "MatrixCompletion", "rows": len(model.rows_), "columns": len(model.columns_),
                "radius": model.radius_, "rank": len(model.singular_values_),
                "singular_values": model.singular_values_.tolist(),
                "mean": model.biases_.mean, "converged": bool(s.converged), "reason": str(s.reason),
                "certificate": certificate_fields(model.certificate_)}
    if asked is not None:
        predicted = model.predict(asked)
        document["predictions"] = [[*pair, float(value)] for pair, value in zip(asked.tolist(), predicted, strict=True)]
    return document


def _explain(model: Any, document: Mapping[str, Any], voice: Voice) -> None:
    voice.say(f"Radius {model.radius_:.6g}, rank {document['rank']}. {model.certificate_}")
    found = document.get("predictions", [])
    voice.weights([(f"{row}, {column}", value) for row, column, value in found], 10)  # predictions that are printed


def _lines(document: Mapping[str, Any], places: Places) -> Sequence[Sequence[Any]]:
    """The predictions as a table; without any, the singular values."""
    if "predictions" in document:
        return [list(places), *document["predictions"]]
    return [["singular_value"], *([value] for value in document["singular_values"])]


class Asked(NamedTuple):
    """What the options say."""

    criterion: str
    intercept: bool
    experiments: int | None
    name: str | None
    exclude: tuple[str, ...]
    tol: float


def fit_design_run(data: Path, layout: str | None, asked: Asked, out: Path | None, voice: Voice) -> int:
    """Find the design, tell it and write it."""
    from greedyhull.apps import optimal_design

    check_out(out)
    table = read_table(data, layout)
    called = None if asked.name is None else place_of(table, asked.name)
    beside = {place_of(table, column) for column in asked.exclude}
    places = [j for j in range(len(table.names)) if j not in beside and j != called]
    check(len(places) > 0 or asked.intercept, "No column is left for a regressor.")
    count = len(table.column(0))
    X = np.asarray(table.numbers(places), dtype=np.float64) if places else np.zeros((count, 0))
    X = np.column_stack([np.ones(len(X)), X]) if asked.intercept else X
    names = None if called is None else [str(one) for one in table.column(called).tolist()]
    with voice.noting():
        found = optimal_design(X, asked.criterion, names=names, tol=asked.tol)  # type: ignore[arg-type]
    document: dict[str, Any] = {"criterion": found.criterion, "weights": found.support, "value": found.value,
                                "efficiency": found.efficiency, "converged": found.solution.converged,
                                **certificate_fields(found.certificate)}
    voice.say(f"{len(found.support)} of {len(X)} candidates; the efficiency is at least {found.efficiency:.8g}.")
    voice.weights(found.support.items())
    if asked.experiments is not None:
        counts = found.round(asked.experiments)
        document["experiments"] = {found.names[j]: int(counts[j]) for j in np.flatnonzero(counts)}
        voice.say(f"{asked.experiments} experiments, with an efficiency of at least {found.efficiency_of(counts):.4g}:")
        voice.weights((name, float(number)) for name, number in document["experiments"].items())
    write_result(out, document, _fit_design_lines(document), voice)
    voice.result(document)
    return DONE if found.solution.converged else SHORT


def _fit_design_lines(document: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The weight of each candidate, and the number of its experiments where these were asked for."""
    counts = document.get("experiments")
    if counts is None:
        return [("candidate", "weight"), *document["weights"].items()]
    return [("candidate", "weight", "experiments"),
            *((name, weight, counts.get(name, 0)) for name, weight in document["weights"].items())]


class FitPortfolioAsked(NamedTuple):
    """What the options say."""

    risk: str
    groups: Path | None
    group_upper: float | None
    upper: float | None
    benchmark: str | None
    exclude: tuple[str, ...]
    tol: float


def fit_portfolio_run(data: Path, layout: str | None, asked: FitPortfolioAsked, out: Path | None, voice: Voice) -> int:
    """Find the portfolio, tell it and write it."""
    from greedyhull.apps import Portfolio, portfolio

    check_out(out)
    table = read_table(data, layout)
    beside = {place_of(table, column) for column in asked.exclude}
    target = None if asked.benchmark is None else place_of(table, asked.benchmark)
    places = [j for j in range(len(table.names)) if j not in beside and j != target]
    check(len(places) > 0, "No column is left for an asset.")
    names, X = [str(table.names[j]) for j in places], np.asarray(table.numbers(places), dtype=np.float64)
    with voice.noting():
        found = portfolio(dict(zip(names, X.T, strict=True)), risk=_risk(asked.risk), groups=_groups(asked.groups),
                          group_upper=asked.group_upper, upper=asked.upper, tol=asked.tol,
                          benchmark=None if target is None else np.asarray(table.numbers([target]), dtype=np.float64)[:, 0])
    assert isinstance(found, Portfolio)
    document = {"weights": found.held(12), "prices": found.prices, "expected": found.expected, "variance": found.variance,
                "converged": found.solution.converged, **certificate_fields(found.certificate)}
    voice.say(str(found.certificate))
    voice.weights(found.held(12).items())
    if found.prices:
        voice.say("What one more unit of each active cap is worth:")
        voice.weights(found.prices.items())
    write_result(out, document, [("asset", "weight"), *found.held(12).items()], voice)
    voice.result(document)
    return DONE if found.solution.converged else SHORT


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
