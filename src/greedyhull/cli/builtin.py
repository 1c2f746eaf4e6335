"""``greedyhull demo``, ``doctor`` and ``paper``: commands that need no data of the user."""

from __future__ import annotations

import math
import os
import platform
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import greedyhull as gh
from greedyhull.cli import DONE, SHORT
from greedyhull.cli.console import Console, Unwritten, certificate_fields, check_file, check_folder
from greedyhull.errors import check, installing
from greedyhull.report.sentences import NEEDED, need, used, words
from greedyhull.types import Array

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution
    from greedyhull.experiments.paper import Experiment, Finding, Scale
    from greedyhull.solvers.parts.progress import Event

TITLE = "Which measurements tell a malignant tumour from a benign one?"
MEASURED = ("radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity", "concave points", "symmetry",
            "fractal dimension")
NAMES = {"budget": "budget", "things": "measurements"}


class Biopsies(NamedTuple):
    """Standardised measurements and labels (1 benign, 0 malignant); every third sample is kept for the test."""

    X: Array
    y: Array
    X_test: Array
    y_test: Array
    names: list[str]


def demo(budget: float, out: Path, console: Console) -> None:
    """The question, the answer, how it was found and what is proved, in words and on a page."""
    check(math.isfinite(budget) and budget > 0, f"A budget of {budget:g} was given; a positive number is wanted.")
    check_file(out)
    need("The demo", {"sklearn": "scikit-learn", **NEEDED}, "demo")
    from greedyhull.report import write

    data = biopsies()
    opening = (f"The data are {len(data.y) + len(data.y_test)} biopsies with {len(data.names)} measurements each, from the "
               "Wisconsin breast cancer study. A linear rule gives each measurement a weight. The absolute weights may sum to "
               f"at most {budget:g}; a small budget makes most of them zero.")
    for line in (TITLE, "", opening):
        console.say(line)
    solution, lines = solve(data, budget)
    scores = data.X_test @ solution.point.array() + solution.intercept
    right = float(np.mean((scores > 0) == (data.y_test == 1)))
    chosen = used(solution, data.names)
    weights = [f"  {weight:+8.3f}  {name}" for name, weight in chosen]
    tested = ("A negative weight counts towards malignant, a positive one towards benign. The rule is right for "
              f"{right:.1%} of the {len(data.y_test)} biopsies that were kept for testing.")
    value, _, end, *price = words(solution, data.names, **NAMES)
    for line in ("", "The answer", f"The best rule uses {len(chosen)} of the {len(data.names)} measurements:", *weights,
                 tested, "", "How it was found", f"The rule minimises the mean logistic loss on the other {len(data.y)} "
                 "biopsies. In each iteration the solver adds the measurements that help most and solves for all weights "
                 "again:", *lines, end, "", "What is proved", value, *price):
        console.say(line)
    document = {"certificate": certificate_fields(solution.certificate), "reason": solution.reason}
    try:
        write(solution, out, title=TITLE, names=data.names, opening=[opening], closing=[tested], **NAMES)
    except OSError as error:
        raise Unwritten({out: error}, "\n".join([value, *weights]), document) from error
    console.say()
    console.say(f"The report, with figures: {out}")
    console.result({**document, "files": {"report": str(out)}})


def biopsies() -> Biopsies:
    """The data, from scikit-learn's file; importing scikit-learn takes longer than the rest of the demo."""
    found = find_spec("sklearn")
    assert found is not None and found.submodule_search_locations is not None  # `need` has seen it
    file = Path(found.submodule_search_locations[0], "datasets", "data", "breast_cancer.csv")
    table = np.loadtxt(file, delimiter=",", skiprows=1)
    target = table[:, -1].astype(int)
    held = np.arange(len(target)) % 3 == 2
    train, test = table[~held, :-1], table[held, :-1]
    centre, spread = train.mean(axis=0), train.std(axis=0)
    names = [kind.format(name) for kind in ("mean {}", "{} error", "worst {}") for name in MEASURED]
    return Biopsies((train - centre) / spread, target[~held], (test - centre) / spread, target[held], names)


def solve(data: Biopsies, budget: float) -> tuple[Solution, list[str]]:
    """The solution, and lines about its course."""
    f = gh.logistic(data.X, data.y, intercept=True)
    S = gh.L1Ball(len(data.names), radius=budget)
    lines: list[str] = []
    below = math.inf

    def note(event: Event) -> None:
        nonlocal below
        if event.gap <= below:  # a line whenever the gap has fallen tenfold
            below = event.gap / 10.0
            lines.append(f"  iteration {event.iteration:4d}   loss {event.value:.6f}   certified gap {event.gap:.1e}")

    return gh.minimize(f, S, watch=note), lines


OPTIONAL = {"scikit-learn": ("demo", "estimators, greedyhull fit and greedyhull demo"),
            "matplotlib": ("demo", "figures and reports"), "Jinja2": ("demo", "reports"),
            "pandas": ("frame", "traces as data frames"),
            "PEPit": ("paper", "exact worst cases in greedyhull paper")}


def doctor(console: Console) -> int:
    """What is installed, which BLAS and how many threads, the compiled core, a self-test: the exit code is 0 if it passes."""
    from greedyhull.kernels._core import level

    try:
        import_module("greedyhull.kernels.lapack")
        called = "SciPy's, called directly"
    except ImportError as error:
        called = f"not called: {error}"
    python = f"{platform.python_version()} ({sys.platform}, {platform.machine()})"
    needed = {name: _version(name) for name in ("numpy", "scipy", "rich", "typer")}
    found: dict[str, Any] = {
        "greedyhull": gh.__version__, "python": python, "needed": needed,
        "optional": {name: _version(name) for name in OPTIONAL}, "blas": blas(), "cpus": os.cpu_count(),
        "core": {"loaded": True, "level": level(), "words": f"loaded, {level()}", "blas": called}, "self_test": self_test()}
    parts: dict[str, list[tuple[str, str]]] = {
        "Versions": [("greedyhull", gh.__version__), ("python", python),
                     *((name, there or "MISSING: reinstall greedyhull") for name, there in needed.items())],
        "Optional packages": [(name, found["optional"][name] or f"not installed; needed for {use}. {installing(extra)}")
                              for name, (extra, use) in OPTIONAL.items()],
        "Linear algebra": [*((library["name"], library["words"]) for library in found["blas"]),
                           ("processors", str(found["cpus"]))],
        "Compiled core": [("state", found["core"]["words"]), ("BLAS", called)],
        "Self-test": [("solve and certify", found["self_test"]["words"])]}
    for title, rows in parts.items():
        console.say(title)
        console.pairs(rows)
    console.result(found)
    return DONE if found["self_test"]["ok"] else SHORT


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def blas() -> list[dict[str, Any]]:
    """The libraries that multiply matrices, and their threads where threadpoolctl can tell."""
    if find_spec("threadpoolctl") is not None:
        from threadpoolctl import threadpool_info

        return [{"name": str(library["internal_api"]), "version": library["version"], "threads": library["num_threads"],
                 "words": f"version {library['version']}, {library['num_threads']} threads, {Path(library['filepath']).name}"}
                for library in threadpool_info()]
    config: Any = np.show_config(mode="dicts")
    library = config.get("Build Dependencies", {}).get("blas", {})
    return [{"name": library.get("name", "unknown"), "version": library.get("version"), "threads": None,
             "words": f"version {library.get('version')}; install threadpoolctl to see the number of threads"}]


def self_test() -> dict[str, Any]:
    """A small problem whose answer is known: the projection of (2, 1, 0, 0) onto the l1 ball of radius 2."""
    s = gh.minimize(gh.least_squares(np.eye(4), np.array([2.0, 1.0, 0.0, 0.0])), gh.L1Ball(4, radius=2.0), stop=gh.Gap(1e-12))
    error = float(np.abs(s.point.array() - np.array([1.5, 0.5, 0.0, 0.0])).max())
    ok = s.converged and error < 1e-6
    return {"ok": ok, "gap": s.gap, "error": error,
            "words": f"{'passed' if ok else 'FAILED'}: certified gap {s.gap:.1e}, error {error:.1e}"}


def paper(out: Path, quick: bool, seed: int, only: list[str], console: Console) -> int:
    """Run the experiments and write the page; return the exit code. Errors are raised before anything is computed."""
    check(not out.is_file(), f"--out {out} is a file; the name of a folder is wanted.")
    check(out.absolute().parent.is_dir(), f"The folder {out.absolute().parent} of --out does not exist. Create it first.")
    check(seed >= 0, f"--seed {seed} was given; a number of at least 0 is wanted.")
    check_folder(out, ["index.html"])
    need("The report", extra="paper")
    from greedyhull.experiments.paper import FULL, QUICK
    from greedyhull.experiments.paper.page import write

    scale, wanted = QUICK if quick else FULL, chosen(only)
    found: list[tuple[Experiment, Finding]] = []
    standings: list[str] = []
    lines: list[str] = []
    with console.showing() as show:
        findings = measured(wanted, scale, seed)
        for number, experiment in enumerate(wanted, start=1):
            show(f"{number} of {len(wanted)}  {experiment.place}: {experiment.title}")
            found.append((experiment, finding := next(findings)))
            standings.append("not run" if not finding.checks else "holds" if finding.ok else "FAILS")
            lines.append(f"{standings[-1]}  {experiment.place}: {experiment.title}")
            console.say(lines[-1])
    document: dict[str, Any] = {"met": "FAILS" not in standings}
    try:
        page = write(found, out, scale, seed)
    except OSError as error:
        raise Unwritten({out: error}, "\n".join(lines), {**document, "findings": lines}) from error
    left = f", {standings.count('not run')} not run" if "not run" in standings else ""
    console.say()
    console.say(f"{standings.count('holds')} of {len(found)} findings hold{left}. The report: {page}")
    console.result({**document, "files": {"report": str(out / "index.html")}})
    return DONE if document["met"] else SHORT


def measured(wanted: list[Experiment], scale: Scale, seed: int) -> Iterator[Finding]:
    """The findings in order; where there is much to do, two processes share the work."""
    if len(wanted) < 8 or (os.cpu_count() or 1) < 2:  # as many experiments are worth a second process
        yield from (experiment.run(scale, seed) for experiment in wanted)
        return
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield from pool.map(by_name, [experiment.name for experiment in wanted], repeat(scale), repeat(seed))


def by_name(name: str, scale: Scale, seed: int) -> Finding:
    return chosen([name])[0].run(scale, seed)


def chosen(only: list[str]) -> list[Experiment]:
    """The experiments with these names; all where none is named."""
    from greedyhull.experiments.paper.page import EXPERIMENTS

    names = [experiment.name for experiment in EXPERIMENTS]
    for name in only:
        check(name in names, f"--only {name} was given; one of {', '.join(names)} is wanted.")
    return [experiment for experiment in EXPERIMENTS if not only or experiment.name in only]
