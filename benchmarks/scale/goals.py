"""Every goal beside what was measured, and how time and memory grow with the rows."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import Any

from benchmarks.scale.data import SMALL, Cell
from benchmarks.scaling import exponent
from benchmarks.tables import Table

Results = dict[Cell, dict[str, dict[str, Any]]]
Line = tuple[str, str, str, float, float, str]
ROOM = 200.0  # MiB beside two shards
LARGE = {"dense": 500_000, "correlated": 500_000, "sparse": 1_000_000}  # rows whose work outweighs what a trip costs


def goals(results: Results) -> Table:
    """A row for each goal and cell that can tell."""
    table = Table("scale_goals", "Goals", ("goal", "cell", "measured on", "wanted", "measured", "met"))
    for lines in (_memory, _in_memory, _two, _overhead, _trips, _dask_glm):
        table.rows += list(lines(results))
    table.notes += list(_exponents(results))
    return table


def _line(goal: str, cell: Cell, where: str, wanted: float, found: float, at_most: bool = True) -> Line:
    met = not isnan(found) and (found <= wanted if at_most else found >= wanted)
    return (f"{goal} {'≤' if at_most else '≥'}", str(cell), where, float(wanted), float(found), "yes" if met else "no")


def _cells(results: Results, *ways: str) -> Iterator[tuple[Cell, dict[str, dict[str, Any]]]]:
    return ((cell, found) for cell, found in results.items() if cell != SMALL and set(ways) <= set(found))


def _memory(results: Results) -> Iterator[Line]:
    for cell, found in results.items():
        most = 2 * cell.shard_bytes / (1 << 20) + ROOM
        for way, who in (("serial, read", "peak"), ("two processes", "peak"), ("two processes, read", "peak"),
                         ("two processes, read", "workers")):
            if cell != SMALL and way in found:
                yield _line("peak MB", cell, f"{way}, {'a worker' if who == 'workers' else 'driver'}", most, found[way][who])


def _in_memory(results: Results) -> Iterator[Line]:
    for cell, found in _cells(results, "in memory", "serial"):
        yield _line("serial / in memory", cell, "processor time", 1.3,
                    found["serial"]["processor"] / found["in memory"]["processor"])


def _two(results: Results) -> Iterator[Line]:
    for cell, found in _cells(results, "serial", "two processes"):
        if cell.n >= LARGE[cell.kind]:
            yield _line("one / two processes", cell, "processor time on the longest path", 1.7,
                        found["serial"]["processor"] / found["two processes"]["processor"], at_most=False)
            yield _line("one / two processes", cell, "clock", 1.7,
                        found["serial"]["seconds"] / found["two processes"]["seconds"], at_most=False)


def _overhead(results: Results) -> Iterator[Line]:
    """Milliseconds of a trip of two Dask workers beyond what the work takes, where there is next to none."""
    dask, serial = results[SMALL]["Dask, two workers"], results[SMALL]["serial"]
    for what, name in (("processor", "processor time beyond serial"), ("seconds", "clock beyond serial")):
        yield _line("Dask, ms a trip", SMALL, name, 30.0, 1e3 * (dask[what] / dask["trips"] - serial[what] / serial["trips"]))


def _trips(results: Results) -> Iterator[Line]:
    for cell, found in _cells(results):
        told = found.get("serial", found.get("two processes, read", {}))  # the first pass is one more
        yield _line("trips", cell, f"{told['steps']} Newton steps", 1.5 * told["steps"] + 2, 1 + told["trips"])


def _dask_glm(results: Results) -> Iterator[Line]:
    for cell, found in _cells(results, "dask-glm to 1e-3"):
        theirs, ours = found["dask-glm to 1e-3"], found["ours to 1e-3"]
        steps = f"{theirs['steps']} steps, one thread each"
        yield _line("dask-glm / ours to 1e-3", cell, steps, 10.0, theirs["processor"] / ours["processor"], at_most=False)
        yield _line("dask-glm / ours to 1e-3", cell, f"{steps}, our first pass counted", 10.0,
                    theirs["processor"] / (ours["processor"] + ours["before"]), at_most=False)


def _exponents(results: Results) -> Iterator[str]:
    """How seconds and memory grow with the rows; the largest cell has its shards read by two processes."""
    for kind in ("sparse", "dense"):
        for ways in (("serial",), ("two processes", "two processes, read")):
            cells = [(cell.n, found[way]["processor"]) for cell, found in _cells(results) for way in ways
                     if cell.kind == kind and way in found]
            if len(cells) > 1:
                power = exponent([n for n, _ in cells], [seconds for _, seconds in cells])
                yield (f"{kind}, {ways[0]}: processor seconds grow with the power {power:.2f} of the rows, over the three "
                       "largest.")
        kept = [(cell.n, found["serial, read"]["peak"]) for cell, found in _cells(results, "serial, read")
                if cell.kind == kind]
        if len(kept) > 1:
            power = exponent([n for n, _ in kept], [peak for _, peak in kept])
            yield f"{kind}, serial with shards that are read: peak memory grows with the power {power:.2f} of the rows."
