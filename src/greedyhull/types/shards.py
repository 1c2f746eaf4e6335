"""Data in pieces that can be loaded again: what a solve over more rows than fit in memory asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from greedyhull.types.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """Some rows of the data: X (dense, or CSR), their targets, and their weights if they have any.

    A shard may have no rows at all.
    """

    X: Any
    y: Array
    sample_weight: Array | None = None

    def __len__(self) -> int:
        return int(self.X.shape[0])


@runtime_checkable
class Shards(Protocol):
    """``count`` shards of d columns. ``load(k)`` is pure: any process may call it, again and in any order.

    ``name(k)`` is what the k-th shard is called in messages, its file and the part of it. ``mark(k)`` changes when the shard
    does, as far as can be seen without reading it whole: from its size, its time and some of its bytes. It is empty
    where nothing can be seen: a resumed run then finds its bound again.
    """

    @property
    def d(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def names(self) -> list[str] | None: ...  # of the columns
    def load(self, k: int) -> Shard: ...
    def name(self, k: int) -> str: ...
    def mark(self, k: int) -> str: ...
