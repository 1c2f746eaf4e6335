"""The panels of a report: how value, gap, steps and atoms went, against iterations, seconds and passes over the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from greedyhull.report.figure import FOURTH, INK, OTHER, THIRD, TURNS, Line, Panel

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

CLOCKS = {"iteration": "iterations", "seconds": "seconds", "products": "passes over the data"}  # columns by their labels
FALLING = {"stationary": "The gap: how fast f can still fall, at most"}
SURE = ("always", "estimate")  # kinds whose gaps are those to one lower bound of the minimum


class Named(NamedTuple):
    """A run under a name."""

    name: str
    run: Solution


def panels(solution: Solution, bounds: Sequence[Line] = ()) -> list[Panel]:
    """What one run is shown by; panels without anything to draw are left out."""
    trace, kind = solution.trace, solution.certificate.kind
    k = trace["iteration"].astype(float)
    label = "certified gap" if kind == "always" else f"gap ({kind})"
    lines = [replace(line, colour=colour) for line, colour in zip(bounds, (OTHER, THIRD, FOURTH), strict=False)]
    title = FALLING.get(kind, "The gap: how far from the minimum, at most")
    found = [Panel(title, CLOCKS["iteration"], "gap", [Line(label, k, trace["gap"]), *lines], log=True)]
    value, lower = trace["value"], np.maximum.accumulate(trace["value"] - trace["gap"])
    ends = [Line("lower bound of the minimum", k, lower, OTHER)] if kind in SURE else []
    found.append(Panel("The value", CLOCKS["iteration"], "value", [Line("value", k, value), *ends]))
    found += [over([Named(label, solution)], clock) for clock in ("seconds", "products")]
    found.append(Panel("The steps", CLOCKS["iteration"], "step", [Line("step", k, trace["step"], look="dots")], log=True))
    if solution.point.keeps_atoms:
        found.append(Panel("How many atoms it mixes", CLOCKS["iteration"], "atoms", [Line("atoms", k, trace["atoms"], INK)]))
    return [panel for panel in found if shown(panel)]


def over(runs: Sequence[Named], clock: str, column: str = "gap") -> Panel:
    """Several runs against one clock, on the same axes: their gaps, or their values."""
    looks = [(colour, look) for look in ("line", "dashed", "dots") for colour in TURNS]
    lines = [Line(name, run.trace[clock].astype(float), run.trace[column], *looks[i % len(looks)])
             for i, (name, run) in enumerate(runs)]
    title = {"gap": "The gap", "value": "The value"}[column]
    return Panel(f"{title} against {CLOCKS[clock]}", CLOCKS[clock], column, lines, log=column == "gap")


def shown(panel: Panel) -> bool:
    """Whether there is anything to see: two points of a line, at different places."""
    return any(len(line.x) > 1 and float(np.ptp(line.x)) > 0.0 for line in panel.drawn) or (
        panel.y == "gap" and panel.x == CLOCKS["iteration"])
