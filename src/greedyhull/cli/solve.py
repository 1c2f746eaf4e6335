"""``greedyhull solve``: a problem file in; the solution, its trace and a page about it out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.cli.console import Voice, certificate_fields
from greedyhull.cli.exits import DONE, SHORT
from greedyhull.cli.kept_problem import Recorded, check_same, described
from greedyhull.cli.outputs import Unwritten, check_folder
from greedyhull.cli.problem import Problem, load
from greedyhull.cli.sharded import check_crew, computed
from greedyhull.cli.solution_file import write_solution
from greedyhull.driver.minimize import DEFAULT_STOP, minimize
from greedyhull.errors import installing
from greedyhull.report import intercepts, used, words

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

FILES = {"solution": "solution.npz", "trace": "trace.csv", "report": "report.html"}
FEW = 12  # names that a sentence can bear


@dataclass(frozen=True)
class Saving:
    """Where the state of the run is saved, and whether it goes on from there."""

    folder: Path
    goes_on: bool = False


def run(file: Path, out: Path | None, voice: Voice, saving: Saving | None = None, workers: int | None = None,
        scheduler: str | None = None) -> int:
    """Solve, write and tell; the exit code says whether the goal was met."""
    with voice.noting():
        problem = load(file)
    check_crew(problem.data, workers, scheduler)
    folder = problem.folder if out is None else out
    check_folder(folder, FILES.values())
    voice.say(f"Minimising {problem.f!r} over {problem.S!r}.")
    for note in problem.notes:
        voice.say(note)
    stop = DEFAULT_STOP if problem.stop is None else problem.stop
    kept = _kept(problem, file, out, saving)
    with voice.noting(), computed(problem.f, workers, scheduler, voice.say) as f:
        s = minimize(f, problem.S, problem.solver, stop=stop, seed=problem.seed, progress=voice.live, **kept)
        written, lost = write(s, problem, folder, voice)  # the report asks for a few terms, so the crew is still there
    if s.choice:
        voice.say(s.choice)
    listed = used(s, problem.names)
    for sentence in words(s, problem.names if len(listed) <= FEW else None):
        voice.say(sentence)
    voice.weights(listed)
    if said := intercepts(s):
        voice.say(said)
    for path in written.values():
        voice.say(f"Written: {path}")
    met = s.converged or not stop.asks_gap
    document = {
        "met": met, "certificate": certificate_fields(s.certificate), "reason": s.reason, "converged": s.converged,
        "iterations": s.iterations, "seconds": s.seconds, "solver": repr(s.solver), "price": s.price,
        "prices": s.prices,
        "intercept": np.asarray(s.intercept).tolist(),
        "weights": dict(listed), "files": {kind: str(path) for kind, path in written.items()}}
    if lost:
        raise Unwritten(lost, "\n".join([str(s.certificate), *(f"{weight!r} {name}" for name, weight in listed)]), document)
    voice.result(document)
    return DONE if met else SHORT


def _kept(problem: Problem, file: Path, out: Path | None, saving: Saving | None) -> dict[str, Any]:
    """What `minimize` is told of saving, so that `greedyhull resume` can take the run up."""
    if saving is None:
        return {}
    place = f"{saving.folder}/"
    if saving.goes_on:
        check_same(saving.folder, problem)
        return {"checkpoint": place, "resume": place}
    return {"checkpoint": place, "watch": [Recorded(saving.folder, described(file, out))]}


def write(s: Solution, problem: Problem, folder: Path, voice: Voice) -> tuple[dict[str, Path], dict[Path, OSError]]:
    """The files of the solution, the page where what draws it is installed; and those that could not be written."""
    jobs: dict[str, Callable[[Path], Any]] = {"solution": lambda path: write_solution(path, s, problem.names),
                                              "trace": s.trace.to_csv}
    if problem.report and find_spec("jinja2") is not None and find_spec("matplotlib") is not None:
        from greedyhull.report import write as write_page

        jobs["report"] = lambda path: write_page(s, path, title=problem.title, names=problem.names)
    elif problem.report:
        voice.say(f"No report was written: it needs Jinja2 and matplotlib. {installing('demo')}")
    written: dict[str, Path] = {}
    lost: dict[Path, OSError] = {}
    for kind, job in jobs.items():
        path = folder / FILES[kind]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            job(path)
            written[kind] = path
        except OSError as error:
            lost[path] = error
    return written, lost
