"""Where the time of a run went: its parts timed once more, at the point that it found, times how often each was done.

Nothing is timed while a run goes on, where two more looks at a clock would cost as much as a small step does.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.driver.certificate import afresh
from greedyhull.errors import GreedyhullError
from greedyhull.points.entering import as_answer
from greedyhull.points.gradients import taken
from greedyhull.solvers.parts.rules import APriori, Estimating, rule_of

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

TIMES = 7  # each part, unless it is slow
SLOW = 0.1  # seconds


class Part(NamedTuple):
    """What was done, how often, how long one takes, and all of them."""

    name: str
    times: int
    each: float
    seconds: float


def split(solution: Solution) -> list[Part]:
    """Gradients, oracle, steps and certificates; what is left of the run's time comes last, under the name "all else".

    Where the parts alone take longer than the run did, compiled code has done several at once, and the list is empty; so it
    is for runs that were resumed and whose trace does not have their beginning.
    """
    trace = solution.trace
    if not len(trace) or trace["iteration"][0] > 1:
        return []
    calls, gradients = int(trace["oracle_calls"][-1]), int(trace["gradient_calls"][-1])
    steps = int(trace["iteration"][-1] - trace["iteration"][0])
    try:
        each = _timed(solution)
    except GreedyhullError:
        return []
    told = solution.certificate.kind in ("probability", "expectation")  # by samples: no value was computed
    counts = {"gradient": gradients, "gradient estimate": steps, "oracle": calls, "step": steps,
              "certificate": 0 if told else trace.recorded}
    parts = [Part(name, times, each[name], times * each[name]) for name, times in counts.items() if times and name in each]
    rest = solution.seconds - sum(part.seconds for part in parts)
    return [*parts, Part("all else", 0, 0.0, rest)] if rest >= 0.0 else []


def _timed(solution: Solution) -> dict[str, float]:
    """Seconds of each part, done once at the point that was found."""
    f, S, solver = solution.objective, solution.atom_set, solution.solver
    w, rng = afresh(solution.point), np.random.default_rng(0)
    oracle = S.oracle(rng)
    if f.traits.terms == "stream":  # a stream: its samples are not for us to take
        g = rng.standard_normal(S.shape)
        return {"oracle": _median(lambda: oracle.argmin(g))}
    g = taken(S, f.gradient(w))
    v = w.toward(as_answer(oracle.argmin(g), S.shape).atom)

    def moved() -> None:
        w.move(v, 0.0)  # what is kept with a point is computed again after a move, even one of no length

    def known() -> Any:
        moved()
        return f.gradient(w)

    found = {"gradient": _median(lambda: f.gradient(w), moved), "oracle": _median(lambda: oracle.argmin(g)),
             "certificate": _median(lambda: (f.value(w), f.gradient_dot(w), f.rounding(w, S)), known)}
    rule = rule_of(solver)
    if rule is not None:  # others solve a small problem instead, which is their own work
        found["step"] = _median(moved)
        if not isinstance(rule, APriori):  # it is not set in advance, but looked for
            found["step"] += _median(lambda: f.along(w, v).argmin(), moved)
    if isinstance(solver, Estimating):
        from greedyhull.objectives.batch import source_of

        estimate, x, k = solver.estimator.start(source_of(f, rng)), w.array(), max(solution.iterations, 1)
        found["gradient estimate"] = _median(lambda: estimate(x, k))
    return found


def _median(action: Callable[[], Any], before: Callable[[], Any] = lambda: None) -> float:
    taken: list[float] = []
    while len(taken) < TIMES and sum(taken) < SLOW:
        before()
        began = perf_counter()
        action()
        taken.append(perf_counter() - began)
    return float(np.median(taken))
