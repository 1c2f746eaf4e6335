"""A figure of an experiment as inline SVG in the page's own colours, and as a CSV file."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from greedyhull.experiments.paper.experiment import Figure, Series
from greedyhull.report.figure import INK, MAIN, OTHER, STYLE, VARIABLES, element

# More colours that stand for the page's own; measured curves take them in turn.
THIRD, FOURTH, FIFTH = "#010207", "#010208", "#010209"
COLOURS = {**VARIABLES, THIRD: "var(--third)", FOURTH: "var(--fourth)", FIFTH: "var(--fifth)"}
TURNS = (MAIN, OTHER, THIRD, FOURTH, FIFTH)
WIDTH = 4.1  # inches
SHOWN = 160  # points of a line that are drawn; the CSV file has all


def svg(figure: Figure) -> str:
    """The figure as an ``<svg>`` element; bounds are dashed, exact values dotted."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context({**STYLE, "svg.hashsalt": figure.name, "axes.titlesize": 9.5}):
        below = 0.55 + 0.19 * len(figure.series)  # inches, for the label of x and the legend
        height = 2.35 + below
        canvas: Any = Canvas(figsize=(WIDTH, height))  # margins are fixed: to measure all text would take most of the time
        axes = canvas.add_axes((0.72 / WIDTH, below / height, 1.0 - 0.84 / WIDTH, 2.25 / height))
        axes.set(xscale="log" if "x" in figure.log else "linear", yscale="log" if "y" in figure.log else "linear",
                 xlabel=figure.x, ylabel=figure.y)
        turn = 0
        for series in figure.series:
            _draw(axes, series, TURNS[turn % len(TURNS)], "x" in figure.log)
            turn += series.style in ("line", "dots")
        for axis, log in ((axes.xaxis, "x" in figure.log), (axes.yaxis, "y" in figure.log)):
            if log:
                _ticks(axis)
        axes.grid(alpha=0.25)
        canvas.legend(loc="lower left", bbox_to_anchor=(0.02, 0.0), frameon=False, fontsize=9, labelspacing=0.25)
        buffer = StringIO()
        canvas.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return element(buffer.getvalue(), COLOURS)


def _draw(axes: Any, series: Series, colour: str, log: bool) -> None:
    x, y = thinned(series, log)
    looks: dict[str, dict[str, Any]] = {
        "line": {"color": colour, "linewidth": 1.6},
        "dots": {"color": colour, "marker": "o", "markersize": 2.4, "linestyle": "none", "alpha": 0.7},
        "bound": {"color": INK, "linestyle": "--", "linewidth": 1.2},
        "exact": {"color": INK, "linestyle": ":", "linewidth": 1.8, "zorder": 3},
    }
    if len(x) <= 12:
        looks["line"]["marker"], looks["line"]["markersize"] = "o", 3.5
        looks["dots"]["markersize"], looks["dots"]["alpha"] = 5.0, 1.0
    axes.plot(x, y, label=series.name.replace("$", r"\$"), **looks[series.style])


def _ticks(axis: Any) -> None:
    """Where a logarithmic axis spans little, plain numbers 1, 2, 5, 10, …; elsewhere powers of ten alone."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    axis.set_minor_formatter(NullFormatter())
    if high < 100.0 * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))


def thinned(series: Series, log: bool) -> tuple[Any, Any]:
    """At most `SHOWN` points of a long line, evenly spread as the eye sees them."""
    x, y = series.x, series.y
    if series.style == "dots":
        keep = np.unique(np.linspace(0, len(x) - 1, min(len(x), 3 * SHOWN)).astype(int))
    else:
        spread = np.geomspace(1, len(x), SHOWN) - 1 if log else np.linspace(0, len(x) - 1, SHOWN)
        keep = np.unique(spread.astype(int)) if len(x) > SHOWN else np.arange(len(x))
    return x[keep], y[keep]


def write_csv(figure: Figure, path: Path) -> None:
    """All points of a figure, one in each line: series, style, x, y."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("series", "style", figure.x, figure.y))
        for series in figure.series:
            points = zip(series.x, series.y, strict=True)
            rows.writerows((series.name, series.style, f"{x:.12g}", f"{y:.12g}") for x, y in points)
