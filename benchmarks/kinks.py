"""Losses with kinks on real l1 problems: `Smoothed` to a certified gap, regularised stochastic Frank-Wolfe to one percent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import greedyhull as gh
from benchmarks.cases import data_folder, loaders_in
from benchmarks.tables import Table
from benchmarks.timing import seconds

IDS = (50, 52, 54, 55, 57)


def kinks(repeats: int = 7, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("kinks", "Losses with kinks: seconds", (
        "case", "Smoothed, first", "Smoothed, again", "its gap of max(|value|, f(0))", "ARSFW-U to 1 %",
        "its error of the optimum"))
    folder = data_folder()
    if not (folder / "references.json").is_file():
        table.notes.append(f"There is no reference data in {folder}; set GREEDYHULL_DATA to the folder that holds it.")
        yield table
        return
    loaders, known = loaders_in(folder), json.loads((folder / "references.json").read_text())
    entries = {entry["id"]: entry for entry in known}
    for entry in (entries[i] for i in IDS):
        table.rows.append(measured(entry, loaders))
    yield table


def measured(entry: dict[str, Any], loaders: Any) -> tuple[object, ...]:
    absolute, name, best = "absolute" in entry["problem"], entry["dataset"], float(entry["optimum"])
    X, y = (loaders.regression if absolute else loaders.classification)(name)
    f, S = (gh.absolute if absolute else gh.hinge)(X, y), gh.L1Ball(X.shape[1], entry["radius"])
    found: list[Any] = []
    near = gh.Callback(lambda event: event.value <= 1.01 * best) | gh.Seconds(10.0)
    smooth = partial(gh.minimize, f, S, gh.Smoothed(), stop=gh.Relative(1e-6))
    times = [seconds(lambda: found.append(smooth())) for _ in range(2)]
    random = seconds(lambda: found.append(gh.minimize(f, S, gh.RegularizedStochasticFrankWolfe(), stop=near)))
    case = f"{'absolute' if absolute else 'hinge'} {name} r={entry['radius']:g}"
    return case, *times, found[1].gap / max(found[1].value, f.scale), random, found[2].value / best - 1.0
