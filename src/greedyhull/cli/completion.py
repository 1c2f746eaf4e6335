"""``greedyhull fit completion``: a matrix from a table of some of its entries, and predictions for others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from greedyhull.cli.console import Voice, certificate_fields
from greedyhull.cli.exits import DONE, SHORT
from greedyhull.cli.result_file import check_out, write_result
from greedyhull.cli.tables import Table, place_of, read_table
from greedyhull.driver.summary import count
from greedyhull.errors import GreedyhullError, check, installing
from greedyhull.types import Array

SHOWN = 10  # predictions that are printed


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
    voice.weights([(f"{row}, {column}", value) for row, column, value in found], SHOWN)


def _lines(document: Mapping[str, Any], places: Places) -> Sequence[Sequence[Any]]:
    """The predictions as a table; without any, the singular values."""
    if "predictions" in document:
        return [list(places), *document["predictions"]]
    return [["singular_value"], *([value] for value in document["singular_values"])]
