"""CSV files in blocks of lines: cells parted by commas, semicolons or tabs; a first line that is not all numbers has names."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.shards.collection import FileShards, Piece
from greedyhull.objectives.shards.marks import SeenFile
from greedyhull.objectives.shards.reading import reading
from greedyhull.objectives.shards.rows import Place, checked
from greedyhull.objectives.shards.schema import Kind, Schema, Taken, agreed, schema
from greedyhull.objectives.shards.text_blocks import Block, Portion, blocks, portions, read
from greedyhull.objectives.shards.wanted import Wanted
from greedyhull.types import Array, Shard

WHAT = "lines of cells"
NUMBERS, WORDS, NOTHING = (
    Kind(True, False, "numbers", False), Kind(False, False, "words", True), Kind(True, False, "nothing yet", False))


class Looked(NamedTuple):
    """What a first pass found: the columns, what parts them, the blocks after the names, and whether there are no rows."""

    columns: Schema
    mark: str
    blocks: list[Block]
    empty: bool


@dataclass(frozen=True, slots=True)
class Records:
    """Lines of a file; ``places`` are those of the features, of the target and of the weights among ``width`` cells."""

    file: SeenFile
    block: Block
    mark: str
    width: int
    places: tuple[int, ...]
    taken: Taken

    @property
    def files(self) -> tuple[SeenFile, ...]:
        return (self.file,)

    @property
    def part(self) -> str:
        return "" if self.block.line <= 2 and self.block.stop in (-1, self.file.size) else f"from line {self.block.line} on"

    def load(self) -> Shard:
        with reading(self.file.shown, WHAT):
            text = read(self.file, self.block)
            text = text if self.block.stop >= 0 else text[self.block.start :]  # a packed file is unpacked from its beginning
            if not _even(text, self.mark.encode(), self.width):
                self._check_cells(text)
            A = self._numbers(text)
        d = len(self.taken.features)
        place = Place(f"{self.file.shown}{self.part and ' '}{self.part}", 0, self.taken.features, "column "
              f"{self.taken.target}",
                      f"column {self.taken.weight}")
        return checked(A[:, :d], A[:, d], None if self.taken.weight is None else A[:, d + 1], place)

    def _numbers(self, text: bytes) -> Array:
        if not text.strip():
            return np.empty((0, len(self.places)))
        try:
            return np.loadtxt(StringIO(text.decode("utf-8-sig")), delimiter=self.mark, usecols=list(self.places),
                              quotechar='"', comments=None, ndmin=2)
        except ValueError as error:
            self._check_numbers(text)
            raise GreedyhullError(f"{self.file.shown} cannot be read as {WHAT} ({error}).") from error

    def _check_cells(self, text: bytes) -> None:
        """Every line has as many cells as there are columns: one too many would shift the others, and nobody would know."""
        for line, cells in self._records(text):
            if len(cells) != self.width:
                raise GreedyhullError(f"Line {line} of {self.file.shown} has {len(cells)} cells; {self.width} are wanted, one "
                                      "for each column. Fill what is missing, and quote cells that contain the separator.")

    def _check_numbers(self, text: bytes) -> None:
        """An error that names the first cell that holds no number."""
        names = [*self.taken.features, self.taken.target, self.taken.weight]
        for line, cells in self._records(text):
            for name, j in zip(names, self.places, strict=False):
                if not _is_number(cells[j]):
                    given = f'"{cells[j][:40]}"' if cells[j].strip() else "nothing"
                    raise GreedyhullError(f"Line {line} of {self.file.shown} has {given} in column {name}; a number is "
                                          "wanted. Fill the cell, or leave the line or the column out.")

    def _records(self, text: bytes) -> list[tuple[int, list[str]]]:
        reader = csv.reader(StringIO(text.decode("utf-8-sig"), newline=""), delimiter=self.mark)
        return [(self.block.line + reader.line_num - 1, cells) for cells in reader if cells]


def csv_shards(files: Sequence[SeenFile], given: Wanted) -> FileShards:
    """The lines of all files; which columns hold numbers is what their first lines say."""
    looked = [_looked_at(file) for file in files]
    full = [one for one in looked if not one.empty]
    taken = agreed([one.columns for one in full or looked], given)
    pieces: list[Piece] = []
    for one in looked:
        names = list(one.columns.kinds)
        if one.empty:  # the cells that it has not got would have been like those of the others
            like = (full or looked)[0].columns.kinds
            agreed([(full or looked)[0].columns,
                    Schema(one.columns.file, {name: like.get(name, NUMBERS) for name in names})], given)
        places = tuple(names.index(name) for name in (*taken.features, taken.target, taken.weight) if name is not None)
        pieces.extend(Records(one.columns.file, block, one.mark, len(names), places, taken) for block in one.blocks)
    return FileShards(tuple(pieces), len(taken.features), taken.features, given.words)


def _looked_at(file: SeenFile) -> Looked:
    found: list[Portion | Block] = []
    first = b""
    with reading(file.shown, WHAT):
        for portion in portions(file, quoted=True):
            first += portion.text if len(found) < 2 else b""  # the names, and a row after them
            found.append(Block(portion.start, 0, portion.line))
        check(bool(first.split(b"\n", 1)[0].strip()), f"{file.shown} begins with an empty line; names of columns, or "
                                                      "numbers, are wanted.")
        mark = max(",;\t", key=lambda mark: len(_first_two(first, mark)[0]))
        names, row, begin, lines = _first_two(first, mark)
    if all(_is_number(name) for name in names):  # there is no line of names
        row, begin, lines = names, 0, 0
        names = [str(j) for j in range(len(names))]
    kinds = [(NUMBERS if _is_number(cell) or not cell.strip() else WORDS) for cell in row] if row else [NOTHING] * len(names)
    check(len(kinds) == len(names), f"Line {lines + 1} of {file.shown} has {len(kinds)} cells; {len(names)} are wanted, one "
                                    "for each column.")
    made = blocks(file, found)
    made[0] = Block(begin, made[0].stop, 1 + lines)
    return Looked(schema(file, list(zip(names, kinds, strict=True))), mark, made, not row)


def _first_two(text: bytes, mark: str) -> tuple[list[str], list[str], int, int]:
    """The cells of the first two records, and the bytes and lines of the first one; a line break in a name is a space."""
    lines = text.decode("utf-8-sig").splitlines(keepends=True)
    reader = csv.reader(lines, delimiter=mark)
    try:
        first = next(reader)
        taken = reader.line_num
        second = next((cells for cells in reader if cells), [])
    except csv.Error:
        return [], [], 0, 0
    bom = len(text) - len(text.decode("utf-8-sig").encode())
    begin = bom + len("".join(lines[:taken]).encode())
    return [" ".join(part.strip() for part in cell.strip().splitlines()) for cell in first], second, begin, taken


def _even(text: bytes, mark: bytes, width: int) -> bool:
    """Whether every line has as many cells as there are columns; False where counting cannot tell, as with quotation marks."""
    if b'"' in text or re.search(rb"\r(?!\n)", text):
        return False
    letters = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", dtype=np.uint8)
    ends = np.flatnonzero(letters == 10)
    marks = np.concatenate([[0], np.cumsum(letters == mark[0])])
    counts = np.diff(marks[ends], prepend=0)
    lengths = np.diff(ends, prepend=-1) - 1
    blank = (lengths == 0) | ((lengths == 1) & (letters[np.maximum(ends - 1, 0)] == 13))
    return bool(((counts == width - 1) | blank).all())


def _is_number(cell: str) -> bool:
    try:
        float("" if "_" in cell else cell)
    except ValueError:
        return False
    return True
