"""What tasks over the rows of an objective share: its part, that every shard is wanted, and that zeros are not sent."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.objectives.sharded.part import Part
from greedyhull.types import Array, Index, Shard, Shards, Sums, Task
from greedyhull.types.override import KeepsTask, keeps, override

SHORT = 64  # entries of a vector that is sent as it is


class Squeezed(NamedTuple):
    """A vector that is mostly zeros, as it is sent: a point of few atoms takes 16 bytes for each of them."""

    size: int
    places: Index
    entries: Array


def squeezed(value: Any) -> Any:
    """What is sent in place of a vector that is mostly zeros; everything else as it is. Not a bit is lost, −0.0 is kept.

    >>> squeezed(np.eye(1, 100, 3)[0])
    Squeezed(size=100, places=array([3]), entries=array([1.]))
    """
    if type(value) is not np.ndarray or value.ndim != 1 or value.dtype != np.float64 or value.size <= SHORT:
        return value
    index = np.ascontiguousarray(value).view(np.int64).nonzero()[0]
    return Squeezed(value.size, index, value[index]) if 4 * len(index) < value.size else value


def spread(value: Any) -> Any:
    """What was sent by `squeezed`."""
    if not isinstance(value, Squeezed):
        return value
    whole = np.zeros(value.size)
    whole[value.places] = value.entries
    return whole


@dataclass(frozen=True, eq=False)
class RowTask(KeepsTask):
    """A pure function of a shard; subclasses are dataclasses that hold its numbers, and write ``__call__``."""

    part: Part
    together: bool = field(default=False, kw_only=True)
    paired: bool = field(default=False, kw_only=True)

    if TYPE_CHECKING:
        keeps(Task.together, Task.paired)

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

    def __getstate__(self) -> dict[str, Any]:
        return {name: squeezed(value) for name, value in vars(self).items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, spread(value))  # it is frozen
