"""The answer of a synthetic control: weights, series and placebos, as arrays, as frames and as a figure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from greedyhull.apps.synthetic.fitting import Problem
from greedyhull.apps.synthetic.placebos import ratios, rmspe, share, well_fitted
from greedyhull.driver.certificate import Certificate
from greedyhull.errors import check, installing
from greedyhull.types import Array


@dataclass(frozen=True, eq=False)
class SyntheticControl:
    """The result of `synthetic_control`: weights by donor, the treated and the synthetic series, and the placebos' effects.

    Parameters
    ----------
    names : list
        The donors.
    weights : array of shape (donors,)
        Their weights: non-negative, with sum one.
    periods : list
        The labels of the periods.
    start : int
        The number of the first period with the treatment; there are so many periods before it.
    treated, synthetic : array of shape (periods,)
        The treated unit's outcomes, and what is predicted for it without the treatment.
    certificate : Certificate
        How far the fit of the weights is from the best one, at most.
    placebos : array of shape (periods, donors)
        The effect on each donor as if it had been treated; no columns where placebos were not run.
    unit : label
        The treated unit.
    intercept : float
        The constant that is added to the mean of the donors; 0 without ``intercept=True``.
    max_pre_mspe : float
        Placebos whose mean squared error before the treatment is larger than so many times the treated unit's do not count.
    problem : Problem
        What was solved, kept for `leave_one_out`.

    See Also
    --------
    synthetic_control : Makes these results.

    Examples
    --------
    >>> from greedyhull.apps import synthetic_control
    >>> Y = np.array([[1.0, 0.0, 2.0], [2.0, 1.0, 3.0], [3.0, 1.0, 5.0], [9.0, 2.0, 6.0]])
    >>> synthetic_control(Y, treated=0, t0=3, placebos=False).effect.round(6) + 0.0
    array([0., 0., 0., 5.])
    """

    names: list[Any]
    weights: Array
    periods: list[Any]
    start: int
    treated: Array
    synthetic: Array
    certificate: Certificate
    placebos: Array = field(repr=False)
    unit: Any = None
    intercept: float = 0.0
    max_pre_mspe: float = np.inf
    problem: Problem | None = field(default=None, repr=False)

    @property
    def effect(self) -> Array:
        """Treated − synthetic in every period; before the treatment this is the error of the fit."""
        return self.treated - self.synthetic

    @property
    def pre_rmspe(self) -> float:
        """The root mean squared prediction error before the treatment."""
        return float(rmspe(self.effect[:, None], self.start)[0][0])

    @property
    def post_rmspe(self) -> float:
        """The same from the treatment on."""
        return float(rmspe(self.effect[:, None], self.start)[1][0])

    @property
    def ratio(self) -> float:
        """``post_rmspe`` over ``pre_rmspe``; its square is the ratio of the mean squared errors."""
        return float(ratios(*rmspe(self.effect[:, None], self.start))[0])

    @property
    def kept(self) -> Array:
        """Which placebos count: one bool for each donor, by ``max_pre_mspe``; empty where placebos were not run."""
        return well_fitted(rmspe(self.placebos, self.start)[0], self.pre_rmspe, self.max_pre_mspe)

    @property
    def p_value(self) -> float:
        """The share of units, the treated one and the placebos that count, whose ratio is at least the treated unit's.

        It cannot be less than one over the number of these units. NaN where no placebo counts.
        """
        return share(self.ratio, ratios(*rmspe(self.placebos, self.start))[self.kept])

    def donors(self) -> dict[Any, float]:
        """The donors with positive weight.

        Returns
        -------
        dict
            From donor to weight, largest first.
        """
        return {self.names[j]: float(self.weights[j]) for j in np.argsort(-self.weights, kind="stable") if self.weights[j] > 0}

    def filtered(self, max_pre_mspe: float | None) -> SyntheticControl:
        """The same result with another limit for placebos; nothing is computed anew.

        Parameters
        ----------
        max_pre_mspe : float or None
            Placebos count if their mean squared prediction error before the treatment is at most so many times the treated
            unit's. None: all of them count.

        Returns
        -------
        SyntheticControl
            With other `kept` and `p_value`.
        """
        return replace(self, max_pre_mspe=checked_limit(max_pre_mspe))

    def leave_one_out(self) -> dict[Any, SyntheticControl]:
        """Estimate the effect again without each donor that has weight, to see how much hangs on one of them.

        Returns
        -------
        dict
            From the donor that was left out to the result without it; placebos are not run.
        """
        check(self.problem is not None, "This result does not hold its data; leave_one_out needs one of synthetic_control.")
        check(len(self.names) > 1, f"{self.names[0]!r} is the only donor; there is nobody left without it.")
        assert self.problem is not None
        results = {}
        for i in np.flatnonzero(self.weights > 0.0).tolist():
            fitted = self.problem.fit(0, np.delete(np.arange(1, len(self.names) + 1), i), np.delete(self.weights, i))
            results[self.names[i]] = replace(
                self, names=[name for j, name in enumerate(self.names) if j != i], weights=fitted.weights,
                synthetic=fitted.synthetic, intercept=fitted.intercept, certificate=fitted.certificate,
                placebos=np.zeros((len(self.periods), 0)), problem=None)
        return results

    def to_frame(self) -> Any:
        """The series by period.

        Returns
        -------
        pandas.DataFrame
            One row for each period, with columns treated, synthetic and effect.
        """
        index = _pandas().Index(self.periods, name="period" if self.problem is None else self.problem.panel.time)
        return _pandas().DataFrame({"treated": self.treated, "synthetic": self.synthetic, "effect": self.effect}, index=index)

    def donors_frame(self) -> Any:
        """The weights of all donors, largest first.

        Returns
        -------
        pandas.DataFrame
            One row for each donor, with the column weight.
        """
        order = np.argsort(-self.weights, kind="stable")
        index = _pandas().Index([self.names[j] for j in order], name="donor")
        return _pandas().DataFrame({"weight": self.weights[order]}, index=index)

    def placebos_frame(self) -> Any:
        """How the treated unit stands among the placebos, largest ratio first.

        Returns
        -------
        pandas.DataFrame
            One row for each unit, with columns pre_rmspe, post_rmspe, ratio (of these two), mspe_ratio (its square),
            treated (whether it is the treated unit) and kept (whether it counts in the p-value).
        """
        before, after = rmspe(np.column_stack([self.effect, self.placebos]), self.start)
        ratio = ratios(before, after)
        with np.errstate(over="ignore"):
            columns = {"pre_rmspe": before, "post_rmspe": after, "ratio": ratio, "mspe_ratio": ratio**2,
                       "treated": np.arange(len(ratio)) == 0, "kept": np.concatenate([[True], self.kept])}
        index = _pandas().Index([self.unit, *(self.names if self.placebos.size else [])], name="unit")
        return _pandas().DataFrame(columns, index=index).iloc[np.argsort(-ratio, kind="stable")]

    def plot(self, ax: Any = None) -> Any:
        """Draw the treated unit and its synthetic control, and below the effect among the placebos' effects.

        The lower panel shows the treated unit's effect in full and most placebos; it says how many of them leave the panel,
        so that a placebo that cannot be fitted does not flatten the picture.

        Parameters
        ----------
        ax : pair of matplotlib axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        array of two matplotlib axes
            The upper and the lower panel.
        """
        from greedyhull.apps.synthetic.figure import draw

        return draw(self, ax)

    def __str__(self) -> str:
        shares = ", ".join(f"{name} {share:.3f}" for name, share in list(self.donors().items())[:6])
        after = float(self.effect[self.start :].mean())
        counted = int(np.count_nonzero(self.kept))
        chance = f" p-value from {counted} placebos: {self.p_value:.3f}." if counted else ""
        return f"Synthetic control from {shares}. Mean effect after the treatment: {after:.4g}.{chance} {self.certificate}"


def checked_limit(max_pre_mspe: float | None) -> float:
    """The limit for placebos; infinite where there is none."""
    limit = np.inf if max_pre_mspe is None else max_pre_mspe
    check(isinstance(limit, int | float | np.number) and bool(limit > 0), f"max_pre_mspe={max_pre_mspe!r} was given; a "
          "positive number is wanted: how many times the treated unit's error before the treatment placebos may have.")
    return float(limit)


def _pandas() -> Any:
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(f"Results as frames need pandas, which is not installed. {installing('frame')}") from None
    return pd
