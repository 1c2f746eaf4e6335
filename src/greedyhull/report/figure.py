"""Figures of a report as inline SVG, and of a solution with matplotlib."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.driver.solution import measure as measure_of
from greedyhull.report.sentences import atoms, need, used
from greedyhull.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from greedyhull.driver.solution import Solution


# Colours that stand for the page's own, so that one figure serves light and dark.
INK, FAINT, MAIN, OTHER = "#010203", "#010204", "#010205", "#010206"
THIRD, FOURTH, FIFTH = "#010207", "#010208", "#010209"
VARIABLES = {INK: "var(--ink)", FAINT: "var(--faint)", MAIN: "var(--main)", OTHER: "var(--other)", THIRD: "var(--third)",
             FOURTH: "var(--fourth)", FIFTH: "var(--fifth)"}
TURNS = (MAIN, OTHER, THIRD, FOURTH, FIFTH)
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "greedyhull", "font.size": 10.0, "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": FAINT, "xtick.color": FAINT, "ytick.color": FAINT,
    "xtick.labelcolor": INK, "ytick.labelcolor": INK, "grid.color": FAINT, "grid.alpha": 0.35, "axes.spines.top": False,
    "axes.spines.right": False,
}
WIDTH, LEFT, RIGHT = 4.4, 0.92, 0.27  # inches
SHOWN = 200  # points of a line that are drawn
FARTHEST = 1e290  # what is larger, or on a logarithmic axis closer to zero, leaves no room for an axis around it


@dataclass(frozen=True)
class Line:
    """A line of a panel: ``look`` is "line", "dashed" or "dots"."""

    label: str
    x: Array
    y: Array
    colour: str = MAIN
    look: str = "line"


@dataclass(frozen=True)
class Panel:
    """One figure: its lines over one axis; ``log`` is about the vertical one."""

    title: str
    x: str
    y: str
    lines: Sequence[Line]
    log: bool = False

    @property
    def drawn(self) -> list[Line]:
        """The lines without points that cannot be drawn, and without those that have none left."""
        kept = []
        for line in self.lines:
            good = np.isfinite(line.x) & (np.abs(line.y) < FARTHEST) & ((line.y > 1.0 / FARTHEST) if self.log else True)
            if good.any():
                kept.append(replace(line, x=line.x[good], y=line.y[good]))
        return kept

    def words(self) -> str:
        """The panel for those who do not see it."""
        told = [f"{line.label}, from {line.y[0]:.3g} to {line.y[-1]:.3g}" for line in self.drawn]
        return f"{self.title}. {self.y.capitalize()} against {self.x}: {'; '.join(told) or 'no points'}."


def svg(panel: Panel, place: int = 0) -> str:
    """The panel as an ``<svg>`` element, its legend below; ``place`` tells it from the others of its page."""
    import matplotlib
    from matplotlib.figure import Figure

    title, lines = _shifted(panel)
    unit, lines = _scaled(lines, panel.log)
    legend = 0.2 * len(lines) if len(lines) > 1 else 0.0
    height, below = 2.75 + legend, 0.52 + legend
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"greedyhull{place}"}):
        canvas: Any = Figure(figsize=(WIDTH, height))  # margins are fixed: to measure all text would take most of the time
        axes = canvas.add_axes((LEFT / WIDTH, below / height, 1.0 - (LEFT + RIGHT) / WIDTH, (height - below - 0.3) / height))
        canvas.text(0.02, 1.0 - 0.2 / height, title)
        axes.set_xlabel(panel.x)
        canvas.text(0.03, 0.5 * (height + below - 0.3) / height, panel.y + unit, rotation="vertical", ha="left", va="center")
        _scales(axes, lines, panel.log)
        for line in lines:
            _draw(axes, line, len(lines) > 1)
        if axes.get_xscale() == "symlog":
            axes.set_xlim(left=0.0)
        if lines:
            _room(axes, lines)
        _ticks(axes)
        axes.grid(axis="y")
        if legend:
            canvas.legend(loc="lower left", bbox_to_anchor=(0.0, 0.0), frameon=False, fontsize=9.5, labelspacing=0.25,
                          borderpad=0.2)
        return inline(canvas)


def inline(canvas: Any) -> str:
    """The SVG element alone: colours exchanged for variables, metadata and identifiers that nothing points to left out."""
    buffer = StringIO()
    canvas.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    for colour, variable in VARIABLES.items():
        text = text.replace(colour, variable)
    used = set(re.findall(r"#([A-Za-z_][\w.-]*)", text))
    return re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in used else "", text)


def short(text: str, most: int) -> str:
    """Text in one line; where it is too long, its middle is cut, for names often differ at the end.

    >>> short("a\\nb", 9), short("abcdef", 4)
    ('a b', 'ab…f')
    """
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most // 2]}…{text[len(text) - (most - 1 - most // 2) :]}"


def plain(text: str) -> str:
    """Text whose dollar signs are not taken for formulas."""
    return text.replace("$", r"\$")


def _scales(axes: Any, lines: list[Line], log: bool) -> None:
    if log and lines:
        axes.set_yscale("log")
    positive = [line.x[line.x > 0.0] for line in lines]
    longest = max((len(x) for x in positive), default=0)
    if longest < 50:  # points from which on the horizontal axis is logarithmic
        axes.margins(x=0.03)
        return
    first = min(float(x.min()) for x in positive if len(x))
    if all(len(x) == len(line.x) for x, line in zip(positive, lines, strict=True)):
        axes.set_xscale("log")
    else:
        axes.set_xscale("symlog", linthresh=first, linscale=0.3)


def _draw(axes: Any, line: Line, named: bool) -> None:
    length, keep = len(line.x), np.arange(len(line.x))
    if length > SHOWN:  # evenly spread as the eye sees them, the last among them
        spread = np.linspace(1, length, SHOWN) if axes.get_xscale() == "linear" else np.geomspace(1, length, SHOWN)
        keep = np.unique(np.round(spread).astype(int) - 1)
    looks: dict[str, dict[str, Any]] = {
        "line": {"linewidth": 1.6, "marker": "o" if len(keep) <= 40 else "", "markersize": 3.2},
        "dashed": {"linewidth": 1.2, "linestyle": "--"},
        "dots": {"linestyle": "none", "marker": "o", "markersize": 2.6, "alpha": 0.75, "clip_on": False},
    }
    label = plain(short(line.label, 48)) if named else None  # characters of a legend's line
    axes.plot(line.x[keep], line.y[keep], color=line.colour, label=label, **looks[line.look])


def _shifted(panel: Panel) -> tuple[str, list[Line]]:
    """Lines that differ by little beside their size are drawn by what they are above the last point; the title says so."""
    lines = panel.drawn
    if panel.log or not lines:
        return panel.title, lines
    low, high = _ends(lines)
    last = float(lines[0].y[-1])
    if not 0.0 < high - low < 1e-3 * max(abs(low), abs(high)):
        return panel.title, lines
    return f"{panel.title} − {last:.8g}", [replace(line, y=line.y - last) for line in lines]


def _scaled(lines: list[Line], log: bool) -> tuple[str, list[Line]]:
    """Lines far from one in units of a power of ten, so that ticks are short; the unit, which the axis names."""
    size = max((float(np.abs(line.y).max()) for line in lines), default=0.0)
    if log or size == 0.0 or 1e-3 <= size < 1e4:
        return "", lines
    power = max(int(np.floor(np.log10(size))), -300)
    return f" ({number(10.0**power)})", [replace(line, y=line.y / 10.0**power) for line in lines]


def _ends(lines: list[Line]) -> tuple[float, float]:
    return min(float(line.y.min()) for line in lines), max(float(line.y.max()) for line in lines)


def _room(axes: Any, lines: list[Line]) -> None:
    """At least one decade on a logarithmic axis, so that it has a label; some room around a line that is flat."""
    low, high = _ends(lines)
    if axes.get_yscale() == "log" and high < 10.0 * low:
        middle = low**0.5 * high**0.5
        axes.set_ylim(middle / 4.0, middle * 4.0)
    elif low == high:
        axes.set_ylim(low - max(abs(low), 1.0), high + max(abs(high), 1.0))


def _ticks(axes: Any) -> None:
    """Few ticks, written without formulas, which take long to set."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    for axis in (axes.xaxis, axes.yaxis):
        low, high = axis.get_view_interval()
        axis.set_minor_locator(NullLocator())
        if axis.get_scale() == "linear":
            whole = axis is axes.xaxis and axes.get_xlabel() == "iterations"
            crowded = axis is axes.xaxis and high - low < 0.5 * abs(high)  # numbers that differ late are long
            axis.set_major_locator(MaxNLocator(2 if crowded else 5, steps=[1, 2, 2.5, 5, 10], integer=whole))
        elif axis.get_scale() == "log":
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 30.0 * low else (1.0,), numticks=7))
        axis.set_major_formatter(FuncFormatter(lambda x, _: number(x)))


def number(x: float) -> str:
    """A number as short as can be, with a power of ten where it is far from one.

    >>> number(0.025), number(-100.0), number(1e-7), number(2.5e6), number(0.0)
    ('0.025', '−100', '10⁻⁷', '2.5·10⁶', '0')
    """
    mantissa, exponent = f"{abs(x):.2e}".split("e")
    sign, mantissa = "−" if x < 0.0 else "", f"{float(mantissa):g}"
    if x == 0.0 or 1e-3 <= abs(x) < 1e4:
        return f"{sign}{abs(x):.4g}"
    power = "10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return sign + (power if mantissa == "1" else f"{mantissa}·{power}")


CLOCKS = {"iteration": "iterations", "seconds": "seconds", "products": "passes over the data"}  # columns by their labels
TITLES = {"stationary": "Gap: a bound on the first-order decrease", "expectation": "Gap: a bound on the expected error"}
SURE = ("always", "estimate")  # kinds whose gaps are those to one lower bound of the minimum
FEWEST = 3  # points of a line that make a figure


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
    """Whether a clock shows more than the iterations do, and no single jump, such as compilation, is most of it."""
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
    # relative to their size, heights that differ by less are the same
    return any(len(np.unique(line.x)) >= FEWEST and float(np.ptp(line.y)) > 1e-12 * float(np.abs(line.y).max())
               for line in panel.drawn)


MOST = 15  # bars at most
WIDEST = 28  # characters of a name


def bars(weights: list[tuple[str, float]], place: int = 0, *, things: str = "coordinates", measure: str = "weight") -> str:
    """The largest weights, which come first, as an ``<svg>`` element; its axes are named ``things`` and ``measure``."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    count, things = min(len(weights), MOST), short(things, WIDEST)
    longest = max(len(name) for name in [things, *(short(name, WIDEST) for name, _ in weights[:MOST])])
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"greedyhull{place}"}):
        height, left = 1.05 + 0.22 * count, 0.3 + 0.078 * longest
        canvas: Any = Figure(figsize=(WIDTH, height))
        axes = canvas.add_axes((left / WIDTH, 0.5 / height, 1.0 - (left + RIGHT) / WIDTH, (height - 1.02) / height))
        _draw_bars(axes, weights, (MAIN, OTHER, FAINT))
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: number(x)))
        axes.spines["left"].set_visible(False)
        canvas.text(0.02, 1.0 - 0.2 / height, heading(len(weights), measure))
        canvas.text((left - 0.05) / WIDTH, 1.0 - 0.47 / height, plain(things), ha="right")
        axes.set_xlabel(measure)
        return inline(canvas)


def _draw_bars(axes: Any, weights: list[tuple[str, float]], colours: tuple[str, str, str]) -> None:
    """The largest weights, the first on top; colours are those of positive ones, of negative ones and of the line at zero."""
    shown = weights[:MOST]
    sizes = [weight for _, weight in shown]
    axes.barh(range(len(shown)), sizes, color=[colours[size < 0.0] for size in sizes], height=0.7)
    axes.set_yticks(range(len(shown)), [plain(short(name, WIDEST)) for name, _ in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.axvline(0.0, color=colours[2], linewidth=0.8)


def heading(total: int, measure: str) -> str:
    return f"The {measure}s of the answer" if total <= MOST else f"The {MOST} largest of {total} {measure}s"


def plot(solution: Solution, names: Sequence[str] | None = None) -> Figure:
    """Draw the answer and the course of the gap.

    Parameters
    ----------
    solution
        What `minimize` returned.
    names
        One name for each coordinate.

    Returns
    -------
    matplotlib.figure.Figure
        Two panels: the largest coordinates of the point, or its heaviest atoms where it is not a vector; and the gap against
        iterations.
    """
    need("plot()", {"matplotlib": "matplotlib"})
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.0), layout="constrained")
    coordinates = used(solution, names)
    weights = coordinates or atoms(solution, names)
    if weights:
        kind = measure_of(solution) if coordinates else "weight"
        _draw_bars(left, weights, ("C0", "C1", "0.5"))
        left.set(title=heading(len(weights), kind), xlabel=kind, ylabel="coordinate" if coordinates else "atom")
    else:
        left.plot(solution.point.array().ravel(), ".")
        left.set(title="The entries of the answer", xlabel="entry", ylabel="value")
    trace, kind = solution.trace, solution.certificate.kind
    known = np.isfinite(trace["gap"])
    k, gap = trace["iteration"][known], trace["gap"][known]
    right.plot(k, gap, marker="o" if len(k) <= 40 else "", markersize=4)  # points of the gap that are marked one by one
    if (gap > 0.0).any():
        right.set_yscale("log")
    if not len(k):
        right.text(0.5, 0.5, "No gap was computed.", ha="center", transform=right.transAxes)
    right.xaxis.get_major_locator().set_params(integer=True)
    right.set(title="Certified gap" if kind == "always" else f"Gap ({kind})", xlabel="iteration", ylabel="gap")
    return figure
