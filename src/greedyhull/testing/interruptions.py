"""What a solver owes to those who break in: NaN, Ctrl-C, and a count of what it costs."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np

from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Gap, Iterations
from greedyhull.errors import GreedyhullError
from greedyhull.objectives.by_name import function
from greedyhull.testing.expect import expect
from greedyhull.testing.problems import Problem
from greedyhull.types import Array, AtomSet, Solver


def check_interruptions(solver: Solver, problem: Problem) -> None:
    """A run that is interrupted returns its last certified point; one that meets NaN says so."""
    _check_nan(solver, problem.S)
    _interrupted(solver, problem, _raise)
    if threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            _interrupted(solver, problem, lambda: os.kill(os.getpid(), signal.SIGINT))
        finally:
            signal.signal(signal.SIGINT, before)


def _raise() -> None:
    raise KeyboardInterrupt


def _interrupted(solver: Solver, problem: Problem, interrupt: Any) -> None:
    last: list[Any] = []

    def watch(event: Any) -> None:
        last.append((event.iteration, event.point.array()))
        if len(last) == 3:
            interrupt()

    s = minimize(problem.f, problem.S, solver, stop=Iterations(1000), watch=watch)
    about = f"{solver!r} on {problem.name}, interrupted"
    expect("nterrupted" in s.reason, f"{about}: the reason given is {s.reason!r}.")
    expect(len(last) == 3, f"{about} at its third point: it went on for {len(last) - 3} more.")
    expect(
        np.allclose(s.point.array(), last[-1][1], rtol=1e-12, atol=1e-14),
        f"{about}: the point returned is not the last one certified.",
    )
    expect(problem.S.contains(s.point), f"{about}: the point returned lies outside the set.")
    if s.certificate.kind == "always" and s.value is not None and s.certificate.gap is not None:
        expect(
            s.value - problem.minimum <= s.certificate.gap + 1e-14 * (1 + abs(s.value)), f"{about}: its certificate is false."
        )


def _check_nan(solver: Solver, S: AtomSet) -> None:
    """A gradient, and a value, that turn to NaN after a few calls: an error, or at the least no claim to have converged."""
    for which in ("gradient", "value"):
        calls = [0]

        def spoiled(x: Array, wanted: bool, good: Any, calls: list[int] = calls) -> Any:
            calls[0] += wanted
            return good * (np.nan if calls[0] > 4 and wanted else 1.0)

        f = function(lambda x: spoiled(x, which == "value", 0.5 * float((x * x).sum()) + float(x.sum())),  # noqa: B023
                     lambda x: spoiled(x, which == "gradient", x + 1.0), S.shape, smoothness=1.0)  # noqa: B023
        try:
            s = minimize(f, S, solver, stop=Gap(0.0) | Iterations(50))
        except GreedyhullError as error:
            expect(len(str(error)) > 20, f"{solver!r} met a NaN {which} and only said {error}.")
            continue
        expect(not s.converged and calls[0] <= 4, f"{solver!r} met a NaN {which} and returned as if nothing were wrong: {s!r}")
