"""Rounds that nobody has to see: how far a solver may go by itself, and what the trace says of them afterwards."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.solvers.parts.ahead import ONE, Ahead

if TYPE_CHECKING:
    from greedyhull.driver.run import Run

SINGLE = float(np.finfo(np.float32).eps)
MOST = 1_000_000  # rounds in one call
SPARE = 2.0  # times the last rounding is kept free below the gap that was asked for,
SHARE = 0.5  # of that gap at most: the rounding at the start may be far larger than at the end


def ahead_of(run: Run) -> Ahead:
    """One round where somebody watches, saves or checks; else all until the stop may be met."""
    aim = run.stop.aim()
    if aim is None or run.watchers or run.checkpoint is not None or run.careful:
        return ONE
    left = min(run.limits.iterations - run.memory.k, MOST)
    floor = run.f.scale if aim.floor is None else aim.floor
    wanted = max(aim.absolute, aim.relative * floor)
    return Ahead(max(int(left), 1), aim.absolute, aim.relative, floor, min(SPARE * run.rounding, SHARE * wanted))


def note_passed(run: Run) -> None:
    """Rows for the rounds since the last one, each with the best bound known by then.

    Their bounds are those of the core, with the rounding of the point that was last looked at. The certificate of the run
    rests on none of them.
    """
    memory, rows = run.memory, run.trace.rows
    passed, memory.passed = memory.passed, []
    before = rows[-1]
    best = before[2] - before[3]
    blur = SINGLE * (abs(before[2]) + abs(run.f.gradient_dot(run.w))) if run.single_precision else 0.0
    for i, p in enumerate(passed):
        gap = p.gap + run.rounding + blur
        best = max(best, p.value - gap) if run.convex else -inf
        k, calls = memory.k - len(passed) + i, memory.oracle_calls - len(passed) + i
        work = (before[6] + i + 1, before[7] + i + 1.0)
        run.trace.steps.append(1.0)
        rows.append((k, before[1] + p.seconds, p.value, min(gap, p.value - best + run.rounding), p.atoms, calls, *work, 0.0))
