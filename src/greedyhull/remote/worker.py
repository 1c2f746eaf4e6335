"""What a worker does with its shards: load, keep and recognise them."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any
from zlib import crc32

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.kernels.core import one_thread
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array, Shard, Shards, Sums, Task


def fingerprint(shard: Shard) -> float:
    """Return an integer below 2³², the same for the same data; 0 for a shard without rows, −1 for anything else.

    >>> one, other = np.eye(2), np.eye(2) + 1e-9
    >>> fingerprint(Shard(one, np.ones(2))) == fingerprint(Shard(one.copy(), np.ones(2)))
    True
    >>> fingerprint(Shard(one, np.ones(2))) == fingerprint(Shard(other, np.ones(2)))
    False
    """
    X: Any = shard.X if isinstance(shard, Shard) else None
    if not (isinstance(X, np.ndarray) or is_sparse(X)) or X.ndim != 2:
        return -1.0  # the first pass raises the error
    if X.shape[0] == 0:
        return 0.0
    found = crc32(f"{X.shape} {X.dtype} {shard.sample_weight is None}".encode())
    for part in (_some(X), np.asarray(shard.y), np.asarray(0.0 if shard.sample_weight is None else shard.sample_weight)):
        found = crc32(np.ascontiguousarray(part).view(np.uint8).data if part.dtype != object else repr(part).encode(), found)
    return float(max(found, 1))


def _some(X: Any) -> Array:
    """Return about 256 entries of X, evenly spaced: all of them would be read again by every load."""
    if not is_sparse(X):
        return np.asarray(X[:: max(len(X) * X.shape[1] // 256, 1)])
    entries = X.data if X.format in ("csr", "csc", "coo") else X.tocsr().data
    return np.append(np.asarray(entries[:: max(len(entries) // 256, 1)], dtype=np.float64), float(X.nnz))


class Packed:
    """Shards that are pickled once. After the first pass each load compares the `fingerprint` of the shard, so that all
    workers compute with the same data."""

    def __init__(self, shards: Shards, marks: list[str], prints: Array | None = None) -> None:
        self.inner, self.marks = shards, marks
        self.d, self.count, self.names = int(shards.d), int(shards.count), shards.names
        self._prints = prints
        self._bytes: bytes | None = None

    def expect(self, prints: Array) -> None:
        """Compare every shard with these fingerprints from now on."""
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


UNPACKED: dict[bytes, Packed] = {}  # at most four, by digest


def _unpacked(data: bytes) -> Packed:
    digest = blake2b(data, digest_size=16).digest()
    found = UNPACKED.get(digest)
    if found is None:
        if len(UNPACKED) >= 4:
            UNPACKED.clear()
        found = UNPACKED[digest] = Packed(*pickle.loads(data))  # made by `__reduce__` in the driver
    return found


ROOM = 128 << 20  # bytes of shards that a worker keeps; others are loaded each time


class Cache:
    """The first shards that fit, kept as long as tasks use the same data: dropping the oldest would drop each shard just
    before it is needed again. Files that are mapped into memory take no room."""

    def __init__(self, room: int = ROOM) -> None:
        self.room, self.used, self.token = room, 0, ""
        self.held: dict[int, Shard] = {}

    def shard(self, task: Task, k: int) -> Shard:
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


CACHE = Cache()  # of a worker process


def work(task: Task, bundle: Sequence[int], cache: Cache | None = None) -> list[Sums]:
    """Return the sums of a task over the shards of a partition, the ``bundle``: one per shard, or one if ``together``."""
    held = CACHE if cache is None else cache
    with one_thread:
        found = (task(held.shard(task, k), k) if task.wants(k) else {} for k in bundle)
        return [added(found)] if task.together else list(found)


def added(sums: Iterator[Sums] | Sequence[Sums]) -> Sums:
    """Add sums, in their order; of entries whose name begins with "max " the larger one counts."""
    total: Sums = {}
    for part in sums:
        for name, array in part.items():
            if name not in total:
                total[name] = np.array(array, dtype=np.float64)
            elif name.startswith("max "):
                np.maximum(total[name], array, out=total[name])
            else:
                total[name] += array
    return total


def both(left: list[Sums], right: list[Sums]) -> list[Sums]:
    return [added([*left, *right])]


def resident(shard: Shard) -> int:
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
