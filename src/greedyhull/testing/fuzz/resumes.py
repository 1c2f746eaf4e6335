"""Cases that stop, save and go on: bit by bit on the same problem, honestly or not at all on another."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.driver.digest import digest
from greedyhull.testing.fuzz.attempts import attempt
from greedyhull.testing.fuzz.data import plain
from greedyhull.testing.fuzz.draws import Rng, chance, pick
from greedyhull.testing.fuzz.judge import Finding
from greedyhull.testing.fuzz.models import Model, assembled
from greedyhull.testing.fuzz.records import Record
from greedyhull.testing.fuzz.solvers import draw_solver
from greedyhull.testing.fuzz.solves import Problem, Result, Say, draw_problem, judged, run, tight
from greedyhull.types.attributes import lacks


def resume(rng: Rng, say: Say) -> list[Record]:
    """A run to K, and one that was saved at k < K and goes on to K: the same to the last bit."""
    records: list[Record] = []
    problem = draw_problem(rng, say, records)
    if problem is None:
        return records
    f, S = problem.model.f, problem.region.S
    name, solver, most = draw_solver(rng, problem.model, problem.region.S)
    K = min(most, int(pick(rng, (3, 10, 40))))
    k, seed = int(rng.integers(0, K)), int(rng.integers(100))
    say(f"minimize(f, S, {solver!r}, stop=Iterations({K}), seed={seed}), saved at {k} and resumed")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "state.npz"
        whole = run(problem, name, lambda: gh.minimize(f, S, solver, stop=gh.Iterations(K), seed=seed))
        part = run(problem, name, lambda: gh.minimize(f, S, solver, stop=gh.Iterations(k), seed=seed, checkpoint=file))
        if part.tried.result is None or whole.tried.result is None or not file.exists():
            return records + judged(problem, [whole, part], say)
        rest = run(problem, name, lambda: gh.minimize(f, S, solver, stop=gh.Iterations(K), seed=seed, resume=file))
    found = judged(problem, [whole, part, rest, tight(problem)], say)
    known = bool(digest(problem.model.f) and digest(problem.region.S))  # else its bound is found anew
    ahead = isinstance(solver, gh.Corrective)  # rounds that nobody sees prove nothing: which ones these are differs
    differs = _difference(whole, rest, anew=not lacks(solver, "look") or not known or ahead)
    if rest.tried.refused:
        differs = f"it was refused: {rest.tried.refused}"
    if differs and not rest.tried.raw:
        words = f"resumed at {k} of {K}, {differs}"
        found[2].findings.append(Finding("broken resume", f"{name} over {problem.region.kind}", words))
    return records + found


def _difference(whole: Result, rest: Result, anew: bool) -> str:
    """Where a resumed run differs from the whole one. One that has found its bound ``anew``, or has looked once more where
    it was saved, may have a sharper bound, or one that has cost some of its probability; its points are the same."""
    a, b = whole.tried.result, rest.tried.result
    if a is None or b is None:
        return ""
    gaps = [] if anew else [("gap", a.certificate.gap, b.certificate.gap)]
    for what, x, y in (("value", a.certificate.value, b.certificate.value), ("iterations", a.iterations, b.iterations), *gaps):
        if x != y and not (x != x and y != y):
            return f"its {what} is {y!r} and that of the whole run {x!r}"
    x, y = a.point.array(), b.point.array()
    return "" if np.array_equal(x, y) else f"its point is {float(np.abs(x - y).max()):.3g} away from that of the whole run"


def changed(rng: Rng, say: Say) -> list[Record]:
    """A state that is resumed with another set, other data, another solver: what comes back is true for what was asked."""
    records: list[Record] = []
    problem = draw_problem(rng, say, records)
    if problem is None:
        return records
    name, solver, most = draw_solver(rng, problem.model, problem.region.S)
    k, seed = int(pick(rng, (1, 5, 30))), int(rng.integers(100))
    other: list[tuple[Problem, str]] = []
    made = attempt(lambda: other.append(_other(rng, problem)))
    if not other:
        return [*records, Record("a changed objective", "a changed set", "").take(made)]
    new, what = other[0]
    if what == "solver":
        name, solver2, _ = draw_solver(rng, new.model)
    else:
        solver2 = solver
    stop = gh.Iterations(min(k, most)) if chance(rng, 0.5) else gh.Relative(1e-9) | gh.Iterations(most)
    say(f"minimize(f, S, {solver!r}, stop={stop!r}, seed={seed}), resumed with another {what}: {new.model.words} over "
        f"{new.region.words}, {solver2!r}")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "state.npz"
        first = run(problem, name, lambda: gh.minimize(problem.model.f, problem.region.S, solver, stop=stop, seed=seed,
                                                       checkpoint=file))
        records += judged(problem, [first], say)
        if not file.exists():
            return records
        more = gh.Iterations(int(pick(rng, (0, k, k + 3, k + 20))))
        second = run(new, name, lambda: gh.minimize(new.model.f, new.region.S, solver2, stop=more, seed=seed + 1, resume=file),
                     taken_over=True)
    found = judged(new, [second, tight(new)], say)
    told = [f._replace(cause=f"resumed with another {what}: {f.cause}") for f in found[0].findings]
    found[0].findings = told
    return records + found


def _other(rng: Rng, problem: Problem) -> tuple[Problem, str]:
    """The problem with one thing changed, and what that is."""
    model, region = problem
    can = ["set", "set", "solver", *(["data", "weights", "dtype", "ridge"] if model.parts else [])]
    what = pick(rng, can)
    if what == "set":
        return Problem(model, region.again(rng)), what
    if what == "solver":
        return problem, what
    return Problem(_altered(rng, model, what), region), what


def _altered(rng: Rng, model: Model, what: str) -> Model:
    name, kind, X, y, s, intercept, storage, l2 = model.parts
    if what == "weights":
        s = rng.random(len(y)) + 0.1
    elif what == "ridge":
        l2 += 0.5
    elif what == "dtype":
        to: Any = np.float32 if X.dtype == np.float64 else np.float64
        with np.errstate(all="ignore"):
            X, storage = X.astype(to), np.dtype(to).name
    else:
        A = plain(X).astype(np.float64)
        i, j = int(rng.integers(A.shape[0])), int(rng.integers(A.shape[1]))
        A[i, j] += pick(rng, (1e-6, 1.0)) * (float(np.abs(A).max()) or 1.0)
        X, storage = A, "C changed"
    return assembled(name, kind, X, y, s, intercept, storage, l2)
