"""What a trip costs: a model of its bytes and a simulation of its seconds, beside what was measured; and larger clusters.

Bytes. x goes down as d numbers, or as the places and values of k where that is less, and the k working atoms as a place and a
scale each: min(8d, 16k) + 16k to every worker. Up come d + k²
numbers from every sender: 8(d + k²) each. Senders are shards, and workers where the shards' sums would be more than 64 MB.

Seconds. One link leads from the driver to all workers. The task goes down to one worker after the other, every worker
computes as long as its rows take, and answers come up through the link in the order in which they are ready; the driver adds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.scale.data import SMALL, Cell
from benchmarks.tables import Table
from greedyhull.remote.executors import LARGEST

Results = dict[Cell, dict[str, dict[str, Any]]]
ADDED = 2e9  # bytes of sums that a driver adds in a second
TRIPS = 8  # of a solve, the first pass and the certificate among them: they do not grow with the rows
SPEED = 1e9  # bytes a second that a worker reads from its storage


@dataclass(frozen=True)
class Setting:
    """Who computes what, and how fast. ``row`` is the seconds that a worker takes for a row in one pass."""

    rows: float
    shards: int
    workers: int
    d: int
    k: int
    row: float
    bandwidth: float = 1e9  # of the driver's link, bytes a second
    latency: float = 1e-3  # seconds, one way
    task: float = 4e-3  # seconds of driver and scheduler for a task
    jitter: float = 0.0  # share by which the work of a worker varies, as a standard deviation

    @property
    def senders(self) -> int:
        """How many sums come up."""
        return self.workers if 8 * (self.d + self.k**2 + 16) * self.shards > LARGEST else max(self.shards, self.workers)

    @property
    def up(self) -> float:
        """Bytes that come up in a trip."""
        return 8.0 * (self.d + self.k**2) * self.senders

    @property
    def down(self) -> float:
        """Bytes that go down to each worker in a trip."""
        return min(8.0 * self.d, 16.0 * self.k) + 16.0 * self.k


def trip_seconds(s: Setting, seed: int = 0) -> float:
    """Seconds of one trip, by playing it."""
    rng = np.random.default_rng(seed)
    work = s.rows / s.workers * s.row * np.maximum(1.0 + s.jitter * rng.standard_normal(s.workers), 0.0)
    sent = (s.task + s.down / s.bandwidth) * np.arange(1, s.workers + 1)
    ready = np.sort(sent + s.latency + work)
    free, each = 0.0, s.up / s.workers / s.bandwidth
    for moment in (ready + s.latency).tolist():
        free = max(free, moment) + each
    return free + s.up / ADDED


def solve_seconds(s: Setting, trips: int = TRIPS) -> float:
    """Seconds of a solve: the first pass brings three vectors in place of one."""
    return trip_seconds(replace(s, k=0, d=3 * s.d)) + (trips - 1) * trip_seconds(s)


def fitted(results: Results, way: str) -> tuple[float, float]:
    """Seconds of a task and bandwidth, from the two cells with the least work: one with few bytes, one with many."""
    few, many = results[SMALL], results.get(Cell("sparse", 10_000))
    told = few[way]
    task = max(told["processor"] / told["trips"] - few["serial"]["processor"] / few["serial"]["trips"], 0.0) / 2
    if many is None or way not in many:
        return task, 1e9
    extra = many[way]["processor"] / many[way]["trips"] - many["serial"]["processor"] / many["serial"]["trips"] / 2 - 2 * task
    return task, _bytes(many[way]) / max(extra, 1e-4)


def _bytes(told: dict[str, Any]) -> float:
    return float(np.mean([2 * down + up for _, down, up in told["each"]]))


def cost_table(results: Results) -> Table:
    """Bytes and seconds of a trip, by the model and measured; below, the estimate for 10¹⁰ rows."""
    table = Table("scale_cost", "A trip by the model, and measured", (
        "rows", "way", "working atoms", "bytes up, model", "measured", "bytes down to each, model", "measured",
        "s a trip, simulated", "processor s measured"))
    for way in ("two processes", "Dask, two workers"):
        task, bandwidth = fitted(results, way)
        for cell, found in results.items():
            if cell == SMALL or not {way, "serial"} <= set(found):
                continue
            told = found[way]
            s = setting(cell, found, way, task, bandwidth)
            ups, downs = [trip[2] for trip in told["each"]], [trip[1] for trip in told["each"]]
            table.rows.append((str(cell), way, s.k, round(s.up), max(ups), round(s.down), max(downs), trip_seconds(s),
                               told["processor"] / told["trips"]))
        table.notes.append(f"{way}: {1e3 * task:.1f} ms a task and {bandwidth / 1e6:.0f} MB/s, from the two cells with the "
                           "least work.")
    alone = {cell.n: found["serial"] for cell, found in results.items() if cell.kind == "sparse" and "serial" in found}
    if alone:
        n = max(alone)
        table.notes += estimate(alone[n]["processor"] / alone[n]["trips"] / n)
    return table


def setting(cell: Cell, found: dict[str, dict[str, Any]], way: str, task: float, bandwidth: float) -> Setting:
    """Two workers on this machine; the work of a row is that of one process alone."""
    row = found["serial"]["processor"] / found["serial"]["trips"] / cell.n
    k = round(max((trip[2] / 8 / _senders(cell, found[way]) - cell.d, 0.0) for trip in found[way]["each"])[0] ** 0.5)
    return Setting(cell.n, cell.count, 2, cell.d, k, row, bandwidth, 0.0, task)


def _senders(cell: Cell, told: dict[str, Any]) -> int:
    return cell.count if 8 * cell.d * cell.count <= LARGEST else 2


def estimate(row: float, rows: float = 1e10, workers: int = 100, d: int = 100_000, k: int = 300) -> list[str]:
    """What a solve would take, in words, on links of 1 and 10 Gbit/s."""
    reading = 248.0 / SPEED
    lines = []
    for bandwidth, name in ((1.25e8, "1 Gbit/s"), (1.25e9, "10 Gbit/s")):
        s = Setting(rows, int(rows / 250_000), workers, d, k, row + reading, bandwidth, 1e-3, 4e-3, 0.05)
        lines.append(f"{rows:.0e} rows, {workers} workers, {name}: {trip_seconds(s):.0f} s a trip, of which "
                     f"{rows / workers * (row + reading):.0f} s are work; {solve_seconds(s) / 60:.1f} minutes for {TRIPS} "
                     f"trips; {s.up / 1e6:.0f} MB up, {s.down / 1e6:.2f} MB down to each.")
    return lines
