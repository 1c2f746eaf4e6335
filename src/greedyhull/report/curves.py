"""The panels of a report: how value, gap, steps and atoms went, against iterations, seconds and passes over the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from greedyhull.report.figure import FOURTH, INK, OTHER, THIRD, TURNS, Line, Panel
from greedyhull.types import Array

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

CLOCKS = {"iteration": "iterations", "seconds": "seconds", "products": "passes over the data"}  # columns by their labels
TITLES = {"stationary": "Gap: a bound on the first-order decrease", "expectation": "Gap: a bound on the expected error"}
SURE = ("always", "estimate")  # kinds whose gaps are those to one lower bound of the minimum
FEWEST = 3  # points of a line that make a figure
SAME = 1e-12  # relative to their size, heights that differ by less are the same


class Named(NamedTuple):
    """A run under a name."""

    name: str
    run: Solution


def panels(solution: Solution, bounds: Sequence[Line] = ()) -> list[Panel]:
    """What one run is shown by; panels that would say nothing are left out."""
    trace, kind = solution.trace, solution.certificate.kind
    k = trace["iteration"].astype(float)
    label = "certified gap" if kind == "always" else f"gap ({kind})"
    lines = [replace(line, colour=colour) for line, colour in zip(bounds, (OTHER, THIRD, FOURTH), strict=False)]
    found = [Panel(TITLES.get(kind, "Gap: an upper bound on the error"), CLOCKS["iteration"], "gap",
                   [Line(label, k, trace["gap"]), *lines], log=True)]
    value, lower = trace["value"], np.maximum.accumulate(trace["value"] - trace["gap"])
    ends = [Line("lower bound of the minimum", k, lower, OTHER)] if kind in SURE else []
    found.append(Panel("Value", CLOCKS["iteration"], "value", [Line("value", k, value), *ends]))
    found += [over([Named(label, solution)], clock) for clock in ("seconds", "products") if _own(k, trace[clock])]
    found.append(Panel("Step sizes", CLOCKS["iteration"], "step size", [Line("step size", k, trace["step"], look="dots")],
                       log=True))
    if solution.point.keeps_atoms:
        found.append(Panel("Number of atoms", CLOCKS["iteration"], "atoms", [Line("atoms", k, trace["atoms"], INK)]))
    return [panel for panel in found if shown(panel)]


def _own(k: Array, clock: Array) -> bool:
    """Whether a clock tells more than the iterations do: it does not go along with them, and no one jump is most of it.

    Such a jump is compilation, as a rule: a figure of it would show nothing of the run.
    """
    t = clock.astype(float)
    if len(t) < FEWEST or not np.isfinite(t).all() or not t[-1] > t[0]:
        return False
    straight = t[0] + (t[-1] - t[0]) * (k - k[0]) / max(k[-1] - k[0], 1.0)
    return bool(np.abs(t - straight).max() > 0.05 * (t[-1] - t[0])) and steady(t)


def steady(clock: Array) -> bool:
    """Whether no single row of the trace takes most of the time."""
    return len(clock) > 0 and bool(np.diff(clock, prepend=0.0).max() <= 0.5 * clock[-1])


def over(runs: Sequence[Named], clock: str, column: str = "gap") -> Panel:
    """Several runs against one clock, on the same axes: their gaps, or their values."""
    looks = [(colour, look) for look in ("line", "dashed", "dots") for colour in TURNS]
    lines = [Line(name, run.trace[clock].astype(float), run.trace[column], *looks[i % len(looks)])
             for i, (name, run) in enumerate(runs)]
    title = {"gap": "Gap", "value": "Value"}[column]
    return Panel(f"{title} against {CLOCKS[clock]}", CLOCKS[clock], column, lines, log=column == "gap")


def compared(runs: Sequence[Named]) -> list[Panel]:
    """What several runs are shown by; seconds are left out where they are mostly compilation, in all runs."""
    clocks = [clock for clock in CLOCKS if clock != "seconds" or any(steady(run.trace[clock]) for _, run in runs)]
    return [panel for panel in (*(over(runs, clock) for clock in clocks), over(runs, "iteration", "value")) if shown(panel)]


def shown(panel: Panel) -> bool:
    """Whether there is anything to see: a line of some points at different places, not all at the same height."""
    return any(len(np.unique(line.x)) >= FEWEST and float(np.ptp(line.y)) > SAME * float(np.abs(line.y).max())
               for line in panel.drawn)
