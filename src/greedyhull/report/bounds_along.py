"""The bounds of a run at earlier moments of it, so that they can be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from greedyhull.driver.bounds.of_run import bounds_of
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.trace import Trace
from greedyhull.report.figure import Line
from greedyhull.report.theorems import told

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution
    from greedyhull.theory import Bound

MOMENTS = 14
DRAWN = 3  # bounds at most
FEWEST = 3  # rows of a trace from which on there is a course to draw


class Until:
    """A run as it was when only the first rows of its trace had been written."""

    def __init__(self, solution: Solution, rows: int) -> None:
        self._whole = solution
        self.trace = Trace()
        self.trace.rows, self.trace.steps = solution.trace.rows[:rows], solution.trace.steps[: rows - 1]
        last, kind, delta = rows - 1, solution.certificate.kind, solution.certificate.delta
        value, gap = float(self.trace["value"][last]), float(self.trace["gap"][last])
        known = np.isfinite(value)
        self.certificate = Certificate(value if known else None, gap if np.isfinite(gap) else None,
                                       value - gap if known and kind != "stationary" else -np.inf, kind, delta)
        self.iterations = int(self.trace["iteration"][last])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)  # all else is as the whole run has it


def bounds_along(solution: Solution, found: list[Bound]) -> list[Line]:
    """The smallest of the bounds that were ``found`` at the end, followed over the run; those on a limit have no k.

    Bounds far above the gap are left out, and so are all of them where the run has one iteration: they would say nothing.
    """
    near = told(found, solution.certificate.gap).near
    wanted = sorted((bound for bound in near if bound.of != "limit" and bound.constants), key=lambda bound: bound.value)
    length = len(solution.trace)
    if not wanted or length < FEWEST:
        return []
    moments = np.unique(np.geomspace(2, length, MOMENTS).astype(int))
    k = solution.trace["iteration"][moments - 1].astype(float)
    values = {bound.name: np.full(len(moments), np.nan) for bound in wanted}
    for place, rows in enumerate(moments.tolist()):
        run = cast("Solution", Until(solution, rows))  # what it does not say itself, the solution does
        for bound in found if rows == length else bounds_of(run):
            if bound.name in values:
                values[bound.name][place] = bound.value
    lines: list[Line] = []
    for bound in wanted:
        y = values[bound.name]
        covered = any(np.allclose(y, line.y, rtol=0.15, equal_nan=True) for line in lines)
        if np.isfinite(y).sum() > 1 and not covered:  # a point makes no line
            lines.append(Line(f"{bound.name}: {bound.of}{_held(bound)}", k, y, look="dashed"))
    return lines[:DRAWN]


def _held(bound: Bound) -> str:
    return "" if bound.holds == "always" else f" ({bound.holds})"
