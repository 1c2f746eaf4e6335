"""Other values of the numbers that decide inside `Corrective` and the driver: what they do to the time of a solve.

Each number is changed by itself; the others stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

import greedyhull as gh
from benchmarks.tables import Table
from benchmarks.timing import interleaved
from greedyhull.driver import finish as ending
from greedyhull.driver import run
from greedyhull.kernels import simplex_qp
from greedyhull.objectives import restricted
from greedyhull.solvers import corrective
from greedyhull.solvers.parts import working_set

HOMES = (corrective, working_set, simplex_qp, restricted)
VALUES: dict[str, tuple[float, ...]] = {
    "EARLY": (0.0, 0.01, 0.03, 0.1, 1.0),
    "CROWDED": (1, 2, 3, 6, 20),
    "INNER": (0.01, 0.03, 0.1, 0.3, 0.9),
    "EXACT": (1e-9, 1e-6, 1e-4, 1e-2),
    "ROUGH": (1e-6, 3e-4, 3e-3, 3e-2, 0.3),
    "STALE": (0.0, 0.03, 0.1, 0.3, 1.0),
    "MANY_ROWS": (500, 4000, 20_000),
    "EXACT_UP_TO": (24, 48, 96, 192),
}
ARGUMENTS: dict[str, tuple[int, ...]] = {"batch": (1, 10, 30, 100), "steps": (1, 2, 5, 10)}
DRIVER: dict[str, tuple[Any, tuple[float, ...]]] = {
    "LISTEN_AFTER": (run, (0.0, 0.01, 1.0)),
    "MOSTLY_ROUNDING": (run, (0.1, 0.5, 0.9)),
    "ROUNDS": (ending, (8, 64, 512)),
}


def numbers(repeats: int = 7, only: tuple[str, ...] = ()) -> Iterator[Table]:
    cases = problems()
    table = Table("numbers", "Milliseconds of a solve to 1e-9 by Corrective, one number changed", ("number", "value", *cases))
    for name, values in {**VALUES, **ARGUMENTS}.items():
        if not only or name in only:
            for value, times in zip(values, measured(name, values, cases, repeats)):
                table.rows.append((name, value, *times))
    yield table
    names = ("BlendedPairwise", "Corrective")
    title = "Milliseconds to the last digits, logistic tall, one number of the driver changed"
    other = Table("driver_numbers", title, ("number", "value", *names))
    f, S = cases["logistic tall"]
    for name, (home, choices) in DRIVER.items():
        if only and name not in only:
            continue
        calls: dict[str, Callable[[], Any]] = {}
        for value in choices:
            for solver in (gh.BlendedPairwise(), gh.Corrective()):
                calls[f"{value}|{type(solver).__name__}"] = partial(with_number, (home,), name, value, f, S, solver, 1e-14)
        times = list(interleaved(calls, repeats).values())
        other.rows += [(name, value, *(1e3 * t for t in times[2 * i : 2 * i + 2])) for i, value in enumerate(choices)]
    yield other


def problems() -> dict[str, tuple[Any, Any]]:
    """One of each class: few samples and many columns, the other way round, a quadratic over the simplex."""
    rng = np.random.default_rng(0)
    wide, tall, root = (rng.standard_normal(shape) for shape in ((200, 3000), (8000, 80), (300, 250)))
    y = wide[:, :40].sum(axis=1) + rng.standard_normal(200)
    signs = np.sign(tall[:, :10].sum(axis=1) + 2.0 * rng.standard_normal(8000))
    return {
        "lasso wide": (gh.least_squares(wide, y), gh.L1Ball(3000, 30.0)),
        "logistic tall": (gh.logistic(tall, signs), gh.L1Ball(80, 3.0)),
        "simplex quadratic": (gh.quadratic(root.T @ root / 300, 0.01 * rng.standard_normal(250)), gh.Simplex(250)),
    }


def measured(name: str, values: tuple[float, ...], cases: dict[str, tuple[Any, Any]], repeats: int) -> Iterator[list[float]]:
    """For each value the milliseconds of all cases."""
    calls: dict[str, Callable[[], Any]] = {}
    for value in values:
        for case, (f, S) in cases.items():
            if name in VALUES:
                calls[f"{value}|{case}"] = partial(with_number, HOMES, name, value, f, S, gh.Corrective(), 1e-9)
            else:
                calls[f"{value}|{case}"] = partial(solved, f, S, gh.Corrective(**{name: int(value)}), 1e-9)
    for call in calls.values():
        call()  # the warm-up
    times = interleaved(calls, repeats)
    for value in values:
        yield [1e3 * times[f"{value}|{case}"] for case in cases]


def solved(f: Any, S: Any, solver: Any, goal: float) -> Any:
    return gh.minimize(f, S, solver, stop=gh.Relative(goal) | gh.Seconds(20.0))


def with_number(homes: tuple[Any, ...], name: str, value: float, f: Any, S: Any, solver: Any, goal: float) -> Any:
    with changed(homes, name, value):
        return solved(f, S, solver, goal)


@contextmanager
def changed(homes: tuple[Any, ...], name: str, value: float) -> Iterator[None]:
    """The number with another value, wherever it is used."""
    before = {home: getattr(home, name) for home in homes if hasattr(home, name)}
    if not before:
        raise ValueError(f"None of {[home.__name__ for home in homes]} has a number {name}.")
    try:
        for home in before:
            setattr(home, name, value)
        yield
    finally:
        for home, old in before.items():
            setattr(home, name, old)
