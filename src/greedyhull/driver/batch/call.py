"""`batch`: what a user calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from greedyhull.driver.batch.problems import Line, Record, left_out, problems_of, shared_by
from greedyhull.driver.batch.solutions import Asked, Solutions, Starts, starts_of
from greedyhull.driver.batch.together import aim_of, inside, solve_one_by_one, solve_together
from greedyhull.driver.checks import check_problem, check_seed, check_solver, check_stop
from greedyhull.driver.minimize import DEFAULT_STOP
from greedyhull.driver.stop import Stop
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.kernels.core import public
from greedyhull.points.aligned import agree
from greedyhull.solvers.corrective import Corrective
from greedyhull.types import Array, AtomSet, Index, Objective, Solver, lacks


@public
def batch(fs: Iterable[Objective] | Callable[..., Objective], S: AtomSet, solver: Solver | None = None, *, X: Any = None,
          Y: Any = None, without: Any = None, start: Any = None, stop: Stop | None = None, seed: int = 0,
          progress: bool = False, **settings: Any) -> Solutions:
    """Minimise many objectives over one set.

    Least-squares problems that share X are solved together: one Gram matrix, one compiled loop over the problems, and
    certificates computed from the data by products of matrices. A small problem then takes microseconds. Others are solved
    by a run of `minimize` each. Either way each solution has a certificate of its own, with all rounding included.

    Parameters
    ----------
    fs : iterable of objective, or callable
        The objectives; or a function that makes one from X and a target, such as ``least_squares``, with ``X`` and ``Y``.
    S : AtomSet
        The set of atoms, the same for all problems.
    solver : solver, optional
        The algorithm, chosen as in `minimize` by default.
    X : array_like, sparse matrix or linear operator of shape (n, d), optional
        The data that all problems share, where ``fs`` is a function.
    Y : array_like of shape (n, problems), optional
        The targets, a column for each problem, where ``fs`` is a function.
    without : array_like of int, of shape (problems,), optional
        A coordinate that stays zero in each problem, −1 for none: problem i is solved over the part of S without it. S must
        be a `Simplex`, `CappedSimplex` or `L1Ball`.
    start : array_like, atom, iterate, Solution or Solutions, optional
        A point to start from, for all problems or one for each. By default a problem starts at the answer before it if that
        is a better start than the usual one, or, of many problems over a small simplex, at its minimiser without the bounds,
        cut off at zero.
    stop : stop, optional
        When to end each problem, ``Relative(1e-6) | Seconds(60)`` by default.
    seed : int, default 0
        Seed of the random numbers of each run.
    progress : bool, default False
        Whether to show a line of progress on a terminal.
    **settings
        Further arguments of the function ``fs``, such as ``intercept=True``.

    Returns
    -------
    Solutions
        The solutions in order. One that failed is reported in its place, and the others go on. After Ctrl-C, problems that
        were not reached are reported as failed.

    Raises
    ------
    GreedyhullError
        If the arguments do not fit together. The message says what to do.

    See Also
    --------
    minimize : Solve one problem.
    path : One objective over sets of many radii.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> X, Y = np.eye(3), np.array([[1.0, 0.5], [0.0, 0.5], [0.0, 0.0]])
    >>> gh.batch(gh.least_squares, gh.Simplex(3), X=X, Y=Y).x
    array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ]])
    >>> fs = [gh.logistic(X, y) for y in ([1, 1, -1], [1, -1, -1])]
    >>> gh.batch(fs, gh.L1Ball(3, radius=3.0)).converged
    array([ True,  True])
    """
    stop = DEFAULT_STOP if stop is None else stop
    check_solver(solver)
    check_stop(stop)
    check_seed(seed)
    check_problem(None, S)
    check(not lacks(S, "oracle", "shape"), lambda: f"S is {shown(S)}; a set such as Simplex(d) is wanted.")
    problems = problems_of(fs, X, Y, settings)
    agree(problems, S, "The columns of X and the set")
    count = len(problems)
    out = left_out(without, count, S.shape[0], S)
    asked = Asked(problems, S, np.full(count, -1) if out is None else out, stop, seed)
    record, line = Record(count, S.shape), Line(progress, count)
    try:
        _solve(asked, starts_of(start, count, S), solver, record, line)
    except KeyboardInterrupt as pressed:
        cut = GreedyhullError("Ctrl-C ended the batch before it was solved. Call batch again for the rest.")
        cut.__cause__ = pressed
        for i in np.flatnonzero(~record.converged).tolist():
            if i not in record.runs and i not in record.errors:
                record.fail(i, cut)
    finally:
        line.close()
    return Solutions(record, asked)


def _solve(asked: Asked, starts: Starts, solver: Solver | None, record: Record, line: Line) -> None:
    """Together what shares its data, then one by one what is left."""
    which: Index = np.arange(len(record))
    solvable: Array = np.ones(len(record), dtype=bool)
    aim = aim_of(asked.stop) if _plain(solver) else None
    common = None if aim is None else shared_by(asked.problems, asked.S, solvable)
    if common is not None and aim is not None:
        rows = starts.rows(len(record), asked.S.shape)
        with np.errstate(all="ignore"):  # what overflows is not certified, and solved again by itself
            if rows is not None:
                solvable &= inside(common, rows, asked.without)
            left = solve_together(common, which[solvable], asked.without, rows, aim, record, line)
        which = np.sort(np.concatenate([left, which[~solvable]]))
    solve_one_by_one(asked, which, lambda i: _reached(record, i, starts), solver, record, line)


def _reached(record: Record, i: int, starts: Starts) -> Any:
    """Where problem i begins: the point that was found for it already, or its start."""
    return record.x[i].copy() if np.isfinite(record.gaps[i]) else starts(i)


def _plain(solver: Solver | None) -> bool:
    """Whether the default method is asked for."""
    return solver is None or solver == Corrective()

