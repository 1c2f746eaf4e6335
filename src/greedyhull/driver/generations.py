"""A run in a folder: its last two states, so that one is whole whatever happens to the other, and what it is a run of.

    run/state-00000041.npz     the state before the last
    run/state-00000042.npz     the last
    run/run.json               solver, objective, set, stop, seed and version, for people and programs
    run/lock                   held by the process that writes

Each state is written to a temporary file, synchronised, renamed, and the folder synchronised; then what is older than the two
goes. A process that is killed at any moment leaves at least one whole state, once there was one.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import warn

from greedyhull.driver.saved import load_state, save_state, write_text, written_by
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check
from greedyhull.types import State

if TYPE_CHECKING:
    from greedyhull.driver.run import Run

KEPT = 2  # states
TRIES = 5  # times that a folder is read which another run writes to
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
    for _ in range(TRIES):
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
        self.kept = [*self.kept, self.number][-KEPT:]
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
