"""The state of a run, and how it is written while the run goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Protocol
from warnings import warn

import numpy as np

from greedyhull.driver.generations import card_of, is_dir, is_folder, opened, read
from greedyhull.driver.saved import SavedFile, load_state, path_of, try_path
from greedyhull.driver.sound import check_saved
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check
from greedyhull.kernels.core import level
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import State

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
