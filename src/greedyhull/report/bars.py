"""What an answer is made of, as bars: coordinates or atoms by weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.report.figure import FAINT, MAIN, OTHER, RIGHT, STYLE, WIDTH, inline, number, plain, short

MOST = 15  # bars at most
WIDEST = 28  # characters of a name


def bars(weights: list[tuple[str, float]], place: int = 0, *, things: str = "coordinates", measure: str = "weight") -> str:
    """The largest weights, which come first, as an ``<svg>`` element; its axes are named ``things`` and ``measure``."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    shown = weights[:MOST]
    names, things = [short(name, WIDEST) for name, _ in shown], short(things, WIDEST)
    sizes = np.array([weight for _, weight in shown])
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"greedyhull{place}"}):
        height, left = 1.05 + 0.22 * len(shown), 0.3 + 0.078 * max(map(len, [*names, things]))
        canvas: Any = Figure(figsize=(WIDTH, height))
        axes = canvas.add_axes((left / WIDTH, 0.5 / height, 1.0 - (left + RIGHT) / WIDTH, (height - 1.02) / height))
        places = np.arange(len(shown))
        axes.barh(places, sizes, color=[OTHER if size < 0 else MAIN for size in sizes], height=0.7)
        axes.set_yticks(places, [plain(name) for name in names])
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.axvline(0.0, color=FAINT, linewidth=0.8)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: number(x)))
        axes.spines["left"].set_visible(False)
        canvas.text(0.02, 1.0 - 0.2 / height, heading(len(weights), measure))
        canvas.text((left - 0.05) / WIDTH, 1.0 - 0.47 / height, plain(things), ha="right")
        axes.set_xlabel(measure)
        return inline(canvas)


def heading(total: int, measure: str) -> str:
    """The title of the bars.

    >>> heading(3, "weight"), heading(40, "coefficient")
    ('The weights of the answer', 'The 15 largest of 40 coefficients')
    """
    return f"The {measure}s of the answer" if total <= MOST else f"The {MOST} largest of {total} {measure}s"
