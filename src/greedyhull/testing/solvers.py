"""check_solver: is every certificate true, every point feasible, and every run repeatable and resumable?"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from greedyhull.driver.minimize import minimize
from greedyhull.driver.run import Run
from greedyhull.driver.stop import Gap, Iterations, Relative
from greedyhull.errors import GreedyhullError
from greedyhull.testing.expect import expect, saved
from greedyhull.testing.interruptions import check_interruptions
from greedyhull.testing.problems import Problem, as_problem, small_problems
from greedyhull.types import Array, Solver

ROW = ("iteration", "value", "gap", "step", "atoms", "oracle_calls", "slack")  # work may be done again after a resume
POINT = ("iteration", "value", "step", "atoms")  # all that goes on where a resumed run must find its bounds anew


def check_solver(solver: Solver, problems: Iterable[Any] | None = None, *, iterations: int = 40,
                 precision: float | None = None, seed: int = 0) -> list[str]:
    """Check a solver on ``problems``, each a `Problem` or a pair (f, S); `small_problems` if left out.

    At every event the certified gap must cover the distance to a minimum that SciPy found, the point must lie in the
    set and the lower bound must not fall; runs must repeat, resume bit by bit, leave their inputs alone, notice NaN, and
    survive Ctrl-C. With ``precision`` the solver must also meet ``Relative(precision)``, within 100 times the iterations.

    A solver may refuse a problem with a `GreedyhullError` before its second point. The names of those it refused are
    returned, and it may not refuse all.
    """
    given = [as_problem(p) for p in (small_problems() if problems is None else problems)]
    refused = []
    for problem in given:
        if _refuses(solver, problem, seed):
            refused.append(problem.name)
            continue
        points = check_honest(solver, problem, iterations, seed)
        _check_repeats(solver, problem, points, iterations, seed)
        _check_resume(solver, problem, points, iterations, seed)
        _check_storage(solver, problem, iterations, seed)
        if precision is not None:
            _check_precision(solver, problem, precision, 100 * iterations, seed)
    expect(len(refused) < len(given), f"{solver!r} refused every problem: {', '.join(refused)}.")
    check_interruptions(solver, next(p for p in given if p.name not in refused))
    return refused


def _refuses(solver: Solver, problem: Problem, seed: int) -> bool:
    """Whether the solver declines before its second point, in words."""
    seen: list[int] = []
    try:
        minimize(problem.f, problem.S, solver, stop=Iterations(2), seed=seed, watch=lambda event: seen.append(event.iteration))
    except GreedyhullError:
        if len(seen) > 1:
            raise
        return True
    return False


class _Points:
    """What a run went through: coordinates, and the rows of its trace without the clock."""

    def __init__(self) -> None:
        self.arrays: list[Array] = []

    def __call__(self, event: Any) -> None:
        self.arrays.append(event.point.array())


def rows_of(trace: Any) -> Array:
    """The rows of a trace that must repeat, NaN written as −1: the last step is not taken yet."""
    rows: Array = np.nan_to_num(np.stack([trace[name] for name in ROW], axis=1), nan=-1.0)
    return rows


def check_honest(solver: Solver, problem: Problem, iterations: int, seed: int) -> tuple[list[Array], Array]:
    """Every event's bound is true and every point feasible; returns the points and the trace."""
    f, S = problem.f, problem.S
    points, lowest = _Points(), [-np.inf]
    about = f"{solver!r} on {problem.name}"
    kept = tuple(np.array(x) for x in problem.data)

    def watch(event: Any) -> None:
        points(event)
        expect(S.contains(event.point), f"{about}: the point of iteration {event.iteration} lies outside {S!r}.")
        expect(
            event.lower >= lowest[0],
            f"{about}: the lower bound fell from {lowest[0]!r} to {event.lower!r} at {event.iteration}.",
        )
        expect(event.gap >= 0.0, f"{about}: the gap at iteration {event.iteration} is {event.gap!r}.")
        lowest[0] = event.lower
        if event.kind == "always":
            _expect_true(about, event.value, event.gap, problem, event.iteration)

    s = minimize(f, S, solver, stop=Iterations(iterations), seed=seed, watch=watch)
    _expect_certified(about, s, problem)
    if s.point.keeps_atoms:
        weights = s.point.weights
        expect(
            np.all(weights > 0) and np.all(np.abs(s.point.totals - 1) < 1e-12),
            f"{about}: weights that are not positive or sum to {s.point.totals}.",
        )
    expect(all(np.array_equal(a, b) for a, b in zip(kept, problem.data, strict=True)), f"{about}: the data were changed.")
    return points.arrays, rows_of(s.trace)


def _expect_true(about: str, value: float, gap: float, problem: Problem, k: int) -> None:
    error = value - problem.minimum
    noise = 1e-15 * (abs(problem.minimum) + abs(value))  # of the reference; that of the run is in its gap
    expect(
        error <= gap + noise,
        f"{about}: at iteration {k} the gap is {gap:.6g}, but the value is {error:.6g} above the minimum "
        f"{problem.minimum:.12g}: the certificate is false.",
    )


def _check_repeats(solver: Solver, problem: Problem, points: tuple[list[Array], Array], iterations: int, seed: int) -> None:
    """The same seed gives the same run; a start is used and never changed."""
    again = _Points()
    s = minimize(problem.f, problem.S, solver, stop=Iterations(iterations), seed=seed, watch=again)
    expect(
        len(again.arrays) == len(points[0])
        and all(np.array_equal(a, b) for a, b in zip(again.arrays, points[0], strict=True)),
        f"{solver!r} on {problem.name}: the same seed led to other points.",
    )
    expect(np.array_equal(rows_of(s.trace), points[1]), f"{solver!r} on {problem.name}: the same seed led to another trace.")
    start = s.point.copy()
    before, weights = start.array(), start.weights.copy() if start.keeps_atoms else None
    first: list[float] = []
    minimize(
        problem.f, problem.S, solver, start=start, stop=Iterations(5), seed=seed,
        watch=lambda event: first.append(float(problem.f.value(event.point.copy()))),  # an event's own may be an estimate
    )
    expect(np.array_equal(start.array(), before) and (weights is None or np.array_equal(start.weights, weights)),
           f"{solver!r} on {problem.name}: the start was changed.")
    expect(
        abs(first[0] - (s.value or 0.0)) <= 1e-9 * (abs(first[0]) + 1e-9) + float(problem.f.rounding(start.copy(), problem.S)),
        f"{solver!r} on {problem.name}: it did not begin at its start, of value {s.value}, but at {first[0]}.",
    )


def _check_resume(solver: Solver, problem: Problem, points: tuple[list[Array], Array], iterations: int, seed: int) -> None:
    """Saved at k, read back, and continued in a new generator, a run goes on bit by bit."""
    arrays, rows = points
    wanted = [k for k in (0, 1, 4, iterations // 2) if k < len(arrays) - 1]
    states: dict[int, Any] = {}
    first = Run(problem.f, problem.S, solver, None, Iterations(iterations), seed)
    first.watchers = [
        lambda event: (
            states.update({len(first.trace.rows) - 1: saved(first.state())}) if len(first.trace.rows) - 1 in wanted else None
        )
    ]
    first.solve()
    for k in wanted:
        about = f"{solver!r} on {problem.name}, saved at row {k} and resumed"
        run, seen = Run(problem.f, problem.S, solver, None, Iterations(iterations), seed), _Points()
        run.restore(states[k])
        run.watchers = [seen]
        run.solve()
        expect(len(seen.arrays) == len(arrays) - k, f"{about}: {len(seen.arrays)} points follow instead of {len(arrays) - k}.")
        for j, (got, want) in enumerate(zip(seen.arrays, arrays[k:], strict=True)):
            expect(
                np.array_equal(got, want),
                f"{about}: {j} iterations later the point is another one, by {np.abs(got - want).max():.3g}.",
            )
        columns = [ROW.index(name) for name in (ROW if run.identity.known else POINT)]
        begins = 0 if run.identity.known else k  # what may be about another problem is not taken over
        got, want = rows_of(run.trace)[:, columns], rows[begins:, columns]
        expect(len(got) == len(want), f"{about}: the trace has {len(got)} rows instead of {len(want)}.")
        if not np.array_equal(got, want):
            i, j = np.argwhere(got != want)[0]
            where = f"in row {begins + i} the trace has {ROW[columns[j]]}"
            expect(False, f"{about}: {where} = {got[i, j]!r} where the whole run has {want[i, j]!r}.")


def _check_storage(solver: Solver, problem: Problem, iterations: int, seed: int) -> None:
    """Sparse data are the same data; float32 data are certified in float64.

    Where scores tie, rounding decides the path, so that not paths but certified results are compared.
    """
    if problem.make is None or not problem.data:
        return
    from scipy.sparse import csc_array, csr_array

    stop = Gap(1e-10) | Iterations(iterations)
    dense = minimize(problem.f, problem.S, solver, stop=stop, seed=seed)
    for kind in (csc_array, csr_array):
        how = partial(_stored, kind)
        s = minimize(problem.stored(how), problem.S, solver, stop=stop, seed=seed)
        about = f"{solver!r} on {problem.name} with a {kind.__name__}"
        _expect_certified(about, s, problem)
        first = abs(s.trace.value[0] - dense.trace.value[0])
        expect(
            first <= 1e-12 * (1 + abs(s.trace.value[0])),
            f"{about}: at the start the value is {first:.3g} off that of dense data.",
        )
        if dense.converged and s.converged:
            off = abs((s.value or 0.0) - (dense.value or 0.0))
            expect(off <= 1e-9, f"{about}: it converged to a value {off:.3g} off that of dense data.")
    X, *rest = (x.astype(np.float32) for x in problem.data)
    for data in (X, _stored(csc_array, X)):
        s = minimize(problem.make(data, *rest), problem.S, solver, stop=Iterations(iterations), seed=seed)
        _expect_certified(f"{solver!r} on {problem.single.name}, {type(data).__name__}", s, problem.single)


def _stored(kind: Any, X: Array) -> Any:
    """X as sparse data, however full it is."""
    from greedyhull.objectives.designs.sparse import SparseDesign

    return SparseDesign(kind(X))


def _expect_certified(about: str, s: Any, problem: Problem) -> None:
    """A solution's point is feasible, and has the value and the gap that its certificate says."""
    expect(
        s.point.array().shape == problem.S.shape and problem.S.contains(s.point),
        f"{about}: the returned point lies outside {problem.S!r}.",
    )
    if s.certificate.kind != "always" or s.value is None or s.certificate.gap is None:
        return
    _expect_true(about, s.value, s.certificate.gap, problem, s.iterations)
    point = s.point.copy()
    again = float(problem.f.value(point))
    expect(
        abs(again - s.value) <= 1e-9 * (abs(again) + 1e-9) + float(problem.f.rounding(point, problem.S)),
        f"{about}: the certified value is {s.value}, the returned point has {again}.",
    )


def _check_precision(solver: Solver, problem: Problem, precision: float, iterations: int, seed: int) -> None:
    s = minimize(problem.f, problem.S, solver, stop=Relative(precision) | Iterations(iterations), seed=seed)
    expect(
        s.converged,
        f"{solver!r} on {problem.name}: Relative({precision:g}) was asked for, and after {s.iterations} iterations "
        f"the gap is {s.certificate.gap:.3g} at value {s.value:.6g}. It said: {s.reason}",
    )
