"""What tasks over the rows of an objective share: its part, and that every shard is wanted."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from greedyhull.objectives.sharded.part import Part
from greedyhull.types import Shard, Shards, Sums, Task
from greedyhull.types.override import KeepsTask, keeps, override


@dataclass(frozen=True, eq=False)
class RowTask(KeepsTask):
    """A pure function of a shard; subclasses are dataclasses that hold its numbers, and write ``__call__``."""

    part: Part
    together: bool = field(default=False, kw_only=True)

    if TYPE_CHECKING:
        keeps(Task.together)

    @property
    @override
    def shards(self) -> Shards:
        return self.part.shards

    @property
    @override
    def token(self) -> str:
        return self.part.token

    @override
    def wants(self, k: int) -> bool:
        return True

    @override
    @abstractmethod
    def __call__(self, shard: Shard, k: int) -> Sums: ...
