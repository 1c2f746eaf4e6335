"""`minimize`: what a user calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, overload

import numpy as np

from greedyhull.driver.run import Run
from greedyhull.driver.saved import load_state, path_of, try_path
from greedyhull.driver.solution import Solution, StreamSolution
from greedyhull.driver.stop import Relative, Seconds, Stop
from greedyhull.errors.hints import hinting
from greedyhull.objectives.stream import Stream
from greedyhull.solvers.parts.progress import Event, watchers_of
from greedyhull.types import AtomSet, Objective, Solver

DEFAULT_STOP = Relative(1e-6) | Seconds(60.0)


@overload
def minimize(f: Stream, S: AtomSet, solver: Solver | None = None, *, start: Any = None, stop: Stop | None = None,
             watch: Callable[[Event], Any] | Iterable[Callable[[Event], Any]] = (), seed: int = 0, progress: bool = False,
             check: bool = False, checkpoint: str | Path | None = None, resume: str | Path | None = None
             ) -> StreamSolution: ...
@overload
def minimize(f: Objective, S: AtomSet, solver: Solver | None = None, *, start: Any = None, stop: Stop | None = None,
             watch: Callable[[Event], Any] | Iterable[Callable[[Event], Any]] = (), seed: int = 0, progress: bool = False,
             check: bool = False, checkpoint: str | Path | None = None, resume: str | Path | None = None) -> Solution: ...
@hinting
def minimize(f: Objective, S: AtomSet, solver: Solver | None = None, *, start: Any = None, stop: Stop | None = None,
             watch: Callable[[Event], Any] | Iterable[Callable[[Event], Any]] = (), seed: int = 0, progress: bool = False,
             check: bool = False, checkpoint: str | Path | None = None, resume: str | Path | None = None) -> Solution:
    """Minimise f over the convex hull of S.

    ``solver`` None picks one by structure; ``start`` is an atom, an iterate or an array and is never changed; ``stop``
    defaults to ``Relative(1e-6) | Seconds(60)``; ``watch`` are functions that see every `Event`; ``progress`` shows a line on
    a terminal; ``check`` tests the objective and every answer of the oracle; ``checkpoint`` is a file that keeps the state of
    the run, ``resume`` one to go on from.

    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), gh.L1Ball(2, radius=1))
    >>> s.point.array(), s.converged
    (array([1., 0.]), True)
    """
    with np.errstate(all="ignore"):  # overflow is told by values that are not finite, in words
        run = Run(f, S, solver, start, DEFAULT_STOP if stop is None else stop, seed)
        run.watchers = watchers_of(watch)
        run.careful, run.checkpoint = check, None if checkpoint is None else path_of(checkpoint, "checkpoint")
        if check:
            from greedyhull.driver.inspection import inspect_problem

            inspect_problem(f, S, run.w, seed)
        if progress:
            from greedyhull.driver.display import line_for

            run.watchers.extend(line_for(run.solver))
        if run.checkpoint is not None:
            try_path(run.checkpoint)
        if resume is not None:
            run.restore(load_state(path_of(resume, "resume")))
        return run.solve()
