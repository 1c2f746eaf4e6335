"""Shards on their way to a worker: packed once, and unpacked once by each."""

from __future__ import annotations

import pickle
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from greedyhull.errors import GreedyhullError
from greedyhull.types import Shard, Shards

KEPT = 4  # packed shards that a worker remembers


class Packed:
    """Shards that are pickled when they first leave this process, and not again."""

    def __init__(self, shards: Shards, marks: list[str]) -> None:
        self.inner, self.marks = shards, marks
        self.d, self.count, self.names = int(shards.d), int(shards.count), shards.names
        self._bytes: bytes | None = None

    def load(self, k: int) -> Shard:
        return self.inner.load(k)

    def name(self, k: int) -> str:
        return self.inner.name(k)

    def mark(self, k: int) -> str:
        return self.inner.mark(k)

    def __reduce__(self) -> Any:
        if self._bytes is None:
            try:
                self._bytes = pickle.dumps((self.inner, self.marks), protocol=5)
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
    shards, marks = pickle.loads(data.data)  # made by `__reduce__` above, and received from the driver of this crew alone
    return Packed(shards, marks)
