"""`minimize`: what a user calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from greedyhull.driver.run import Run
from greedyhull.driver.solution import Solution, StreamSolution
from greedyhull.driver.stop import Relative, Seconds, Stop
from greedyhull.errors import GreedyhullError
from greedyhull.kernels.core import limited, public
from greedyhull.objectives.stream import Stream
from greedyhull.points.blocks import SpoiledError
from greedyhull.solvers.parts.progress import Event, watchers_of
from greedyhull.types import AtomSet, Objective, Solver

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT_STOP = Relative(1e-6) | Seconds(60.0)


@overload
def minimize(f: Stream, S: AtomSet, solver: Solver | None = None, *, start: Any = None, stop: Stop | None = None,
             watch: Callable[[Event], Any] | Iterable[Callable[[Event], Any]] = (), seed: int = 0, progress: bool = False,
             check: bool = False, checkpoint: str | Path | None = None, resume: str | Path | None = None,
             threads: int | None = None) -> StreamSolution: ...
@overload
def minimize(f: Objective, S: AtomSet, solver: Solver | None = None, *, start: Any = None, stop: Stop | None = None,
             watch: Callable[[Event], Any] | Iterable[Callable[[Event], Any]] = (), seed: int = 0, progress: bool = False,
             check: bool = False, checkpoint: str | Path | None = None, resume: str | Path | None = None,
             threads: int | None = None) -> Solution: ...
@public
def minimize(f: Objective, S: AtomSet, solver: Solver | None = None, *, start: Any = None, stop: Stop | None = None,
             watch: Callable[[Event], Any] | Iterable[Callable[[Event], Any]] = (), seed: int = 0, progress: bool = False,
             check: bool = False, checkpoint: str | Path | None = None, resume: str | Path | None = None,
             threads: int | None = None) -> Solution:
    """Minimise f over the convex hull of S.

    Parameters
    ----------
    f : objective
        What to minimise: `least_squares`, `logistic`, `quadratic`, `function` or another objective.
    S : AtomSet
        The set of atoms: `Simplex`, `L1Ball`, `Vertices`, `oracle` or another set. Its shape must be that of f's argument.
    solver : solver, optional
        The algorithm, such as ``FrankWolfe()``. By default one is chosen by the structure of f: `Corrective` where f has a
        Hessian, `Smoothed` where it has kinks, `StochasticFrankWolfe` for an `expectation`, else `BlendedPairwise`.
        `Solution.choice` says why.
    start : array_like, atom, iterate or Solution, optional
        A point of the hull to start from (a warm start). It is not modified. By default the set chooses.
    stop : stop, optional
        When to end the run, ``Relative(1e-6) | Seconds(60)`` by default. Stops combine by ``|`` (either) and ``&`` (both).
    watch : callable or iterable of callable, optional
        Functions that are called with an event at every iteration. An event has ``iteration``, ``seconds``, ``value``,
        ``gap``, ``lower``, ``point`` and ``step``.
    seed : int, default 0
        Seed of all random numbers of the run. The same seed gives the same run.
    progress : bool, default False
        Whether to show a line of progress on a terminal.
    check : bool, default False
        Whether to test gradients, convexity and every answer of the oracle. Use it first when a function or set of your own
        behaves oddly.
    checkpoint : str or Path, optional
        A file that the state of the run is saved to, about once a second and at the end; or a folder, ``"run/"``, which keeps
        the last two states, so that one is whole whatever happens.
    resume : str or Path, optional
        A file or a folder that ``checkpoint`` wrote, to continue from. With the same f, S, solver and seed the run continues
        exactly. ``start`` is ignored then.
    threads : int, optional
        How many threads passes over large data and large products may use. By default as many as ``OMP_NUM_THREADS``
        says, or else the processors of this process. The result has the same bits whatever their number. BLAS itself has
        one thread during the run; functions of yours run with the number that you set.

    Returns
    -------
    Solution
        The point with its certificate: value − min f ≤ gap.

    Raises
    ------
    GreedyhullError
        If the arguments do not fit together. The message says what to do.

    See Also
    --------
    path : Solve for many radii.
    certify : Certify a point from elsewhere.
    compare : Compare several runs.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), gh.L1Ball(2, radius=1))
    >>> s.x, s.converged
    (array([1., 0.]), True)
    """
    stop = DEFAULT_STOP if stop is None else stop
    with np.errstate(all="ignore"):  # overflow shows in values that are not finite, and is reported in words
        run = Run(f, S, solver, start, stop, seed)
        if watch != ():
            run.watchers = watchers_of(watch)
        if check:
            run.careful = True
            from greedyhull.driver.inspection import inspect_problem

            inspect_problem(f, S, run.w, seed)
        if progress:
            from greedyhull.driver.display import line_for

            run.watchers.extend(line_for(run.solver))
        try:
            if checkpoint is not None or resume is not None:
                from greedyhull.driver.checkpoint import prepared

                run.checkpoint, state = prepared(run, checkpoint, resume)
                if state is not None:
                    run.restore(state, resume)
            if threads is None:
                return run.solve()
            with limited(threads):
                return run.solve()
        except SpoiledError as error:  # a part of the solver could not be restored
            raise GreedyhullError(f"The state in {resume} cannot be gone on from. {error}") from error
        finally:
            if run.checkpoint is not None:
                run.checkpoint.close()
