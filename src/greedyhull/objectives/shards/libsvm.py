"""LIBSVM files as sparse shards: whole files, or blocks of lines of large ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from greedyhull.errors import check
from greedyhull.objectives.shards.collection import FileShards, Piece
from greedyhull.objectives.shards.libsvm_lines import EXAMPLE, parsed
from greedyhull.objectives.shards.marks import SeenFile
from greedyhull.objectives.shards.numbered import most_columns
from greedyhull.objectives.shards.reading import reading
from greedyhull.objectives.shards.rows import Place, checked
from greedyhull.objectives.shards.text_blocks import Block, Portion, blocks, portions, read
from greedyhull.objectives.shards.wanted import Wanted, places
from greedyhull.types import Shard

INDEX = re.compile(rb"([0-9]{1,19}):")
COMMENT = re.compile(rb"#[^\n]*")
WHAT = "LIBSVM's format"


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a file; indices count from ``first``, and X has d columns, of which ``features`` are kept."""

    file: SeenFile
    block: Block
    first: int
    d: int
    features: tuple[int, ...] | None

    @property
    def files(self) -> tuple[SeenFile, ...]:
        return (self.file,)

    @property
    def part(self) -> str:
        return "" if self.block.stop in (-1, self.file.size) and self.block.start == 0 else f"from line {self.block.line} on"

    def load(self) -> Shard:
        from scipy.sparse import csr_array

        with reading(self.file.shown, WHAT):
            text = read(self.file, self.block).decode("utf-8-sig")
            found = parsed(StringIO(text, newline=""), self.file.shown, self.block.line)
        low, high = (int(end) for end in (found.indices.min(initial=self.first), found.indices.max(initial=self.first)))
        check(self.first <= low and high < self.first + self.d,  # SciPy would trust them
              f"{self.file.shown} has the index {low if low < self.first else high}, where {self.first} to "
              f"{self.first + self.d - 1} were found before. Call gh.shards again.")
        X: Any = csr_array((found.values, found.indices - self.first, found.starts), shape=(len(found.labels), self.d))
        X.sort_indices()
        X = X if self.features is None else X[:, list(self.features)]
        return checked(X, found.labels, None, Place(f"{self.file.shown}{self.part and ' '}{self.part}", target="the label"))


def libsvm_shards(files: Sequence[SeenFile], given: Wanted) -> FileShards:
    """The lines of all files. A first pass finds where blocks begin, d, and whether indices count from 0 or from 1."""
    d = given.d
    check(given.target in (None, "label", 0), f"target = {given.target!r} was given; the target of a LIBSVM file is the "
                                              "label of each line. "
                                              "Leave target out.")
    check(given.sample_weight is None, "LIBSVM files have no weights of samples. Leave sample_weight out, or write load(k).")
    looked = [_looked_at(file) for file in files]
    lowest = [low for _, low, _ in looked if low is not None]
    first = min([1, *lowest])
    highest = max((high for _, _, high in looked if high is not None), default=None)
    check(highest is not None or d is not None, f"The files hold no entries; lines such as {EXAMPLE} are wanted. Give d=, "
                                                "the number of "
                                                "columns, where there are none.")
    wide = max(0 if highest is None else highest + 1 - first, 1)
    wider = next((file for file, (_, _, high) in zip(files, looked, strict=True) if high is not None and d is not None
                  and high + 1 - first > d), None)
    check(wider is None, lambda: f"d = {d} was given, and {wider and wider.shown} has more columns: indices up to {highest}, "
                                 "counted from "
                                 f"{first}.")
    D = wide if d is None else d
    kept = places(Wanted(None, given.features, None), None, D, files[0].shown).features
    pieces: list[Piece] = [Lines(file, block, first, D, kept)
                           for file, (found, _, _) in zip(files, looked, strict=True) for block in found]
    return FileShards(tuple(pieces), D if kept is None else len(kept), None, given.words)


def _looked_at(file: SeenFile) -> tuple[list[Block], int | None, int | None]:
    """The blocks of a file, and the least and the largest index."""
    found: list[Portion | Block] = []
    low, high, most = None, None, most_columns()
    with reading(file.shown, WHAT):
        for portion in portions(file):
            found.append(Block(portion.start, 0, portion.line))
            text = COMMENT.sub(b"", portion.text) if b"#" in portion.text else portion.text
            numbers = [int(index) for index in set(INDEX.findall(text))]
            if numbers:
                low = min(numbers) if low is None else min(low, *numbers)
                high = max(numbers) if high is None else max(high, *numbers)
            if high is not None and high > most:
                parsed(StringIO(portion.text.decode("utf-8-sig"), newline=""), file.shown, portion.line)  # it names the line
                check(False, f"{file.shown} has the index {high}.")
    return blocks(file, found), low, high


