"""One problem over sets of many sizes: each solve begins where the one before ended."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from greedyhull.driver.asked import check_seed, check_solver, check_stop
from greedyhull.driver.certificate import check_pair
from greedyhull.driver.minimize import DEFAULT_STOP, minimize
from greedyhull.driver.mix_ups import check_problem
from greedyhull.driver.path_points import followed
from greedyhull.driver.reason import raise_if_pressed
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Stop
from greedyhull.errors import check
from greedyhull.kernels.threads import public
from greedyhull.solvers.corrective import Corrective
from greedyhull.types import Array, AtomSet, Objective, Solver


@public
def path(f: Objective, S: AtomSet, radii: Iterable[float], solver: Solver | None = None, *, stop: Stop | None = None,
         seed: int = 0, progress: bool = False) -> list[Solution]:
    """Minimise f over sets of several radii, each run started from the solution before.

    Radii are solved from the smallest to the largest. When the set is scaled by c about its middle m, the point w is moved to
    m + c(w − m) as a warm start, which is usually close to the next solution. Least squares over l1 balls, and their
    non-negative parts, with up to 1000 rows or columns is followed from kink to kink in the compiled core, and sparse data
    of any size by coordinate descent where no more than a relative gap of 1e-6 is asked for. Where the core's points meet
    the stop, rounding included, they are the solutions; elsewhere they are starts.

    Parameters
    ----------
    f : objective
        What to minimise.
    S : AtomSet
        A set with a radius, total or trace; ``S.rescaled(r)`` is solved over for each r.
    radii : iterable of float
        Positive radii, in any order.
    solver : solver, optional
        The algorithm, chosen as in `minimize` by default.
    stop : stop, optional
        When to end each run, ``Relative(1e-6) | Seconds(60)`` by default.
    seed : int, default 0
        Seed of the random numbers of each run.
    progress : bool, default False
        Whether to show a line of progress on a terminal.

    Returns
    -------
    list of Solution
        One solution for each radius, in the order of ``radii``.

    See Also
    --------
    minimize : Solve for one set.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([3.0, 1.0]))
    >>> [s.x.round(6).tolist() for s in gh.path(f, gh.L1Ball(2, 1.0), [1.0, 4.0])]
    [[1.0, 0.0], [3.0, 1.0]]
    """
    try:
        sizes = np.array([float(radius) for radius in radii])
    except (TypeError, ValueError):
        sizes = np.zeros(0)
    check(sizes.ndim == 1 and len(sizes) > 0 and bool((sizes > 0).all() and np.isfinite(sizes).all()),
          lambda: f"radii={radii!r} was given; one or more positive numbers are wanted.")
    asked = DEFAULT_STOP if stop is None else stop
    check_problem(f, S)
    check_solver(solver)
    check_stop(asked)
    check_seed(seed)
    check_pair(f, S)
    found: dict[int, Solution] = {}
    before: Solution | None = None
    starts, points = None, None
    for i in np.argsort(sizes, kind="stable").tolist():
        atoms = S.rescaled(float(sizes[i]))
        if before is None and (solver is None or isinstance(solver, Corrective)) and len(sizes) > 1:
            starts, points = followed(f, S.rescaled(1.0), asked, seed, whole=solver is None and not progress)
        start = None if starts is None else starts.at(atoms, float(sizes[i]))
        if points is not None and start is not None:
            solved = points.solution(atoms, float(sizes[i]), start)
            if solved is not None:
                before = found[i] = solved
                continue
        if start is None and before is not None:
            start = carried(before, atoms)
        before = found[i] = minimize(f, atoms, solver, start=start, stop=stop, seed=seed, progress=progress)
        raise_if_pressed(before.reason)  # Ctrl-C is meant for the whole path
    return [found[i] for i in range(len(sizes))]


def carried(s: Solution, S: AtomSet) -> Array | None:
    """The point of a solution, moved along as its set is scaled to S; None where that leads out of S."""
    old, middle = s.atom_set, S.traits.middle
    m = np.zeros(S.shape) if middle is None else middle
    size, before = (T.traits.radius or T.traits.total for T in (S, old))
    if size is None or before is None:
        return None
    x = m + float(size) / float(before) * (s.point.array() - m)
    return x if S.contains(x) else None
