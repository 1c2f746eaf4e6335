"""``greedyhull solve``: a problem file in; the solution, its trace and a page about it out."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from greedyhull.cli.exits import DONE, SHORT
from greedyhull.cli.problem import Problem, load
from greedyhull.cli.solution_file import write_solution
from greedyhull.cli.voice import Voice, certificate_fields
from greedyhull.errors import check, installing
from greedyhull.minimize import DEFAULT_STOP, minimize
from greedyhull.report import used, words

if TYPE_CHECKING:
    from greedyhull.solution import Solution

FEW = 12  # names that a sentence can bear


def run(file: Path, out: Path | None, voice: Voice) -> int:
    """Solve, write and tell; the exit code says whether the goal was met."""
    problem = load(file)
    folder = problem.folder if out is None else out
    check(not folder.exists() or folder.is_dir(), f"{folder} is a file; the name of a folder for the results is wanted.")
    voice.say(f"Minimising {problem.f!r} over {problem.S!r}.")
    for note in problem.notes:
        voice.say(note)
    stop = DEFAULT_STOP if problem.stop is None else problem.stop
    with voice.noting():
        s = minimize(problem.f, problem.S, problem.solver, stop=stop, seed=problem.seed, progress=voice.live)
    written = write(s, problem, folder, voice)
    if s.choice:
        voice.say(s.choice)
    listed = used(s, problem.names)
    for sentence in words(s, problem.names if len(listed) <= FEW else None):
        voice.say(sentence)
    voice.weights(listed)
    if s.intercept:
        voice.say(f"The intercept is {s.intercept:.6g}.")
    for path in written.values():
        voice.say(f"Written: {path}")
    met = s.converged or not stop.asks_gap
    voice.result({
        "met": met, "certificate": certificate_fields(s.certificate), "reason": s.reason, "converged": s.converged,
        "iterations": s.iterations, "seconds": s.seconds, "solver": repr(s.solver), "price": s.price, "intercept": s.intercept,
        "weights": dict(listed), "files": {kind: str(path) for kind, path in written.items()}})
    return DONE if met else SHORT


def write(s: Solution, problem: Problem, folder: Path, voice: Voice) -> dict[str, Path]:
    """The files of the solution; the page where what draws it is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {"solution": folder / "solution.npz", "trace": folder / "trace.csv"}
    write_solution(written["solution"], s, problem.names)
    s.trace.to_csv(written["trace"])
    if problem.report and find_spec("jinja2") is not None and find_spec("matplotlib") is not None:
        from greedyhull.report import write as write_page

        written["report"] = write_page(s, folder / "report.html", title=problem.title, names=problem.names)
    elif problem.report:
        voice.say(f"No page was written: it needs Jinja2 and matplotlib. {installing('demo')}")
    return written
