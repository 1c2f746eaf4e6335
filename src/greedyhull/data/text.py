"""CSV and LIBSVM files in blocks of whole lines."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from greedyhull.data.columns import ColumnType, Place, Schema, Taken, Wanted, agreed, checked, places, schema
from greedyhull.data.files import Block, FileShards, Piece, SeenFile, blocks, most_columns, portions, read, reading, too_many
from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Array, Shard

WHAT = "lines of cells"
NUMBERS, NOTHING = ColumnType(True, False, "numbers", False), ColumnType(True, False, "nothing yet", False)
WORDS = ColumnType(False, False, "words", True)


class CsvFile(NamedTuple):
    """A file: its columns, their separator, the blocks of lines after the names, and whether it has no rows."""

    columns: Schema
    mark: str
    blocks: list[Block]
    empty: bool

    def text(self, block: Block) -> bytes:
        """Read a block; raise unless every line has as many cells as there are columns."""
        file, width = self.columns.file, len(self.columns.kinds)
        with reading(file.shown, WHAT):
            text = read(file, block)
            text = text if block.stop >= 0 else text[block.start :]  # a packed file is unpacked from its beginning
            if not _even(text, self.mark.encode(), width):
                _check_cells(text, self.mark, width, file, block.line)
            return text


def csv_file(file: SeenFile) -> CsvFile:
    """Find the layout of a file in one pass; its first row shows which columns hold numbers."""
    found: list[Block] = []
    first = b""
    with reading(file.shown, WHAT):
        for block, text in portions(file, quoted=True):
            first += text if len(found) < 2 else b""  # the names, and a row after them
            found.append(block)
        check(bool(first.split(b"\n", 1)[0].strip()),
              f"{file.shown} begins with an empty line; names of columns, or numbers, are wanted.")
        mark = max(",;\t", key=lambda mark: len(_first_two(first, mark)[0]))
        names, row, begin, lines = _first_two(first, mark)
        if all(map(_is_number, names)):  # there is no line of names
            names, row, begin, lines = [str(j) for j in range(len(names))], names, 0, 0
        if row and len(row) != len(names):
            _check_cells(first[begin:], mark, len(names), file, 1 + lines)
    kinds = [NUMBERS if _is_number(cell) or not cell.strip() else WORDS for cell in row] or [NOTHING] * len(names)
    made = blocks(file, found)
    made[0] = Block(begin, made[0].stop, 1 + lines)
    return CsvFile(schema(file, list(zip(names, kinds, strict=True))), mark, made, not row)


def _first_two(text: bytes, mark: str) -> tuple[list[str], list[str], int, int]:
    """Return the cells of the first two records, and the bytes and lines of the first; a line break in a name is a space."""
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
    """Whether every line has as many cells as there are columns; False where counting cannot show it, as with quotes."""
    if b'"' in text or re.search(rb"\r(?!\n)", text):
        return False
    letters = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", dtype=np.uint8)
    ends = np.flatnonzero(letters == 10)
    marks = np.concatenate([[0], np.cumsum(letters == mark[0])])
    counts = np.diff(marks[ends], prepend=0)
    lengths = np.diff(ends, prepend=-1) - 1
    blank = (lengths == 0) | ((lengths == 1) & (letters[np.maximum(ends - 1, 0)] == 13))
    return bool(((counts == width - 1) | blank).all())


def text_lines(text: bytes) -> StringIO:
    return StringIO(text.decode("utf-8-sig"), newline="")


def _records(text: bytes, mark: str, line: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the records that have cells, each with the number of its last line; the text begins on ``line``."""
    reader = csv.reader(text_lines(text), delimiter=mark)
    return ((line + reader.line_num - 1, cells) for cells in reader if cells)


def _check_cells(text: bytes, mark: str, width: int, file: SeenFile, line: int) -> None:
    """Raise unless every record has as many cells as there are columns: one too many would silently shift the others."""
    for number, cells in _records(text, mark, line):
        if len(cells) != width:
            raise GreedyhullError(f"Line {number} of {file.shown} has {len(cells)} cells; {width} are wanted, one for each "
                                  "column. Fill what is missing, and quote cells that contain the separator.")


def csv_cells(text: bytes, mark: str, places: Sequence[int], dtype: type = float) -> Array:
    if not text.strip():
        return np.empty((0, len(places)))
    return np.loadtxt(text_lines(text), dtype, delimiter=mark, usecols=list(places), quotechar='"',
                      comments=None, ndmin=2)


def csv_numbers(layout: CsvFile, block: Block, places: Sequence[int],
                remedy: str = "Fill the cell, or leave the line or the column out.") -> Array:
    """Return the numbers in some columns of a block; the error names the first cell that is not a number."""
    file, names, text = layout.columns.file, list(layout.columns.kinds), layout.text(block)
    try:
        return csv_cells(text, layout.mark, places)
    except ValueError as error:
        for line, cells in _records(text, layout.mark, block.line):
            j = next((j for j in places if not _is_number(cells[j])), None)
            if j is not None:
                given = f'"{cells[j][:40]}"' if cells[j].strip() else "nothing"
                raise GreedyhullError(f"Line {line} of {file.shown} has {given} in column {names[j]}; a number is wanted. "
                                      f"{remedy}") from None
        raise GreedyhullError(f"{file.shown} cannot be read as {WHAT} ({error}).") from error


def _is_number(cell: str) -> bool:
    try:
        parse_number(cell)
    except ValueError:
        return False
    return True


def parse_number(cell: str) -> float:
    """Convert a cell; unlike Python, text files have no underscores in numbers."""
    return float("" if "_" in cell else cell)


@dataclass(frozen=True, slots=True)
class LinesPiece(Piece):
    """Lines of a file, the ``first`` block of it or a later one."""

    block: Block
    first: bool

    @property
    def part(self) -> str:
        return "" if self.first and self.block.stop in (-1, self.file.size) else f"from line {self.block.line} on"

    @property
    def shown(self) -> str:
        return f"{self.file.shown}{self.part and ' '}{self.part}"


@dataclass(frozen=True, slots=True)
class Records(LinesPiece):
    """``places`` are those of the features, of the target and of the weights among the columns of the file."""

    layout: CsvFile
    places: tuple[int, ...]
    taken: Taken

    def load(self) -> Shard:
        A, d = csv_numbers(self.layout, self.block, self.places), len(self.taken.features)
        place = Place(self.shown, 0, self.taken.features, f"column {self.taken.target}", f"column {self.taken.weight}")
        return checked(A[:, :d], A[:, d], None if self.taken.weight is None else A[:, d + 1], place)


def csv_shards(files: Sequence[SeenFile], given: Wanted) -> FileShards:
    found = [csv_file(file) for file in files]
    full = [one for one in found if not one.empty] or found
    taken = agreed([one.columns for one in full], given)
    pieces: list[Piece] = []
    for one in found:
        file, names = one.columns.file, list(one.columns.kinds)
        if one.empty:  # its columns hold what those of the others hold
            like = full[0].columns
            agreed([like, Schema(file, {name: like.kinds.get(name, NUMBERS) for name in names})], given)
        at = tuple(names.index(name) for name in taken.columns)
        pieces.extend(Records(file, block, block is one.blocks[0], one, at, taken) for block in one.blocks)
    return FileShards(tuple(pieces), len(taken.features), taken.features, given.words)


EXAMPLE = "1 3:0.5 7:2.0"


class Entries(NamedTuple):
    labels: Array
    values: Array
    indices: Array
    starts: Array


def parsed(lines: Iterable[str], name: str, begin: int = 1) -> Entries:
    """Parse lines; the first one is line ``begin`` of the file ``name``. Indices are as they are written."""
    labels, values, indices, starts = array("d"), array("d"), array("q"), array("q", [0])
    most = most_columns()
    for number, line in enumerate(lines, start=begin):
        cells = line.partition("#")[0].split()
        if not cells:
            continue
        try:
            label, entries = _parsed(cells, most)
        except GreedyhullError as error:
            raise GreedyhullError(f"Line {number} of {name} {error}") from None
        labels.append(label)
        indices.extend(entries)
        values.extend(entries.values())
        starts.append(len(indices))
    return Entries(np.array(labels), np.array(values), np.array(indices), np.array(starts))


def _parsed(cells: list[str], most: int) -> tuple[float, dict[int, float]]:
    label = _number(cells[0], "a label")
    entries: dict[int, float] = {}
    for cell in cells[1:]:
        index, mark, value = cell.partition(":")
        if index == "qid" and mark:
            continue
        if not (mark and re.fullmatch(r"[+-]?[0-9]{1,100}", index)):
            raise _misplaced(cell, "index:value")
        j = int(index)
        if j < 0:
            raise GreedyhullError(f"has the index {j}; indices from 1, or from 0, are wanted.")
        if j > most:
            raise GreedyhullError(f"has the index {j}, which makes {too_many(j)}. Number the columns anew, leaving out those "
                                  "that are empty.")
        if j in entries:
            raise GreedyhullError(f"has the index {j} twice; one value for each index is wanted.")
        entries[j] = _number(value, f"a value of index {j}")
    return label, entries


def _misplaced(cell: str, wanted: str) -> GreedyhullError:
    return GreedyhullError(f"is not in LIBSVM's format: \"{cell}\" stands where {wanted} is wanted, as in {EXAMPLE}.")


def _number(cell: str, what: str) -> float:
    try:
        number = parse_number(cell)
    except ValueError:
        raise _misplaced(cell, what) from None
    if not isfinite(number):
        raise GreedyhullError(f"has {cell} for {what}; finite numbers are wanted. Leave the line out, or fill it in.")
    return number


LIBSVM_WHAT = "LIBSVM's format"


@dataclass(frozen=True, slots=True)
class Lines(LinesPiece):
    """Indices count from ``least``, and X has d columns, of which ``features`` are kept."""

    least: int
    d: int
    features: tuple[int, ...] | None

    def load(self) -> Shard:
        from scipy.sparse import csr_array

        with reading(self.file.shown, LIBSVM_WHAT):
            found = parsed(text_lines(read(self.file, self.block)), self.file.shown, self.block.line)
        low, high = (int(end) for end in (found.indices.min(initial=self.least), found.indices.max(initial=self.least)))
        check(self.least <= low and high < self.least + self.d,  # SciPy would trust them
              f"{self.file.shown} has the index {low if low < self.least else high}, where {self.least} to "
              f"{self.least + self.d - 1} were found before. Call gh.shards again.")
        X: Any = csr_array((found.values, found.indices - self.least, found.starts), shape=(len(found.labels), self.d))
        X.sort_indices()
        X = X if self.features is None else X[:, list(self.features)]
        return checked(X, found.labels, None, Place(self.shown, target="the label"))


def libsvm_shards(files: Sequence[SeenFile], given: Wanted) -> FileShards:
    """Make shards of the lines of all files. A first pass finds the blocks, d, and whether indices count from 0 or 1."""
    d = given.d
    check(given.target in (None, "label", 0), f"target = {given.target!r} was given; the target of a LIBSVM file is the label "
          "of each line. Leave target out.")
    check(given.sample_weight is None, "LIBSVM files have no weights of samples. Leave sample_weight out, or write load(k).")
    layouts = [_index_range(file) for file in files]
    first, highest = min(low for _, low, _ in layouts), max(high for _, _, high in layouts)
    check(highest >= 0 or d is not None, f"The files hold no entries; lines such as {EXAMPLE} are wanted. Give d=, the "
          "number of columns, where there are none.")
    D = max(highest + 1 - first, 1) if d is None else d
    wider = next((file for file, (_, _, high) in zip(files, layouts, strict=True) if high + 1 - first > D), None)
    check(wider is None, lambda: f"d = {d} was given, and {wider and wider.shown} has more columns: indices up to {highest}, "
          f"counted from {first}.")
    kept = places(Wanted(None, given.features, None), None, D, files[0].shown).features
    pieces: list[Piece] = [Lines(file, block, block is found[0], first, D, kept)
                           for file, (found, _, _) in zip(files, layouts, strict=True) for block in found]
    return FileShards(tuple(pieces), D if kept is None else len(kept), None, given.words)


def _index_range(file: SeenFile) -> tuple[list[Block], int, int]:
    """Return the blocks of a file, the least index (1 at most) and the largest one (−1 where there is none)."""
    found: list[Block] = []
    low, high, most = 1, -1, most_columns()
    with reading(file.shown, LIBSVM_WHAT):
        for block, text in portions(file):
            found.append(block)
            numbers = [int(index) for index in set(re.findall(rb"([0-9]{1,19}):", re.sub(rb"#[^\n]*", b"", text)))]
            low, high = min([low, *numbers]), max([high, *numbers])
            if high > most:
                parsed(text_lines(text), file.shown, block.line)  # it names the line
                check(False, f"{file.shown} has the index {high}.")
    return blocks(file, found), low, high
