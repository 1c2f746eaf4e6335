"""Matrices in .npy files: cut into blocks of rows, each read by itself; the target is a column, or in files of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from greedyhull.errors import check
from greedyhull.objectives.shards.array_header import Header, check_numbers, common, header_of
from greedyhull.objectives.shards.collection import FileShards, Piece
from greedyhull.objectives.shards.found import files_of
from greedyhull.objectives.shards.marks import SeenFile
from greedyhull.objectives.shards.reading import reading
from greedyhull.objectives.shards.rows import Place, checked
from greedyhull.objectives.shards.wanted import Column, Places, Wanted, places
from greedyhull.types import Array, Shard

BYTES = 1 << 26  # of the rows of a shard: small beside memory, large beside what loading costs
PORTION = 1 << 20  # bytes that are read together


class Stored(NamedTuple):
    """An array in a file, not read yet."""

    file: SeenFile
    header: Header

    def rows(self, start: int, stop: int) -> Array:
        """These rows, and no others, read from the file."""
        with reading(self.file.shown, "an NPY file"):
            shape, dtype = self.header.shape, np.dtype(self.header.dtype)
            if self.header.fortran and len(shape) > 1 and stop > start:  # a row lies in as many places as there are columns
                stored = np.memmap(self.file.path, dtype, "r", self.header.offset, shape, "F")
                return np.array(stored[start:stop], order="C")
            entries = int(np.prod(shape[1:], dtype=np.int64))
            with Path(self.file.path).open("rb", buffering=0) as stream:
                stream.seek(self.header.offset + start * entries * dtype.itemsize)
                found = np.fromfile(stream, dtype, (stop - start) * entries)
            return found.reshape(stop - start, *shape[1:])


@dataclass(frozen=True, slots=True)
class NpyRows:
    """Rows start to stop of a matrix, with the entries of target and weights where these have files of their own."""

    X: Stored
    start: int
    stop: int
    places: Places
    dtype: str
    y: Stored | None
    sample_weight: Stored | None

    @property
    def files(self) -> tuple[SeenFile, ...]:
        return tuple(stored.file for stored in (self.X, self.y, self.sample_weight) if stored is not None)

    @property
    def part(self) -> str:
        return "" if self.stop - self.start == self.X.header.shape[0] else f"rows {self.start} to {self.stop - 1}"

    def load(self) -> Shard:
        """A portion of rows at a time, so that little but the shard itself is in memory."""
        kept, (target, weight) = self.places.features, self.places[1:]
        D, n = self.X.header.shape[1], self.stop - self.start
        X: Array = np.empty((n, D if kept is None else len(kept)), dtype=self.dtype)
        apart = {name: np.empty(n, dtype=np.float64) for name, place in (("y", target), ("s", weight)) if place >= 0}
        step = max(1, PORTION // (8 * D))
        with np.errstate(over="ignore"):
            for first in range(0, n, step):
                last = min(n, first + step)
                A = self.X.rows(self.start + first, self.start + last)
                X[first:last] = A if kept is None else A[:, list(kept)]
                for name, place in (("y", target), ("s", weight)):
                    if place >= 0:
                        apart[name][first:last] = A[:, place]
        y = apart["y"] if self.y is None else self.y.rows(self.start, self.stop)
        s = apart.get("s") if self.sample_weight is None else self.sample_weight.rows(self.start, self.stop)
        columns = None if kept is None else tuple(map(str, kept))
        return checked(X, y, s, Place(self.X.file.shown, self.start, columns, _words(self.y, target, "the target"),
                                      _words(self.sample_weight, weight, "the weights")))


def npy_shards(files: Sequence[SeenFile], given: Wanted) -> FileShards:
    """Shards of at most ``given.rows`` rows each, or of about 64 MB."""
    stored = [_stored(file) for file in files]
    for one in stored:
        check(len(one.header.shape) == 2 and one.header.shape[1] > 0,
              f"{one.file.shown} holds an array of shape {one.header.shape}; a matrix, one sample a row, is wanted. Target "
              "and weights "
              "in files of their own are named by target= and sample_weight=.")
    D = stored[0].header.shape[1]
    other = next((one for one in stored if one.header.shape[1] != D), None)
    check(other is None, lambda: f"The files disagree on columns: {stored[0].file.shown} has {D}, and "
                                 f"{other and other.file.shown} has "
                                 f"{other and other.header.shape[1]}.")
    check(given.target is not None, "target is missing; the number of a column is wanted, or the pattern of files with "
                                    "targets, such as "
                                    'target="y-*.npy".')
    y, s = _beside(given.target, stored, "target"), _beside(given.sample_weight, stored, "sample_weight")
    inside = places(Wanted(None if y else given.target, given.features, None if s else given.sample_weight), None, D,
                    stored[0].file.shown)
    d = D if inside.features is None else len(inside.features)
    dtype = common([one.header.dtype for one in stored])
    most = given.rows or max(1, BYTES // (D * 8))
    pieces: list[Piece] = [NpyRows(one, start, stop, inside, dtype, y[i] if y else None, s[i] if s else None)
                           for i, one in enumerate(stored) for start, stop in _cuts(one.header.shape[0], most)]
    return FileShards(tuple(pieces), d, None, given.words)


def _cuts(n: int, most: int) -> list[tuple[int, int]]:
    """n rows in as few blocks of at most ``most`` as there can be, of equal sizes; no rows are one block."""
    count = max(1, -(-n // most))
    return [(n * i // count, n * (i + 1) // count) for i in range(count)]


def _stored(file: SeenFile) -> Stored:
    with reading(file.shown, "an NPY file"), Path(file.path).open("rb") as stream:
        header = header_of(stream, file.shown, file.size)
    check_numbers(header, file.shown)
    return Stored(file, header)


def _beside(given: Column | None, stored: Sequence[Stored], what: str) -> list[Stored]:
    """Files with one number a row, in the order of the files with the rows; nothing where a column was given."""
    if not isinstance(given, str):
        return []
    vectors = [_stored(file) for file in files_of(given, f"{what} =")]
    check(len(vectors) == len(stored), f"{what} = {given!r} names {len(vectors)} files for {len(stored)} files of rows; one "
                                       "for each is "
                                       "wanted.")
    for vector, rows in zip(vectors, stored, strict=True):
        n, shape = rows.header.shape[0], vector.header.shape
        check(shape in ((n,), (n, 1)), f"{vector.file.shown} has shape {shape} for the {n} rows of {rows.file.shown}; one "
                                       "number a row is "
                                       "wanted.")
    return vectors


def _words(beside: Stored | None, place: int, what: str) -> str:
    return f"column {place}" if beside is None else f"{what} in {beside.file.shown}"
