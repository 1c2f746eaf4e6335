"""Shards on their way to a worker: packed once, and unpacked once by each; what they load is what the first pass saw."""

from __future__ import annotations

import pickle
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.sharded.fingerprint import fingerprint
from greedyhull.types import Array, Shard, Shards

KEPT = 4  # packed shards that a worker remembers


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


def packed(shards: Shards, marks: list[str]) -> Packed:
    """Shards with their marks, which tell apart what a worker has loaded from what has changed since."""
    return Packed(shards, marks)


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


@lru_cache(maxsize=KEPT)
def _once(digest: bytes, data: _Bytes) -> Packed:
    return Packed(*pickle.loads(data.data))  # made by `__reduce__` above, and received from the driver of this crew alone
