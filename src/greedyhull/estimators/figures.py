"""Figures of coefficients along radii."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from greedyhull.errors import installing
from greedyhull.types import Array

NAMED = 10  # lines up to which each is named in the legend


def new_axes(columns: int = 1, rows: int = 1) -> Any:
    """Axes of a new figure: one, or an array of them."""
    if find_spec("matplotlib") is None:
        raise ModuleNotFoundError(f"plot_path needs matplotlib, which is not installed. {installing('report')}")
    import matplotlib.pyplot as plt

    size = (max(6.4, 3.6 * columns), 4.8)
    return plt.subplots(rows, columns, figsize=size, sharex=rows > 1, sharey=columns > 1, layout="constrained")[1]


def draw_coefficients(ax: Any, radii: Array, coefs: Array, names: Sequence[str] | None) -> None:
    """One line for each column of ``coefs``; few lines are named, by the features or by number."""
    labels = [f"w[{j}]" for j in range(coefs.shape[1])] if names is None else list(names)
    named = len(labels) == coefs.shape[1] <= NAMED
    for j in range(coefs.shape[1]):
        ax.plot(radii, coefs[:, j], lw=1, marker="." if len(radii) == 1 else "", label=labels[j] if named else None)
    ax.axhline(0.0, color="0.8", lw=0.8, zorder=0)
    ax.set_ylabel("coefficient")


def legend_beside(ax: Any) -> None:
    """A legend to the right of the axes, where it covers nothing."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
