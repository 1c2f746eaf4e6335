"""Parquet files: one shard a row group, of which only the columns that are wanted are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from greedyhull.objectives.shards.collection import FileShards, Piece
from greedyhull.objectives.shards.columnar import arrow, fits, schema_of, shard_of
from greedyhull.objectives.shards.marks import SeenFile
from greedyhull.objectives.shards.reading import reading
from greedyhull.objectives.shards.schema import Schema, Taken, agreed
from greedyhull.objectives.shards.wanted import Wanted
from greedyhull.types import Shard

WHAT = "a Parquet file"


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group of a file; its first row is row ``first`` of the file. A file without any is one shard without rows: −1."""

    file: SeenFile
    group: int
    first: int
    taken: Taken

    @property
    def files(self) -> tuple[SeenFile, ...]:
        return (self.file,)

    @property
    def part(self) -> str:
        return f"row group {self.group}" if self.group >= 0 else ""

    def load(self) -> Shard:
        names = [*self.taken.features, self.taken.target, *([self.taken.weight] if self.taken.weight is not None else [])]
        with reading(self.file.shown, WHAT), _opened(self.file) as file:
            table = file.read_row_group(self.group, columns=names) if self.group >= 0 else file.schema_arrow.empty_table()
            return shard_of(table, self.taken, self.file, self.first)


def parquet_shards(files: Sequence[SeenFile], given: Wanted) -> FileShards:
    """The row groups of all files."""
    looked = [_looked_at(file) for file in files]
    taken = agreed([schema for schema, _ in looked], given)
    pieces: list[Piece] = []
    for schema, sizes in looked:
        first = 0
        for group, rows in enumerate(sizes):
            fits(rows, len(taken.features), schema.file)
            pieces.append(RowGroup(schema.file, group, first, taken))
            first += rows
        if not sizes:
            pieces.append(RowGroup(schema.file, -1, 0, taken))
    return FileShards(tuple(pieces), len(taken.features), taken.features, given.words)


def _looked_at(file: SeenFile) -> tuple[Schema, list[int]]:
    """The columns of a file and the rows of its row groups, from its footer."""
    with reading(file.shown, WHAT), _opened(file) as found:
        metadata = found.metadata
        return (schema_of(file, found.schema_arrow),
                [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)])


def _opened(file: SeenFile) -> Any:
    return arrow("pyarrow.parquet").ParquetFile(file.path)
