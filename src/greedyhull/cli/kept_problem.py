"""Which problem file a saved run belongs to, with digests of its data, so that ``greedyhull resume`` can take the run up.

``problem.json`` stands in the folder of the run, beside its states.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from greedyhull.cli.problem import Problem
from greedyhull.driver.generations import CARD, write_json
from greedyhull.errors import GreedyhullError, check
from greedyhull.solvers.parts.progress import Event

KEPT = "problem.json"
FORMAT = 1
FREE = ("stop", "output", "title")  # tables and keys that may change while a run is saved
WORDS = {"title", "loss", "kind", "name", "format", "target", "features", "exclude", "sample_weight", "folder"}  # no files
WHOLE = 1 << 28  # bytes of a file up to which all of them are compared
BLOCK, BLOCKS = 1 << 20, 64  # of a larger one, so many blocks of so many bytes, evenly spread


class KeptProblem(NamedTuple):
    """The problem file of a saved run, and where its results go; None: where the file says."""

    file: Path
    out: Path | None


class Recorded:
    """Writes ``problem.json`` as the run begins, when the folder is its own and the first state is not yet there."""

    def __init__(self, folder: Path, document: dict[str, Any]) -> None:
        self.folder, self.document = folder, document

    def __call__(self, event: Event) -> None:
        if self.document:
            write_json(self.folder / KEPT, self.document)
            self.document = {}


def described(file: Path, out: Path | None) -> dict[str, Any]:
    """The document: the problem file with its text, the folder for results, and the files with data."""
    text = file.read_text(encoding="utf-8-sig")
    return {"format": FORMAT, "problem": str(file.absolute()), "text": text,
            "out": None if out is None else str(out.absolute()),
            "files": {str(path): told(path) for path in files_of(text, file.absolute().parent)}}


def files_of(text: str, folder: Path) -> list[Path]:
    """The files that a problem file names; a name with * or ? stands for all that match it."""
    found: dict[Path, None] = {}
    for name in _strings({key: table for key, table in tomllib.loads(text).items() if key not in FREE}):
        path = Path(folder, name.replace("\0", "")).expanduser()
        base = folder if path.is_relative_to(folder) else Path(path.anchor)
        pattern = str(path.relative_to(base))
        many = sorted(base.glob(pattern)) if set("*?[") & set(pattern) else []
        found.update(dict.fromkeys(one for one in (*many, path) if one.is_file()))
    return list(found)


def _strings(table: Any) -> Iterator[str]:
    """All strings of a table, and of those within it, that may name files."""
    if isinstance(table, str):
        yield table
    elif isinstance(table, list):
        for item in table:
            yield from _strings(item)
    elif isinstance(table, dict):
        for key, item in table.items():
            if key not in WORDS:
                yield from _strings(item)


def told(path: Path) -> dict[str, Any]:
    """Size and digest of a file: of all its bytes, or of blocks that are evenly spread over a large one."""
    size, mark = path.stat().st_size, blake2b(digest_size=16)
    with path.open("rb") as file:
        if size <= WHOLE:
            for block in iter(lambda: file.read(BLOCK), b""):
                mark.update(block)
        else:
            for i in range(BLOCKS):
                file.seek((size - BLOCK) * i // (BLOCKS - 1))
                mark.update(file.read(BLOCK))
    return {"bytes": size, "blake2b": mark.hexdigest()}


def read_kept(folder: Path) -> KeptProblem:
    """The problem that a folder holds a run of; an error that names the file where one has changed since."""
    check(folder.is_dir(), f"There is no folder {folder}. Give the one that greedyhull solve --checkpoint wrote to.")
    path = folder / KEPT
    check(path.is_file(), f"There is no {KEPT} in {folder}: it holds no run that greedyhull solve --checkpoint began. Runs of "
                          "minimize continue in Python, by minimize(..., resume=folder).")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        version, file, text = int(document["format"]), Path(document["problem"]), str(document["text"])
        out, files = document["out"], {Path(name): dict(about) for name, about in document["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise GreedyhullError(f"{path} is damaged ({type(error).__name__}: {error}). Resume in Python, by minimize(..., "
                              "resume=folder) with the same problem, or solve again.") from error
    check(version == FORMAT, f"{path} was written by a newer version of greedyhull. Resume with the version that wrote it.")
    _check_text(file, text)
    _check_files(files, files_of(text, file.parent))
    return KeptProblem(file, None if out is None else Path(out))


def _check_text(file: Path, before: str) -> None:
    """Raise unless the problem file is what it was, up to what may change."""
    check(file.is_file(), f"The problem file {file} of the saved run is gone. Put it back, or solve again.")
    now = file.read_text(encoding="utf-8-sig")
    if now == before:
        return
    try:
        same = _fixed(now) == _fixed(before)
    except tomllib.TOMLDecodeError:
        return  # whoever loads it says what is wrong, and where
    pairs = zip([*now.splitlines(), ""], [*before.splitlines(), ""], strict=False)
    line = next((i for i, (new, old) in enumerate(pairs, start=1) if new != old), 1)
    check(same, f"The problem file {file} has changed since the run was saved, first in line {line}. [stop] and [output] may "
                "change, the problem may not. Put back what it said, or solve anew with greedyhull solve.")


def _fixed(text: str) -> dict[str, Any]:
    return {key: table for key, table in tomllib.loads(text).items() if key not in FREE}


def _check_files(before: dict[Path, dict[str, Any]], now: list[Path]) -> None:
    """Raise where a file with data is gone, new, or not what it was; all of them are named."""
    changed = []
    for path, about in before.items():
        if not path.is_file():
            changed.append(f"{path} is gone")
        elif (size := path.stat().st_size) != about["bytes"]:
            changed.append(f"{path} has {size} bytes, not {about['bytes']}")
        elif told(path)["blake2b"] != about["blake2b"]:
            changed.append(f"{path} has other contents")
    changed += [f"{path} is new" for path in now if path not in before]
    check(not changed, f"The data have changed since the run was saved: {'; '.join(changed)}. Put back what was there, or "
                       "solve anew with greedyhull solve.")


def check_same(folder: Path, problem: Problem) -> None:
    """Raise if the states in the folder are those of another run: one of `minimize` was saved there in the meantime."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
        saved = card["objective"], card["set"]
    except (OSError, ValueError, KeyError, TypeError):
        return  # it is for people; the states themselves say what they are of
    now = repr(problem.f), repr(problem.S)
    check(saved == now, f"{folder} holds a run that minimises {saved[0]} over {saved[1]}, but the problem file asks for "
                        f"{now[0]} over {now[1]}. Another run was saved there since; resume it in Python, or solve anew.")
