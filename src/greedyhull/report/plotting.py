"""A solution as a matplotlib figure: the answer on the left, the course of the gap on the right."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.driver.solution import measure
from greedyhull.errors import installing
from greedyhull.report.figure import MOST, WIDEST, heading, plain, short
from greedyhull.report.words import atoms, used

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from greedyhull.driver.solution import Solution


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
    if find_spec("matplotlib") is None:
        raise ModuleNotFoundError(f"plot() needs matplotlib, which is not installed. {installing('report')}")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.0), layout="constrained")
    _answer(left, solution, names)
    _gap(right, solution)
    return figure


def _answer(axes: Any, solution: Solution, names: Sequence[str] | None) -> None:
    """Bars of coordinates or atoms; where there are neither, all entries of the point."""
    coordinates = used(solution, names)
    weights = coordinates or atoms(solution, names)
    if not weights:
        axes.plot(solution.point.array().ravel(), ".")
        axes.set(title="The entries of the answer", xlabel="entry", ylabel="value")
        return
    shown, kind = weights[:MOST], measure(solution) if coordinates else "weight"
    sizes = np.array([weight for _, weight in shown])
    axes.barh(np.arange(len(shown)), sizes, color=np.where(sizes < 0.0, "C1", "C0"))
    axes.set_yticks(np.arange(len(shown)), [plain(short(name, WIDEST)) for name, _ in shown])
    axes.invert_yaxis()
    axes.axvline(0.0, color="0.5", linewidth=0.8)
    axes.set(title=heading(len(weights), kind), xlabel=kind, ylabel="coordinate" if coordinates else "atom")


def _gap(axes: Any, solution: Solution) -> None:
    """The gap over the iterations, on a logarithmic axis where it is positive."""
    trace, kind = solution.trace, solution.certificate.kind
    known = np.isfinite(trace["gap"])
    k, gap = trace["iteration"][known], trace["gap"][known]
    axes.plot(k, gap, marker="o" if len(k) <= 40 else "", markersize=4)  # points of the gap that are marked one by one
    if (gap > 0.0).any():
        axes.set_yscale("log")
    if not len(k):
        axes.text(0.5, 0.5, "No gap was computed.", ha="center", transform=axes.transAxes)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set(title="Certified gap" if kind == "always" else f"Gap ({kind})", xlabel="iteration", ylabel="gap")
