"""Dask workers, on this machine or on others: one task per worker and round.

Tasks are submitted with ``allow_other_workers``: a partition goes to the worker that holds its shards, and if that one dies to
any other, which loads them again. Nothing is scattered and there are no actors: both would be lost with their worker.
"""

from __future__ import annotations

import pickle
import platform
import sys
from asyncio import CancelledError
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check, installing, shown
from greedyhull.remote.executors import DEATHS, check_workers
from greedyhull.remote.worker import both, work
from greedyhull.types import Crew, Sums, Task

REACHED_IN = 10.0  # seconds in which a scheduler must answer
LOOPBACK = "127.0.0.1"


class Dask(Crew):
    """The workers of a Dask cluster; `cluster` makes one."""

    def __init__(self, client: Any, local: Any) -> None:
        self._client, self._local = client, local
        self.dashboard: str = str(client.dashboard_link)
        self._homes: list[str] = []
        self.workers = len(self._alive())
        self._check_versions()

    def __repr__(self) -> str:
        return f"Dask({self.workers} workers, dashboard {self.dashboard})"

    def close(self) -> None:
        self._client.close()
        if self._local is not None:
            self._local.close()

    def ignore_interrupts(self) -> None:
        """Let the workers of this machine, and those that replace them, leave Ctrl-C to the driver."""
        from distributed import WorkerPlugin

        class IgnoreInterrupts(WorkerPlugin):
            name = "greedyhull-ignore-interrupts"

            def setup(self, worker: Any) -> None:
                import signal
                import threading

                if threading.current_thread() is threading.main_thread():
                    signal.signal(signal.SIGINT, signal.SIG_IGN)

        self._client.register_plugin(IgnoreInterrupts())

    def map(self, task: Task, partitions: Sequence[range]) -> list[Sums]:
        self.trips += 1
        data, deaths = pickle.dumps(task, protocol=5), [0] * len(partitions)
        futures: list[Any] = []
        try:
            self._homes = self._at_home(len(partitions))
            futures += [self._sent(data, partition, home) for partition, home in zip(partitions, self._homes, strict=True)]
            while not all(future.done() for future in futures):
                self._wait(futures)
                self._resend(data, partitions, futures, deaths)
            if task.paired and len(futures) > 1:
                summed = self._from_tree(futures)
                return self.map(task, partitions) if summed is None else summed  # a worker died with sums that others needed
            found = self._client.gather(futures)
        except GreedyhullError:
            raise
        except (Exception, CancelledError) as error:
            raise self._explained(error) from error
        finally:
            for future in futures:
                future.release()
        return [sums for part in found for sums in part]

    def _from_tree(self, futures: list[Any]) -> list[Sums] | None:
        """Add all on the workers: neighbours, then neighbours of these. None if a worker has died meanwhile."""
        homes, level = set(self._homes), list(futures)
        while len(level) > 1:
            pairs = [self._client.submit(both, level[i], level[i + 1], pure=False) for i in range(0, len(level) - 1, 2)]
            futures += pairs  # they are released with the others
            level = pairs + level[len(level) - len(level) % 2 :]
        while not level[0].done():
            self._wait(level)
            if not homes <= set(self._workers()):
                return None
        found: list[Sums] = level[0].result()
        return found

    def _explained(self, error: BaseException) -> BaseException:
        """Return an error that explains one of Dask; those of tasks stay as they are."""
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        if isinstance(error, KilledWorker):
            return GreedyhullError(_died(str(error)))
        if isinstance(error, ModuleNotFoundError):
            return GreedyhullError(f"A Dask worker cannot import what the task needs ({error}). Install that module for the "
                                   "workers too.")
        if isinstance(error, CommClosedError) or self._client.status != "running":
            return GreedyhullError(f"The Dask scheduler is gone ({type(error).__name__}). Start it again. A run with a "
                                   "checkpoint continues from its last state, with this cluster or another, or without one.")
        return error

    def _sent(self, data: bytes, partition: range, home: str) -> Any:
        return self._client.submit(work_on, data, list(partition), pure=False, allow_other_workers=True, workers=[home])

    def _wait(self, futures: list[Any]) -> None:
        import distributed

        dask: Any = distributed  # it has no types
        with self._client.as_current(), suppress(TimeoutError):
            dask.wait(futures, timeout=2.0)  # seconds after which the caller checks that all workers are still there

    def _workers(self) -> list[str]:
        return sorted(self._client.scheduler_info(n_workers=-1)["workers"])

    def _resend(self, data: bytes, partitions: Sequence[range], futures: list[Any], deaths: list[int]) -> None:
        """Resend the tasks that wait for a worker that has died; the scheduler offers them to no other address."""
        alive = self._workers()
        lost = [i for i, future in enumerate(futures) if not future.done() and self._homes[i] not in alive]
        if lost:
            self._homes = self._at_home(len(futures))
            for i in lost:
                futures[i].cancel()
                deaths[i] += 1
                check(deaths[i] <= DEATHS, lambda: _died(f"{DEATHS + 1} times"))
                futures[i] = self._sent(data, partitions[i], self._homes[i])

    def _at_home(self, count: int) -> list[str]:
        """Return a worker for each partition, the same in every round as long as it lives."""
        alive = self._alive()
        kept = [home for home in self._homes if home in alive]
        fresh = [home for home in alive if home not in kept]
        homes = [home if home in alive else "" for home in (self._homes + [""] * count)[:count]]
        for i, home in enumerate(homes):
            if not home:
                homes[i] = fresh.pop(0) if fresh else alive[i % len(alive)]
        return homes

    def _alive(self) -> list[str]:
        """Return the addresses of the workers; wait for those that are being replaced."""
        if self._local is not None and len(self._workers()) < len(self._local.worker_spec):
            self._local.scale(len(self._local.worker_spec))  # Dask gives up what is not back in 15 s
        patience = 60.0  # seconds in which a worker must be there
        until = monotonic() + patience
        while (left := until - monotonic()) > 0.0:
            with suppress(TimeoutError):
                self._client.wait_for_workers(1, timeout=left)
            if alive := self._workers():  # the one that came may be gone again
                return alive
        raise GreedyhullError(f"The Dask cluster has no workers, and none came within {patience:.0f} seconds. Start some with "
                              "`dask worker ADDRESS`. A run with a checkpoint continues from its last state.")

    def _check_versions(self) -> None:
        here, there = _versions(), self._client.run(_versions)
        for address, theirs in there.items():
            for name, version in here.items():
                check(theirs[name] == version, f"The Dask worker at {address} has {name} {theirs[name]}, and this process has "
                      f"{version}. Results would not be the same: install the same version on both.")


def work_on(data: bytes, partition: Sequence[int]) -> list[Sums]:
    """Return the sums of a task that arrives as bytes: a task that Dask itself cannot unpickle would end the worker."""
    return work(pickle.loads(data), partition)  # from the driver, which may run any code here anyway


def _died(how: str) -> str:
    return (f"Several Dask workers died over the same shards ({how}). If memory ran out there, make shards smaller, or give "
            "workers more.")


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {"greedyhull": version("greedyhull"), "numpy": np.__version__, "Python": platform.python_version()}


def cluster(address: str | None = None, *, workers: int | None = None) -> Dask:
    """Compute an objective over shards with the workers of a Dask cluster; a context manager.

    Parameters
    ----------
    address : str, optional
        The scheduler's address, such as ``"tcp://HOST:8786"``. Without one, a cluster is started on this machine, which
        nobody else can reach.
    workers : int, optional
        How many workers a cluster on this machine has, 2 by default.

    Returns
    -------
    Dask
        The executor; ``f.on(executor)`` is f computed by it. Its ``dashboard`` is the address of Dask's dashboard, which is
        also printed to stderr if that is a terminal.

    Notes
    -----
    It needs the extra ``cluster``. A script that starts a cluster on its own machine guards its code by ``if __name__ ==
    "__main__":``, as Python's multiprocessing requires.

    Start a cluster with Dask's own commands: ``dask scheduler`` on one machine, and ``dask worker
    tcp://HOST:8786 --nthreads 1`` on each. Whoever reaches a scheduler can run any code on its workers; keep it in a network
    that you trust.

    Examples
    --------
    >>> import greedyhull as gh
    >>> with gh.cluster(workers=1) as executor:                    # doctest: +SKIP
    ...     print(executor.workers)
    1
    """
    executor = joined(address, workers)
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"Dask dashboard: {executor.dashboard}", file=sys.stderr)
    return executor


def joined(address: str | None, workers: int | None) -> Dask:
    """Return the executor without printing anything."""
    check(address is None or isinstance(address, str), lambda: f"cluster({shown(address)}) was given; the address of a "
          "scheduler, such as \"tcp://HOST:8786\", is wanted.")
    check(address is None or workers is None, "cluster(...) was given an address and workers=; workers= is for a cluster "
                                              "that is started on this machine. Give one of them.")
    if workers is not None:
        check_workers(workers, "workers")
    try:
        import distributed
    except ImportError:
        raise GreedyhullError(f"cluster(...) needs Dask, which is not installed. {installing('cluster')}") from None
    dask: Any = distributed  # it has no types
    if address is not None:
        try:
            client = dask.Client(address, timeout=REACHED_IN, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise GreedyhullError(f"No Dask scheduler answered at {address} within {REACHED_IN:g} s ({type(error).__name__}). "
                                  "Is it running (`dask scheduler`), and is the address right?") from error
        return Dask(client, None)
    try:  # its processes import the script that starts them
        local = dask.LocalCluster(n_workers=workers or 2, threads_per_worker=1, processes=True, host=LOOPBACK,
                                  dashboard_address=f"{LOOPBACK}:0", silence_logs=50, memory_limit=0)
    except (RuntimeError, OSError, TimeoutError) as error:
        raise GreedyhullError(f"The workers of the Dask cluster ended before they had started ({str(error).rstrip('.')}). The "
                              "script that starts them has to guard its code by `if __name__ == \"__main__\":`.") from error
    executor = Dask(dask.Client(local, set_as_default=False), local)
    executor.ignore_interrupts()
    return executor
