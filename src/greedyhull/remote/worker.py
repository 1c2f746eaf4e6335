"""What a worker does with its shards: load, pack and recognise them."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any
from zlib import crc32

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.kernels.core import one_thread
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array, Shard, Shards, Sums, Task

SAMPLED = 256  # entries of X that count; all of them would be read again by every load
ODD = -1.0  # what is no shard; the first pass says what is wrong with it


def fingerprint(shard: Shard) -> float:
    """A whole number below 2³², the same for the same data; 0 for a shard without rows.

    >>> one, other = np.eye(2), np.eye(2) + 1e-9
    >>> fingerprint(Shard(one, np.ones(2))) == fingerprint(Shard(one.copy(), np.ones(2)))
    True
    >>> fingerprint(Shard(one, np.ones(2))) == fingerprint(Shard(other, np.ones(2)))
    False
    """
    if not isinstance(shard, Shard):
        return ODD
    X: Any = shard.X
    if not (isinstance(X, np.ndarray) or is_sparse(X)) or X.ndim != 2:
        return ODD
    if X.shape[0] == 0:
        return 0.0
    found = crc32(f"{X.shape} {X.dtype} {shard.sample_weight is None}".encode())
    for part in (_some(X), np.asarray(shard.y), np.asarray(0.0 if shard.sample_weight is None else shard.sample_weight)):
        found = crc32(np.ascontiguousarray(part).view(np.uint8).data if part.dtype != object else repr(part).encode(), found)
    return float(max(found, 1))


def _some(X: Any) -> Array:
    """Entries of X, evenly spaced."""
    if not is_sparse(X):
        rows = X[:: max(len(X) * X.shape[1] // SAMPLED, 1)]
        return np.asarray(rows)
    entries = X.data if X.format in ("csr", "csc", "coo") else X.tocsr().data
    return np.append(np.asarray(entries[:: max(len(entries) // SAMPLED, 1)], dtype=np.float64), float(X.nnz))


class Packed:
    """Shards that are pickled when they first leave this process, and not again.

    After the first pass they know the `fingerprint` of every shard. Whoever loads one compares: a shard that changes during a
    run would else be one thing to the worker that has held it since, and another to the one that takes that worker's place.
    """

    def __init__(self, shards: Shards, marks: list[str], prints: Array | None = None) -> None:
        self.inner, self.marks = shards, marks
        self.d, self.count, self.names = int(shards.d), int(shards.count), shards.names
        self._prints = prints
        self._bytes: bytes | None = None

    def expect(self, prints: Array) -> None:
        """Take these fingerprints for those of the data."""
        self._prints, self._bytes = prints, None

    def load(self, k: int) -> Shard:
        shard = self.inner.load(k)
        if self._prints is not None:
            check(fingerprint(shard) == float(self._prints[k]), lambda: f"{self.name(k)} was loaded again, and is another one "
                  "than in the first pass over the data. load(k) must return the same data whenever it is called, and files "
                  "must not change during a run. Put it back, or begin anew.")
        return shard

    def name(self, k: int) -> str:
        return self.inner.name(k)

    def mark(self, k: int) -> str:
        return self.inner.mark(k)

    def __reduce__(self) -> Any:
        if self._bytes is None:
            try:
                self._bytes = pickle.dumps((self.inner, self.marks, self._prints), protocol=5)
            except Exception as error:
                raise GreedyhullError(f"{self.inner!r} cannot be sent to other processes ({type(error).__name__}: {error}). A "
                                      "loader must be a function of a module, or an object whose class is in one; not a "
                                      "lambda, nor one defined in a function.") from error
        return _unpacked, (self._bytes,)


def _unpacked(data: bytes) -> Packed:
    return _once(blake2b(data, digest_size=16).digest(), _Bytes(data))


class _Bytes:
    """Bytes that count as equal to any others: the digest beside them tells."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bytes)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=4)  # packed shards that a worker remembers
def _once(digest: bytes, data: _Bytes) -> Packed:
    return Packed(*pickle.loads(data.data))  # made by `__reduce__` above, and received from the driver of this crew alone


ROOM = 128 << 20  # bytes of shards that a worker keeps; others are loaded each time
LARGEST = "max "  # what entries begin with that are compared, not added


class Cache:
    """The shards that fit, kept as long as tasks are about them.

    Passes go over the same shards again and again. A cache that throws out the oldest would throw out each shard just before
    it is needed, so the first ones that fit stay. Files that are mapped into memory take no room.
    """

    def __init__(self, room: int = ROOM) -> None:
        self.room, self.used, self.token = room, 0, ""
        self.held: dict[int, Shard] = {}

    def shard(self, task: Task, k: int) -> Shard:
        """The k-th shard of a task."""
        if task.token != self.token:
            self.held, self.used, self.token = {}, 0, task.token
        found = self.held.get(k)
        if found is not None:
            return found
        shard = task.shards.load(k)
        check(isinstance(shard, Shard), lambda: f"load({k}) returned a {type(shard).__name__} for {task.shards.name(k)}; a "
                                                "Shard(X, y) is wanted.")
        size = resident(shard)
        if self.used + size <= self.room:
            self.held[k], self.used = shard, self.used + size
        return shard


CACHE = Cache()  # that of this process, where it works for another one


def work(task: Task, bundle: Sequence[int], cache: Cache | None = None) -> list[Sums]:
    """The sums of a task over the shards of a partition, the ``bundle``: one for each shard, or one in all if ``together``.

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
    """The sum of two partitions that are added together each."""
    return [added([*left, *right])]


def resident(shard: Shard) -> int:
    """How many bytes of memory a shard takes; what is no matrix is for the first pass to tell."""
    X: Any = shard.X
    if is_sparse(X) and X.format not in ("csr", "csc"):  # an entry, its row and its column
        parts, more = [], 16 * int(X.nnz)
    else:
        parts, more = [X.data, X.indices, X.indptr] if is_sparse(X) else [X], 0
    return more + sum(_bytes(a) for a in (*parts, shard.y, shard.sample_weight) if a is not None)


def _bytes(array: Array) -> int:
    base: Any = array
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap):
            return 0
        base = base.base
    return int(np.asarray(array).nbytes)
