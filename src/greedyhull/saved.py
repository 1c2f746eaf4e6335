"""States on disk: npz without pickle, written beside the target and renamed, so that a crash leaves a whole file."""

from __future__ import annotations

from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.types import State


def save_state(path: Path, state: State) -> None:
    """Write ``state`` to ``path``, all or nothing."""
    beside = path.with_name(path.name + ".part")
    with beside.open("wb") as file:
        np.savez(file, allow_pickle=False, **state)
    beside.replace(path)


def load_state(path: Path) -> State:
    """The state that was written to ``path``."""
    check(path.exists(), f"There is no saved state at {path}. Give the file that checkpoint= wrote.")
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, OSError, EOFError, BadZipFile) as error:
        raise GreedyhullError(f"The saved state at {path} cannot be read ({error}). "
                              "Give the file that checkpoint= wrote.") from error
