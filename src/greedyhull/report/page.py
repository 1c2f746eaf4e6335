"""The page about one solution."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from greedyhull.driver.bounds.of_run import bounds_of
from greedyhull.driver.certificate import Certificate, afresh
from greedyhull.driver.solution import Absent, measure
from greedyhull.driver.trace import Trace
from greedyhull.errors import GreedyhullError
from greedyhull.points.gradients import taken
from greedyhull.points.validate import as_answer
from greedyhull.report import sentences
from greedyhull.report.figure import Line
from greedyhull.report.sentences import answer, atoms, course, intercepts, need, page, price, prices, used
from greedyhull.solvers.parts.steps import APriori
from greedyhull.types import lacks, optional

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution
    from greedyhull.theory import Bound


class SplitBounds(NamedTuple):
    """The bounds near the gap, which are shown, and those far above it, which are folded away."""

    near: list[Bound]
    far: list[Bound]


def split_bounds(bounds: Sequence[Bound], gap: float | None) -> SplitBounds:
    """The bounds of a run by how far above its gap, the one without constants, they are; without a gap all are shown."""
    if gap is None:
        return SplitBounds(list(bounds), [])
    near = [bound for bound in bounds if bound.value <= gap or bound.value < 100.0 * gap]  # others say little about the run
    if not any(bound.constants for bound in near):
        return SplitBounds([], list(bounds))
    return SplitBounds(near, [bound for bound in bounds if bound not in near])


def call(solution: Solution) -> str:
    """The call of `minimize`, with what f and S print as."""
    given = {"f": solution.objective, "S": solution.atom_set, "solver": solution.solver, "stop": solution.stop}
    lines = [f"{name} = {value!r}" for name, value in given.items()]
    return "\n".join([*lines, f"s = greedyhull.minimize(f, S, solver, stop=stop, seed={solution.seed})"])


def versions() -> list[tuple[str, str]]:
    """What was installed, by name."""
    found = [("Python", platform.python_version())]
    for name in ("greedyhull", "numpy", "scipy"):
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return [*found, ("system", f"{platform.system()} {platform.machine()}")]


def first_value(solution: Solution) -> str:
    """The first value of the run: other data would give another."""
    first = float(solution.trace["value"][0]) if len(solution.trace) else np.nan
    if not np.isfinite(first):
        return ""
    k = int(solution.trace["iteration"][0])
    return (f"At iteration {k} the value was {first:.15g}. If a new run has another value there, its data or its "
            "starting point differ.")


class Until:
    """A run as it was when only the first rows of its trace had been written."""

    def __init__(self, solution: Solution, rows: int) -> None:
        self._whole = solution
        self.trace = Trace()
        self.trace.rows, self.trace.steps = solution.trace.rows[:rows], solution.trace.steps[: rows - 1]
        last, kind, delta = rows - 1, solution.certificate.kind, solution.certificate.delta
        value, gap = float(self.trace["value"][last]), float(self.trace["gap"][last])
        known = np.isfinite(value)
        self.certificate = Certificate(value if known else None, gap if np.isfinite(gap) else None,
                                       value - gap if known and kind != "stationary" else -np.inf, kind, delta)
        self.iterations = int(self.trace["iteration"][last])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)  # all else is as the whole run has it


def bounds_along(solution: Solution, found: list[Bound]) -> list[Line]:
    """The smallest of the bounds near the gap that were ``found`` at the end, over the run; those on a limit have no k."""
    near = split_bounds(found, solution.certificate.gap).near
    wanted = sorted((bound for bound in near if bound.of != "limit" and bound.constants), key=lambda bound: bound.value)
    length = len(solution.trace)
    if not wanted or length < 3:  # rows of a trace from which on there is a course to draw
        return []
    moments = np.unique(np.geomspace(2, length, 14).astype(int))
    k = solution.trace["iteration"][moments - 1].astype(float)
    values = {bound.name: np.full(len(moments), np.nan) for bound in wanted}
    for place, rows in enumerate(moments.tolist()):
        run = cast("Solution", Until(solution, rows))  # what it does not say itself, the solution does
        for bound in found if rows == length else bounds_of(run):
            if bound.name in values:
                values[bound.name][place] = bound.value
    lines: list[Line] = []
    for bound in wanted:
        y = values[bound.name]
        covered = any(np.allclose(y, line.y, rtol=0.15, equal_nan=True) for line in lines)
        if np.isfinite(y).sum() > 1 and not covered:  # a point makes no line
            held = "" if bound.holds == "always" else f" ({bound.holds})"
            lines.append(Line(f"{bound.name}: {bound.of}{held}", k, y, look="dashed"))
    return lines[:3]  # bounds at most


class Part(NamedTuple):
    """What was done, how often, how long one takes, and all of them."""

    name: str
    times: int
    each: float
    seconds: float


def split(solution: Solution) -> list[Part]:
    """Gradients, oracle, steps and certificates, and the rest of the run's time as "all else".

    Empty if the parts take longer than the run, since compiled code did several at once, or if the trace lacks the beginning.
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
    rule = optional(solver, "step")
    if rule is not None:  # others solve a small problem instead, which is their own work
        found["step"] = _median(moved)
        if not isinstance(rule, APriori):  # it is not set in advance, but looked for
            found["step"] += _median(lambda: f.along(w, v).argmin(), moved)
    if not lacks(solver, "estimator"):
        from greedyhull.objectives.minibatches import source_of

        estimate: Any = solver.estimator.start(source_of(f, rng))  # type: ignore[attr-defined]
        x, k = w.array(), max(solution.iterations, 1)
        found["gradient estimate"] = _median(lambda: estimate(x, k))
    return found


def _median(action: Callable[[], Any], before: Callable[[], Any] = lambda: None) -> float:
    taken: list[float] = []
    while len(taken) < 7 and sum(taken) < 0.1:  # seconds
        before()
        began = perf_counter()
        action()
        taken.append(perf_counter() - began)
    return float(np.median(taken))


def write(solution: Solution, path: str | Path, *, title: str | None = None, names: Sequence[str] | None = None,
          opening: Sequence[str] = (), closing: Sequence[str] = (), budget: str | None = None,
          things: str = "coordinates") -> Path:
    """Write one self-contained HTML page about a solution.

    The page holds its figures and its style, and loads nothing. It follows the reader's choice of light or dark, and fits a
    phone.

    Parameters
    ----------
    solution
        What `minimize` returned.
    path
        The file to write; its folder must exist.
    title
        The title of the page; without one, the kind of certificate decides.
    names
        One name for each coordinate.
    opening, closing
        Sentences to print above the answer, and below it.
    budget, things
        What to call the radius (by default "total" where that is its name) and the coordinates.

    Returns
    -------
    pathlib.Path
        The path of the page.
    """
    need()
    from greedyhull.report.figure import bars, panels, svg
    from greedyhull.theory import Bounds

    c, stored = solution.certificate, isinstance(solution.objective, Absent)  # a solution from a file has no objective and set
    found, mixed = used(solution, names), atoms(solution, names)
    called, listed = (measure(solution), things) if found else ("weight", "atoms")
    bounds = Bounds([]) if stored else solution.bounds()
    dashed = bounds_along(solution, bounds)
    return page(
        "page.html", path, title=title or sentences.title(c, solution.converged), opening=opening, closing=closing,
        solution=solution, answer=answer(solution, things), intercepts=intercepts(solution),
        price=price(solution, budget), prices=prices(solution), used=found, atoms=mixed, measure=called, things=listed,
        bars=bars(found or mixed, things=listed, measure=called) if found or mixed else "",
        heading=sentences.heading(c), means=sentences.means(c),
        certificate=sentences.rows(c, solution.objective.scale, solution.reason), course=course(solution),
        figures=[(svg(panel, place), panel.words()) for place, panel in enumerate(panels(solution, dashed), start=1)],
        dashed=dashed, bounds=bounds, split_bounds=split_bounds(bounds, c.gap), parts=split(solution),
        constants={} if stored else solution.constants, from_file=stored, call=call(solution), versions=versions(),
        first_value=first_value(solution))
