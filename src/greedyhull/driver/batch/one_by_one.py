"""Problems that do not share their data: a run each, begun at the answer before where that is the better start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.atoms.generator import generator
from greedyhull.driver.batch.line import Line
from greedyhull.driver.batch.problems import face_of, objective_of
from greedyhull.driver.batch.record import Record
from greedyhull.driver.batch.solutions import Asked
from greedyhull.driver.certificate import afresh, check_pair
from greedyhull.driver.minimize import minimize
from greedyhull.driver.own import ships
from greedyhull.driver.reason import raise_if_pressed
from greedyhull.driver.solution import Solution
from greedyhull.errors import GreedyhullError
from greedyhull.objectives.stream import Stream
from greedyhull.types import AtomSet, Index, Objective, Solver


def solve_one_by_one(asked: Asked, which: Index, start: Callable[[int], Any], solver: Solver | None, record: Record,
                     line: Line) -> None:
    """Solve the problems ``which``; one that fails is written down, and the others go on.

    Ctrl-C ends the run under way, as in `minimize`, and the batch with it.
    """
    before: Solution | None = None
    for place, i in enumerate(which.tolist()):
        try:
            f, S = objective_of(asked.problems, i), face_of(asked.S, int(asked.without[i]))
            begin = start(i)
            if begin is None and before is not None and asked.without[i] < 0:
                begin = _nearer(f, S, before, asked.seed)
            s = minimize(f, S, solver, start=begin, stop=asked.stop, seed=asked.seed)
        except Exception as error:  # whatever a user's function raised is told in its place
            record.fail(i, told(i, len(record), error))
            line.show(record, len(record) - len(which) + place + 1)
            continue
        record.keep(i, s)
        before = s if asked.without[i] < 0 else before
        line.show(record, len(record) - len(which) + place + 1)
        raise_if_pressed(s.reason)


def told(i: int, count: int, error: Exception) -> Exception:
    """The error with the number of its problem."""
    numbered = GreedyhullError(f"Problem {i} of {count} (counted from 0) failed: {error}")
    numbered.__cause__ = error
    return numbered


def _nearer(f: Objective, S: AtomSet, before: Solution, seed: int) -> Any:
    """The point of another problem over the same set, if f is lower there than where it would begin; else None."""
    if not ships(f) or isinstance(f, Stream) or not before.point.keeps_atoms:
        return None
    check_pair(f, S)
    with np.errstate(all="ignore"):
        better = f.value(afresh(before.point)) < f.value(f.start(S, generator(S, seed)))
    return before.point if better else None
