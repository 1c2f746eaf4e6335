"""States on disk: one NPZ file, or a folder with two generations."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL
from hashlib import blake2b
from math import inf
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol
from warnings import warn

import numpy as np

from greedyhull.driver.state_schema import check_saved
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check, no_file
from greedyhull.kernels._core import level
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Array, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from greedyhull.driver.run import Run


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


NAME = re.compile(r"state-(\d{8,})\.npz")
PART = re.compile(r"state-\d{8,}\.npz\.part")
CARD = "run.json"
LOCK = "lock"


class Found(NamedTuple):
    """The newest whole state of a folder, and its number."""

    number: int
    state: State


def is_folder(path: Path, given: object) -> bool:
    """Whether a folder is meant: ``path`` is one, or its name ends like that of one as it was ``given``.

    >>> is_folder(Path("run/"), "run/"), is_folder(Path("run.npz"), "run.npz")
    (True, False)
    """
    return str(given).endswith(("/", os.sep)) or is_dir(path)


def is_dir(path: Path) -> bool:
    """Whether there is a folder; there is none whose name is too long to be asked for."""
    try:
        return path.is_dir()
    except OSError:
        return False


def numbered(folder: Path) -> dict[int, Path]:
    """The states in a folder by their numbers, the newest first."""
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError as error:
        raise GreedyhullError(f"The folder {str(folder)!r} cannot be read ({error.strerror or error}).") from error
    found = {int(match[1]): folder / name for name in names if (match := NAME.fullmatch(name))}
    return dict(sorted(found.items(), reverse=True))


def read(folder: Path) -> Found | None:
    """The newest whole state, None where none was ever written; what is damaged is told."""
    check(is_dir(folder), f"There is no folder {str(folder)!r}. Give the one that checkpoint= wrote to.")
    for _ in range(5):  # times that a folder is read which another run writes to
        damaged: list[tuple[Path, GreedyhullError]] = []
        found = _whole(numbered(folder), damaged)
        if all(path.exists() for path, _ in damaged):  # else a run that writes there has gone on meanwhile
            break
    if found is None and damaged:
        lost = " and ".join(str(bad) for bad, _ in damaged)
        raise GreedyhullError(f"No saved state in {str(folder)!r} can be used: {lost} {'is' if len(damaged) == 1 else 'are'} "
                              "damaged. Solve again, or restore one of them.") from damaged[0][1]
    if found is not None and damaged:
        lost, path = ", ".join(str(bad) for bad, _ in damaged), numbered(folder).get(found.number)
        warn(f"The newest saved state is damaged: {lost}. The one before, {path}, is whole, and the run goes on from there; "
             "it computes again what came after.", GreedyhullWarning, stacklevel=5)
    return found


def _whole(states: dict[int, Path], damaged: list[tuple[Path, GreedyhullError]]) -> Found | None:
    """The first of the states that can be read; those before it are added to the ``damaged`` ones."""
    for number, path in states.items():
        try:
            return Found(number, load_state(path))
        except GreedyhullError as error:
            damaged.append((path, error))
    return None


class RunFolder:
    """A checkpoint that keeps two states in a folder, which no other run may write to meanwhile.

    A run that does not go on from a state of the folder takes the place of all that were saved there before, with its first
    state and not earlier. ``card`` says what it is a run of.
    """

    def __init__(self, folder: Path, card: dict[str, Any]) -> None:
        self.folder, self.card = folder, card
        self.kept: list[int] = []  # numbers of states that are whole
        self.number = 0  # of the last
        self._lock = _locked(folder)

    def __str__(self) -> str:
        return str(self.folder)

    def begin(self, going_on: int | None, alone: bool) -> None:
        """Go on from the state with this number, or begin a run; ``alone``, it goes on from nothing at all."""
        self.number = max(numbered(self.folder), default=0)
        self.kept = [] if going_on is None else [going_on]
        if self.number and alone:
            warn(f"The folder {str(self.folder)!r} holds a saved run, which this one replaces. To continue that one, give "
                 f"resume={str(self.folder)!r} as well.", GreedyhullWarning, stacklevel=5)

    def write(self, state: State) -> None:
        """Save one more state, then remove those that are no longer needed."""
        save_state(self.folder / f"state-{self.number + 1:08d}.npz", state)
        self.number += 1
        self.kept = [*self.kept, self.number][-2:]  # states
        if self.card:
            write_json(self.folder / CARD, self.card)
            self.card = {}
        self._tidy()

    def holds_state(self) -> bool:
        """Return whether a state is there, of this run or of one before it."""
        return len(numbered(self.folder)) > 0

    def _tidy(self) -> None:
        """Remove what is neither of the last two states: older ones, damaged ones, halves that a killed process left."""
        old: list[Path] = []
        with suppress(OSError, GreedyhullError):  # what stays costs room, and the next save tries again
            old += [path for number, path in numbered(self.folder).items() if number not in self.kept]
            old += [path for path in self.folder.iterdir() if PART.fullmatch(path.name)]
        for path in old:
            with suppress(OSError):
                path.unlink()

    def close(self) -> None:
        """Let others write there."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def opened(folder: Path, card: dict[str, Any]) -> RunFolder:
    """The folder for checkpoints of a run, made if need be, tried and locked."""
    try:
        check(not folder.is_file(), f"checkpoint={str(folder)!r} is a file, and was given with a slash, as a folder is. "
                                    "Leave the slash out, or name a folder.")
        folder.mkdir(exist_ok=True)
        probe = folder / "state-00000000.npz.part"
        probe.write_bytes(b"?")
        probe.unlink()
        return RunFolder(folder, card)
    except OSError as error:
        raise GreedyhullError(f"checkpoint={str(folder)!r} cannot be written ({error.strerror or error}). Give a folder where "
                              "files can be made; it is made if the folder that it lies in exists.") from error


def card_of(run: Run) -> dict[str, Any]:
    """What a run is, in words."""
    return {"format": 1, "greedyhull": written_by(), "solver": repr(run.solver), "objective": repr(run.f),
            "set": repr(run.S), "stop": repr(run.given[0]), "seed": run.seed}


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write a document, all or nothing."""
    write_text(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def _locked(folder: Path) -> int | None:
    """Keep other runs from writing to the folder; the system lets go when this process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    place = os.open(folder / LOCK, os.O_RDONLY | os.O_CREAT, 0o644)
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
        (folder / LOCK).write_text(f"{os.getpid()}\n")
    return place


if TYPE_CHECKING:
    from greedyhull.driver.run import Run

    Given = str | PathLike[str] | None

VERSION = 3  # of saved states
SHARE = 0.1  # of the time of a run, the most that saving may take


class Checkpoint(Protocol):
    """Where the states of a run go: a file, or a folder that keeps two."""

    @property
    def folder(self) -> Path: ...
    def write(self, state: State) -> None: ...
    def holds_state(self) -> bool: ...
    def close(self) -> None: ...


def prepared(run: Run, checkpoint: Given, resume: Given) -> tuple[Checkpoint | None, State | None]:
    """Where states of the run will be written, tried, and the one that it is to go on from."""
    source = None if resume is None else path_of(resume, "resume")
    if checkpoint is None or not is_folder(path_of(checkpoint, "checkpoint"), checkpoint):
        target = None if checkpoint is None else path_of(checkpoint, "checkpoint")
        if target is not None:
            try_path(target)
        return None if target is None else SavedFile(target), _newest(source, resume, None)[1]
    folder = opened(path_of(checkpoint, "checkpoint"), card_of(run))
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
    """The state to go on from, and its number in its folder; ``own`` is the folder that this run writes to, if it is that."""
    if source is None:
        return None, None
    if not is_folder(source, resume):
        return None, _sound(load_state(source), source)
    found = read(source)
    if found is not None:
        _sound(found[1], source)
    check(found is not None or own is not None, f"There is no saved state in resume={str(source)!r}. Give a folder that "
                                                "checkpoint= has written to.")
    if found is None:
        warn(f"There is no saved state in {str(source)!r} yet: the run begins at its start.", GreedyhullWarning, stacklevel=5)
        return None, None
    return found


def _sound(state: State, source: Path) -> State:
    """The state of a file, if it can be one of this version; what others wrote is not looked into."""
    if "version" in state and state["version"].shape == () and state["version"] == VERSION:
        with named(source):
            check_saved(state, str(source))
    return state


@contextmanager
def named(source: Path | Given) -> Iterator[None]:
    """What is wrong with a state that is read is said with its file."""
    try:
        yield
    except GreedyhullError as error:
        if str(source) in str(error):
            raise
        raise GreedyhullError(f"The state in {source} cannot be gone on from. {error}") from error
    except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise GreedyhullError(f"The state in {source} is none that checkpoint= wrote ({type(error).__name__}: {error}). Give "
                              "another one, or solve again.") from error


@contextmanager
def going_on(source: Given) -> Iterator[None]:
    """What a state was read for and cannot do is said with its file; errors of users' functions are left as they are."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError, MemoryError, AssertionError,
            RuntimeError) as error:
        from greedyhull.driver.resume import of_file

        told = of_file(error, source)
        if told is None:
            raise
        raise told from error


def save(run: Run, event: Event) -> None:
    """Write the state; a disk that is full costs a warning, not the run."""
    assert run.checkpoint is not None
    began = perf_counter()
    try:
        run.checkpoint.write(state_of(run))
    except OSError as error:
        warn(f"The state could not be written to {run.checkpoint} ({error.strerror or error}): {_left(run.checkpoint)}.",
             GreedyhullWarning, stacklevel=4)
    run.saved_at = event.seconds + (perf_counter() - began) / SHARE


def _left(checkpoint: Checkpoint) -> str:
    """Return what a save that failed has left, in words."""
    if not is_dir(checkpoint.folder):
        return f"the folder {checkpoint.folder} is gone; the run goes on, and is saved again once that is back"
    if not checkpoint.holds_state():
        return "no state has been saved so far, and the run goes on"
    return "what was written last is still there, and the run goes on"


def state_of(run: Run) -> State:
    """Everything that a continuation needs."""
    state = {f"iterate.{name}": array for name, array in run.w.state().items()}
    state.update({f"memory.{name}": array for name, array in run.memory.state().items()})
    state.update({f"identity.{name}": array for name, array in run.identity.state().items()})
    state["run"] = np.array([run.start_value, run.seconds])
    state.update({f"standing.{name}": array for name, array in run.standing.state().items()})
    state.update({f"trace.{name}": array for name, array in run.trace.state().items()})
    state["version"] = np.array(VERSION)
    if run.trace.parts and not run.told:  # the event that is saved; whoever goes on sees it once more
        state["noted"] = np.array(run.trace.rows[-1][2:4], dtype=np.float64)
    state["level"] = np.array(level())
    if run.certified_point is not run.w:
        state["shown"] = run.certified_point.array()
    return state
