"""Parquet files: one shard a row group, or a part of a large one; only the columns that are wanted are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from greedyhull.errors import check
from greedyhull.objectives.shards.collection import FileShards, Piece
from greedyhull.objectives.shards.columnar import arrow, fits, schema_of, shard_of
from greedyhull.objectives.shards.marks import SeenFile
from greedyhull.objectives.shards.reading import reading
from greedyhull.objectives.shards.schema import Schema, Taken, agreed
from greedyhull.objectives.shards.wanted import Wanted
from greedyhull.types import Shard

WHAT = "a Parquet file"
LARGE = 1 << 28  # bytes of a row group in memory from which it is cut
MOST = 64  # parts of one: reading the last takes as long as reading all
AT_ONCE = 1 << 16  # rows of a group that are decoded together


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group of a file; its first row is row ``first`` of the file. A file without any is one shard without rows: −1.

    Of a large group, ``rows`` are those of one part. Groups can only be read from their beginning, so that a part decodes what
    is before it, some rows at a time.
    """

    file: SeenFile
    group: int
    first: int
    taken: Taken
    rows: range | None = None

    @property
    def files(self) -> tuple[SeenFile, ...]:
        return (self.file,)

    @property
    def part(self) -> str:
        if self.rows is not None:
            return f"row group {self.group}, rows {self.rows.start} to {self.rows.stop - 1}"
        return f"row group {self.group}" if self.group >= 0 else ""

    def load(self) -> Shard:
        names = [*self.taken.features, self.taken.target, *([self.taken.weight] if self.taken.weight is not None else [])]
        with reading(self.file.shown, WHAT), _opened(self.file) as file:
            if self.rows is not None:
                return shard_of(_some(file, self.group, names, self.rows), self.taken, self.file, self.first + self.rows.start)
            table = file.read_row_group(self.group, columns=names) if self.group >= 0 else file.schema_arrow.empty_table()
            return shard_of(table, self.taken, self.file, self.first)


def _some(file: Any, group: int, names: list[str], rows: range) -> Any:
    """Some rows of a row group, as a table."""
    found, start = [], 0
    for batch in file.iter_batches(AT_ONCE, row_groups=[group], columns=names):
        stop = start + batch.num_rows
        if stop > rows.start:
            begin = max(rows.start - start, 0)
            found.append(batch.slice(begin, min(rows.stop, stop) - start - begin))
        start = stop
        if start >= rows.stop:
            break
    return arrow("pyarrow").Table.from_batches(found)


def parquet_shards(files: Sequence[SeenFile], given: Wanted) -> FileShards:
    """The row groups of all files."""
    looked = [_looked_at(file) for file in files]
    taken = agreed([schema for schema, _ in looked], given)
    pieces: list[Piece] = []
    for schema, sizes in looked:
        first = 0
        for group, rows in enumerate(sizes):
            pieces += _parts(schema.file, group, first, rows, taken)
            first += rows
        if not sizes:
            pieces.append(RowGroup(schema.file, -1, 0, taken))
    return FileShards(tuple(pieces), len(taken.features), taken.features, given.words)


def _parts(file: SeenFile, group: int, first: int, rows: int, taken: Taken) -> list[Piece]:
    """A row group as it is, or cut into parts of about 256 MB."""
    d = len(taken.features)
    count = -(-8 * rows * (d + 2) // LARGE)
    if count <= 1:
        fits(rows, d, file)
        return [RowGroup(file, group, first, taken)]
    check(count <= MOST, f"{file.shown} says it has {rows} rows in row group {group}, which would be {count} parts of 256 MB. "
                         "Write it with smaller row groups, by row_group_size= of pyarrow.parquet.write_table.")
    fits(-(-rows // count), d, file)
    return [RowGroup(file, group, first, taken, range(rows * i // count, rows * (i + 1) // count)) for i in range(count)]


def _looked_at(file: SeenFile) -> tuple[Schema, list[int]]:
    """The columns of a file and the rows of its row groups, from its footer."""
    with reading(file.shown, WHAT), _opened(file) as found:
        metadata = found.metadata
        return (schema_of(file, found.schema_arrow),
                [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)])


def _opened(file: SeenFile) -> Any:
    return arrow("pyarrow.parquet").ParquetFile(file.path, pre_buffer=False)  # a large group stays where it is
