"""Who computes over shards: tasks, the sums that they return, and crews that run them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from greedyhull.types.arrays import Array
    from greedyhull.types.shards import Shard, Shards

Sums: TypeAlias = "dict[str, Array]"  # by name: what one shard, or several, contribute; sums of shards are added


class Task(Protocol):
    """A pure function of a shard and of the numbers that the task holds. It can be pickled, and run again anywhere."""

    @property
    def shards(self) -> Shards: ...
    @property
    def token(self) -> str: ...  # equal for tasks over the same shards: what was loaded for one serves the others
    @property
    def together(self) -> bool: ...  # whether the sums of a bundle are added where they are made
    @property
    def paired(self) -> bool: ...  # whether the sums of bundles are so large that workers add them in pairs, if they can
    def wants(self, k: int) -> bool: ...  # whether the k-th shard must be loaded
    def __call__(self, shard: Shard, k: int) -> Sums: ...


class Crew(Protocol):
    """Runs a task over bundles of shards: here, in several processes, on a cluster.

    ``map`` returns what `greedyhull.extend.work` returns for each bundle, one list after the other. Whatever becomes of a
    worker, all of them come back, in order. Of a task that is ``paired`` it may return one sum of all, added up a tree: in
    pairs of neighbours, then pairs of these, so that the result depends on the bundles alone.
    """

    @property
    def workers(self) -> int: ...  # how many bundles are worth making
    def map(self, task: Task, bundles: Sequence[range]) -> list[Sums]: ...
