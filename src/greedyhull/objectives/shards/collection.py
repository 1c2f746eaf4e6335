"""What `gh.shards` makes of files: pieces that are loaded one by one, by any process, again and in any order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from greedyhull.errors import check
from greedyhull.objectives.shards.marks import SeenFile, mark_of
from greedyhull.types import Shard


class Piece(Protocol):
    """The rows of one shard: the files they come from, what they are called, and how they are loaded."""

    @property
    def files(self) -> tuple[SeenFile, ...]: ...
    @property
    def part(self) -> str: ...  # of the first file: "row group 3", "" where it is all of it
    def load(self) -> Shard: ...


@dataclass(frozen=True, repr=False, eq=False)
class FileShards:
    """Shards in files. Frozen; pickles hold names of files and columns, and no data."""

    pieces: tuple[Piece, ...]
    d: int
    columns: tuple[str, ...] | None
    words: str  # what the files, the target and the weights are

    @property
    def count(self) -> int:
        return len(self.pieces)

    @property
    def names(self) -> list[str] | None:
        return None if self.columns is None else list(self.columns)

    def load(self, k: int) -> Shard:
        """The rows of the k-th shard; an error if one of its files is not what it was."""
        piece = self._piece(k)
        for file in piece.files:
            file.unchanged()
        shard = piece.load()
        for file in piece.files:  # nor did it change while it was read
            file.unchanged()
        return shard

    def name(self, k: int) -> str:
        """The file of the k-th shard, and the part of it."""
        piece = self._piece(k)
        return f"{piece.files[0].shown}{piece.part and ', '}{piece.part}"

    def mark(self, k: int) -> str:
        """A digest that changes when the k-th shard does, of its file as it is now."""
        piece = self._piece(k)
        return mark_of(piece.files, piece.part)

    def _piece(self, k: int) -> Piece:
        check(0 <= k < len(self.pieces), f"Shard {k} was asked for; there are {len(self.pieces)}, counted from 0.")
        return self.pieces[k]

    def __repr__(self) -> str:
        files = len({piece.files[0].path for piece in self.pieces})
        return (f"<{_several(self.count, 'shard')} of {_several(files, 'file')}, {_several(self.d, 'column')}; {self.words}>")


def _several(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
