"""``greedyhull fit design``: which of the candidates in a table to measure, and how often."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from greedyhull.cli.console import Voice, certificate_fields
from greedyhull.cli.exits import DONE, SHORT
from greedyhull.cli.result_file import check_out, write_result
from greedyhull.cli.tables import place_of, read_table
from greedyhull.errors import check


class Asked(NamedTuple):
    """What the options say."""

    criterion: str
    intercept: bool
    experiments: int | None
    name: str | None
    exclude: tuple[str, ...]
    tol: float


def run(data: Path, layout: str | None, asked: Asked, out: Path | None, voice: Voice) -> int:
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
    write_result(out, document, _lines(document), voice)
    voice.result(document)
    return DONE if found.solution.converged else SHORT


def _lines(document: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The weight of each candidate, and the number of its experiments where these were asked for."""
    counts = document.get("experiments")
    if counts is None:
        return [("candidate", "weight"), *document["weights"].items()]
    return [("candidate", "weight", "experiments"),
            *((name, weight, counts.get(name, 0)) for name, weight in document["weights"].items())]
