"""The table of the section: every cell by every way, with exponents and goals below it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from benchmarks.scale.cost import cost_table
from benchmarks.scale.data import CELLS, LARGEST, SMALL, Cell, Made, Stored
from benchmarks.scale.goals import goals
from benchmarks.scale.one import asked
from benchmarks.scale.others import FITS, RIVALS, left_out
from benchmarks.scale.ours import READ, WAYS
from benchmarks.tables import Table

COLUMNS = ("rows", "way", "first pass, s", "solve, s", "processor, s", "trips", "Newton steps",
           "processor s a trip", "peak MB", "of a worker", "bytes up a trip", "bytes down to each", "above")
LEAST = ("serial", "two processes", "Dask, two workers")  # ways whose trips are timed where there is no work
OF_LARGEST = ("two processes" + READ,)  # how the largest cell is solved
KEPT = "GREEDYHULL_SCALE_ROWS"  # names a folder where the rows of the largest cell stay from run to run
Results = dict[Cell, dict[str, dict[str, Any]]]


def scale(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    """Time, trips and memory; then the goals; then what a trip costs beside the model. Every cell is run once."""
    table = Table("scale", "Rows in shards of at most 62 MB: l1 logistic regression to a relative gap of 1e-6", COLUMNS)
    results: Results = {}
    for cell in [*CELLS, LARGEST]:
        if (cell == LARGEST and str(cell) not in only) or (only and str(cell) not in only and cell.kind not in only):
            continue
        with rows_of(cell) as folder:
            results[cell] = measured(cell, folder, table)
    with rows_of(SMALL) as folder:
        results[SMALL] = {way: _say(SMALL, way, asked(way, SMALL, folder)) for way in WAYS if way in LEAST}
    table.notes += ["*above* is by how much a rival's penalised value is above ours, relative to it.",
                    f"Load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors."]
    yield table
    yield goals(results)
    yield cost_table(results)


@contextmanager
def rows_of(cell: Cell) -> Iterator[str]:
    """A folder with the files of a cell; none where they would not fit, whose rows are made when they are needed."""
    size = cell.shard_bytes * cell.count
    kept = os.environ.get(KEPT) if cell == LARGEST else None
    with nullcontext(kept) if kept else tempfile.TemporaryDirectory() as folder:
        if 2 * size > shutil.disk_usage(folder).free and not kept:
            yield ""
            return
        began = time.perf_counter(), time.process_time()
        Stored(cell, folder=folder).write()
        if cell == LARGEST:
            print(f"{cell}: rows were made and stored in {time.perf_counter() - began[0]:.0f} s, of the processor "
                  f"{time.process_time() - began[1]:.0f} s", file=sys.stderr, flush=True)
        yield folder


def measured(cell: Cell, folder: str, table: Table) -> dict[str, dict[str, Any]]:
    """All ways and rivals that fit; a row of the table each."""
    found: dict[str, dict[str, Any]] = {}
    size = cell.shard_bytes * cell.count
    ways = OF_LARGEST if cell == LARGEST else [way for way in WAYS if way != "in memory" or size <= FITS]
    for way in ways:
        found[way] = _say(cell, way, asked(way, cell, folder))
        table.rows.append(_row(cell, way, found[way], None))
    ours = found[ways[0] if cell == LARGEST else "serial"]
    best = ours["value"] + ours["price"] * ours["norm"]
    for way in RIVALS if cell != LARGEST else ():
        why = left_out(way, Made(cell))
        if why:
            table.notes.append(f"{way} on {cell}: {why}.")
            continue
        found[way] = _say(cell, way, asked(way, cell, folder, price=ours["price"]))
        table.rows.append(_row(cell, way, found[way], (found[way]["penalised"] - best) / best))
    if "dask-glm" in found:
        theirs = asked("dask-glm", cell, folder, price=ours["price"], enough=best * 1.001)
        found["dask-glm to 1e-3"] = _say(cell, "dask-glm to 1e-3", theirs)
        found["ours to 1e-3"] = _say(cell, "ours to 1e-3", asked("serial", cell, folder, tol=1e-3))
    return found


def _say(cell: Cell, way: str, told: dict[str, Any]) -> dict[str, Any]:
    names = ("seconds", "processor", "before", "first", "trips", "steps", "peak", "workers")
    short = {name: told[name] for name in names if name in told}
    print(f"{cell}, {way}: {short}", file=sys.stderr, flush=True)  # what was measured is known even if a later cell fails
    return told


def _row(cell: Cell, way: str, told: dict[str, Any], above: float | None) -> tuple[object, ...]:
    trips, each = told.get("trips"), told.get("each") or []
    mean = lambda place: round(sum(trip[place] for trip in each) / len(each)) if each else None
    return (str(cell), way, told.get("first"), float(told["seconds"]), float(told["processor"]), trips, told.get("steps"),
            float(told["processor"]) / trips if trips else None, round(told["peak"]),
            told["workers"] and round(told["workers"]), mean(2), mean(1), above)
