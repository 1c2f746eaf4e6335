"""Arrow files (IPC, Feather): one shard a record batch, or several small ones together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from greedyhull.errors import check
from greedyhull.objectives.shards.collection import FileShards, Piece
from greedyhull.objectives.shards.columnar import arrow, fits, schema_of, shard_of
from greedyhull.objectives.shards.marks import SeenFile
from greedyhull.objectives.shards.npy import BYTES
from greedyhull.objectives.shards.reading import reading
from greedyhull.objectives.shards.schema import Schema, Taken, agreed
from greedyhull.objectives.shards.wanted import Wanted
from greedyhull.types import Shard

WHAT = "an Arrow IPC file"


@dataclass(frozen=True, slots=True)
class Batches:
    """Record batches start to stop of a file."""

    file: SeenFile
    start: int
    stop: int
    taken: Taken

    @property
    def files(self) -> tuple[SeenFile, ...]:
        return (self.file,)

    @property
    def part(self) -> str:
        if self.stop - self.start == 1:
            return f"batch {self.start}"
        return f"batches {self.start} to {self.stop - 1}" if self.stop else ""

    def load(self) -> Shard:
        names = [*self.taken.features, self.taken.target, *([self.taken.weight] if self.taken.weight is not None else [])]
        place = self.file if self.start == 0 else _counted_from(self.file, self.start)
        with reading(self.file.shown, WHAT), _opened(self.file) as file:
            batches = []
            for i in range(self.start, self.stop):
                batch = file.get_batch(i)
                fits(batch.num_rows, len(names), self.file)
                batch = batch.select(names)
                batch.validate(full=True)  # offsets and lengths are the file's word
                batches.append(batch)
            schema = arrow("pyarrow").schema([file.schema.field(name) for name in names])
            table = arrow("pyarrow").Table.from_batches(batches, schema)
            return shard_of(table, self.taken, place, 0)


def arrow_shards(files: Sequence[SeenFile], given: Wanted) -> FileShards:
    """The record batches of all files, so many together that a shard has about 64 MB of its file."""
    looked = [_looked_at(file) for file in files]
    taken = agreed([schema for schema, _ in looked], given)
    pieces: list[Piece] = []
    for schema, count in looked:
        together = max(1, BYTES * count // max(1, schema.file.size))
        pieces.extend(Batches(schema.file, start, min(count, start + together), taken)
                      for start in range(0, max(1, count), together))
    return FileShards(tuple(pieces), len(taken.features), taken.features, given.words)


def _counted_from(file: SeenFile, start: int) -> SeenFile:
    """The file as rows are counted in it here: how many rows are in the batches before is not known without reading them."""
    return SeenFile(file.path, f"{file.shown} from batch {start} on", file.size, file.time)


def _looked_at(file: SeenFile) -> tuple[Schema, int]:
    with reading(file.shown, WHAT), _opened(file) as found:
        return schema_of(file, found.schema), found.num_record_batches


@contextmanager
def _opened(file: SeenFile) -> Iterator[Any]:
    """The reader of a file; a stream, which can only be read from its beginning, is refused."""
    pyarrow = arrow("pyarrow")
    with pyarrow.OSFile(file.path) as source:
        begins = source.read(6)
        check(begins[:4] != b"\xff\xff\xff\xff",
              f"{file.shown} is an Arrow stream, which can only be read from its beginning; write it as an Arrow file, by "
              "pyarrow.ipc.new_file or pyarrow.feather.write_feather.")
        source.seek(0)
        with arrow("pyarrow.ipc").open_file(source) as reader:
            yield reader
