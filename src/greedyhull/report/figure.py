"""How a figure of a report is drawn: panels of lines as inline SVG, in colours of the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import Any

import numpy as np

from greedyhull.types import Array

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
FEW = 40  # points that are marked one by one
WIDEST = 48  # characters of a legend's line
FARTHEST = 1e290  # what is larger, or on a logarithmic axis closer to zero, leaves no room for an axis around it
LONG = 50  # points from which on the horizontal axis is logarithmic


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
    return element(buffer.getvalue(), VARIABLES)


def element(text: str, variables: dict[str, str]) -> str:
    """The SVG element of a drawing, its stand-in colours exchanged for the page's variables."""
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    for colour, variable in variables.items():
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
    if longest < LONG:
        axes.margins(x=0.03)
        return
    first = min(float(x.min()) for x in positive if len(x))
    if all(len(x) == len(line.x) for x, line in zip(positive, lines, strict=True)):
        axes.set_xscale("log")
    else:
        axes.set_xscale("symlog", linthresh=first, linscale=0.3)


def _draw(axes: Any, line: Line, named: bool) -> None:
    keep = _thinned(len(line.x), axes.get_xscale() != "linear")
    looks: dict[str, dict[str, Any]] = {
        "line": {"linewidth": 1.6, "marker": "o" if len(keep) <= FEW else "", "markersize": 3.2},
        "dashed": {"linewidth": 1.2, "linestyle": "--"},
        "dots": {"linestyle": "none", "marker": "o", "markersize": 2.6, "alpha": 0.75, "clip_on": False},
    }
    label = plain(short(line.label, WIDEST)) if named else None
    axes.plot(line.x[keep], line.y[keep], color=line.colour, label=label, **looks[line.look])


def _thinned(length: int, log: bool) -> Any:
    """Places of at most `SHOWN` points, evenly spread as the eye sees them, the last among them."""
    if length <= SHOWN:
        return np.arange(length)
    spread = np.geomspace(1, length, SHOWN) if log else np.linspace(1, length, SHOWN)
    return np.unique(np.round(spread).astype(int) - 1)


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
