"""What would have happened without the treatment? A weighted mean of units that were not treated, and how sure one can be.

The weights of the donors are non-negative, sum to one, and make the mean follow the treated unit before the treatment:
least squares over a simplex. Placebo runs ask the same of every donor, as if it had been treated: where many of them come
out with an effect as large, the effect proves little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import HUGE
from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.minimize import minimize
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Iterations, Relative, Stalled, Stop
from greedyhull.errors import check
from greedyhull.objectives.by_name import least_squares
from greedyhull.types import Array


@dataclass(frozen=True)
class SyntheticControl:
    """The answer: ``weights`` by donor, the ``treated`` and the ``synthetic`` series, and the placebos' effects.

    ``effect`` is treated − synthetic in every period, ``ratio`` how much larger it is after the treatment than before
    (root mean squares), ``p_value`` the share of all units, the treated one included, whose ratio is at least as large.
    """

    names: list[Any]
    weights: Array
    periods: list[Any]
    start: int
    treated: Array
    synthetic: Array
    certificate: Certificate
    placebos: Array = field(repr=False)

    @property
    def effect(self) -> Array:
        return self.treated - self.synthetic

    @property
    def ratio(self) -> float:
        return float(_ratios(self.effect[:, None], self.start)[0])

    @property
    def p_value(self) -> float:
        """nan where no placebos were run."""
        if not self.placebos.size:
            return float("nan")
        return float((1 + np.count_nonzero(_ratios(self.placebos, self.start) >= self.ratio)) / (1 + self.placebos.shape[1]))

    def donors(self) -> dict[Any, float]:
        """The donors with positive weight, largest first."""
        return {self.names[j]: float(self.weights[j]) for j in np.argsort(-self.weights, kind="stable") if self.weights[j] > 0}

    def __str__(self) -> str:
        shares = ", ".join(f"{name} {share:.3f}" for name, share in list(self.donors().items())[:6])
        after = float(self.effect[self.start :].mean())
        chance = "" if np.isnan(self.p_value) else f" A share of {self.p_value:.3f} of all units moved at least as much."
        return f"Synthetic control from {shares}. Mean effect after the treatment: {after:.4g}.{chance} {self.certificate}"

    def plot(self, ax: Any = None) -> Any:
        """Treated against synthetic, and below the effect among the placebos' ones; returns the two axes."""
        import matplotlib.pyplot as plt

        axes = plt.subplots(2, 1, sharex=True, layout="constrained", figsize=(7, 7))[1] if ax is None else ax
        axes[0].plot(self.periods, self.treated, "k", label="treated")
        axes[0].plot(self.periods, self.synthetic, "C0--", label="synthetic")
        if self.placebos.size:
            axes[1].plot(self.periods, self.placebos, color="0.8", lw=0.8)
        axes[1].plot(self.periods, self.effect, "k", label="treated − synthetic")
        axes[1].axhline(0.0, color="0.5", lw=0.8)
        for a in axes:
            a.axvline(self.periods[self.start], color="C3", lw=0.8, ls=":")
            a.legend()
        return axes


def synthetic_control(Y: Any, treated: Any, t0: Any, *, predictors: Any = None, importance: Sequence[float] | None = None,
                      placebos: bool = True, tol: float = 1e-8) -> SyntheticControl:
    """Donor weights for the unit ``treated`` of the table ``Y`` (periods in rows, units in columns), treated from ``t0`` on.

    Of a data frame, ``treated`` is the name of a column and ``t0`` a label of the index; of an array, their numbers. The
    weights make the mean of the donors follow the treated unit before t0, or, where ``predictors`` (one row each, units in
    columns) are given, match these: each is divided by its standard deviation and counts with its ``importance``.

    >>> Y = np.array([[1.0, 0.0, 2.0], [2.0, 1.0, 3.0], [3.0, 1.0, 5.0], [9.0, 2.0, 6.0]])
    >>> s = synthetic_control(Y, treated=0, t0=3, placebos=False)
    >>> s.weights.round(6), s.effect[3].round(6)
    (array([0.5, 0.5]), np.float64(5.0))
    """
    table, names, periods = _table(Y)
    j, start = _place(treated, names, "treated"), _place(t0, periods, "t0")
    check(0 < start < len(periods), f"t0={t0!r} was given; there must be periods before the treatment, to fit, and after it.")
    fit = table[:start] if predictors is None else _scaled(predictors, table.shape[1], importance)
    others = np.delete(np.arange(table.shape[1]), j)
    check(len(others) >= 1, "Y has one column only; the treated unit and at least one donor are wanted.")
    stop = Relative(tol) | Stalled(300) | Iterations(10_000)
    own = _weights(fit[:, others], fit[:, j], None, stop)
    w = own.point.array()
    effects = np.zeros((len(periods), 0))
    if placebos and len(others) > 1:
        effects = np.column_stack([_placebo(table, fit, np.delete(others, i), k, np.delete(w, i), stop)
                                   for i, k in enumerate(others.tolist())])
    return SyntheticControl([names[k] for k in others], w, periods, start, table[:, j], table[:, others] @ w, own.certificate,
                            effects)


def _weights(A: Array, b: Array, start: Array | None, stop: Stop) -> Solution:
    return minimize(least_squares(A, b), Simplex(A.shape[1]), start=start, stop=stop)


def _placebo(table: Array, fit: Array, donors: Array, j: int, near: Array, stop: Stop) -> Array:
    """The effect on donor j as if it had been treated, from the others; begun at the weights of the treated unit."""
    start = near / near.sum() if near.sum() > 0.5 else None
    w = _weights(fit[:, donors], fit[:, j], start, stop).point.array()
    return np.asarray(table[:, j] - table[:, donors] @ w)


def _scaled(predictors: Any, units: int, importance: Sequence[float] | None) -> Array:
    """The predictors over their standard deviations, times the roots of their importance."""
    P = np.asarray(predictors, dtype=np.float64)
    check(P.ndim == 2 and P.shape[1] == units, f"predictors has shape {P.shape}; one row for each predictor and {units} "
                                               "columns, one for each unit, are wanted.")
    check(bool(np.isfinite(P).all()), "predictors holds NaN or infinite values; drop those predictors or units first.")
    _check_size(P, "predictors")
    V = np.full(len(P), 1.0 / len(P)) if importance is None else np.asarray(importance, dtype=np.float64)
    check(V.shape == (len(P),) and bool((V >= 0).all()), f"importance has shape {V.shape}; {len(P)} non-negative numbers, one "
                                                         "for each predictor, are wanted.")
    spread = P.std(axis=1, ddof=1)
    return np.asarray(np.sqrt(V)[:, None] * P / np.where(spread > 0, spread, 1.0)[:, None])


def _table(Y: Any) -> tuple[Array, list[Any], list[Any]]:
    table = np.asarray(Y, dtype=np.float64)
    check(table.ndim == 2, f"Y has {table.ndim} dimensions; a table with periods in rows and units in columns is wanted.")
    _check_size(table, "Y")
    check(bool(np.isfinite(table).all()), "Y holds NaN or infinite values; a balanced table is wanted. Drop units or periods "
                                          "that are not observed throughout.")
    names = list(Y.columns) if hasattr(Y, "columns") else list(range(table.shape[1]))
    periods = list(Y.index) if hasattr(Y, "index") and hasattr(Y, "columns") else list(range(table.shape[0]))
    return table, names, periods


def _check_size(table: Array, name: str) -> None:
    largest = float(np.abs(table[np.isfinite(table)]).max(initial=0.0))
    check(largest <= HUGE, f"{name} has entries as large as {largest:.3g}: their squares overflow. Scale it down.")


def _place(label: Any, labels: list[Any], what: str) -> int:
    check(label in labels, f"{what}={label!r} was given; one of {labels[:3]} … {labels[-1]!r} is wanted.")
    return labels.index(label)


def _ratios(effects: Array, start: int) -> Array:
    """Root mean squares after the start over those before it."""
    before, after = (np.sqrt((part**2).mean(axis=0)) for part in (effects[:start], effects[start:]))
    return np.asarray(after / np.maximum(before, 1e-300))
