"""What placebo runs say: how much larger an effect is after the treatment than before, and how rare that is among units."""

from __future__ import annotations

import numpy as np

from greedyhull.types import Array


def rmspe(effects: Array, start: int) -> tuple[Array, Array]:
    """Root mean squared prediction errors before and after ``start``; periods in rows, one column for each unit.

    >>> before, after = rmspe(np.array([[3e-200], [4e-200], [5e-200]]), 2)
    >>> round(float(after[0] / before[0]), 6)
    1.414214
    """
    scale = np.abs(effects).max(axis=0, initial=0.0)
    unit = np.ascontiguousarray((effects / np.where(scale > 0.0, scale, 1.0)).T)  # squares neither overflow nor vanish
    before, after = (np.sqrt((part**2).mean(axis=1)) * scale for part in (unit[:, :start], unit[:, start:]))
    return before, after  # summed row by row: equal effects have equal errors, whatever stands beside them


def ratios(before: Array, after: Array) -> Array:
    """after/before; infinite where the fit before is exact and the one after is not, 0 where both are."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(after > 0.0, after / before, 0.0)


def well_fitted(before: Array, own: float, max_pre_mspe: float) -> Array:
    """Whose mean squared error before the treatment is at most ``max_pre_mspe`` times that of the treated unit."""
    return before <= np.sqrt(max_pre_mspe) * own if np.isfinite(max_pre_mspe) else np.ones(len(before), dtype=bool)


def share(own: float, others: Array) -> float:
    """The share of all units, the treated one included, whose ratio is at least its own; NaN where there are no others.

    >>> share(3.0, np.array([1.0, 2.0, 4.0])), share(3.0, np.array([]))
    (0.5, nan)
    """
    return float((1 + np.count_nonzero(others >= own)) / (1 + len(others))) if len(others) else float("nan")
