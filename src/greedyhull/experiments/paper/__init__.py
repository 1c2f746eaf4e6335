"""The paper reproduced: one experiment for each of its statements, measured against the printed and the corrected form.

``greedyhull paper`` runs them and writes one page. An `Experiment` says what is claimed and asked; its run returns a
`Finding` with checks that hold or fail, figures as data, and tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from greedyhull.experiments.paper.checks import Check
from greedyhull.types import Array

__all__ = ["FULL", "QUICK", "Check", "Experiment", "Figure", "Finding", "Scale", "Series", "Table"]
Style = Literal["line", "bound", "exact", "dots"]


@dataclass(frozen=True)
class Scale:
    """How much is run: ``steps`` of one solve, ``runs`` that a mean is taken of, ``points`` that are tried."""

    name: str
    steps: int
    runs: int
    points: int


QUICK = Scale("quick", steps=300, runs=30, points=200)
FULL = Scale("full", steps=4000, runs=200, points=2000)


@dataclass(frozen=True, eq=False)
class Series:
    """One curve: a measured "line" or its "dots", a "bound" that must not be crossed, an "exact" value."""

    name: str
    x: Array
    y: Array
    style: Style = "line"


@dataclass(frozen=True, eq=False)
class Figure:
    """Series over common axes; ``log`` names the logarithmic ones: "xy", "x", "y" or ""."""

    name: str
    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    log: str = "xy"


@dataclass(frozen=True)
class Table:
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | float, ...], ...]


@dataclass(frozen=True, eq=False)
class Finding:
    """What came out: a verdict in words, the checks it rests on, and what can be looked at."""

    verdict: str
    checks: tuple[Check, ...]
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)


@dataclass(frozen=True)
class Experiment:
    """A statement of the paper in our words, what its printed form lacks, and the run that measures it.

    ``name`` is its address on the page, ``place`` where it stands in the paper.
    """

    name: str
    place: str
    title: str
    statement: str
    note: str
    question: str
    run: Callable[[Scale, int], Finding]


def experiment(name: str, place: str, title: str, statement: str, note: str,
               question: str) -> Callable[[Callable[[Scale, int], Finding]], Experiment]:
    """Turn the run below it into an experiment."""
    return partial(Experiment, name, place, title, statement, note, question)


def curve(name: str, x: npt.ArrayLike, y: npt.ArrayLike, style: Style = "line") -> Series:
    return Series(name, np.asarray(x, dtype=float), np.asarray(y, dtype=float), style)
