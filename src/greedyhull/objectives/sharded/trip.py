"""Trips: a task goes out to a crew, sums come back and are added in the order of the shards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from greedyhull.objectives.sharded.bundles import bundles_of
from greedyhull.objectives.sharded.worker import added
from greedyhull.types import Array, Crew, Sums

LARGEST = 64 << 20  # bytes of sums that come back by shard; above, each bundle adds its own


class Trips:
    """The trips of one objective with its crew. Bundles are fixed when the first one goes out with the rows known.

    Sums of shards are added here, in the order of the shards, so that the result does not depend on who computed which, nor on
    how many workers there are. Where the sums of single shards would be more than 64 MB in all, each bundle is added by its
    worker, in order too: then the result depends on the bundles, still not on who had them. Where even these would be more,
    they go up a tree, if the crew has one.
    """

    def __init__(self, crew: Crew) -> None:
        self.crew, self.count = crew, 0
        self._bundles: dict[bytes, list[range]] = {}

    def bundles(self, rows: Array) -> list[range]:
        """The bundles for shards with so many rows."""
        key = rows.tobytes()
        if key not in self._bundles:
            self._bundles[key] = bundles_of(rows, self.crew.workers)
        return self._bundles[key]

    def sums(self, task: Any, rows: Array, size: int) -> Sums:
        """The sum over all shards of a task that returns about ``size`` numbers for each."""
        return added(self.each(task, rows, size))

    def each(self, task: Any, rows: Array, size: int = 0) -> list[Sums]:
        """What the task returned, by shard or by bundle."""
        self.count += 1
        bundles = self.bundles(rows)
        if 8 * size * len(rows) <= LARGEST:
            return self.crew.map(task, bundles)
        return self.crew.map(replace(task, together=True, paired=8 * size * len(bundles) > LARGEST), bundles)
