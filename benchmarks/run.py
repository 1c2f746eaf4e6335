"""``python -m benchmarks [section …]`` prints the tables; ``--out folder`` also writes them as Markdown and CSV."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

SECTIONS = {
    "overhead": "the driver beyond its products, a call, the import",
    "corrective": "ours and rivals on real l1 problems",
    "core": "which problems of Corrective run in the compiled core",
    "small": "quadratics over the simplex beside QP solvers",
    "rivals_by_job": "absolute deviations, mixtures, ensembles and others beside the tools people use for them",
    "radii": "ours and rivals at ten radii of one problem of each class",
    "scaling": "time and memory by rows, columns and entries; the first solve of a process",
    "scale": "rows in shards on disk: in memory, serial, two processes, Dask",
    "threads": "large data by one thread and by several",
    "where": "where a solve spends its time, and what must move at least",
    "stochastic": "stochastic solvers, ours and rivals, on real l1 problems",
    "estimators": "estimators beside QP solvers, LassoCV, bisection and greedy selection",
    "many": "thousands of small problems: batch beside loops over QP solvers",
    "completion": "matrix completion beside soft-impute, alternating least squares and proximal gradients",
    "responses": "several responses and classes beside proximal gradients and scikit-learn's SAGA",
    "cv": "cross-validation and whole paths beside LassoCV, LogisticRegressionCV, celer and skglm",
    "kinks": "losses with kinks on real l1 problems",
    "steps": "a million steps with single terms",
    "polytopes": "polytopes and norm balls beside linear programs and solvers of groups",
    "numbers": "other values of the numbers inside Corrective and the driver",
    "first_fit": "compilation: cold, cached, warm",
}


def options(given: argparse.Namespace) -> list[str]:
    """The options that change what is measured, as they were written."""
    found = ["--processor-time"] if given.processor_time else []
    found += ["--repeats", str(given.repeats)] if given.repeats != 7 else []
    return found + (["--only", *given.only] if given.only else [])


def main(arguments: list[str] | None = None) -> None:
    known = "; ".join(f"{name}: {what}" for name, what in SECTIONS.items())
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("section", nargs="*", help=f"{known} (default: all)")
    parser.add_argument("--repeats", type=int, default=7, help="how often everything is timed (default 7)")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="only cases whose name holds one of these words")
    parser.add_argument("--processor-time", action="store_true", help="do not count waiting: for a machine shared with others")
    parser.add_argument("--out", type=Path, help="a folder for the tables")
    parser.add_argument("--page", type=Path, help="a page of results whose sections are replaced: docs/project/results.md")
    given = parser.parse_args(arguments)
    sections = list(SECTIONS) if "all" in given.section or not given.section else given.section
    for unknown in set(sections) - set(SECTIONS):
        parser.error(f"there is no section {unknown!r}; there are {', '.join(SECTIONS)}")

    from benchmarks.completion import completion
    from benchmarks.core import core
    from benchmarks.corrective import corrective
    from benchmarks.cv import cv
    from benchmarks.estimators import estimators
    from benchmarks.first_fit import first_fit
    from benchmarks.kinks import kinks
    from benchmarks.many import many
    from benchmarks.numbers import numbers
    from benchmarks.overhead import overhead
    from benchmarks.polytopes import polytopes
    from benchmarks.radii import radii
    from benchmarks.responses import responses
    from benchmarks.results import update
    from benchmarks.rivals_by_job import rivals_by_job
    from benchmarks.scale import scale
    from benchmarks.scaling import scaling
    from benchmarks.small import small
    from benchmarks.steps import steps
    from benchmarks.stochastic import stochastic
    from benchmarks.threads import threads
    from benchmarks.timing import count_processor_time
    from benchmarks.where import where

    if given.processor_time:
        count_processor_time()

    measure = {"overhead": overhead, "corrective": corrective, "core": core, "small": small, "radii": radii,
               "scaling": scaling, "scale": scale,
               "threads": threads, "where": where, "stochastic": stochastic, "estimators": estimators,
               "many": many, "cv": cv, "kinks": kinks, "steps": steps, "numbers": numbers, "rivals_by_job": rivals_by_job,
               "polytopes": polytopes, "completion": completion, "responses": responses,
               "first_fit": first_fit}
    for name in sections:
        tables = []
        for table in measure[name](given.repeats, tuple(given.only)):
            print(table.markdown(), flush=True)
            tables.append(table)
            if given.out is not None:
                table.write(given.out)
        if given.page is not None:
            update(given.page, name, shlex.join(["python", "-m", "benchmarks", name, *options(given)]), tables)


if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    main()
