"""``greedyhull paper``: run the experiments, in two processes if they are many, and write the page."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from greedyhull.cli import DONE, SHORT
from greedyhull.cli.console import Unwritten, check_folder
from greedyhull.errors import check, installing
from greedyhull.experiments.paper import FULL, QUICK, Experiment, Finding, Scale

Say = Callable[[str], Any]


def run(out: Path, quick: bool, seed: int, only: list[str], say: Say, quiet: bool) -> int:
    """The exit code; what is wrong with the request is said before anything is computed."""
    check(not out.is_file(), f"--out {out} is a file; the name of a folder is wanted.")
    check(out.absolute().parent.is_dir(), f"The folder {out.absolute().parent} of --out does not exist. Create it first.")
    check(seed >= 0, f"--seed {seed} was given; a number of at least 0 is wanted.")
    check_folder(out, ["index.html"])
    _need_extras()
    from greedyhull.experiments.paper.page import write

    scale, wanted = QUICK if quick else FULL, chosen(only)
    found: list[tuple[Experiment, Finding]] = []
    with Showing(quiet) as show:
        show(wanted[0], 0, len(wanted))
        for experiment, finding in zip(wanted, measured(wanted, scale, seed), strict=True):
            found.append((experiment, finding))
            say(f"{standing(finding)}  {experiment.place}: {experiment.title}")
            if len(found) < len(wanted):
                show(wanted[len(found)], len(found), len(wanted))
    standings = [standing(finding) for _, finding in found]
    try:
        page = write(found, out, scale, seed)
    except OSError as error:
        lines = [f"{standing(finding)}  {experiment.place}: {experiment.title}" for experiment, finding in found]
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
    """One word or two for what came out."""
    return "not run" if not finding.checks else "holds" if finding.ok else "FAILS"


def chosen(only: list[str]) -> list[Experiment]:
    """The experiments with these names; all where none is named."""
    from greedyhull.experiments.paper.page import EXPERIMENTS

    names = [experiment.name for experiment in EXPERIMENTS]
    for name in only:
        check(name in names, f"--only {name} was given; one of {', '.join(names)} is wanted.")
    return [experiment for experiment in EXPERIMENTS if not only or experiment.name in only]


class Showing:
    """A line on a terminal that says what is being run; nothing elsewhere, and nothing if ``quiet``."""

    def __init__(self, quiet: bool) -> None:
        self.status: Any = None
        if not quiet and sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console

            self.status = Console(stderr=True).status("")

    def __enter__(self) -> Callable[[Experiment, int, int], None]:
        if self.status is not None:
            self.status.start()
        return self._show

    def _show(self, experiment: Experiment, number: int, total: int) -> None:
        if self.status is not None:
            self.status.update(f"{number + 1} of {total}  {experiment.place}: {experiment.title}")

    def __exit__(self, *_: object) -> None:
        if self.status is not None:
            self.status.stop()


def _need_extras() -> None:
    missing = [name for module, name in (("matplotlib", "matplotlib"), ("jinja2", "Jinja2")) if find_spec(module) is None]
    if missing:
        raise ModuleNotFoundError(f"The report needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} "
                                  f"not installed. {installing('paper')}")
