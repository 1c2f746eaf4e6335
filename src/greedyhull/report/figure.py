"""The figure of a report as inline SVG: the certified gap over the run and, below it, what the answer is made of."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.report.words import used

if TYPE_CHECKING:
    from greedyhull.solution import Solution

SHOWN = 15  # bars at most
# Colours that stand for the page's own, so that one figure serves light and dark.
INK, FAINT, MAIN, OTHER = "#010203", "#010204", "#010205", "#010206"
VARIABLES = {INK: "var(--ink)", FAINT: "var(--faint)", MAIN: "var(--main)", OTHER: "var(--other)"}
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "greedyhull", "font.size": 10.0, "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": FAINT, "xtick.color": FAINT, "ytick.color": FAINT,
    "xtick.labelcolor": INK, "ytick.labelcolor": INK, "grid.color": FAINT, "grid.alpha": 0.35, "axes.spines.top": False,
    "axes.spines.right": False,
}


def figure(solution: Solution, names: Sequence[str] | None = None) -> str:
    """The figure as an ``<svg>`` element whose colours are the CSS variables ink, faint, main and other."""
    import matplotlib
    from matplotlib.figure import Figure

    bars = used(solution, names)
    shown = bars[:SHOWN]
    with matplotlib.rc_context(STYLE):
        below = 0.75 + 0.22 * len(shown) if shown else 0.0
        fig: Any = Figure(figsize=(4.5, 2.4 + below), layout="constrained")
        if shown:
            top, bottom = fig.subfigures(2, 1, height_ratios=[2.4, below])  # each as wide as its own labels allow
            _gap(top.subplots(), solution)
            _bars(bottom.subplots(), shown, len(bars))
        else:
            _gap(fig.subplots(), solution)
        buffer = StringIO()
        fig.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _inline(buffer.getvalue())


def _gap(axes: Any, solution: Solution) -> None:
    k, gap = solution.trace.iteration, solution.trace.gap
    good = np.isfinite(gap) & (gap > 0.0)
    axes.plot(k[good], gap[good], color=MAIN, marker="o" if good.sum() <= 40 else "", markersize=3.5)
    if good.any():
        axes.set_yscale("log")
    axes.set_title("How far from the minimum it can be, at most")
    axes.set_xlabel("iteration")
    axes.set_ylabel("certified gap")
    axes.grid(axis="y")


def _bars(axes: Any, shown: list[tuple[str, float]], total: int) -> None:
    names, weights = [name for name, _ in shown], np.array([weight for _, weight in shown])
    axes.barh(np.arange(len(shown)), weights, color=[OTHER if weight < 0 else MAIN for weight in weights], height=0.7)
    axes.set_yticks(np.arange(len(shown)), [name.replace("$", r"\$") for name in names])
    axes.invert_yaxis()
    axes.axvline(0.0, color=FAINT, linewidth=0.8)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_title("What the answer uses" if total == len(shown) else f"The {len(shown)} largest of {total} weights")
    axes.set_xlabel("weight")


def _inline(svg: str) -> str:
    """The SVG element alone, its stand-in colours exchanged for variables of the page."""
    svg = svg[svg.index("<svg") :]
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, variable)
    return svg
