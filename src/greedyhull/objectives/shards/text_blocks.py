"""Text files in blocks of whole lines: where each begins, found in one pass, so that it can be read by itself later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from greedyhull.errors import check
from greedyhull.objectives.shards.marks import SeenFile
from greedyhull.objectives.shards.numbered import memory
from greedyhull.objectives.shards.reading import PACKED

BYTES = 1 << 25  # of the text of a shard
PORTION = 1 << 20  # that are looked at together
LONGEST = 1 << 26  # bytes of a line


class Block(NamedTuple):
    """Bytes start to stop of a file, the first of them on line ``line``; of a packed file, all of it: stop is −1."""

    start: int
    stop: int
    line: int


class Portion(NamedTuple):
    """Some whole lines of a file, or records of several lines where cells are quoted."""

    start: int
    line: int
    text: bytes


def portions(file: SeenFile, quoted: bool = False) -> Iterator[Portion]:
    """The text of a file, unpacked, in portions of about 1 MB; where cells are ``quoted``, records stay whole."""
    packed = is_packed(file)
    lines: list[bytes] = []
    start, line, size, open_quote = 0, 1, 0, False
    with opened(file) as stream:
        while text := stream.readline(LONGEST):
            check(len(text) < LONGEST, f"{file.shown} has a line of more than {LONGEST} bytes; lines of text are wanted.")
            lines.append(text)
            size += len(text)
            open_quote ^= quoted and text.count(b'"') % 2 == 1
            check(size < LONGEST, f'{file.shown} has a quoted cell of more than {LONGEST} bytes; a quotation mark (") is '
                                  'missing.')
            if size >= PORTION and not open_quote:
                yield Portion(start, line, b"".join(lines))
                start, line, size, lines = start + size, line + len(lines), 0, []
                check(not packed or start <= memory(), f"{file.shown} unpacks to more than the {memory() / 1e9:.3g} GB of "
                                                       "memory, and a "
                      "packed file is one shard. Unpack it, or cut it into smaller files.")
    if lines:
        yield Portion(start, line, b"".join(lines))


def blocks(file: SeenFile, found: list[Portion | Block]) -> list[Block]:
    """Blocks of about 32 MB, made of the portions (or smaller blocks) of a file; a packed file is one block."""
    if is_packed(file) or not found:
        return [Block(0, -1 if is_packed(file) else file.size, 1)]
    made = [found[0]]
    for one in found[1:]:
        if one.start - made[-1].start >= BYTES:
            made.append(one)
    stops = [*(one.start for one in made[1:]), file.size]
    return [Block(one.start, stop, one.line) for one, stop in zip(made, stops, strict=True)]


def read(file: SeenFile, block: Block) -> bytes:
    """The text of a block."""
    if block.stop < 0:
        return b"".join(portion.text for portion in portions(file))
    with Path(file.path).open("rb") as stream:
        stream.seek(block.start)
        return stream.read(block.stop - block.start)


def is_packed(file: SeenFile) -> bool:
    return Path(file.path).suffix.lower() in PACKED


def opened(file: SeenFile) -> BinaryIO:
    """The bytes of a file, unpacked."""
    found: BinaryIO = PACKED.get(Path(file.path).suffix.lower(), open)(file.path, "rb")
    return found
