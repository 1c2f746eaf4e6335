"""What an answer is made of, as bars: coordinates or atoms by weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.report.figure import FAINT, MAIN, OTHER, RIGHT, STYLE, WIDTH, inline, number, plain, short

MOST = 15  # bars at most
WIDEST = 34  # characters of a name


def bars(weights: list[tuple[str, float]], place: int = 0) -> str:
    """The largest weights, which come first, as an ``<svg>`` element."""
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    shown = weights[:MOST]
    names = [short(name, WIDEST) for name, _ in shown]
    sizes = np.array([weight for _, weight in shown])
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": f"greedyhull{place}"}):
        height, left = 0.85 + 0.22 * len(shown), 0.25 + 0.075 * max(map(len, names))
        canvas: Any = Figure(figsize=(WIDTH, height))
        axes = canvas.add_axes((left / WIDTH, 0.5 / height, 1.0 - (left + RIGHT) / WIDTH, (height - 0.82) / height))
        places = np.arange(len(shown))
        axes.barh(places, sizes, color=[OTHER if size < 0 else MAIN for size in sizes], height=0.7)
        axes.set_yticks(places, [plain(name) for name in names])
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.axvline(0.0, color=FAINT, linewidth=0.8)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: number(x)))
        axes.spines["left"].set_visible(False)
        title = "What the answer uses" if len(weights) == len(shown) else f"The {len(shown)} largest of {len(weights)} weights"
        canvas.text(0.02, 1.0 - 0.2 / height, title)
        axes.set_xlabel("weight")
        return inline(canvas)
