"""The command line: ``python -m tests.fuzz --runs N --seed S``."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import count, islice
from secrets import randbelow

from tests.fuzz.cases import KINDS, draw_kind, play
from tests.fuzz.report import Report


def numbers(seed: int, runs: int, only: str | None) -> list[int]:
    """The first ``runs`` case numbers, of one kind if that is given."""
    return list(islice((k for k in count() if only is None or draw_kind(seed, k)[0] == only), runs))


def fuzz(seed: int, runs: int, only: str | None = None, jobs: int = 1, talk: bool = False) -> Report:
    """Play many cases."""
    report, cases = Report(seed), numbers(seed, runs, only)
    if jobs <= 1:
        played = map(partial(play, seed), cases)
        _gather(report, cases, played, talk)
    else:
        with ProcessPoolExecutor(jobs) as pool:
            _gather(report, cases, pool.map(partial(play, seed), cases, chunksize=16), talk)
    return report


def _gather(report: Report, cases: list[int], played: object, talk: bool) -> None:
    for number, (kind, records) in zip(cases, played, strict=True):  # type: ignore[call-overload]
        report.take(number, kind, records)
        if talk and sys.stderr.isatty():
            print(f"\r{number + 1} cases, {len(report.failures)} findings", end="", file=sys.stderr)


def natural(text: str) -> int:
    """A whole number of at least zero."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} was given; a whole number of at least 0 is wanted")
    return int(text)


def parser() -> argparse.ArgumentParser:
    out = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    out.add_argument("--runs", type=natural, default=1000, help="how many cases")
    out.add_argument("--seed", type=natural, default=None, help="which series of cases; a new one if left out")
    out.add_argument("--only", choices=tuple(KINDS), default=None, help="cases of one kind")
    out.add_argument("--case", type=natural, default=None, help="play this case alone, and say what happens in it")
    out.add_argument("--jobs", type=natural, default=1, help="processes")
    return out


def main(arguments: list[str] | None = None) -> int:
    """0 if nothing was found, else 1."""
    given = parser().parse_args(arguments)
    seed = randbelow(2**31) if given.seed is None else given.seed
    if given.case is None:
        report = fuzz(seed, given.runs, given.only, given.jobs, talk=True)
        print(report.text())
        return 0 if report.clean else 1
    report = Report(seed)
    report.take(given.case, *play(seed, given.case, say=print))
    for _, _, record, finding in report.failures:
        print(f"{finding.category}: {finding.cause}: {finding.words} [{record.solver}]")
    print("Nothing was found." if not report.failures else f"{len(report.failures)} findings.")
    return 0 if report.clean else 1
