"""A solve as the experiments see it: its errors, gaps, steps and tolerances, iteration by iteration."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from greedyhull.driver.certificate import certify
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Iterations
from greedyhull.errors import GreedyhullWarning
from greedyhull.experiments.measured import repeated
from greedyhull.experiments.paper.problems import Problem
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Array, AtomSet, Solver


@dataclass(frozen=True, eq=False)
class Played:
    """w_0, …, w_K: the errors e_k, and the steps η_k and slacks ε_k that led from one to the next."""

    errors: Array
    steps: Array
    slacks: Array
    also: tuple[dict[str, Any], ...]
    points: tuple[Array, ...]

    @property
    def k(self) -> Array:
        """0, 1, …, K."""
        return np.arange(len(self.errors))


def play(problem: Problem, solver: Solver, steps: int, *, S: AtomSet | None = None, seed: int = 0, start: Any = None,
         points: bool = False) -> Played:
    """``steps`` iterations of the solver; ``S`` is the set with another oracle, ``points`` keeps every point."""
    told: list[dict[str, Any]] = []
    seen: list[Array] = []

    def watch(event: Event) -> None:
        told.append(dict(event.also or {}))
        if points:
            seen.append(event.point.array())

    with unwarned():
        run = minimize(problem.f, problem.S if S is None else S, solver, stop=Iterations(steps), seed=seed, start=start,
                       watch=watch)
    trace = run.trace
    return Played(trace.value - problem.least, trace.step[:-1], trace.slack[:-1], tuple(told), tuple(seen))


@contextmanager
def unwarned() -> Iterator[None]:
    """Run what breaks the conditions of a theorem on purpose, without being told so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GreedyhullWarning)
        yield


def means(run: Callable[[int], Array], runs: int, seed: int) -> tuple[Array, Array]:
    """Mean and standard error of run(s), over seeds s made from ``seed``."""
    with unwarned():
        return repeated(run, runs, seed)


def spread(last: int, count: int = 40) -> Array:
    """Whole numbers from 2 to ``last``, evenly spread on a logarithmic axis."""
    return np.unique(np.geomspace(2, last, count).round().astype(int))


def gaps(problem: Problem, points: tuple[Array, ...]) -> Array:
    """The Frank-Wolfe gap of each point, by its own gradient alone."""
    return np.array([certify(problem.f, problem.S, w, tol=1e-6).gap for w in points])
