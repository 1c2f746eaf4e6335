"""What a worker does with a bundle of shards: load those that it does not hold, run the task on each, return the sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from greedyhull.errors import check
from greedyhull.kernels.threads import one_thread
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array, Shard, Shards, Sums, Task

ROOM = 128 << 20  # bytes of shards that a worker keeps; others are loaded each time
SAMPLED = 64  # numbers of each array of a shard that are compared when it is loaded again
LARGEST = "max "  # what entries begin with that are compared, not added


class Cache:
    """The shards that fit, kept as long as tasks are about them.

    Passes go over the same shards again and again. A cache that throws out the oldest would throw out each shard just before
    it is needed, so the first ones that fit stay. Files that are mapped into memory take no room.
    """

    def __init__(self, room: int = ROOM) -> None:
        self.room, self.used, self.token = room, 0, ""
        self.held: dict[int, Shard] = {}
        self.seen: dict[int, tuple[object, ...]] = {}  # a few numbers of every shard that was loaded

    def shard(self, task: Task, k: int) -> Shard:
        """The k-th shard of a task."""
        if task.token != self.token:
            self.held, self.seen, self.used, self.token = {}, {}, 0, task.token
        found = self.held.get(k)
        if found is not None:
            return found
        shard = task.shards.load(k)
        now = sampled(shard, k, task.shards)
        before = self.seen.setdefault(k, now)
        check(before == now, lambda: f"{task.shards.name(k)} was loaded again, and is another one: {_words(now)} now, "
              f"{_words(before)} before. load(k) must return the same data whenever it is called.")
        size = resident(shard)
        if self.used + size <= self.room:
            self.held[k], self.used = shard, self.used + size
        return shard


CACHE = Cache()  # that of this process, where it works for another one


def work(task: Task, bundle: Sequence[int], cache: Cache | None = None) -> list[Sums]:
    """The sums of a task over the shards of a bundle: one for each shard, or one in all where they are added together.

    A crew of your own calls it in its workers.
    """
    held = CACHE if cache is None else cache
    with one_thread:
        found = (task(held.shard(task, k), k) if task.wants(k) else {} for k in bundle)
        return [added(found)] if task.together else list(found)


def added(sums: Iterator[Sums] | Sequence[Sums]) -> Sums:
    """The sum of sums, in their order."""
    total: Sums = {}
    for part in sums:
        for name, array in part.items():
            if name not in total:
                total[name] = np.array(array, dtype=np.float64)
            elif name.startswith(LARGEST):
                np.maximum(total[name], array, out=total[name])
            else:
                total[name] += array
    return total


def both(left: list[Sums], right: list[Sums]) -> list[Sums]:
    """The sum of two bundles that are added together each."""
    return [added([*left, *right])]


def sampled(shard: Shard, k: int, shards: Shards) -> tuple[object, ...]:
    """The shape of a shard and some of its numbers, by which one is told that is another one when it is loaded again."""
    check(isinstance(shard, Shard), lambda: f"load({k}) returned a {type(shard).__name__} for {shards.name(k)}; a "
                                            "Shard(X, y) is wanted.")
    X, y = shard.X, np.atleast_1d(np.asarray(shard.y))
    if is_sparse(X) and X.format in ("csr", "csc", "coo"):
        entries = X.data[:: max(len(X.data) // SAMPLED, 1)]
    elif isinstance(X, np.ndarray) and X.ndim == 2:
        entries = X[:: max(len(X) * X.shape[1] // SAMPLED, 1)]
    else:  # the first pass says what is wrong with it
        return ()
    weights = np.atleast_1d(np.asarray(0.0 if shard.sample_weight is None else shard.sample_weight))
    return (tuple(X.shape), str(X.dtype), len(y), np.asarray(entries).tobytes(), y[:: max(len(y) // SAMPLED, 1)].tobytes(),
            weights[:: max(len(weights) // SAMPLED, 1)].tobytes())


def _words(seen: tuple[object, ...]) -> str:
    return f"shape {seen[0]} of {seen[1]} with {seen[2]} targets" if seen else "no matrix"


def resident(shard: Shard) -> int:
    """How many bytes of memory a shard takes."""
    X: Any = shard.X
    if is_sparse(X) and X.format not in ("csr", "csc"):  # an entry, its row and its column
        parts, more = [], 16 * int(X.nnz)
    else:
        parts, more = [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr], 0
    return more + sum(_bytes(a) for a in (*parts, shard.y, shard.sample_weight) if a is not None)


def _bytes(array: Array) -> int:
    base: Any = array
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap):
            return 0
        base = base.base
    return int(np.asarray(array).nbytes)
