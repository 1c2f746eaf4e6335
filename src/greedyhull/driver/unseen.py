"""Rounds that nobody has to see: how far a solver may go by itself, and what the trace says of them afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.driver.own import ships
from greedyhull.solvers.parts.ahead import ONE, Ahead
from greedyhull.types import Solver
from greedyhull.types.kinds import made_of

if TYPE_CHECKING:
    from greedyhull.driver.run import Run

SINGLE = float(np.finfo(np.float32).eps)
MOST = 1_000_000  # rounds in one call
SPARE = 2.0  # times the last rounding that a solver may keep free below the gap that was asked for


def ahead_of(run: Run) -> Ahead:
    """One round where somebody watches, saves or checks; else all until the stop may be met. The aim is the same for both."""
    aim = run.stop.aim()
    if aim is None or not _alone(run.solver):
        return ONE
    watched = run.watchers or run.checkpoint is not None or run.careful
    left = 1 if watched else min(run.limits.iterations - run.memory.k, aim.rounds, MOST)
    floor = run.f.scale if aim.floor is None else aim.floor
    return Ahead(max(int(left), 1), aim.absolute, aim.relative, floor, SPARE * run.rounding)


def _alone(solver: Solver) -> bool:
    """Whether no other solver looks at its points: one that is made of others, or a user's, may run them and look at each."""
    combining, around, _ = made_of(solver)
    return ships(solver) and combining is None and around is None


def note_passed(run: Run) -> None:
    """Rows for the rounds since the last one, each with the best bound known by then.

    Their bounds are those of the core, with the rounding of the point that was last looked at. The certificate of the run
    rests on none of them.
    """
    memory, rows, passed = run.memory, run.trace.rows, run.memory.passed
    assert passed is not None
    before, memory.passed = rows[-1], None
    blur = SINGLE * (abs(before[2]) + abs(run.f.gradient_dot(run.w))) if run.single_precision else 0.0
    value, gap, at = passed.value, passed.gap + run.rounding + blur, np.arange(len(passed.value))
    if run.convex:
        best = np.maximum(np.maximum.accumulate(value - gap), before[2] - before[3])
        gap = np.minimum(gap, value - best + run.rounding)
    k, calls = memory.k - len(at) + at, memory.oracle_calls - len(at) + at
    left = len(at) - at  # rounds from there to the point that is seen
    gradients, products = run.w.work.gradients - left, run.w.work.products - passed.products * left
    run.trace.steps.extend(passed.step.tolist())
    columns = (k, before[1] + passed.seconds, value, gap, passed.atoms, calls, gradients, products, np.zeros(len(at)))
    rows.extend(zip(*(column.tolist() for column in columns), strict=True))
