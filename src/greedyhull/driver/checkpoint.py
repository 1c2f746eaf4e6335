"""Files: written all or nothing, with a checksum; states of a run in one file, or in a folder that keeps two."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL
from hashlib import blake2b
from math import inf
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any, TypeAlias
from warnings import warn

import numpy as np

from greedyhull.errors import GreedyhullError, GreedyhullWarning, check, is_file, no_file
from greedyhull.kernels._core import level
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Array, State

if TYPE_CHECKING:
    from greedyhull.driver.run import Run

Given: TypeAlias = str | PathLike[str] | None
CHECKSUM = "checksum"
NAME = re.compile(r"state-(\d{8,})\.npz")
CARD = "run.json"
VERSION = 4  # of saved states
SHARE = 0.1  # of the time of a run, the most that saving may take


def save_state(path: Path, state: State) -> None:
    """Write ``state`` to ``path``, all or nothing."""
    with replacing(path) as file:
        write_state(file, state)


def write_state(file: IO[bytes], state: State) -> None:
    for name, array in state.items():  # NumPy before 2.2 has no ``savez(allow_pickle=)``: it stores an array of that name
        check(not np.asarray(array).dtype.hasobject, f"`{name}` must be a plain array to be saved; got an array of objects.")
    np.savez(file, **state, **{CHECKSUM: checksum(state)})  # type: ignore[arg-type]


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write, which becomes ``path`` once it is on the disk. Symbolic links are followed."""
    target = _file_behind(path)
    try:
        with _part_of(target) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # a rename may reach the disk before the bytes that it names
        _beside(target).replace(target)
    except BaseException:  # half a file may be what fills the disk
        with suppress(OSError):
            _beside(target).unlink()
        raise
    with suppress(OSError):  # Windows opens no folders, and some file systems synchronise none
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


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


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".part")


def written_by() -> str:
    """Return the version of the library, for files that name their writer."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("greedyhull")
    except PackageNotFoundError:  # sources that were not installed
        return "unknown"


def path_of(given: Any, name: str) -> Path:
    check(isinstance(given, (str, PathLike)) and "\0" not in str(given) and str(given) != "",
          f"{name}={given!r} was given; the name of a file is wanted.")
    return Path(given)


def target_of(given: Any) -> Path:
    """Return the path that a file is to be written to, in a folder that is there."""
    path = path_of(given, "path")
    check(is_dir(path.parent), f"The folder {str(path.parent)!r} of path={str(path)!r} does not exist. Make it first.")
    check(not is_dir(path), f"path={str(path)!r} is a folder; the name of a file in it is wanted.")
    try:
        target = _file_behind(path)
    except OSError as error:
        raise GreedyhullError(f"path={str(path)!r} cannot be written: {error.strerror or error}.") from error
    check(is_dir(target.parent), lambda: f"path={str(path)!r} is a symbolic link to {str(target)!r}, whose folder does not "
                                         "exist. Make it first.")
    return path


def write_file(given: Any, write: Callable[[IO[bytes]], object]) -> Path:
    """Have ``write(file)`` write the file that a user named, all or nothing, and return its path."""
    path = target_of(given)
    try:
        with replacing(path) as file:
            write(file)
    except OSError as error:
        left = "What was there before is still there" if path.exists() else "Nothing was written"
        raise GreedyhullError(f"path={str(path)!r} cannot be written ({error.strerror or error}). {left}; give another path, "
                              "or make room.") from error
    return path


def write_text(path: Path, text: str) -> None:
    """Write ``text`` to a file that a user named, in UTF-8, all or nothing."""
    write_file(path, lambda file: file.write(text.encode()))


def write_json(path: Path, document: dict[str, Any]) -> None:
    with replacing(path) as file:
        file.write((json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode())


def checksum(state: State) -> Array:
    """Return a digest of all names and arrays, which tells a damaged file."""
    mark = blake2b(digest_size=16)
    for name in sorted(state):
        array = np.asarray(state[name])
        mark.update(f"{name}{array.dtype.str}{array.shape}".encode())
        mark.update(array.tobytes())
    return np.frombuffer(mark.digest(), dtype=np.uint8)


def load_state(path: Path, what: str = "saved state", writer: str = "checkpoint=") -> State:
    """Return the state that was written to ``path``; ``what`` that is, and the ``writer`` of such files, for words."""
    check(is_file(path), lambda: f"{no_file(path, what=f'{what} at')} Give the file that {writer} wrote.")
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
    """Raise if an archive would unpack to far more than it is: ours are stored as they are, or packed moderately."""
    from zipfile import ZipFile

    with ZipFile(path) as archive:
        claimed = sum(entry.file_size for entry in archive.infolist())
    most = 20 * path.stat().st_size + (1 << 16)  # times its size, and what is harmless
    check(claimed <= most, f"{path} claims {claimed} bytes, more than a file of its size can hold.")


def is_dir(path: Path) -> bool:
    """Return whether there is such a folder; unlike ``Path.is_dir``, False if its name is too long."""
    return os.path.isdir(path)  # noqa: PTH112


def is_folder(path: Path, given: object) -> bool:
    """Return whether a folder is meant: ``path`` is one, or it was ``given`` with a slash at its end."""
    return str(given).endswith(("/", os.sep)) or is_dir(path)


def numbered(folder: Path) -> dict[int, Path]:
    """Return the states in a folder by their numbers, the newest first."""
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError as error:
        raise GreedyhullError(f"The folder {str(folder)!r} cannot be read ({error.strerror or error}).") from error
    found = {int(match[1]): folder / name for name in names if (match := NAME.fullmatch(name))}
    return dict(sorted(found.items(), reverse=True))


def read(folder: Path) -> tuple[int, State] | None:
    """Return the newest whole state with its number, None if none was ever written; warn of damaged ones."""
    check(is_dir(folder), f"There is no folder {str(folder)!r}. Give the one that checkpoint= wrote to.")
    for _ in range(5):  # times that a folder is read which another run writes to
        damaged: dict[Path, GreedyhullError] = {}
        found = None
        for number, path in numbered(folder).items():
            try:
                found = number, load_state(path)
                break
            except GreedyhullError as error:
                damaged[path] = error
        if all(bad.exists() for bad in damaged):  # else a run that writes there has gone on meanwhile
            break
    if found is None and damaged:
        raise GreedyhullError(f"No saved state in {str(folder)!r} can be used: {' and '.join(map(str, damaged))} "
                              f"{'is' if len(damaged) == 1 else 'are'} damaged. Solve again, or restore one of "
                              "them.") from next(iter(damaged.values()))
    if found is not None and damaged:
        warn(f"The newest saved state is damaged: {', '.join(map(str, damaged))}. The one before, "
             f"{numbered(folder).get(found[0])}, is whole, and the run goes on from there; it computes again what came after.",
             GreedyhullWarning, stacklevel=5)
    return found


class CheckpointFile:
    """A checkpoint in one file, which each save replaces."""

    def __init__(self, path: Path) -> None:
        self.path, self.folder = path, path.parent
        try:  # before a run, not after it
            target = _file_behind(path)
            _part_of(target).close()
            _beside(target).unlink()
        except OSError as error:
            raise GreedyhullError(f"checkpoint={str(path)!r} cannot be written ({error.strerror or error}). Make its folder, "
                                  "or give a path where files can be made.") from error

    def __str__(self) -> str:
        return str(self.path)

    def write(self, state: State) -> None:
        save_state(self.path, state)

    def save(self, run: Run, event: Event) -> None:
        """Write the state of a run; a disk that is full costs a warning, not the run."""
        began = perf_counter()
        try:
            self.write(state_of(run))
        except OSError as error:
            if not is_dir(self.folder):
                left = f"the folder {self.folder} is gone; the run goes on, and is saved again once that is back"
            elif not self.holds_state():
                left = "no state has been saved so far, and the run goes on"
            else:
                left = "what was written last is still there, and the run goes on"
            warn(f"The state could not be written to {self} ({error.strerror or error}): {left}.", GreedyhullWarning,
                 stacklevel=5)
        run.saved_at = event.seconds + (perf_counter() - began) / SHARE

    def holds_state(self) -> bool:
        """Return whether a state is there, of this run or of one before it."""
        return self.path.exists()

    def close(self) -> None:
        """Let others write there."""


class CheckpointDir(CheckpointFile):
    """A checkpoint that keeps two states in a folder, which it creates and locks; ``card`` describes the run.

    A run that does not continue from a state of the folder replaces those that are there when it saves its first one.
    """

    def __init__(self, folder: Path, card: dict[str, Any]) -> None:
        self.path = self.folder = folder
        self.card = card
        self.kept: list[int] = []  # numbers of states that are whole
        self.number = 0  # of the last
        try:
            check(not folder.is_file(), f"checkpoint={str(folder)!r} is a file, and was given with a slash, as a folder is. "
                                        "Leave the slash out, or name a folder.")
            folder.mkdir(exist_ok=True)
            probe = folder / "state-00000000.npz.part"
            probe.write_bytes(b"?")
            probe.unlink()
            self._lock = _locked(folder)
        except OSError as error:
            raise GreedyhullError(f"checkpoint={str(folder)!r} cannot be written ({error.strerror or error}). Give a folder "
                                  "where files can be made; it is made if the folder that it lies in exists.") from error

    def begin(self, going_on: int | None, alone: bool) -> None:
        """Go on from the state with this number, or begin a run; ``alone``, it goes on from nothing at all."""
        self.number = max(numbered(self.folder), default=0)
        self.kept = [] if going_on is None else [going_on]
        if self.number and alone:
            warn(f"The folder {str(self.folder)!r} holds a saved run, which this one replaces. To continue that one, give "
                 f"resume={str(self.folder)!r} as well.", GreedyhullWarning, stacklevel=5)

    def write(self, state: State) -> None:
        """Save one more state, then remove older ones, damaged ones and halves that a killed process left."""
        save_state(self.folder / f"state-{self.number + 1:08d}.npz", state)
        self.number += 1
        self.kept = [*self.kept, self.number][-2:]  # states
        if self.card:
            write_json(self.folder / CARD, self.card)
            self.card = {}
        old: list[Path] = []
        with suppress(OSError, GreedyhullError):  # what stays costs room, and the next save tries again
            old += [path for number, path in numbered(self.folder).items() if number not in self.kept]
            old += [path for path in self.folder.iterdir() if NAME.fullmatch(path.name.removesuffix(".part")) and
                    path.name.endswith(".part")]
        for path in old:
            with suppress(OSError):
                path.unlink()

    def holds_state(self) -> bool:
        return len(numbered(self.folder)) > 0

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(folder: Path) -> int | None:
    """Keep other runs from writing to the folder; the system lets go when this process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    place = os.open(folder / "lock", os.O_RDONLY | os.O_CREAT, 0o644)
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        who = os.read(place, 32).decode(errors="replace").strip()
        os.close(place)
        raise GreedyhullError(f"Another run is writing to checkpoint={str(folder)!r}{f' (process {who})' if who else ''}. "
                              "Wait until it ends, or give another folder.") from error
    except OSError:  # file systems without locks
        os.close(place)
        return None
    with suppress(OSError):  # a disk that is full; the number is for people
        (folder / "lock").write_text(f"{os.getpid()}\n")
    return place


def prepared(run: Run, checkpoint: Given, resume: Given) -> tuple[CheckpointFile | None, State | None]:
    """Return where states of the run will be written, tried, and the one that it is to go on from."""
    source = None if resume is None else path_of(resume, "resume")
    target = None if checkpoint is None else path_of(checkpoint, "checkpoint")
    if target is None or not is_folder(target, checkpoint):
        return None if target is None else CheckpointFile(target), _newest(source, resume, None)[1]
    card = {"format": 1, "greedyhull": written_by(), "solver": repr(run.solver), "objective": repr(run.f),
            "set": repr(run.S), "stop": repr(run.given[0]), "seed": run.seed}
    folder = CheckpointDir(target, card)
    try:
        same = source is not None and is_dir(source) and source.samefile(folder.folder)
        number, state = _newest(source, resume, folder.folder if same else None)
        folder.begin(number if same else None, source is None)
    except BaseException:
        folder.close()
        raise
    run.saved_at = -inf  # the first state is saved at the start
    return folder, state


def _newest(source: Path | None, resume: Given, own: Path | None) -> tuple[int | None, State | None]:
    """Return the state to go on from, and its number in its folder; ``own`` is the folder that this run writes to."""
    if source is None:
        return None, None
    if not is_folder(source, resume):
        return None, load_state(source)
    found = read(source)
    if found is not None:
        return found
    check(own is not None, f"There is no saved state in resume={str(source)!r}. Give a folder that checkpoint= has written "
                           "to.")
    warn(f"There is no saved state in {str(source)!r} yet: the run begins at its start.", GreedyhullWarning, stacklevel=5)
    return None, None


def state_of(run: Run) -> State:
    parts: dict[str, Any] = {"iterate": run.w, "memory": run.memory, "identity": run.identity, "standing": run.stall,
                             "trace": run.trace}
    state = {f"{part}.{name}": array for part, kept in parts.items() for name, array in kept.state().items()}
    state["run"] = np.array([run.start_value, run.seconds])
    state["version"], state["level"] = np.array(VERSION), np.array(level())
    if run.trace.parts and not run.self_reported:  # the event that is saved; whoever goes on sees it once more
        state["noted"] = np.array(run.trace.rows[-1][2:4], dtype=np.float64)
    if run.certified_point is not run.w:
        state["shown"] = run.certified_point.array()
    return state
