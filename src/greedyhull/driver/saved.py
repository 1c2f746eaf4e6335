"""States on disk: npz without pickle, written beside the target and renamed, so that a crash leaves a whole file."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from errno import EINVAL
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import no_file
from greedyhull.types import Array, State

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKSUM = "checksum"
PACKED, SMALL = 20, 1 << 16  # how many times its size a file may unpack to, and what is harmless


class SavedFile:
    """A checkpoint in one file, which each save replaces."""

    def __init__(self, path: Path) -> None:
        self.path, self.folder = path, path.parent

    def __str__(self) -> str:
        return str(self.path)

    def write(self, state: State) -> None:
        """Replace what was saved."""
        save_state(self.path, state)

    def holds_state(self) -> bool:
        """Return whether the file is there."""
        return self.path.exists()

    def close(self) -> None:
        """Nothing is held open between saves."""


def save_state(path: Path, state: State) -> None:
    """Write ``state`` to ``path``, all or nothing."""
    for name, array in state.items():  # NumPy before 2.2 has no ``savez(allow_pickle=)``: it stores an array of that name
        check(not np.asarray(array).dtype.hasobject, f"`{name}` must be a plain array to be saved; got an array of objects.")
    with replacing(path) as file:
        np.savez(file, **state, **{CHECKSUM: checksum(state)})  # type: ignore[arg-type]


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write, which becomes ``path`` once it is on the disk. Symbolic links are followed.

    The file is synchronised before it gets its name, and the folder afterwards: a rename may reach the disk before the bytes
    that it names. A file that cannot be written whole is removed, for it may be what fills the disk.
    """
    target = _file_behind(path)
    try:
        with _part_of(target) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _beside(target).replace(target)
    except BaseException:
        with suppress(OSError):
            _beside(target).unlink()
        raise
    synchronise(target.parent)


def _file_behind(path: Path) -> Path:
    """Return the file that ``path`` names, symbolic links followed; raise OSError if it is no regular file."""
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return target
    if stat.S_ISREG(mode):
        return target
    others = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    raise OSError(EINVAL, f"it is {others.get(stat.S_IFMT(mode), 'a device')}, and must be a regular file")


def _part_of(target: Path) -> IO[bytes]:
    """Open the temporary file beside ``target``, new: another kind of file under its name would be written through."""
    _beside(target).unlink(missing_ok=True)
    return _beside(target).open("xb")


def synchronise(folder: Path) -> None:
    """Have the names in a folder reach the disk, where the system can be asked to."""
    with suppress(OSError):  # Windows opens no folders, and some file systems synchronise none
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def written_by() -> str:
    """The version of the library, for files that say who wrote them."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("greedyhull")
    except PackageNotFoundError:  # sources that were not installed
        return "unknown"


def path_of(given: Any, name: str) -> Path:
    """The path that was given as ``name``."""
    check(isinstance(given, (str, PathLike)) and "\0" not in str(given) and str(given) != "",
          f"{name}={given!r} was given; the name of a file is wanted.")
    return Path(given)


def target_of(given: Any) -> Path:
    """The path that a file is to be written to, in a folder that is there."""
    path = path_of(given, "path")
    check(path.parent.is_dir(), f"The folder {str(path.parent)!r} of path={str(path)!r} does not exist. Make it first.")
    check(not path.is_dir(), f"path={str(path)!r} is a folder; the name of a file in it is wanted.")
    try:
        target = _file_behind(path)
    except OSError as error:
        raise GreedyhullError(f"path={str(path)!r} cannot be written: {error.strerror or error}.") from error
    check(target.parent.is_dir(), lambda: f"path={str(path)!r} is a symbolic link to {str(target)!r}, whose folder does not "
                                          "exist. Make it first.")
    return path


def write_text(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` in UTF-8, all or nothing."""
    with replacing(path) as file:
        file.write(text.encode())


def unwritten(path: Path, error: OSError) -> GreedyhullError:
    """Return the error for a file that could not be replaced."""
    left = "What was there before is still there" if path.exists() else "Nothing was written"
    return GreedyhullError(f"path={str(path)!r} cannot be written ({error.strerror or error}). {left}; give another path, or "
                           "make room.")


def try_path(path: Path) -> None:
    """Raise where a state could not be written to ``path``: before a run, not after it."""
    try:
        target = _file_behind(path)
        _part_of(target).close()
        _beside(target).unlink()
    except OSError as error:
        raise GreedyhullError(f"checkpoint={str(path)!r} cannot be written ({error.strerror or error}). Make its folder, or "
                              "give a path where files can be made.") from error


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".part")


def checksum(state: State) -> Array:
    """A digest of all names and arrays, by which a damaged file is told."""
    mark = blake2b(digest_size=16)
    for name in sorted(state):
        array = np.asarray(state[name])
        mark.update(f"{name}{array.dtype.str}{array.shape}".encode())
        mark.update(array.tobytes())
    return np.frombuffer(mark.digest(), dtype=np.uint8)


def load_state(path: Path, what: str = "saved state", writer: str = "checkpoint=") -> State:
    """The state that was written to ``path``; ``what`` that is, and the ``writer`` of such files, for words."""
    check(path.exists(), lambda: f"{no_file(path, what=f'{what} at')} Give the file that {writer} wrote.")
    try:
        _check_sizes(path)
        with np.load(path, allow_pickle=False) as file:
            state: State = {name: file[name] for name in file.files}
        sound = np.array_equal(state.pop(CHECKSUM), checksum(state))
    except Exception as error:  # a damaged archive fails in as many ways as it can be damaged
        raise GreedyhullError(f"The {what} at {path} cannot be read: it is damaged, or no file that "
                              f"{writer} wrote. Give such a file, or solve again.") from error
    check(sound, f"The {what} at {path} is damaged: its contents are not those that were written. Solve again, or give "
                 f"another file that {writer} wrote.")
    return state


def _check_sizes(path: Path) -> None:
    """Raise where an archive would unpack to far more than it is: ours are stored as they are, or packed moderately."""
    from zipfile import ZipFile

    with ZipFile(path) as archive:
        claimed = sum(entry.file_size for entry in archive.infolist())
    most = PACKED * path.stat().st_size + SMALL
    check(claimed <= most, f"{path} claims {claimed} bytes, more than a file of its size can hold.")
