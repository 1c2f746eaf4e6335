"""check_solver and check_step: are certificates true, points feasible and steps on their line?"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from greedyhull.driver.run import Run, minimize
from greedyhull.driver.stop import Gap, Iterations, Relative
from greedyhull.errors import GreedyhullError
from greedyhull.objectives.by_name import function
from greedyhull.objectives.lines import Curve, Parabola
from greedyhull.objectives.losses.smooth import Logistic, NegativeLog, Poisson
from greedyhull.solvers.parts.steps import APriori, no_rule
from greedyhull.testing.expect import expect, saved
from greedyhull.testing.problems import Problem, small_problems
from greedyhull.types import Array, AtomSet, Solver, lacks


def check_interruptions(solver: Solver, problem: Problem) -> None:
    """A run that is interrupted returns its last certified point; one that meets NaN says so."""
    _check_nan(solver, problem.S)
    _check_interrupted(solver, problem, lambda: signal.default_int_handler(signal.SIGINT, None))
    if threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            _check_interrupted(solver, problem, lambda: signal.raise_signal(signal.SIGINT))
        finally:
            signal.signal(signal.SIGINT, before)


def _check_interrupted(solver: Solver, problem: Problem, interrupt: Any) -> None:
    last: list[Any] = []

    def watch(event: Any) -> None:
        last.append((event.iteration, event.point.array()))
        if len(last) == 3:
            interrupt()

    s = minimize(problem.f, problem.S, solver, stop=Iterations(1000), watch=watch)
    about = f"{solver!r} on {problem.name}, interrupted"
    expect("nterrupted" in s.reason, f"{about}: the reason given is {s.reason!r}.")
    expect(len(last) == 3, f"{about} at its third point: it went on for {len(last) - 3} more.")
    expect(np.allclose(s.point.array(), last[-1][1], rtol=1e-12, atol=1e-14),
           f"{about}: the point returned is not the last one certified.")
    expect(problem.S.contains(s.point), f"{about}: the point returned lies outside the set.")
    if s.certificate.kind == "always" and s.value is not None and s.certificate.gap is not None:
        expect(s.value - problem.minimum <= s.certificate.gap + 1e-14 * (1 + abs(s.value)),
               f"{about}: its certificate is false.")


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


def check_step(rule: Any, *, descends: bool | None = None, seed: int = 0) -> None:
    """Check a step rule on parabolas, curves, flat and bounded lines.

    ``descends`` says that a step never raises h and is zero where h does not fall; left out, it is taken to be so for
    rules without a schedule ``at(k)``. A rule may refuse a line with a `GreedyhullError`.

    >>> from greedyhull import OpenLoop, Short
    >>> check_step(OpenLoop())
    >>> check_step(Short())
    """
    expect(not lacks(rule, "start"), no_rule(rule))
    descends = not isinstance(rule, APriori) if descends is None else descends
    rng = np.random.default_rng(seed)
    before = repr(rule)
    parabolas = [Parabola(float(rng.normal()), float(-rng.exponential()), float(rng.exponential()), top)
                 for top in (1.0, 1.0, 0.3, 0.02, 5.0, 1.0) for _ in range(4)]
    for lines in (parabolas, _curves(rng), _edges()):
        _check_range(rule, lines, descends)
        _check_state(rule, lines)
    expect(repr(rule) == before, f"{before} has become {rule!r}: a rule is frozen, its working form remembers.")


def _curves(rng: np.random.Generator) -> list[Any]:
    """Lines of smooth losses downhill, some of which end at a limit."""
    lines: list[Any] = []
    for _ in range(6):
        z, dz, y = rng.normal(size=5), rng.normal(size=5), np.where(rng.random(5) < 0.5, -1.0, 1.0)
        log, inside = NegativeLog(np.zeros(5), 0.2), np.abs(z) + 0.1
        for loss, at, move in ((Logistic(y, 0.2), z, dz), (Poisson(np.abs(y), 0.2), z, 3 * dz), (log, inside, 4 * dz),
                               (log, inside, np.abs(dz))):
            lines.append(loss.along(at, move if loss.gradient(at).dot(move) < 0 else -move, 1.0))
    return lines


def _edges() -> list[Any]:
    """Lines that are flat, rise, are of no length, end nowhere near, or are infinite from some point on."""
    barrier = Curve(lambda s: -np.log1p(-s / 0.4) - 9 * s if s < 0.4 else np.inf,
        lambda s: (2.5 / (1 - s / 0.4) - 9, 6.25 / (1 - s / 0.4) ** 2) if s < 0.4 else (np.inf, np.inf), -6.5, 1.0, limit=0.4)
    return [Parabola(1.0, 0.0, 0.0, 1.0), Parabola(1.0, 0.0, 2.0, 1.0), Parabola(1.0, 0.5, 2.0, 1.0),
            Parabola(1.0, -0.5, 0.0, 1.0), Parabola(1.0, -1.0, 2.0, 0.0), Parabola(1.0, -1e-300, 1.0, 1.0),
            Parabola(1.0, -1e-17, 1e-17, 1.0), Parabola(0.0, -1e-9, 1e9, 1.0), Parabola(1e12, -1.0, 1.0, 1.0),
            Parabola(1.0, -1.0, 1.0, 1e6), barrier]


def _step_of(step: Any, line: Any, k: int) -> float | None:
    try:
        return float(step(line, k))
    except GreedyhullError:
        return None


def _check_range(rule: Any, lines: list[Any], descends: bool) -> None:
    for warm, fresh in ((False, False), (True, False), (False, True), (True, True)):  # fresh: each line is the first one met
        step = rule.start(warm)
        for k, line in enumerate(lines):
            eta = _step_of(rule.start(warm) if fresh else step, line, k)
            if eta is None:
                continue
            about = f"{rule!r} at k = {k}, slope {line.slope:.3g}, max_step {line.max_step:.3g}, limit {line.limit:.3g}"
            expect(np.isfinite(eta), f"{about}: the step is {eta}.")
            expect(0.0 <= eta <= line.max_step, f"{about}: the step {eta!r} leaves [0, max_step].")
            expect(eta < line.limit, f"{about}: the step {eta!r} reaches the limit of the line's domain.")
            if descends:
                expect(line.slope < 0.0 or eta == 0.0, f"{about}: the line does not fall, yet the step is {eta!r}.")
                start, end = line.value(0.0), line.value(eta)
                expect(end <= start + 1e-13 * (abs(start) + 1e-300),
                       f"{about}: the step {eta!r} raises h from {start!r} to {end!r}.")


def _check_state(rule: Any, lines: list[Any]) -> None:
    """Half the lines, a saved state, and the other half: the steps are those of one run."""
    whole, first, second = rule.start(True), rule.start(True), rule.start(False)
    half = len(lines) // 2
    steps = [_step_of(whole, line, k) for k, line in enumerate(lines)]
    for k, line in enumerate(lines[:half]):
        _step_of(first, line, k)
    second.restore(saved(first.state()))
    again = [_step_of(second, line, half + k) for k, line in enumerate(lines[half:])]
    expect(steps[half:] == again, f"{rule!r}, saved after {half} steps and restored, goes on with other steps than before.")


ROW = ("iteration", "value", "gap", "step", "atoms", "oracle_calls", "slack")  # work may be done again after a resume
POINT = ("iteration", "value", "step", "atoms")  # all that continues where a resumed run must find its bounds again


def check_solver(solver: Solver, problems: Iterable[Any] | None = None, *, iterations: int = 40,
                 precision: float | None = None, seed: int = 0) -> list[str]:
    """Check a solver on ``problems``, each a `Problem` or a pair (f, S); `small_problems` if left out.

    At every event the certified gap must cover the distance to a minimum that SciPy found, the point must lie in the
    set and the lower bound must not fall; runs must repeat, resume bit by bit, leave their inputs alone, notice NaN, and
    survive Ctrl-C. With ``precision`` the solver must also meet ``Relative(precision)``, within 100 times the iterations.

    A solver may refuse a problem with a `GreedyhullError` before its second point. The names of those it refused are
    returned, and it may not refuse all.
    """
    given = [p if isinstance(p, Problem) else Problem(f"{p[0]!r} over {p[1]!r}", *p)
             for p in (small_problems() if problems is None else problems)]
    refused = []
    for problem in given:
        trial = _SolverTrial(solver, problem, iterations, seed)
        if trial.refuses():
            refused.append(problem.name)
            continue
        trial.check_honest()
        trial.check_repeats()
        trial.check_resume()
        if problem.make is not None and problem.data:
            trial.check_storage(problem.make)
        if precision is not None:
            s = trial.solve(stop=Relative(precision) | Iterations(100 * iterations))
            expect(s.converged, f"{trial.about}: Relative({precision:g}) was asked for, and after {s.iterations} iterations "
                                f"the gap is {s.certificate.gap:.3g} at value {s.value:.6g}. It said: {s.reason}")
    expect(len(refused) < len(given), f"{solver!r} refused every problem: {', '.join(refused)}.")
    check_interruptions(solver, next(p for p in given if p.name not in refused))
    return refused


def rows_of(trace: Any) -> Array:
    """The rows of a trace that must repeat, NaN written as −1: the last step is not taken yet."""
    rows: Array = np.nan_to_num(np.stack([trace[name] for name in ROW], axis=1), nan=-1.0)
    return rows


def _keep(points: list[Array], event: Any) -> None:
    points.append(event.point.array())


class _SolverTrial:
    """A solver on a problem; `check_honest` gathers the points and the trace that later runs are compared with."""

    def __init__(self, solver: Solver, problem: Problem, iterations: int, seed: int) -> None:
        self.solver, self.problem, self.iterations, self.seed = solver, problem, iterations, seed
        self.about, self.rows = f"{solver!r} on {problem.name}", np.zeros(0)
        self.points: list[Array] = []

    def solve(self, f: Any = None, stop: Any = None, **options: Any) -> Any:
        return minimize(self.problem.f if f is None else f, self.problem.S, self.solver, seed=self.seed,
                        stop=Iterations(self.iterations) if stop is None else stop, **options)

    def refuses(self) -> bool:
        seen: list[Array] = []
        try:
            self.solve(stop=Iterations(2), watch=partial(_keep, seen))
        except GreedyhullError:
            if len(seen) > 1:
                raise
            return True
        return False

    def check_honest(self) -> None:
        """Every event's bound is true and every point feasible."""
        about, problem, lowest = self.about, self.problem, -np.inf
        kept = tuple(np.array(x) for x in problem.data)

        def watch(event: Any) -> None:
            nonlocal lowest
            _keep(self.points, event)
            expect(problem.S.contains(event.point),
                   f"{about}: the point of iteration {event.iteration} lies outside {problem.S!r}.")
            expect(event.lower >= lowest,
                   f"{about}: the lower bound fell from {lowest!r} to {event.lower!r} at {event.iteration}.")
            expect(event.gap >= 0.0, f"{about}: the gap at iteration {event.iteration} is {event.gap!r}.")
            lowest = event.lower
            if event.kind == "always":
                _expect_true(about, event.value, event.gap, problem, event.iteration)

        s = self.solve(watch=watch)
        self.rows = rows_of(s.trace)
        _expect_certified(about, s, problem)
        if s.point.keeps_atoms:
            expect(np.all(s.point.weights > 0) and np.all(np.abs(s.point.totals - 1) < 1e-12),
                   f"{about}: weights that are not positive or sum to {s.point.totals}.")
        expect(all(np.array_equal(a, b) for a, b in zip(kept, problem.data, strict=True)), f"{about}: the data were changed.")

    def check_repeats(self) -> None:
        """The same seed gives the same run; a start is used and never changed."""
        about, f, again = self.about, self.problem.f, list[Array]()
        s = self.solve(watch=partial(_keep, again))
        expect(len(again) == len(self.points) and all(map(np.array_equal, again, self.points)),
               f"{about}: the same seed led to other points.")
        expect(np.array_equal(rows_of(s.trace), self.rows), f"{about}: the same seed led to another trace.")
        start = s.point.copy()
        before, weights = start.array(), start.weights.copy() if start.keeps_atoms else None
        values: list[float] = []
        self.solve(start=start, stop=Iterations(5),  # an event's own value may be an estimate
                   watch=lambda event: values.append(float(f.value(event.point.copy()))))
        expect(np.array_equal(start.array(), before) and (weights is None or np.array_equal(start.weights, weights)),
               f"{about}: the start was changed.")
        expect(_is_value(s.value or 0.0, values[0], start, self.problem),
               f"{about}: it did not begin at its start, of value {s.value}, but at {values[0]}.")

    def check_resume(self) -> None:
        """Saved at k, read back, and continued in a new generator, a run continues bit by bit."""
        wanted = [k for k in (0, 1, 4, self.iterations // 2) if k < len(self.points) - 1]
        problem, states = self.problem, dict[int, Any]()

        def begun() -> Run:
            return Run(problem.f, problem.S, self.solver, None, Iterations(self.iterations), self.seed)

        def save(event: Any) -> None:
            row = len(first.trace.rows) - 1
            if row in wanted:
                states[row] = saved(first.state())

        first = begun()
        first.watchers = [save]
        first.solve()
        for k in wanted:
            about, run, seen = f"{self.about}, saved at row {k} and resumed", begun(), list[Array]()
            run.restore(states[k])
            run.watchers = [partial(_keep, seen)]
            run.solve()
            left = self.points[k:]
            expect(len(seen) == len(left), f"{about}: {len(seen)} points follow instead of {len(left)}.")
            for j, (point, wants) in enumerate(zip(seen, left, strict=True)):
                expect(np.array_equal(point, wants),
                       f"{about}: {j} iterations later the point is another one, by {np.abs(point - wants).max():.3g}.")
            columns = [ROW.index(name) for name in (ROW if run.identity.known else POINT)]
            begins = 0 if run.identity.known else k  # what may be about another problem is not taken over
            got, want = rows_of(run.trace)[:, columns], self.rows[begins:, columns]
            expect(len(got) == len(want), f"{about}: the trace has {len(got)} rows instead of {len(want)}.")
            for i, j in np.argwhere(got != want):
                expect(False, f"{about}: in row {begins + i} the trace has {ROW[columns[j]]} = {got[i, j]!r} where the whole "
                              f"run has {want[i, j]!r}.")

    def check_storage(self, make: Any) -> None:
        """Sparse data are the same data; float32 data are certified in float64.

        Where scores tie, rounding decides the path, so that not paths but certified results are compared.
        """
        from scipy.sparse import csc_array, csr_array

        from greedyhull.objectives.designs.stored import SparseDesign  # sparse data, however full they are

        problem, stop = self.problem, Gap(1e-10) | Iterations(self.iterations)
        dense = self.solve(stop=stop)
        for kind in (csc_array, csr_array):
            s = self.solve(make(SparseDesign(kind(problem.data[0])), *problem.data[1:]), stop)
            about = f"{self.about} with a {kind.__name__}"
            _expect_certified(about, s, problem)
            first = abs(s.trace.value[0] - dense.trace.value[0])
            expect(first <= 1e-12 * (1 + abs(s.trace.value[0])),
                   f"{about}: at the start the value is {first:.3g} off that of dense data.")
            off = abs((s.value or 0.0) - (dense.value or 0.0)) if dense.converged and s.converged else 0.0
            expect(off <= 1e-9, f"{about}: it converged to a value {off:.3g} off that of dense data.")
        X, *rest = (x.astype(np.float32) for x in problem.data)
        for data in (X, SparseDesign(csc_array(X))):
            about = f"{self.solver!r} on {problem.single.name}, {type(data).__name__}"
            _expect_certified(about, self.solve(make(data, *rest)), problem.single)


def _expect_true(about: str, value: float, gap: float, problem: Problem, k: int) -> None:
    error = value - problem.minimum
    noise = 1e-15 * (abs(problem.minimum) + abs(value))  # of the reference; that of the run is in its gap
    expect(error <= gap + noise,
           f"{about}: at iteration {k} the gap is {gap:.6g}, but the value is {error:.6g} above the minimum "
           f"{problem.minimum:.12g}: the certificate is false.")


def _is_value(claimed: float, value: float, point: Any, problem: Problem) -> bool:
    """Whether a value is the claimed one, up to the rounding that f allows for at the point."""
    return abs(value - claimed) <= 1e-9 * (abs(value) + 1e-9) + float(problem.f.rounding(point.copy(), problem.S))


def _expect_certified(about: str, s: Any, problem: Problem) -> None:
    """A solution's point is feasible, and has the value and the gap of its certificate."""
    expect(s.point.array().shape == problem.S.shape and problem.S.contains(s.point),
           f"{about}: the returned point lies outside {problem.S!r}.")
    if s.certificate.kind != "always" or s.value is None or s.certificate.gap is None:
        return
    _expect_true(about, s.value, s.certificate.gap, problem, s.iterations)
    again = float(problem.f.value(s.point.copy()))
    expect(_is_value(s.value, again, s.point, problem),
           f"{about}: the certified value is {s.value}, the returned point has {again}.")
