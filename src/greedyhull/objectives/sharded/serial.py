"""The crew of one: this process, one shard after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from greedyhull.objectives.sharded.worker import ROOM, Cache, work
from greedyhull.types import Crew, Sums, Task
from greedyhull.types.override import KeepsCrew, keeps, override


class Serial(KeepsCrew):
    """This process does all the work, and holds at most ``room`` bytes of shards beside the one at hand.

    >>> Serial().workers
    1
    """

    workers = 1

    if TYPE_CHECKING:
        keeps(Crew.workers)

    def __init__(self, room: int = ROOM) -> None:
        self.trips, self._cache = 0, Cache(room)

    def __repr__(self) -> str:
        return "Serial()"

    @override
    def map(self, task: Task, bundles: Sequence[range]) -> list[Sums]:
        self.trips += 1
        return [sums for bundle in bundles for sums in work(task, bundle, self._cache)]
