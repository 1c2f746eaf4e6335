"""Parquet and Arrow files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from greedyhull.data.arrays import BYTES
from greedyhull.data.columns import ColumnType, Place, Schema, Taken, Wanted, agreed, checked, schema
from greedyhull.data.files import FileShards, Piece, SeenFile, memory, reading
from greedyhull.errors import GreedyhullError, check, installing
from greedyhull.types import Array, Shard


def arrow(name: str) -> Any:
    """Import a module of pyarrow when a file needs it."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise GreedyhullError(f"Parquet and Arrow files need pyarrow, which is not installed. {installing('cluster')} Or: pip "
                              "install pyarrow.") from error


def schema_of(file: SeenFile, fields: Any) -> Schema:
    return schema(file, [(field.name, kind_of(field.type)) for field in fields])


def kind_of(type_: Any) -> ColumnType:
    """Classify a type: integers, floats, decimals and booleans are numbers, also those of a dictionary."""
    types = arrow("pyarrow.types")
    own = type_.value_type if types.is_dictionary(type_) else type_
    numeric = types.is_integer(own) or types.is_floating(own) or types.is_boolean(own) or types.is_decimal(own)
    return ColumnType(bool(numeric), bool(types.is_float32(own)), "categorical" if own is not type_ else str(type_)[:60],
                str(own) in ("string", "large_string", "string_view"))


def shard_of(table: Any, taken: Taken, file: SeenFile, first: int) -> Shard:
    """Return the rows of an Arrow table, the first of which is row ``first`` of the file."""
    n, d = table.num_rows, len(taken.features)
    fits(n, d, file)
    place = Place(file.shown, first, taken.features, f"column {taken.target}", f"column {taken.weight}")
    columns = [_numbers(table, name, place) for name in taken.features]
    X: Array = np.empty((n, d), dtype=taken.dtype)
    with np.errstate(over="ignore"):
        for start in range(0, n, 4096):  # by blocks of rows: a column is contiguous in the file, and a row in X
            for j, column in enumerate(columns):
                X[start : start + 4096, j] = column[start : start + 4096]
    s = None if taken.weight is None else _numbers(table, taken.weight, place)
    return checked(X, _numbers(table, taken.target, place), s, place)


def fits(n: int, d: int, file: SeenFile) -> None:
    """Raise if so many rows do not fit into memory: a few bytes may promise any number of them."""
    check(8 * n * (d + 2) <= memory(), f"{file.shown} says it has {n} rows in one part, which take {8e-9 * n * d:.3g} GB with "
          f"{d} columns, and there are {memory() / 1e9:.3g} GB of memory. Write it with smaller row groups or batches.")


def _numbers(table: Any, name: str, place: Place) -> Array:
    column, types = table.column(name), arrow("pyarrow.types")
    column = column.cast(column.type.value_type) if types.is_dictionary(column.type) else column
    if column.null_count:
        i = int(np.argmax(column.is_null().to_numpy()))
        raise GreedyhullError(f"A null stands in column {name}, {place.row(i)}, and {column.null_count} in all. Fill them, or "
                              "leave the rows or the column out.")
    found: Array = (column.cast("float64") if types.is_decimal(column.type) else column).to_numpy()
    return found


WHAT = "an Arrow IPC file"


@dataclass(frozen=True, slots=True)
class Batches(Piece):
    start: int
    stop: int
    taken: Taken

    @property
    def part(self) -> str:
        if self.stop - self.start == 1:
            return f"batch {self.start}"
        return f"batches {self.start} to {self.stop - 1}" if self.stop else ""

    def load(self) -> Shard:
        names = list(self.taken.columns)
        file = self.file  # rows are counted from this batch on, as those of batches before are not known without reading them
        place = file if self.start == 0 else replace(file, shown=f"{file.shown} from batch {self.start} on")
        with reading(file.shown, WHAT), _opened(file) as reader:
            batches = []
            for i in range(self.start, self.stop):
                batch = reader.get_batch(i)
                fits(batch.num_rows, len(names), file)
                batch = batch.select(names)
                batch.validate(full=True)  # offsets and lengths are the file's word
                batches.append(batch)
            schema = arrow("pyarrow").schema([reader.schema.field(name) for name in names])
            table = arrow("pyarrow").Table.from_batches(batches, schema)
            return shard_of(table, self.taken, place, 0)


def arrow_shards(files: Sequence[SeenFile], given: Wanted) -> FileShards:
    """Make shards of record batches, so many together that a shard has about 64 MB of its file."""
    layouts = []
    for file in files:
        with reading(file.shown, WHAT), _opened(file) as found:
            layouts.append((schema_of(file, found.schema), found.num_record_batches))
    taken = agreed([schema for schema, _ in layouts], given)
    pieces: list[Piece] = []
    for one, count in layouts:
        together = max(1, BYTES * count // max(1, one.file.size))
        pieces.extend(Batches(one.file, start, min(count, start + together), taken)
                      for start in range(0, max(1, count), together))
    return FileShards(tuple(pieces), len(taken.features), taken.features, given.words)


@contextmanager
def _opened(file: SeenFile) -> Iterator[Any]:
    """Open a file; reject a stream, which can only be read from its beginning."""
    pyarrow = arrow("pyarrow")
    with pyarrow.OSFile(file.path) as source:
        begins = source.read(6)
        check(begins[:4] != b"\xff\xff\xff\xff", f"{file.shown} is an Arrow stream, which can only be read from its "
              "beginning; write it as an Arrow file, by pyarrow.ipc.new_file or pyarrow.feather.write_feather.")
        source.seek(0)
        with arrow("pyarrow.ipc").open_file(source) as reader:
            yield reader


PARQUET_WHAT = "a Parquet file"
LARGE = 1 << 28  # bytes of a row group in memory from which it is cut
MOST = 64  # parts of one: reading the last takes as long as reading all
AT_ONCE = 1 << 16  # rows of a group that are decoded together


@dataclass(frozen=True, slots=True)
class RowGroup(Piece):
    """A row group of a file; its first row is row ``first`` of the file. A file without any is one shard without rows: −1.

    ``rows`` are those of one part of a large group. A part decodes what is before it, some rows at a time.
    """

    group: int
    first: int
    taken: Taken
    rows: range | None = None

    @property
    def part(self) -> str:
        if self.rows is not None:
            return f"row group {self.group}, rows {self.rows.start} to {self.rows.stop - 1}"
        return f"row group {self.group}" if self.group >= 0 else ""

    def load(self) -> Shard:
        names = list(self.taken.columns)
        with reading(self.file.shown, PARQUET_WHAT), _parquet_opened(self.file) as file:
            if self.rows is not None:
                return shard_of(_some(file, self.group, names, self.rows), self.taken, self.file, self.first + self.rows.start)
            table = file.read_row_group(self.group, columns=names) if self.group >= 0 else file.schema_arrow.empty_table()
            return shard_of(table, self.taken, self.file, self.first)


def _some(file: Any, group: int, names: list[str], rows: range) -> Any:
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
    layouts = []
    for file in files:  # their footers
        with reading(file.shown, PARQUET_WHAT), _parquet_opened(file) as found:
            rows = [found.metadata.row_group(group).num_rows for group in range(found.metadata.num_row_groups)]
            layouts.append((schema_of(file, found.schema_arrow), rows))
    taken = agreed([schema for schema, _ in layouts], given)
    pieces: list[Piece] = []
    for one, sizes in layouts:
        first = 0
        for group, size in enumerate(sizes):
            pieces += _parts(one.file, group, first, size, taken)
            first += size
        if not sizes:
            pieces.append(RowGroup(one.file, -1, 0, taken))
    return FileShards(tuple(pieces), len(taken.features), taken.features, given.words)


def _parts(file: SeenFile, group: int, first: int, rows: int, taken: Taken) -> list[Piece]:
    """Return a row group, whole or in parts of about 256 MB."""
    d = len(taken.features)
    count = -(-8 * rows * (d + 2) // LARGE)
    if count <= 1:
        fits(rows, d, file)
        return [RowGroup(file, group, first, taken)]
    check(count <= MOST, f"{file.shown} says it has {rows} rows in row group {group}, which would be {count} parts of 256 MB. "
                         "Write it with smaller row groups, by row_group_size= of pyarrow.parquet.write_table.")
    fits(-(-rows // count), d, file)
    return [RowGroup(file, group, first, taken, range(rows * i // count, rows * (i + 1) // count)) for i in range(count)]


def _parquet_opened(file: SeenFile) -> Any:
    return arrow("pyarrow.parquet").ParquetFile(file.path, pre_buffer=False)  # a large group stays where it is
