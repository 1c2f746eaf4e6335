"""The state of a run, and how it is written while the run goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from greedyhull.driver.saved import save_state
from greedyhull.errors import GreedyhullWarning
from greedyhull.kernels.core import level
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import State

if TYPE_CHECKING:
    from greedyhull.driver.run import Run

VERSION = 3  # of saved states


def save(run: Run, event: Event) -> None:
    """Write the state; a disk that is full costs a warning, not the run."""
    assert run.checkpoint is not None
    run.saved_at = event.seconds
    try:
        save_state(run.checkpoint, state_of(run))
    except OSError as error:
        warn(f"The state could not be written to {run.checkpoint} ({error.strerror or error}); what was written last is still "
             "there, and the run goes on.", GreedyhullWarning, stacklevel=4)


def state_of(run: Run) -> State:
    """Everything that a continuation needs."""
    state = {f"iterate.{name}": array for name, array in run.w.state().items()}
    state.update({f"memory.{name}": array for name, array in run.memory.state().items()})
    state.update({f"identity.{name}": array for name, array in run.identity.state().items()})
    state["run"] = np.array([run.start_value, run.seconds])
    state.update({f"standing.{name}": array for name, array in run.standing.state().items()})
    state["version"] = np.array(VERSION)
    state["level"] = np.array(level())
    if run.certified_point is not run.w:
        state["shown"] = run.certified_point.array()
    return state
