"""Executors: this process, several processes, and how work is divided among them."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Sequence
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
    """The trips of one objective with its crew. Partitions are fixed when the first one goes out with the rows known.

    Sums of shards are added here, in the order of the shards, so that the result does not depend on who computed which, nor on
    how many workers there are. Where the sums of single shards would be more than 64 MB in all, each partition is added by its
    worker, in order too: then the result depends on the partitions, still not on who had them. Where even these would be more,
    they go up a tree, if the crew has one.
    """

    def __init__(self, crew: Crew) -> None:
        self.crew, self.count = crew, 0
        self._partitions: dict[bytes, list[range]] = {}

    def sums(self, task: Any, rows: Array, size: int) -> Sums:
        """The sum over all shards of a task that returns about ``size`` numbers for each."""
        return added(self.each(task, rows, size))

    def each(self, task: Any, rows: Array, size: int = 0) -> list[Sums]:
        """What the task returned, by shard or by partition."""
        self.count += 1
        key = rows.tobytes()
        partitions = self._partitions[key] = self._partitions.get(key) or partitions_of(rows, self.crew.workers)
        if 8 * size * len(rows) <= LARGEST:
            return self.crew.map(task, partitions)
        return self.crew.map(replace(task, together=True, paired=8 * size * len(partitions) > LARGEST), partitions)


class Serial(Crew):
    """This process does all the work, and holds at most ``room`` bytes of shards beside the one at hand.

    >>> Serial().workers
    1
    """

    def __init__(self, room: int = ROOM) -> None:
        self._cache = Cache(room)

    def __repr__(self) -> str:
        return "Serial()"

    def map(self, task: Task, partitions: Sequence[range]) -> list[Sums]:
        self.trips += 1
        return [sums for partition in partitions for sums in work(task, partition, self._cache)]


DEATHS = 3  # workers that may die over one partition in one trip before somebody is told


class Processes(Crew):
    """Worker processes, one partition of shards each. Partitions whose worker dies go to a new one, which loads them again.

    >>> Processes(2)  # they start when they are first needed
    Processes(2)
    """

    def __init__(self, n: int, room: int = ROOM) -> None:
        whole = isinstance(n, int) and not isinstance(n, bool) and n >= 1
        check(whole, lambda: f"processes(n={shown(n)}) was given; a whole number of at least one is wanted.")
        check(isinstance(room, int) and room >= 0, lambda: f"room={shown(room)} was given; a whole number of bytes is wanted.")
        self.workers, self.room = n, room
        self.deaths = self.sent = self.received = 0
        self._team: list[_Worker | None] = [None] * n
        self._closed, self._serial = False, 0

    def __repr__(self) -> str:
        return f"Processes({self.workers})"

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes that are running."""
        return [worker.process.pid or 0 for worker in self._team if worker is not None and worker.process.is_alive()]

    def close(self) -> None:
        """End all workers. It is done when a ``with`` block ends."""
        team, self._team, self._closed = self._team, [None] * self.workers, True
        for worker in team:
            if worker is not None:
                worker.stop()

    def map(self, task: Task, partitions: Sequence[range]) -> list[Sums]:
        """What the workers return for the partitions, in order; the work of one that dies is done by another."""
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
            for i in self._ready(queues):
                self._hear(i, queues[i], found, deaths)
                self._next(i, queues[i], data, partitions)
        return [sums for part in found if part is not None for sums in part]

    def _ready(self, queues: list[list[int]]) -> list[int]:
        """The workers that have something to say, or have died."""
        waiting: dict[Any, int] = {}
        for i, worker in enumerate(self._team):
            if worker is not None and queues[i]:
                waiting[worker.pipe] = waiting[worker.process.sentinel] = i
        return sorted({waiting[event] for event in wait(list(waiting))})

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
            worker.send((self._serial, queue[0], list(partitions[queue[0]])), data)

    def _hear(self, i: int, queue: list[int], found: list[list[Sums] | None], deaths: list[int]) -> None:
        """Take what a worker says; forget it if it has died."""
        worker = self._team[i]
        assert worker is not None
        try:
            serial, partition, data = worker.receive()
        except (EOFError, OSError):  # it died, perhaps in the middle of an answer
            self._lost(i, queue[0], deaths)
            return
        if (serial, partition) != (self._serial, queue[0]):  # an answer to a trip that was interrupted
            return
        self.received += len(data)
        said = pickle.loads(data)  # from a process that this one started
        if isinstance(said, BaseException):
            raise said
        found[partition] = said
        queue.pop(0)

    def _lost(self, i: int, partition: int, deaths: list[int]) -> None:
        worker = self._team[i]
        assert worker is not None
        worker.stop(1.0)  # seconds in which a worker that is gone may end by itself, so that its exit code is its own
        code = worker.process.exitcode
        self._team[i] = None
        self.deaths += 1
        deaths[partition] += 1
        check(deaths[partition] <= DEATHS, lambda: f"{deaths[partition]} worker processes died over the same shards, the last "
              f"one with exit code {code}. If it is -9, memory may have run out: use fewer processes, smaller shards or a "
              "smaller room. If they ended at once, the script that starts them has to guard its code by `if __name__ == "
              "\"__main__\":`.")


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, room: int) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, room), daemon=True)
        self.process.start()
        theirs.close()
        self.job: tuple[int, int] | None = None

    def send(self, job: tuple[int, int, list[int]], data: bytes) -> None:
        try:
            self.pipe.send(job)
            self.pipe.send_bytes(data)
        except OSError:  # it has died: whoever waits for it will see
            pass

    def receive(self) -> tuple[int, int, bytes]:
        serial, partition = self.pipe.recv()
        return serial, partition, self.pipe.recv_bytes()

    def stop(self, patience: float = 5.0) -> None:  # seconds in which a worker that was told to stop may do so
        self.pipe.close()  # a worker that waits for work ends then
        self.process.join(patience)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _serve(pipe: Connection, room: int) -> None:
    """What a worker process does until the pipe is closed. Ctrl-C is for the driver to answer: a worker goes on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    cache = Cache(room)
    while True:
        try:
            serial, partition, shards = pipe.recv()
            data = pipe.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            said: Any = work(pickle.loads(data), shards, cache)  # from the process that started this one
        except Exception as error:
            said = error
        try:
            answer = pickle.dumps(said, protocol=5)
        except Exception:  # an error that cannot be sent as it is
            answer = pickle.dumps(GreedyhullError(f"A worker failed: {type(said).__name__}: {said}"))
        try:
            pipe.send((serial, partition))
            pipe.send_bytes(answer)
        except OSError:  # nobody listens any more
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
        The crew; ``f.on(crew)`` is f computed by it.

    See Also
    --------
    cluster : Workers of a Dask cluster.

    Notes
    -----
    A script that starts processes guards its code by ``if __name__ == "__main__":``, as Python's multiprocessing asks.

    Examples
    --------
    >>> import greedyhull as gh
    >>> with gh.processes(2) as crew:
    ...     print(crew)
    Processes(2)
    """
    return Processes(n, room)
