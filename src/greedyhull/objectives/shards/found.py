"""Which files a pattern, a path, a list of paths or a folder names, in which order; and the format that endings tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from glob import glob, has_magic
from os import fspath
from os.path import normpath
from pathlib import Path

from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import no_file
from greedyhull.errors.given import shown as in_words
from greedyhull.objectives.shards.marks import SeenFile, seen
from greedyhull.objectives.shards.reading import PACKED, reading
from greedyhull.objectives.shards.text_blocks import LONGEST, opened

FORMATS = {".npy": "npy", ".npz": "npz", ".svm": "libsvm", ".libsvm": "libsvm", ".svmlight": "libsvm", ".txt": "text",
           ".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow",
           ".ipc": "arrow"}
TEXT = ("libsvm", "csv", "text")  # formats that may be packed
SOME = 5  # names that a sentence can bear
Source = str | Path | Sequence[str | Path]


def files_of(source: Source, argument: str = "The pattern") -> list[SeenFile]:
    """The files that a source names: those of a list in its order, those of a pattern or a folder by name, 2 before 10."""
    if isinstance(source, str | Path):
        return _named(fspath(source), argument)
    paths = list(source)
    check(len(paths) > 0, "An empty list of files was given; at least one path is wanted.")
    wrong = [path for path in paths if not isinstance(path, str | Path)]
    check(not wrong, lambda: f"{in_words(wrong[0])} was given in a list of files; paths are wanted.")
    found = [file for path in paths for file in _named(fspath(path), argument)]
    twice = {file.shown for file in found if [other.path for other in found].count(file.path) > 1} if len(found) < 1000 else ()
    check(not twice, lambda: f"{', '.join(sorted(twice))} is listed twice; rows would count twice.")
    return found


def format_of(files: Sequence[SeenFile]) -> str:
    """The one format that the names of the files tell; of .txt files, what their first lines look like."""
    kinds: dict[str, str] = {}
    empty = ""
    for file in files:
        ends = [end.lower() for end in Path(file.shown).suffixes]
        packed = bool(ends) and ends[-1] in PACKED
        ends = ends[:-1] if packed else ends
        kind = FORMATS.get(ends[-1], "") if ends else ""
        check(kind != "", f"The ending of {file.shown} does not tell its format; one of {', '.join(FORMATS)} is wanted.")
        check(not packed or kind in TEXT, f"{file.shown} is packed; only text is read packed. Unpack it first.")
        if kind == "text" and file.size == 0:
            empty = "libsvm"  # or whatever the others are
            continue
        kinds.setdefault(_looks_like(file) if kind == "text" else kind, file.shown)
    kinds = kinds or {empty: ""}
    check(len(kinds) == 1, f"The files are of several formats, as {' and '.join(kinds.values())} are; one format is wanted. "
                           "Name "
                           "the files by a pattern with their ending, such as part-*.parquet.")
    return next(iter(kinds))


def _looks_like(file: SeenFile) -> str:
    """Which of the formats in text the first line is of."""
    with reading(file.shown, "lines of text"), opened(file) as stream:
        first = stream.readline(LONGEST)
    return "libsvm" if re.match(rb"(?:\xef\xbb\xbf)?\s*[-+.0-9eE]+(?:\s+\w+:[^\s,;]+)+\s*(?:#.*)?$", first) else "csv"


def _named(name: str, argument: str) -> list[SeenFile]:
    check("://" not in name, f"{name} is an address; files on this machine are wanted. For others, write load(k) and call "
                             "gh.shards(load, count=...).")
    check("\0" not in name and name != "", f"{argument} {name!r} names no file.")
    try:
        return _looked_for(name, argument)
    except OSError as error:
        raise GreedyhullError(f"{argument} {in_words(name)} cannot be looked for: {error.strerror}.") from error


def _looked_for(name: str, argument: str) -> list[SeenFile]:
    path = Path(name).expanduser()
    if path.is_dir():
        return _inside(path)
    if path.exists() or not has_magic(name):
        check(path.exists(), lambda: no_file(path, name) if path.is_symlink() else _nothing(no_file(path, name), path))
        return [seen(path, name)]
    found = sorted(map(Path, glob(str(path), recursive=True)), key=_order)  # noqa: PTH207 — Path.glob takes no absolute pattern
    found = _readable(found)
    check(len(found) > 0, lambda: _nothing(f"{argument} {name} matches no file.", path))
    return [seen(one, str(one)) for one in found]


def _inside(folder: Path) -> list[SeenFile]:
    """The data files of a folder; names that begin with a dot or an underline are others'."""
    there = sorted((one for one in folder.iterdir() if one.name[0] not in "._"), key=_order)
    known = _readable([one for one in there if _known(one)])
    if not known:
        below = [one.name for one in sorted(folder.iterdir()) if one.is_dir()]
        hint = f" It has folders ({', '.join(below[:SOME])}): name the files by a pattern, such as {folder}/**/*.parquet." \
            if below else ""
        raise GreedyhullError(f"The folder {folder} holds no file whose ending is one of {', '.join(FORMATS)}.{hint}")
    return [seen(one, str(one)) for one in known]


def _readable(paths: list[Path]) -> list[Path]:
    """Return those of ``paths`` that are files; a link whose target does not exist is data that is missing."""
    for one in paths:
        check(one.exists() or not one.is_symlink(), lambda one=one: no_file(one))  # type: ignore[misc]
    return [one for one in paths if one.is_file()]


def _known(path: Path) -> bool:
    ends = [end.lower() for end in path.suffixes if end.lower() not in PACKED]
    return bool(ends) and ends[-1] in FORMATS


def _order(path: Path) -> list[tuple[int, str]]:
    """Numbers in names count as numbers: part-2 stands before part-10."""
    return [(int(part), "") if part.isdecimal() and part.isascii() else (-1, part)
            for part in re.split(r"([0-9]{1,4000})", str(path)) if part]


def _nothing(said: str, path: Path) -> str:
    """What to say where nothing was found: what the folder holds, the nearest names first."""
    from difflib import SequenceMatcher

    folder = path.parent
    while has_magic(str(folder)):
        folder = folder.parent
    if not folder.is_dir():
        return f"{said} There is no folder {normpath(folder)}."
    there = [one.name for one in folder.iterdir()]
    if not there:
        return f"{said} The folder {normpath(folder)} is empty."
    near = sorted(there, key=lambda other: (-SequenceMatcher(None, path.name, other).ratio(), other))[:SOME]
    others = f" and {len(there) - len(near)} others" if len(there) > len(near) else ""
    return f"{said} The folder {normpath(folder.absolute())} holds {', '.join(near)}{others}."
