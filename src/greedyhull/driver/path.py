"""One problem over sets of many sizes."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter

import numpy as np

from greedyhull.driver.batch.call import aim_of
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.checks import check_arguments
from greedyhull.driver.run import DEFAULT_STOP, minimize
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Stop, raise_if_pressed
from greedyhull.driver.trace import Trace
from greedyhull.errors import check
from greedyhull.kernels.core import public
from greedyhull.objectives.composite import EPS, Composite
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.parts.paths import SquareStarts, square_starts
from greedyhull.solvers.parts.progress import Event, GapTarget
from greedyhull.types import Array, AtomSet, Objective, Solver


class PathPoints:
    """What is the same for all points of a path: the objective, how large images are, and what is asked for.

    With ‖·‖ the norm weighted as the loss is, value and gap are sums of products of z = Aw and y with columns of A and with
    each other, each computed from the data. Their rounding is below 8κ·(R + ‖y‖)², where R bounds ‖z‖ over the ball and
    κ = eps·(2n + terms + 64) is what sums over rows, atoms and again rows can lose.
    """

    def __init__(self, f: Composite, S: AtomSet, starts: SquareStarts, stop: Stop, aim: GapTarget, seed: int) -> None:
        self.f, self.starts, self.stop, self.aim, self.seed = f, starts, stop, aim, seed
        p, y = np.asarray(f.exact.p, dtype=np.float64), np.asarray(f.exact.y, dtype=np.float64)
        self.reach = float(np.sqrt(p.max())) * f.precise().image_bound(S)  # of the ball of radius one
        self.size = float(np.sqrt(np.sum(p * y * y)))
        self.choice = f"{f!r} was followed over growing radii in the compiled core."
        self.scale, self.rows = float(f.scale), f.design.n

    def solution(self, S: AtomSet, radius: float, x: Array) -> Solution | None:
        """The solution at the point where the core stands, if it meets what is asked for."""
        value, gap = self.starts.value, self.starts.gap
        terms, far = int(np.count_nonzero(x)), radius * self.reach + self.size
        if not 1e-50 < far < 1e50:  # else squares overflow or vanish
            return None
        gap += 8.0 * EPS * (2 * self.rows + terms + 64) * far * far
        floor = self.scale if self.aim.floor is None else self.aim.floor
        if not self.aim.absolute >= gap and not self.aim.relative * max(abs(value), floor) >= gap:
            return None
        seconds = perf_counter() - self.starts.began
        point = CoordinateIterate(x)
        point.decompose = S.decompose
        reason = self.stop.claim(Event(1, seconds, value, gap, value - gap, point, value, scale=self.scale))
        if reason is None:
            return None
        trace = Trace()
        trace.rows.append((1, seconds, value, gap, terms, 1, 1, 1.0, 0.0, gap))
        return Solution(point, Certificate(value, gap, value - gap), reason.words, True, 1, seconds, trace,
                        Corrective(), self.f, S, choice=self.choice, stop=self.stop, seed=self.seed)


def followed(f: Objective, S: AtomSet, stop: Stop, seed: int, *, whole: bool) -> tuple[SquareStarts | None, PathPoints | None]:
    """Return the compiled path over S, the ball of radius one: starts, and solutions if ``whole`` and the stop allows it."""
    aim = aim_of(stop) if whole else None
    if aim is None or not isinstance(f, Composite):
        return square_starts(f, S), None
    share = max(aim.relative, aim.absolute / f.scale if f.scale > 0.0 else 0.0)
    # of the gap that is asked for, to which the core solves: the rest is for rounding
    starts = square_starts(f, S, max(0.8 * share, 1e-12))  # the least relative gap that it is asked for
    return starts, None if starts is None else PathPoints(f, S, starts, stop, aim, seed)


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
    check_arguments(f, S, solver, asked, seed)
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
