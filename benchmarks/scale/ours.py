"""One solve of ours, timed, with its trips, Newton steps, bytes and peak memory.

``processor`` is the processor time on the longest path: that of the driver, and that of the busiest worker. On a machine that
others use, too, it is what the clock would say if nobody else were there and one thread did each part. ``before`` is that of
the driver for the first pass and the first point, which come before the solve is timed.
"""

from __future__ import annotations

import os
import pickle
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scale.data import SMALL, Made, whole

WAYS = ("in memory", "serial", "serial, read", "two processes", "Dask, two workers")
READ = ", read"  # what ways end with whose shards are read as a whole, not mapped into memory
RADIUS = 10.0
MIB = 1 << 20


class Weighing:
    """A crew, and of every trip its seconds and the bytes to one worker and from all, as they are pickled."""

    def __init__(self, crew: Any) -> None:
        self.crew, self.workers = crew, crew.workers
        self.trips: list[tuple[float, int, int]] = []

    def map(self, task: Any, bundles: Any) -> Any:
        began = time.perf_counter()
        found = self.crew.map(task, bundles)
        self.trips.append((time.perf_counter() - began, _size(task), _size(found)))
        print(f"{type(task).__name__}: {self.trips[-1][0]:.2f} s", file=sys.stderr, flush=True)
        return found


def _size(thing: Any) -> int:
    return len(pickle.dumps(thing, protocol=5))


@contextmanager
def newton_steps() -> Iterator[list[int]]:
    """A list that grows by one entry at every Newton step; its length is read afterwards."""
    from greedyhull.solvers.parts import working_set

    steps: list[int] = []
    plain = working_set.newton_step

    def counted(*about: Any) -> Any:
        steps.append(1)
        return plain(*about)

    working_set.newton_step = counted
    try:
        yield steps
    finally:
        working_set.newton_step = plain


def solved(way: str, data: Made, tol: float) -> dict[str, Any]:
    """All that is measured of one way."""
    import greedyhull as gh
    from greedyhull.remote.executors import Serial

    way = way.removesuffix(READ)
    gh.minimize(gh.logistic(Made(SMALL)), gh.L1Ball(SMALL.d, radius=RADIUS))  # all that is imported on the way is there
    base, S, stop = peak(), gh.L1Ball(data.d, radius=RADIUS), gh.Relative(tol)
    if way == "in memory":
        f: Any = gh.logistic(*whole(data))
        gh.minimize(f, S, stop=gh.Iterations(0))
        began, worked = time.perf_counter(), time.process_time()
        s = gh.minimize(f, S, stop=stop)
        return _told(s, base) | {"seconds": time.perf_counter() - began, "processor": time.process_time() - worked}
    made = {"two processes": lambda: gh.processes(2), "Dask, two workers": lambda: gh.cluster(workers=2)}.get(way, nullcontext)
    with made() as crew, newton_steps() as steps:
        weighing = Weighing(Serial() if crew is None else crew)
        f = gh.logistic(data).on(weighing)
        looked = time.process_time()
        gh.minimize(f, S, stop=gh.Iterations(0))  # workers have started, and files are in the system's cache
        looked, first = time.process_time() - looked, weighing.trips[0]
        weighing.trips.clear()
        steps.clear()
        began, before = time.perf_counter(), (time.process_time(), _worked(way, crew))
        s = gh.minimize(f, S, stop=stop)
        seconds, processor = time.perf_counter() - began, time.process_time() - before[0]
        processor += max((after - earlier for after, earlier in zip(_worked(way, crew), before[1], strict=True)), default=0.0)
        workers = _peaks(way, crew)
    return _told(s, base) | {"seconds": seconds, "processor": processor, "first": first[0], "first bytes": first[1:],
                             "before": looked, "steps": len(steps), "trips": len(weighing.trips), "each": weighing.trips,
                             "workers": workers}


def _told(s: Any, base: float) -> dict[str, Any]:
    return {"rounds": s.iterations, "gap": float(s.gap), "value": float(s.value), "price": float(s.price or 0.0),
            "norm": float(np.abs(s.x).sum()), "atoms": int(np.count_nonzero(s.x)), "base": base, "peak": peak(),
            "workers": None, "converged": bool(s.converged)}


def peak() -> float:
    """Peak memory of this process, MiB; what `getrusage` tells includes that of the process that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _worked(way: str, crew: Any) -> list[float]:
    """The processor time of each worker so far."""
    if way == "two processes":
        ticks = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in crew.pids]
        return [(int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK") for words in ticks]
    return [told for _, told in sorted(crew._client.run(time.process_time).items())] if way == "Dask, two workers" else []


def _peaks(way: str, crew: Any) -> float | None:
    """The largest peak memory of a worker, MiB."""
    if way == "two processes":
        lines = [line for pid in crew.pids for line in Path(f"/proc/{pid}/status").read_text().splitlines()]
        return max(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return max(crew._client.run(peak).values()) if way == "Dask, two workers" else None
