"""Where a solve spends its time, phase by phase, and what would have to move through memory at least.

The phases are timed from outside, each by itself: building f, a look of the core (the adjoint and the gap), its rounds.
What is left of the whole call is the driver: its fixed cost in Python, the norms that bound rounding, the certificate at the
end. All of this is approximate.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import greedyhull as gh
from benchmarks.cases import GOAL, Case, load_cases
from benchmarks.corrective import solve
from benchmarks.tables import Table
from benchmarks.timing import best, interleaved
from greedyhull.objectives.designs.stored import DenseDesign
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.compiled_loop import CompiledRounds, compiled_rounds

PROBLEMS = ("lasso diabetes r=1000", "lasso golub r=1", "logistic ijcnn1 r=10", "logistic a9a r=5",
            "logistic rcv1_vw1000 r=100")
ENTRY = 12  # bytes of an entry of sparse data: its number and its row
BATCH, STEPS = 20, 5  # as `Corrective` has them


class Phases(NamedTuple):
    """Seconds of one solve; ``least`` is what its passes over the data take where nothing else is done."""

    whole: float
    build: float
    looks: float
    weights: float
    rounds: int
    least: float

    @property
    def driver(self) -> float:
        return max(self.whole - self.build - self.looks - self.weights, 0.0)


def where(repeats: int = 7, only: tuple[str, ...] = ()) -> Iterator[Table]:
    cases, notes = load_cases(only or PROBLEMS)
    columns = ("case", "n", "d", "rounds", "whole, ms", "driver", "building f", "adjoints, gaps", "weights", "least")
    table = Table("where", "Where a solve spends its time, in milliseconds", columns)
    for case in cases:
        if case.name in PROBLEMS and solve(case).converged:
            p = phases(case, repeats)
            table.rows.append((case.name, *case.X.shape, p.rounds, *(1e3 * t for t in (p.whole, p.driver, p.build, p.looks,
                                                                                       p.weights, p.least))))
    yield Table(table.name, table.title, table.columns, table.rows, notes)


def phases(case: Case, repeats: int) -> Phases:
    """Each phase in turns with the whole, so that a slow minute slows all alike."""
    at = started(case)
    rounds = at.run()
    times = interleaved({"whole": partial(solve, case), "build": partial(built, case), "look": at.rounds.core.look,
                         "start": at.begin, "start and rounds": at.run}, repeats)
    start = max(times["start"] - times["look"], 0.0)  # the first image and its loss
    looks = (rounds + 1) * times["look"]
    weights = max(times["start and rounds"] - times["start"] - rounds * times["look"], 0.0) + start
    least = (rounds + 2) * read_in(stored(at.rounds.f))  # to check the data, at the start, and in each round
    return Phases(times["whole"], times["build"], looks, weights, rounds, least)


def built(case: Case) -> Any:
    """Objective and set, as a solve from raw arrays makes them."""
    return (gh.least_squares if case.kind == "lasso" else gh.logistic)(case.X, case.y), gh.L1Ball(case.X.shape[1], case.radius)


class Started(NamedTuple):
    """The core's rounds, and the point where a run begins."""

    rounds: CompiledRounds
    first: Iterate

    def begin(self) -> None:
        """The first image, its loss and the first look."""
        self.rounds.begin(self.first)

    def run(self) -> int:
        """All rounds from the start to the gap that is asked for; says how many."""
        self.begin()
        _, rows = self.rounds.core.advance(10_000, 0.0, GOAL, self.rounds.f.scale, 0.0, lambda: False)
        return len(rows) - 1


def started(case: Case) -> Started:
    f, S = built(case)
    w = f.start(S, np.random.default_rng(0))
    made = compiled_rounds(f, S, w, BATCH, STEPS)
    assert made is not None, "The compiled core is wanted; `greedyhull doctor` says why there is none."
    return Started(made, w)


def read_in(size: int) -> float:
    """Seconds in which one core reads so many bytes, over and over: from memory, or from the cache where they fit."""
    numbers = np.ones(max(size // 8, 1))
    return best(lambda: numbers.dot(numbers), 30)


def stored(f: Any) -> int:
    """The bytes of the data as the core reads them."""
    return int(f.design.X.nbytes) if isinstance(f.design, DenseDesign) else ENTRY * int(f.design.by_column.nnz)
