"""Rounds that nobody has to see: how far a solver may go by itself, and what the trace says of them afterwards."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.driver.own import ships
from greedyhull.driver.trace import Row
from greedyhull.solvers.parts.ahead import ONE, Ahead, Passed
from greedyhull.types import Solver
from greedyhull.types.kinds import made_of

if TYPE_CHECKING:
    from greedyhull.driver.run import Run

SINGLE = float(np.finfo(np.float32).eps)
MOST = 20_000  # rounds in one call, all of which are held in memory
SPARE = 2.0  # times the last rounding that a solver may keep free below the gap that was asked for


def ahead_of(run: Run) -> Ahead:
    """One round where somebody watches, saves or checks; else all until the stop may be met. The aim is the same for both."""
    run.asked_at = run.seconds
    aim = run.stop.aim()
    if aim is None or not _alone(run.solver):
        return ONE
    watched = run.watchers or run.checkpoint is not None or run.careful
    left = 1 if watched else min(run.limits.iterations - run.memory.k, aim.rounds, MOST)
    floor = run.f.scale if aim.floor is None else aim.floor
    return Ahead(max(int(left), 1), aim.absolute, aim.relative, floor, SPARE * run.rounding, run.memory.lower)


def _alone(solver: Solver) -> bool:
    """Whether no other solver looks at its points: one that is made of others, or a user's, may run them and look at each."""
    combining, around, _ = made_of(solver)
    return ships(solver) and combining is None and around is None


def may_set_out(run: Run) -> bool:
    """Whether the start need not be seen: nobody watches, nothing was resumed or is left to be looked at there."""
    if run.watchers or run.checkpoint is not None or run.careful or run.trace.parts or not isnan(run.start_value):
        return False
    return run.memory.k == 0 and not run.inspects and run.stop.aim() is not None and not run.requested(0)


class Unseen:
    """Rounds that nobody saw, as rows of a trace, each with the best bound known by then.

    Their bounds are those of the core, with the rounding of the point that was looked at after them. The certificate of the
    run rests on none of them.
    """

    def __init__(self, run: Run, passed: Passed, before: Row | None) -> None:
        memory, work = run.memory, run.w.work
        self.passed, self.convex, self.rounding, self.began = passed, run.convex, run.rounding, run.asked_at
        self.k, self.calls, self.gradients, self.products = memory.k, memory.oracle_calls, work.gradients, work.products
        self.lower = run.least if before is None else max(before[2] - before[3], run.least)
        value = passed.rounds[0][0] if before is None else before[2]
        self.blur = SINGLE * (abs(value) + abs(run.f.gradient_dot(run.w))) if run.single_precision else 0.0

    def rows(self) -> list[Row]:
        """A row for each round."""
        passed, n = self.passed, len(self.passed.rounds)
        value, gap, spent, atoms = (np.array(column) for column in zip(*passed.rounds, strict=True))
        estimate, gap = gap, gap + self.rounding + self.blur
        if self.convex:
            best = np.maximum(np.maximum.accumulate(value - gap), self.lower)
            gap = np.minimum(gap, value - best + self.rounding)
        left = np.arange(n, 0, -1)  # rounds from there to the point that is seen
        seconds, products = self.began + spent, self.products - passed.products * left
        columns = (self.k - left, seconds, value, gap, atoms, self.calls - left, self.gradients - left,
                   products, np.zeros(n), estimate)
        return list(zip(*(column.tolist() for column in columns), strict=True))


def note_passed(run: Run) -> None:
    """Fold the rounds since the last row into the trace."""
    memory, trace, passed = run.memory, run.trace, run.memory.passed
    assert passed is not None
    before, memory.passed = (trace.parts[-1] if trace.parts else None), None
    assert before is None or isinstance(before, tuple)
    trace.steps.extend(passed.step if before is not None else passed.step[1:])
    trace.fold(Unseen(run, passed, before), len(passed.rounds))
