"""The figure of a synthetic control: both series above, the effect among the placebos' effects below."""

from __future__ import annotations

from datetime import date
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.errors import check, installing
from greedyhull.types import Array

if TYPE_CHECKING:
    from greedyhull.apps.synthetic.result import SyntheticControl

MOST = 0.75  # the share of placebos that is shown in full
ROOM = 1.15  # between the largest effect shown and the edge
TICKS = 8


def draw(s: SyntheticControl, ax: Any = None) -> Any:
    """Both panels; returns their axes."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(f"A figure needs matplotlib, which is not installed. {installing('demo')}") from None

    axes = plt.subplots(2, 1, sharex=True, layout="constrained", figsize=(7, 7))[1] if ax is None else np.asarray(ax)
    check(np.shape(axes) == (2,), f"ax has shape {np.shape(axes)}; a pair of axes is wanted.")
    x = positions(s.periods)
    panel = None if s.problem is None else s.problem.panel
    _series(axes[0], x, s, "outcome" if panel is None else panel.outcome)
    _effects(axes[1], x, s)
    axes[1].set_xlabel("period" if panel is None else panel.time)
    for a in axes:
        a.axvline(x[s.start], color="C3", lw=1.0, ls=":", label="treatment begins")
        a.legend(frameon=False, fontsize="small", loc="best")
    if x is not s.periods:
        at = np.unique(np.linspace(0, len(x) - 1, min(TICKS, len(x))).round().astype(int))
        axes[1].set_xticks(at, [str(s.periods[i]) for i in at])
    return axes


def positions(periods: list[Any]) -> Any:
    """Where the periods stand: numbers and dates as they are, other labels one after another."""
    plain = all(isinstance(p, Real | date | np.datetime64) for p in periods)
    return periods if plain else np.arange(len(periods))


def _series(a: Any, x: Any, s: SyntheticControl, outcome: str) -> None:
    a.plot(x, s.treated, color="k", lw=1.8, label="treated" if s.unit is None else f"{s.unit} (treated)")
    a.plot(x, s.synthetic, color="C0", lw=1.8, ls="--", label="synthetic control")
    a.set(ylabel=outcome, title=f"{'Treated unit' if s.unit is None else s.unit} and its synthetic control")


def _effects(a: Any, x: Any, s: SyntheticControl) -> None:
    shown = s.placebos[:, s.kept]
    if shown.size:
        lines = a.plot(x, shown, color="0.75", lw=0.8)
        lines[0].set_label("placebos")
    a.plot(x, s.effect, color="k", lw=1.8, label="effect" if s.unit is None else str(s.unit))
    a.axhline(0.0, color="0.5", lw=0.8)
    low, high = limits(s.effect, shown)
    a.set_ylim(low, high)
    outside = int(np.count_nonzero(((shown < low) | (shown > high)).any(axis=0)))
    count = f"{shown.shape[1]} placebo{'s' if shown.shape[1] > 1 else ''}"
    title = f"Effect and {count}" if shown.size else "Effect"
    a.set(ylabel="effect (treated − synthetic)", title=f"{title} ({outside} beyond the panel)" if outside else title)


def limits(effect: Array, placebos: Array) -> tuple[float, float]:
    """The range of the effects panel: all of ``effect``, and of the placebos those with the smaller peaks.

    >>> limits(np.array([0.0, 1.0]), np.array([[0.0, 0.0, 0.0], [2.0, -2.0, 1e6]]))
    (-2.3, 2.3)
    """
    peak = float(np.abs(effect).max())
    if placebos.size:
        peak = max(peak, float(np.quantile(np.abs(placebos).max(axis=0), MOST, method="lower")))
    return (-ROOM * peak, ROOM * peak) if peak > 0.0 else (-1.0, 1.0)
