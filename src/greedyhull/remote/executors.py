"""Executors: this process, several processes, and how work is divided among them."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.remote.worker import ROOM, Cache, added, work
from greedyhull.types import Array, Crew, Sums, Task


def partitions_of(rows: Array, workers: int) -> list[range]:
    """At most ``workers`` ranges of shards, one after the other.

    A shard goes where the middle of its rows lies, if all rows are cut into equal parts. Shards without rows count as one row.

    >>> partitions_of(np.array([10, 10, 20]), 2)
    [range(0, 2), range(2, 3)]
    """
    sizes = np.maximum(np.asarray(rows, dtype=np.float64), 1.0)
    ends = np.cumsum(sizes)
    place = np.minimum(((ends - 0.5 * sizes) * (workers / ends[-1])).astype(np.int64), workers - 1)
    cuts = [0, *(np.diff(place).nonzero()[0] + 1).tolist(), len(sizes)]
    return [range(a, b) for a, b in pairwise(cuts) if b > a]


LARGEST = 64 << 20  # bytes of sums that come back by shard; above, each partition adds its own


class CommunicationRounds:
    """The rounds of one objective with its executor.

    Sums of shards are added here, in the order of the shards, so that the result does not depend on the workers. If the sums
    of single shards exceed 64 MB in all, each worker adds those of its partition, in order: then the result depends on the
    partitions alone. If even these exceed it, they go up a tree where the executor has one.
    """

    def __init__(self, crew: Crew) -> None:
        self.crew, self.count = crew, 0
        self._partitions: dict[bytes, list[range]] = {}  # by the rows of the shards

    def sums(self, task: Any, rows: Array, size: int) -> Sums:
        """Add a task that returns about ``size`` numbers per shard over all shards."""
        return added(self.each(task, rows, size))

    def each(self, task: Any, rows: Array, size: int = 0) -> list[Sums]:
        """Return the results of a task, by shard or by partition."""
        self.count += 1
        key = rows.tobytes()
        partitions = self._partitions[key] = self._partitions.get(key) or partitions_of(rows, self.crew.workers)
        if 8 * size * len(rows) <= LARGEST:
            return self.crew.map(task, partitions)
        return self.crew.map(replace(task, together=True, paired=8 * size * len(partitions) > LARGEST), partitions)


class Serial(Crew):
    """This process alone; it keeps at most ``room`` bytes of shards in memory besides the current one."""

    def __init__(self, room: int = ROOM) -> None:
        self._cache = Cache(room)

    def __repr__(self) -> str:
        return "Serial()"

    def map(self, task: Task, partitions: Sequence[range]) -> list[Sums]:
        self.trips += 1
        return [sums for partition in partitions for sums in work(task, partition, self._cache)]


def check_workers(count: object, name: str) -> None:
    whole = isinstance(count, int) and not isinstance(count, bool) and count >= 1
    check(whole, lambda: f"{name} must be a positive integer; got {shown(count)}.")


DEATHS = 3  # workers that may die over one partition in one round before it is an error


class Processes(Crew):
    """Worker processes, one partition of shards each. Partitions whose worker dies go to a new one, which loads them again.

    >>> Processes(2)  # they start when they are first needed
    Processes(2)
    """

    def __init__(self, n: int, room: int = ROOM) -> None:
        check_workers(n, "n")
        check(isinstance(room, int) and room >= 0, lambda: f"room must be a number of bytes; got {shown(room)}.")
        self.workers, self.room = n, room
        self.deaths = self.sent = self.received = 0
        self._team: list[_Worker | None] = [None] * n
        self._closed, self._serial = False, 0

    def __repr__(self) -> str:
        return f"Processes({self.workers})"

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers that are running."""
        return [worker.process.pid or 0 for worker in self._team if worker is not None and worker.process.is_alive()]

    def close(self) -> None:
        team, self._team, self._closed = self._team, [None] * self.workers, True
        for worker in team:
            if worker is not None:
                worker.stop()

    def map(self, task: Task, partitions: Sequence[range]) -> list[Sums]:
        check(not self._closed, "These processes have ended: their `with` block is over. Make new ones with processes(n).")
        self.trips += 1
        self._serial += 1
        data = pickle.dumps(task, protocol=5)
        found: list[list[Sums] | None] = [None] * len(partitions)
        queues = [list(range(i, len(partitions), self.workers)) for i in range(self.workers)]
        deaths = [0] * len(partitions)
        for i, queue in enumerate(queues):
            self._next(i, queue, data, partitions)
        while any(queues):
            waiting: dict[Any, int] = {}  # an answer, or a death
            for i, worker in enumerate(self._team):
                if worker is not None and queues[i]:
                    waiting[worker.pipe] = waiting[worker.process.sentinel] = i
            for i in sorted({waiting[event] for event in wait(list(waiting))}):
                self._receive(i, queues[i], found, deaths)
                self._next(i, queues[i], data, partitions)
        return [sums for part in found if part is not None for sums in part]

    def _next(self, i: int, queue: list[int], data: bytes, partitions: Sequence[range]) -> None:
        """Send a worker the first partition of its queue, unless it works on that already."""
        if not queue:
            return
        worker = self._team[i]
        if worker is None:
            worker = self._team[i] = _Worker(self.room)
        job = (self._serial, queue[0])
        if worker.job != job:
            worker.job = job
            self.sent += len(data)
            with suppress(OSError):  # it has died, which shows when its answer is received
                worker.pipe.send((*job, list(partitions[queue[0]])))
                worker.pipe.send_bytes(data)

    def _receive(self, i: int, queue: list[int], found: list[list[Sums] | None], deaths: list[int]) -> None:
        """Store the answer of a worker; drop a worker that has died."""
        worker = self._team[i]
        assert worker is not None
        try:
            serial, partition = worker.pipe.recv()
            data = worker.pipe.recv_bytes()
        except (EOFError, OSError):  # it died, perhaps in the middle of an answer
            worker.stop(1.0)  # seconds in which it may end by itself, so that its exit code is its own
            self._team[i] = None
            self.deaths += 1
            deaths[queue[0]] += 1
            check(deaths[queue[0]] <= DEATHS, lambda: f"{deaths[queue[0]]} worker processes died over the same shards, the "
                  f"last one with exit code {worker.process.exitcode}. If it is -9, memory may have run out: use fewer "
                  "processes, smaller shards or a smaller room. If they ended at once, the script that starts them has to "
                  "guard its code by `if __name__ == \"__main__\":`.")
            return
        if (serial, partition) != (self._serial, queue[0]):  # an answer to a round that was interrupted
            return
        self.received += len(data)
        answer = pickle.loads(data)  # from a process that this one started
        if isinstance(answer, BaseException):
            raise answer
        found[partition] = answer
        queue.pop(0)


class _Worker:
    def __init__(self, room: int) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, room), daemon=True)
        self.process.start()
        theirs.close()
        self.job: tuple[int, int] | None = None

    def stop(self, patience: float = 5.0) -> None:  # seconds in which it may end by itself
        self.pipe.close()  # a worker that waits for work ends then
        self.process.join(patience)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _serve(pipe: Connection, room: int) -> None:
    """Run the loop of a worker process, which ends when the pipe is closed. Ctrl-C is left to the driver."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    cache = Cache(room)
    while True:
        try:
            serial, partition, shards = pipe.recv()
            data = pipe.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            found: Any = work(pickle.loads(data), shards, cache)  # from the process that started this one
        except Exception as error:
            found = error
        try:
            answer = pickle.dumps(found, protocol=5)
        except Exception:  # an error that cannot be pickled
            answer = pickle.dumps(GreedyhullError(f"A worker failed: {type(found).__name__}: {found}"))
        try:
            pipe.send((serial, partition))
            pipe.send_bytes(answer)
        except OSError:  # the driver has gone
            return


def processes(n: int, *, room: int = ROOM) -> Processes:
    """Compute an objective over shards in worker processes on this machine; a context manager.

    Each worker loads the shards of its partition and keeps those that fit. A worker that dies is replaced, and the new one
    loads the shards again: the result is the same to the last bit.

    Parameters
    ----------
    n : int
        How many processes, at most one for each processor.
    room : int, default 128 MiB
        Bytes of shards that each of them keeps in memory. Shards beyond that are loaded each time they are needed. Files that
        are mapped into memory do not count.

    Returns
    -------
    Processes
        The executor; ``f.on(executor)`` is f computed by it.

    Notes
    -----
    A script that starts processes guards its code by ``if __name__ == "__main__":``, as Python's multiprocessing requires.

    Examples
    --------
    >>> import greedyhull as gh
    >>> with gh.processes(2) as executor:
    ...     print(executor)
    Processes(2)
    """
    return Processes(n, room)
