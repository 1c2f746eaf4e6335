"""``greedyhull paper``: run the experiments, in two processes if they are many, and write the page."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from greedyhull.cli import DONE, SHORT
from greedyhull.cli.console import Unwritten, check_folder
from greedyhull.errors import check
from greedyhull.experiments.paper import FULL, QUICK, Experiment, Finding, Scale

Say = Callable[[str], Any]


def run(out: Path, quick: bool, seed: int, only: list[str], say: Say, quiet: bool) -> int:
    """The exit code; what is wrong with the request is said before anything is computed."""
    check(not out.is_file(), f"--out {out} is a file; the name of a folder is wanted.")
    check(out.absolute().parent.is_dir(), f"The folder {out.absolute().parent} of --out does not exist. Create it first.")
    check(seed >= 0, f"--seed {seed} was given; a number of at least 0 is wanted.")
    check_folder(out, ["index.html"])
    from greedyhull.report.sentences import need

    need("The report", {"matplotlib": "matplotlib", "jinja2": "Jinja2"}, "paper")
    from greedyhull.experiments.paper.page import write

    scale, wanted = QUICK if quick else FULL, chosen(only)
    found: list[tuple[Experiment, Finding]] = []
    with showing(quiet) as show:
        findings = measured(wanted, scale, seed)
        for number, experiment in enumerate(wanted, start=1):
            show(f"{number} of {len(wanted)}  {experiment.place}: {experiment.title}")
            found.append((experiment, next(findings)))
            say(line(*found[-1]))
    standings = [standing(finding) for _, finding in found]
    try:
        page = write(found, out, scale, seed)
    except OSError as error:
        lines = [line(*one) for one in found]
        raise Unwritten({out: error}, "\n".join(lines), {"met": "FAILS" not in standings, "findings": lines}) from error
    left = f", {standings.count('not run')} not run" if "not run" in standings else ""
    say(f"\n{standings.count('holds')} of {len(found)} findings hold{left}. The report: {page}")
    return SHORT if "FAILS" in standings else DONE


def measured(wanted: list[Experiment], scale: Scale, seed: int) -> Iterator[Finding]:
    """The findings in order; where there is much to do, two processes share the work."""
    if len(wanted) < 8 or (os.cpu_count() or 1) < 2:  # as many experiments are worth a second process
        yield from (experiment.run(scale, seed) for experiment in wanted)
        return
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield from pool.map(by_name, [experiment.name for experiment in wanted], repeat(scale), repeat(seed))


def by_name(name: str, scale: Scale, seed: int) -> Finding:
    """The finding of the experiment with that name: what a process is told to do."""
    (experiment,) = chosen([name])
    return experiment.run(scale, seed)


def standing(finding: Finding) -> str:
    return "not run" if not finding.checks else "holds" if finding.ok else "FAILS"


def line(experiment: Experiment, finding: Finding) -> str:
    return f"{standing(finding)}  {experiment.place}: {experiment.title}"


def chosen(only: list[str]) -> list[Experiment]:
    """The experiments with these names; all where none is named."""
    from greedyhull.experiments.paper.page import EXPERIMENTS

    names = [experiment.name for experiment in EXPERIMENTS]
    for name in only:
        check(name in names, f"--only {name} was given; one of {', '.join(names)} is wanted.")
    return [experiment for experiment in EXPERIMENTS if not only or experiment.name in only]


@contextmanager
def showing(quiet: bool) -> Iterator[Callable[[str], Any]]:
    """A function that shows on a terminal what is being run; it does nothing elsewhere, and nothing if ``quiet``."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield lambda words: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield status.update
