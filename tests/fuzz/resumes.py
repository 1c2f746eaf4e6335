"""Cases that stop, save and go on: bit by bit on the same problem, honestly or not at all on another."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import greedyhull as gh
from greedyhull.driver import run as running
from greedyhull.driver.resume import digest
from greedyhull.types import lacks
from tests.fuzz.attempts import Attempt, attempt
from tests.fuzz.data import plain
from tests.fuzz.draws import Rng, chance, pick
from tests.fuzz.judge import Finding
from tests.fuzz.matrices import draw_case
from tests.fuzz.models import Model, assembled
from tests.fuzz.records import Record
from tests.fuzz.solvers import draw_solver
from tests.fuzz.solves import Problem, Say, draw_problem, examined, judged, run, tight


class _KilledError(Exception):
    """The process is gone."""


class Broken(NamedTuple):
    """A run to K, one that was saved at k, and one that went on from there; ``killed``, the second did not end by a stop."""

    whole: Attempt
    part: Attempt
    rest: Attempt | None
    killed: bool

    def difference(self, f: Any, S: gh.AtomSet, solver: Any) -> str:
        """Where the resumed run differs from the whole one.

        One that was stopped has looked once more where it was saved, and one whose objective or set cannot be compared has
        found its bound anew: that may be sharper, or have cost some of its probability. Rounds that nobody sees prove nothing,
        and which ones these are differs. The points are the same.
        """
        if self.rest is None or self.rest.raw or self.rest.runaway:
            return ""
        if self.rest.refused:
            return f"it was refused: {self.rest.refused}"
        known = bool(digest(f) and digest(S))
        gaps = known and (self.killed or (bool(lacks(solver, "look")) and not isinstance(solver, gh.Corrective)))
        one, two = (_told(s.result, gaps, known and self.killed) for s in (self.whole, self.rest))
        for what in one | two:
            x, y = np.asarray(one.get(what)), np.asarray(two.get(what))
            if not (x.shape == y.shape and np.array_equal(x, y, equal_nan=x.dtype.kind == y.dtype.kind == "f")):
                return f"its {what} is {y!r:.60} and that of the whole run {x!r:.60}"
        return ""


def _told(s: Any, gaps: bool, traced: bool) -> dict[str, Any]:
    """All that must be the same: the point with atoms and weights, the certificate, the trace."""
    said = {"value": s.certificate.value, "iterations": s.iterations, "point": s.point.array()}
    said.update({name: array for name, array in s.point.state().items() if name != "work" and not name.startswith("view.")})
    if gaps:
        said["gap"] = s.certificate.gap
    if traced:
        said.update({"lower": s.certificate.lower, "kind": s.certificate.kind})
        names = ("iteration", "value", "gap", "step", "atoms", "slack", "estimate")
        said.update({f"column {name}": s.trace[name] for name in names})
    return said


def broken(rng: Rng, say: Say, f: Any, S: gh.AtomSet, solver: Any, most: int) -> Broken:
    """A run to K, and one that was saved at k < K and goes on to K: stopped at k, or killed after that."""
    K = min(most, int(pick(rng, (3, 10, 40))))
    k, seed = int(rng.integers(0, K)), int(rng.integers(100))
    killed = chance(rng.spawn(1)[0], 0.5)
    seen: dict[str, Any] = {"watch": lambda event: None} if killed else {}
    say(f"minimize(f, S, {solver!r}, stop=Iterations({K}), seed={seed}), {'killed after' if killed else 'stopped at'} {k} and "
        "resumed")

    def kill(event: Any) -> None:
        if event.iteration > k:
            raise _KilledError

    def until_killed(file: Path) -> Any:
        often, running.SAVE_EVERY = running.SAVE_EVERY, -np.inf
        try:
            return gh.minimize(f, S, solver, stop=gh.Iterations(K), seed=seed, checkpoint=file, watch=kill)
        except _KilledError:
            return None
        finally:
            running.SAVE_EVERY = often

    with TemporaryDirectory() as folder:
        file = Path(folder) / "state.npz"
        whole = attempt(lambda: gh.minimize(f, S, solver, stop=gh.Iterations(K), seed=seed, **seen))
        part = attempt(lambda: until_killed(file) if killed else gh.minimize(f, S, solver, stop=gh.Iterations(k), seed=seed,
                                                                             checkpoint=file))
        goes_on = whole.result is not None and not part.refused and not part.raw and file.exists()
        again = lambda: gh.minimize(f, S, solver, stop=gh.Iterations(K), seed=seed, resume=file, **seen)
        return Broken(whole, part, attempt(again) if goes_on else None, killed)


def resume(rng: Rng, say: Say) -> list[Record]:
    """A run that is broken off and resumed: the same to the last bit."""
    apart = rng.spawn(1)[0]
    if chance(apart, 0.08):
        return _of_matrices(apart, say)
    records: list[Record] = []
    problem = draw_problem(rng, say, records)
    if problem is None:
        return records
    f, S = problem.model.f, problem.region.S
    name, solver, most = draw_solver(rng, problem.model, problem.region.S)
    found = broken(rng, say, f, S, solver, most)
    tried = [examined(problem, name, one) for one in (found.whole, found.part, found.rest) if one is not None]
    judgements = judged(problem, [*tried, tight(problem)], say)
    differs = found.difference(f, S, solver)
    if differs:
        judgements[2].findings.append(Finding("broken resume", f"{name} over {problem.region.kind}", f"resumed, {differs}"))
    return records + judgements


def _of_matrices(rng: Rng, say: Say) -> list[Record]:
    """The same over nuclear balls and spectrahedra."""
    case = draw_case(rng)
    name = "Spectrahedron" if case.symmetric else "NuclearBall"
    solver: Any = pick(rng, (None, gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), gh.AwayStep(), gh.Pairwise(),
                             gh.Jones()))
    S: gh.AtomSet = case.S if chance(rng, 0.7) else gh.Cached(case.S, size=3)
    f = gh.completion(case.i, case.j, case.v, case.shape, loss=case.loss)
    say(f"{case.loss} of {len(case.v)} entries over {S!r}")
    found = broken(rng, say, f, S, solver, 20)
    record = Record(f"completion, {case.loss}", name, "default" if solver is None else type(solver).__name__).take(found.whole)
    differs = found.difference(f, S, solver)
    if differs:
        record.findings.append(Finding("broken resume", f"{record.solver} over {name}", f"resumed, {differs}"))
    return [record]


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
