"""Cases that solve: one problem, several solvers, each certificate against the best point of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import greedyhull as gh
from greedyhull.types import Array
from tests.fuzz.attempts import Attempt, attempt
from tests.fuzz.draws import Rng, chance, pick, size
from tests.fuzz.exact import LD
from tests.fuzz.judge import Point, judge, least, point_of
from tests.fuzz.models import Model, draw_model
from tests.fuzz.records import Record
from tests.fuzz.region import Region
from tests.fuzz.regions import capped_simplex, draw_region, simplex, wrapped
from tests.fuzz.solvers import draw_solver, draw_start, draw_stop

Say = Callable[[str], None]


class Problem(NamedTuple):
    model: Model
    region: Region


class Result(NamedTuple):
    """A call on a problem, and the point it returned."""

    solver: str
    tried: Attempt
    point: Point | None


def draw_problem(rng: Rng, say: Say, records: list[Record]) -> Problem | None:
    """A model and a set that fit together; None where making one was refused, or broke."""
    d = size(rng)
    region: list[Region] = []
    made = attempt(lambda: region.append(draw_region(rng, d)))
    if not region:
        records.append(Record("", "a set", "").take(made))
        return None
    model: list[Model] = []
    made = attempt(lambda: model.append(draw_model(rng, d, region[0].some)))
    if not model:
        records.append(Record("an objective", "", "").take(made))
        say(f"made: {made.refused or made.raw}")
        return None
    if made.warned:
        records.append(Record(model[0].kind, "", "").take(made))
    if model[0].kind == "log_likelihood" and chance(rng, 0.8):
        region[0] = pick(rng, (simplex, capped_simplex))(rng, d)
    problem = Problem(model[0], wrapped(rng, region[0], spread(model[0], region[0])))
    say(f"f = {model[0].words}\nS = {problem.region.words}")
    return problem


def spread(model: Model, region: Region) -> float:
    """How far apart the values are at a few points of the set; one where that is no positive number."""
    with np.errstate(all="ignore"):
        values = np.array([model.exact(x.astype(LD)).value for x in region.some[:6]])
        apart = float(np.ptp(values[np.isfinite(values)])) if np.isfinite(values).any() else 0.0
    return apart if 0.0 < apart < 1e200 else 1.0


def run(problem: Problem, solver: str, call: Callable[[], Any], taken_over: bool = False) -> Result:
    """A solve, its point looked at; some of its atoms may be ``taken_over`` from another set."""
    return examined(problem, solver, attempt(call), taken_over)


def examined(problem: Problem, solver: str, tried: Attempt, taken_over: bool = False) -> Result:
    """A call that was made, its point looked at."""
    if tried.result is None:
        return Result(solver, tried, None)
    with np.errstate(all="ignore"):
        return Result(solver, tried, point_of(tried.result.point, problem.region, tried.result.iterations, taken_over))


def tight(problem: Problem) -> Result:
    """A reference: the default solver over the set with its own, exact oracle."""
    S = problem.region.plain
    stop = gh.Relative(1e-14) | gh.Stalled(30) | gh.Iterations(80 if problem.model.smooth else 40)
    return run(problem, "default", lambda: gh.minimize(problem.model.f, S, stop=stop))


def judged(problem: Problem, results: list[Result], say: Say, also: list[Array] | None = None) -> list[Record]:
    """A record of each result, judged by the best of them all."""
    model, region = problem
    records = []
    with np.errstate(all="ignore"):
        best = least(model, region, [*[r.point.inside for r in results if r.point is not None], *(also or [])])
        for solver, tried, point in results:
            record = Record(model.kind, region.kind, solver).take(tried)
            if tried.result is not None and point is not None:
                certificate = tried.result.certificate
                record.status, record.delta = certificate.kind, certificate.delta
                record.findings += point.faults
                if not point.faults or certificate.kind == "always":
                    record.findings += judge(model, region, certificate, point.x, best, f"{model.kind} over {region.kind}")
            said = tried.refused or tried.raw or f"{tried.result!r:.220}"
            say(f"{solver}: {said}\n    {tried.result.certificate if tried.result is not None else ''}")
            records.append(record)
        say(f"the least value found is {best.value!r}")
    return records


def solve(rng: Rng, say: Say) -> list[Record]:
    """Two random solvers and the reference."""
    records: list[Record] = []
    problem = draw_problem(rng, say, records)
    if problem is None:
        return records
    results = [tight(problem), *[drawn(rng, problem, say) for _ in range(2)]]
    return records + judged(problem, results, say)


def drawn(rng: Rng, problem: Problem, say: Say) -> Result:
    """A random solver, stop and start on the problem."""
    name, solver, most = draw_solver(rng, problem.model, problem.region.S)
    stop, words = draw_stop(rng, most)
    start, seed, check = draw_start(rng, problem.region), int(rng.integers(100)), chance(rng, 0.05)
    say(f"minimize(f, S, {solver!r}, stop={words}, seed={seed}{'' if start is None else f', start={start!r}'})")
    return run(problem, name, lambda: gh.minimize(problem.model.f, problem.region.S, solver, stop=stop, start=start, seed=seed,
                                                  check=check))


def certify(rng: Rng, say: Say) -> list[Record]:
    """Certificates of points that no solver made: mixtures of a few atoms, between them and the best point that is known."""
    records: list[Record] = []
    problem = draw_problem(rng, say, records)
    if problem is None:
        return records
    model, region = problem
    results = [tight(problem)]
    best = results[0].point
    for share in (0.0, 0.5 if best is None or best.inside is None else float(rng.random())):
        x = rng.dirichlet(np.full(len(region.some), pick(rng, (1.0, 0.05)))) @ region.some
        if share > 0.0 and best is not None and best.inside is not None:
            x = (1.0 - share) * x + share * best.inside.astype(np.float64)
        tried = attempt(lambda x=x: Certified(gh.certify(model.f, region.S, x), x))  # type: ignore[misc]
        inside = x.astype(LD) if region.atoms is None else None
        point = Point(x.astype(LD), inside if inside is None else region.pull(inside), [])
        results.append(Result("certify", tried, point if tried.result is not None else None))
    return records + judged(problem, results, say)


class Certified(NamedTuple):
    """A certificate with its point, as a solution has them."""

    certificate: gh.Certificate
    x: Array
