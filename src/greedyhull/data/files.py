"""Files by pattern, in blocks of lines, and whether they have changed."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from glob import glob, has_magic
from hashlib import blake2b
from os import fspath
from os.path import normpath
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, overload

from greedyhull.errors import GreedyhullError, check, no_file
from greedyhull.errors import shown as in_words
from greedyhull.types import Shard

PACKED: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@contextmanager
def reading(name: str, what: str) -> Iterator[None]:
    """Turn what a damaged file makes its reader raise into an error with the file's ``name`` and ``what`` it should be."""
    try:
        yield
    except GreedyhullError:
        raise
    except UnicodeDecodeError as error:
        raise GreedyhullError(f"{name} is not UTF-8 text ({error}). Save it as UTF-8, or say what format it has.") from error
    except MemoryError as error:
        raise GreedyhullError(f"{name} does not fit into memory ({error}).") from error
    except Exception as error:  # what unpacks and parses has a dozen errors of its own
        raise GreedyhullError(f"{name} cannot be read as {what} ({error}).") from error


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file by its absolute path and as the user named it, with its size in bytes and the time of its last change."""

    path: str
    shown: str
    size: int
    time: int  # in nanoseconds

    @contextmanager
    def there(self) -> Iterator[Path]:
        """Access the file; raise if it has vanished."""
        try:
            yield Path(self.path)
        except OSError as error:
            raise GreedyhullError(f"{self.shown} was there when gh.shards was called, and cannot be read now "
                                  f"({error.strerror}). Put it back, or call gh.shards again.") from error

    def check_unchanged(self) -> None:
        """Raise if the file has vanished or changed since gh.shards was called."""
        again = "Call gh.shards again to take the files as they are now."
        with self.there() as path:
            found = path.stat()
        check(found.st_size == self.size, f"{self.shown} has changed since gh.shards was called: it had {self.size} bytes, "
              f"and has {found.st_size} now. {again}")
        check(found.st_mtime_ns == self.time, f"{self.shown} was written to since gh.shards was called. {again} Copies of a "
                                              "file on other machines must keep its time (cp -p, rsync -t).")


def seen(path: Path, shown: str) -> SeenFile:
    try:
        found = path.stat()
    except OSError as error:
        raise GreedyhullError(f"{shown} cannot be read: {error.strerror}.") from error
    check(path.is_file(), f"{shown} is not a file.")
    return SeenFile(str(path.absolute()), shown, found.st_size, found.st_mtime_ns)


LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))  # of a container


class Numbered(Sequence[str]):
    """The names first, first + 1, … of ``count`` columns; none is stored.

    >>> names = Numbered(2_000_000_000, first=1)
    >>> names[-1], names[:2], "7" in names, names.index("7")
    ('2000000000', ['1', '2'], True, 6)
    """

    def __init__(self, count: int, first: int = 0) -> None:
        self.numbers = range(first, first + count)

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return [str(number) for number in self.numbers[place]] if isinstance(place, slice) else str(self.numbers[place])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.isdecimal() and str(int(name)) == name and int(name) in self.numbers

    def index(self, name: object, start: int = 0, stop: int | None = None) -> int:
        if name not in self:
            raise ValueError(f"{name!r} is none of these names")
        return self.numbers.index(int(str(name)))


@cache
def memory() -> int:
    """Return the bytes of memory of this machine, or of the container; 2⁶² if they are unknown."""
    found = [2**62]
    if {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= set(getattr(os, "sysconf_names", ())):  # Windows has none
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for limit in LIMITS:
        try:
            found.append(int(limit.read_text()))
        except (OSError, ValueError):  # there is no container, or it has no limit
            continue
    return min(size for size in found if size > 0)


def most_columns() -> int:
    """Return the largest number of columns with which a solve fits into memory: it has about ten vectors of this length."""
    return min(memory() // 80, 2**48)


def too_many(count: int) -> str:
    return (f"{count} columns: a point would take {8 * count / 1e9:.3g} GB, a solve about 10 times as much, and there are "
            f"{memory() / 1e9:.3g} GB of memory")


BYTES = 1 << 25  # of the text of a shard
PORTION = 1 << 20  # that are looked at together
LONGEST = 1 << 26  # bytes of a line


class Block(NamedTuple):
    """Bytes start to stop of a file, the first of them on line ``line``; of a packed file, all of it: stop is −1."""

    start: int
    stop: int
    line: int


def portions(file: SeenFile, quoted: bool = False) -> Iterator[tuple[Block, bytes]]:
    """Yield the text of a file, unpacked, in blocks of about 1 MB of whole lines, or whole records if cells are ``quoted``."""
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
                yield Block(start, start + size, line), b"".join(lines)
                start, line, size, lines = start + size, line + len(lines), 0, []
                check(not packed or start <= memory(), f"{file.shown} unpacks to more than the {memory() / 1e9:.3g} GB of "
                      "memory, and a packed file is one shard. Unpack it, or cut it into smaller files.")
    if lines:
        yield Block(start, start + size, line), b"".join(lines)


def blocks(file: SeenFile, found: list[Block]) -> list[Block]:
    """Join blocks to some of about 32 MB; a packed file is one block."""
    if is_packed(file) or not found:
        return [Block(0, -1 if is_packed(file) else file.size, 1)]
    made = [found[0]]
    for one in found[1:]:
        if one.start - made[-1].start < BYTES:
            made[-1] = made[-1]._replace(stop=one.stop)
        else:
            made.append(one)
    return made


def read(file: SeenFile, block: Block) -> bytes:
    if block.stop < 0:
        return b"".join(text for _, text in portions(file))
    with Path(file.path).open("rb") as stream:
        stream.seek(block.start)
        return stream.read(block.stop - block.start)


def is_packed(file: SeenFile) -> bool:
    return Path(file.path).suffix.lower() in PACKED


def opened(file: SeenFile) -> BinaryIO:
    found: BinaryIO = PACKED.get(Path(file.path).suffix.lower(), open)(file.path, "rb")
    return found


@dataclass(frozen=True, slots=True)
class Piece:
    """The rows of one shard, all of a file or a part of it."""

    file: SeenFile

    @property
    def files(self) -> tuple[SeenFile, ...]:
        """The files that the rows come from, the main one first."""
        return (self.file,)

    @property
    def part(self) -> str:
        """The name of the part of the file, such as "row group 3"; empty if it is the whole file."""
        return ""

    def load(self) -> Shard:
        """Read and check the rows."""
        raise NotImplementedError


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
        """Read the k-th shard; raise if one of its files has changed, also while it was read."""
        piece = self._piece(k)
        for file in piece.files:
            file.check_unchanged()
        shard = piece.load()
        for file in piece.files:
            file.check_unchanged()
        return shard

    def name(self, k: int) -> str:
        piece = self._piece(k)
        return f"{piece.files[0].shown}{piece.part and ', '}{piece.part}"

    def mark(self, k: int) -> str:
        """Return a digest that changes when the k-th shard does: of its part and of its files as they are now, their sizes,
        times and 16 places of 1 KiB in each."""
        piece, window = self._piece(k), 1024
        digest = blake2b(piece.part.encode(), digest_size=16)
        for file in piece.files:
            with file.there() as path:
                found = path.stat()
                digest.update(f"|{found.st_size}|{found.st_mtime_ns}|".encode())
                with path.open("rb") as stream:
                    for i in range(16):
                        stream.seek((found.st_size - window) * i // 15 if found.st_size > window else 0)
                        digest.update(stream.read(window))
        return digest.hexdigest()

    def _piece(self, k: int) -> Piece:
        check_number(k, self.count)
        return self.pieces[k]

    def __repr__(self) -> str:
        files = len({piece.files[0].path for piece in self.pieces})
        return (f"<{_several(self.count, 'shard')} of {_several(files, 'file')}, {_several(self.d, 'column')}; {self.words}>")


def _several(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def check_number(k: int, count: int) -> None:
    check(0 <= k < count, f"There is no shard {k}; there are {count}, counted from 0.")


FORMATS = {".npy": "npy", ".npz": "npz", ".svm": "libsvm", ".libsvm": "libsvm", ".svmlight": "libsvm", ".txt": "text",
           ".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow",
           ".ipc": "arrow"}
Source = str | Path | Sequence[str | Path]


def files_of(source: Source, argument: str = "The pattern") -> list[SeenFile]:
    """Return the files that a source names: those of a list in its order, those of a pattern or a folder by name."""
    if isinstance(source, str | Path):
        return _named(fspath(source), argument)
    paths = list(source)
    check(len(paths) > 0, "An empty list of files was given; at least one path is wanted.")
    wrong = [path for path in paths if not isinstance(path, str | Path)]
    check(not wrong, lambda: f"{in_words(wrong[0])} was given in a list of files; paths are wanted.")
    found = [file for path in paths for file in _named(fspath(path), argument)]
    count = Counter(file.path for file in found)
    twice = sorted({file.shown for file in found if count[file.path] > 1})
    check(not twice, lambda: f"{', '.join(twice)} is listed twice; rows would count twice.")
    return found


def format_of(files: Sequence[SeenFile]) -> str:
    """Return the one format that the names of the files show; of .txt files, that of their first lines."""
    kinds: dict[str, str] = {}
    for file in files:
        kind, packed = FORMATS.get(_ending(Path(file.shown)), ""), is_packed(file)
        check(kind != "", f"The ending of {file.shown} does not tell its format; one of {', '.join(FORMATS)} is wanted.")
        check(not packed or kind in ("libsvm", "csv", "text"), f"{file.shown} is packed; only text is read packed. Unpack it "
                                                               "first.")
        if kind == "text" and file.size == 0:
            continue  # it has the format of the others
        if kind == "text":
            with reading(file.shown, "lines of text"), opened(file) as stream:
                first = stream.readline(LONGEST)
            sparse = re.match(rb"(?:\xef\xbb\xbf)?\s*[-+.0-9eE]+(?:\s+\w+:[^\s,;]+)+\s*(?:#.*)?$", first)
            kind = "libsvm" if sparse else "csv"
        kinds.setdefault(kind, file.shown)
    check(len(kinds) <= 1, f"The files are of several formats, as {' and '.join(kinds.values())} are; one format is wanted. "
          "Name the files by a pattern with their ending, such as part-*.parquet.")
    return next(iter(kinds), "libsvm")


def _named(name: str, argument: str) -> list[SeenFile]:
    check("://" not in name, f"{name} is an address; files on this machine are wanted. For others, write load(k) and call "
                             "gh.shards(load, count=...).")
    check("\0" not in name and name != "", f"{argument} {name!r} names no file.")
    path = Path(name).expanduser()
    try:
        if path.is_dir():
            return _inside(path)
        if path.exists() or not has_magic(name):
            check(path.exists(), lambda: no_file(path, name) if path.is_symlink() else _nothing(no_file(path, name), path))
            return [seen(path, name)]
        found = _readable(map(Path, glob(str(path), recursive=True)))  # noqa: PTH207 — Path.glob takes no absolute pattern
        check(len(found) > 0, lambda: _nothing(f"{argument} {name} matches no file.", path))
    except OSError as error:
        raise GreedyhullError(f"{argument} {in_words(name)} cannot be looked for: {error.strerror}.") from error
    return [seen(one, str(one)) for one in found]


def _inside(folder: Path) -> list[SeenFile]:
    """Return the data files of a folder, except names that begin with a dot or an underscore."""
    known = _readable(one for one in folder.iterdir() if one.name[0] not in "._" and _ending(one) in FORMATS)
    if not known:
        below = [one.name for one in sorted(folder.iterdir()) if one.is_dir()]
        hint = f" It has folders ({', '.join(below[:5])}): name the files by a pattern, such as {folder}/**/*.parquet." \
            if below else ""
        raise GreedyhullError(f"The folder {folder} holds no file whose ending is one of {', '.join(FORMATS)}.{hint}")
    return [seen(one, str(one)) for one in known]


def _readable(paths: Iterable[Path]) -> list[Path]:
    """Return those of ``paths`` that are files, in order; a link whose target does not exist is data that is missing."""
    there = sorted(paths, key=_order)
    for one in there:
        check(one.exists() or not one.is_symlink(), lambda one=one: no_file(one))  # type: ignore[misc]
    return [one for one in there if one.is_file()]


def _ending(path: Path) -> str:
    """Return the ending that tells the format, before that of a packed file."""
    ends = [end.lower() for end in path.suffixes]
    return "".join((ends[:-1] if ends[-1:] and ends[-1] in PACKED else ends)[-1:])


def _order(path: Path) -> list[tuple[int, str]]:
    """Sort numbers in names as numbers: part-2 before part-10."""
    return [(int(part), "") if part.isdecimal() and part.isascii() else (-1, part)
            for part in re.split(r"([0-9]{1,4000})", str(path)) if part]


def _nothing(said: str, path: Path) -> str:
    """Extend a message that nothing was found by what the folder holds, the nearest names first."""
    from difflib import SequenceMatcher

    folder = path.parent
    while has_magic(str(folder)):
        folder = folder.parent
    if not folder.is_dir():
        return f"{said} There is no folder {normpath(folder)}."
    there = [one.name for one in folder.iterdir()]
    if not there:
        return f"{said} The folder {normpath(folder)} is empty."
    near = sorted(there, key=lambda other: (-SequenceMatcher(None, path.name, other).ratio(), other))[:5]
    others = f" and {len(there) - len(near)} others" if len(there) > len(near) else ""
    return f"{said} The folder {normpath(folder.absolute())} holds {', '.join(near)}{others}."
