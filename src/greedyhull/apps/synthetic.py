"""Synthetic controls: what would have happened without the treatment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from numbers import Real
from typing import Any

import numpy as np

from greedyhull.apps.synthetic_panel import (
    Problem,
    matched_rows,
    place,
    ratios,
    read_long,
    read_wide,
    rmspe,
    share,
    typed,
    well_fitted,
)
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.solution import count
from greedyhull.driver.stop import Iterations, Relative, Stalled, promise
from greedyhull.errors import check
from greedyhull.kernels.core import public
from greedyhull.report.sentences import need
from greedyhull.types import Array


def named(s: SyntheticControl) -> str:
    """The treated unit: by its name, or as "unit 3" where that is no text."""
    if s.unit is None:
        return "treated unit"
    return s.unit if isinstance(s.unit, str) else f"unit {typed(s.unit)}"


def since(s: SyntheticControl) -> str:
    """The first period with the treatment, without quotes."""
    return typed(s.periods[s.start]).strip("'")


def _fit(s: SyntheticControl) -> str:
    """What is proved about the weights."""
    c = s.certificate
    if c.value is None or c.gap is None:
        return str(c)
    of = ""  # unknown where the data are not kept
    if s.problem is not None:
        of = f" ({'half the mean squared error before the treatment' if s.problem.outcomes else 'that of predictors'})"
    return f"loss {c.value:.6g}{of}, within {c.gap:.3g} of the minimum, {promise(c.kind, c.delta)}"


def positions(periods: list[Any]) -> Any:
    """Where the periods stand: numbers and dates as they are, other labels one after another."""
    plain = all(isinstance(p, Real | date | np.datetime64) for p in periods)
    return periods if plain else np.arange(len(periods))


def limits(effect: Array, placebos: Array) -> tuple[float, float]:
    """The range of the effects panel: all of ``effect``, and of the placebos the three quarters with the smaller peaks."""
    peak = float(np.abs(effect).max())
    if placebos.size:
        peak = max(peak, float(np.quantile(np.abs(placebos).max(axis=0), 0.75, method="lower")))
    return (-1.15 * peak, 1.15 * peak) if peak > 0.0 else (-1.0, 1.0)  # some room between the largest effect and the edge


@dataclass(frozen=True, eq=False, repr=False)
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
    exact : array of bool
        For the treated unit and then for each placebo: whether the fit before the treatment is exact, as far as its
        certificate can tell. Such a fit has an infinite ratio, since its error is rounding. Empty: none is.

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
    placebos: Array
    unit: Any = None
    intercept: float = 0.0
    max_pre_mspe: float = np.inf
    problem: Problem | None = None
    exact: Array = field(default_factory=lambda: np.zeros(0, dtype=bool))

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
        """``post_rmspe`` over ``pre_rmspe``, infinite for an exact fit; its square is the ratio of the mean squared errors."""
        return float(ratios(*self._errors())[0])

    @property
    def is_exact(self) -> bool:
        """Whether the treated unit is fitted exactly before the treatment, as with many donors and few periods."""
        return bool(self.exact[:1].any())

    def _errors(self) -> tuple[Array, Array]:
        """Errors before and after, of the treated unit and of each placebo; zero before where the fit is exact."""
        before, after = rmspe(np.column_stack([self.effect, self.placebos]), self.start)
        exact = self.exact if len(self.exact) else np.zeros(len(before), dtype=bool)
        return np.where(exact, 0.0, before), after

    @property
    def kept(self) -> Array:
        """Which placebos count: one bool for each donor, by ``max_pre_mspe``; empty where placebos were not run."""
        before, _ = self._errors()
        return well_fitted(before[1:], float(before[0]), self.max_pre_mspe)

    @property
    def p_value(self) -> float:
        """The share of units, the treated one and the placebos that count, whose ratio is at least the treated unit's.

        It cannot be less than one over the number of these units. NaN where no placebo counts. Units with an exact fit
        before the treatment are ties.
        """
        return share(self.ratio, ratios(*self._errors())[1:][self.kept])

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
        """Estimate the effect again without each donor that has weight, to see how much depends on one of them.

        Returns
        -------
        dict
            From the donor that was left out to the result without it; placebos are not run.
        """
        check(self.problem is not None, "This result does not hold its data; leave_one_out needs one of synthetic_control.")
        check(len(self.names) > 1, f"{self.names[0]!r} is the only donor; no donor is left without it.")
        assert self.problem is not None
        results = {}
        for i in np.flatnonzero(self.weights > 0.0).tolist():
            fitted = self.problem.fit(0, np.delete(np.arange(1, len(self.names) + 1), i), np.delete(self.weights, i))
            results[self.names[i]] = replace(
                self, names=[name for j, name in enumerate(self.names) if j != i], weights=fitted.weights,
                synthetic=fitted.synthetic, intercept=fitted.intercept, certificate=fitted.certificate,
                placebos=np.zeros((len(self.periods), 0)), problem=None, exact=np.array([fitted.exact]))
        return results

    def to_frame(self) -> Any:
        """The series by period.

        Returns
        -------
        pandas.DataFrame
            One row for each period, with columns treated, synthetic and effect.
        """
        columns = {"treated": self.treated, "synthetic": self.synthetic, "effect": self.effect}
        return _frame(columns, "period" if self.problem is None else self.problem.panel.time, self.periods)

    def donors_frame(self) -> Any:
        """The weights of all donors, largest first.

        Returns
        -------
        pandas.DataFrame
            One row for each donor, with the column weight.
        """
        order = np.argsort(-self.weights, kind="stable")
        return _frame({"weight": self.weights[order]}, "donor", [self.names[j] for j in order])

    def placebos_frame(self) -> Any:
        """How the treated unit stands among the placebos, largest ratio first.

        Returns
        -------
        pandas.DataFrame
            One row for each unit, with columns pre_rmspe, post_rmspe, ratio (of these two), mspe_ratio (its square),
            treated (whether it is the treated unit) and kept (whether it counts in the p-value).
        """
        before, after = rmspe(np.column_stack([self.effect, self.placebos]), self.start)
        ratio = ratios(*self._errors())
        with np.errstate(over="ignore"):
            columns = {"pre_rmspe": before, "post_rmspe": after, "ratio": ratio, "mspe_ratio": ratio**2,
                       "treated": np.arange(len(ratio)) == 0, "kept": np.concatenate([[True], self.kept])}
        units = [self.unit, *(self.names if self.placebos.size else [])]
        return _frame(columns, "unit", units).iloc[np.argsort(-ratio, kind="stable")]

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
        need("A figure", {"matplotlib": "matplotlib"}, "demo")
        import matplotlib.pyplot as plt

        axes = plt.subplots(2, 1, sharex=True, layout="constrained", figsize=(7, 7))[1] if ax is None else np.asarray(ax)
        check(np.shape(axes) == (2,), f"ax has shape {np.shape(axes)}; a pair of axes is wanted.")
        x = positions(self.periods)
        panel = None if self.problem is None else self.problem.panel
        upper, lower = axes
        upper.plot(x, self.treated, color="k", lw=1.8, label="treated" if self.unit is None else f"{named(self)} (treated)")
        upper.plot(x, self.synthetic, color="C0", lw=1.8, ls="--", label="synthetic control")
        called = self.unit if isinstance(self.unit, str) else named(self).capitalize()
        upper.set(ylabel="outcome" if panel is None else panel.outcome, title=f"{called} and its synthetic control")
        shown = self.placebos[:, self.kept]
        if shown.size:
            lower.plot(x, shown, color="0.75", lw=0.8)[0].set_label("placebos")
        lower.plot(x, self.effect, color="k", lw=1.8, label="effect" if self.unit is None else named(self))
        lower.axhline(0.0, color="0.5", lw=0.8)
        low, high = limits(self.effect, shown)
        lower.set_ylim(low, high)
        outside = int(np.count_nonzero(((shown < low) | (shown > high)).any(axis=0)))
        title = f"Effect and {count(shown.shape[1], 'placebo')}" if shown.size else "Effect"
        lower.set(xlabel="period" if panel is None else panel.time, ylabel="effect (treated − synthetic)",
                  title=f"{title} ({outside} beyond the panel)" if outside else title)
        for a in axes:
            a.axvline(x[self.start], color="C3", lw=1.0, ls=":", label="treatment begins")
            a.legend(frameon=False, fontsize="small", loc="best")
        if x is not self.periods:
            at = np.unique(np.linspace(0, len(x) - 1, min(8, len(x))).round().astype(int))
            lower.set_xticks(at, [typed(self.periods[i]).strip("'") for i in at])
        return axes

    def _mean_effect(self) -> str:
        return f"{float(self.effect[self.start:].mean()):.4g}"

    def __str__(self) -> str:
        found, counted = self.donors(), int(np.count_nonzero(self.kept))
        first = ", ".join(f"{name} {share:.3f}" for name, share in list(found.items())[:6])  # the largest ones
        more = f", and {len(found) - 6} with less" if len(found) > 6 else ""
        rows = [("treated", f"{named(self)}, from {since(self)} on"),
                ("donors", f"{first}{more} ({len(found)} of {len(self.names)})"),
                ("effect", f"{self._mean_effect()} on average from {since(self)} on"),
                ("RMSPE", f"{self.pre_rmspe:.4g} before, {self.post_rmspe:.4g} after, ratio {self.ratio:.4g}")]
        if counted:
            least = 1 / (1 + counted)
            rows.append(("p-value", f"{self.p_value:.3f} from {count(counted, 'placebo')}; it cannot be below {least:.3f}"))
        if self.is_exact:
            rows.append(("warning", "The error before the treatment cannot be told from zero, so the ratio is infinite. Use "
                                    "more periods, fewer donors or a smaller tol."))
        return "\n".join(f"{name:<11}{said}" for name, said in [*rows, ("fit", _fit(self))])

    def __repr__(self) -> str:
        counted = int(np.count_nonzero(self.kept))
        chance = f", p-value {self.p_value:.3f} from {count(counted, 'placebo')}" if counted else ""
        return (f"SyntheticControl({named(self)}, mean effect {self._mean_effect()} from {since(self)} on, "
                f"{len(self.donors())} of {len(self.names)} donors{chance})")


def checked_limit(max_pre_mspe: float | None) -> float:
    """The limit for placebos; infinite where there is none."""
    limit = np.inf if max_pre_mspe is None else max_pre_mspe
    check(isinstance(limit, int | float | np.number) and bool(limit > 0), f"max_pre_mspe={max_pre_mspe!r} was given; a "
          "positive number is wanted: how many times the treated unit's error before the treatment placebos may have.")
    return float(limit)


def _frame(columns: dict[str, Array], name: str, index: list[Any]) -> Any:
    need("A frame", {"pandas": "pandas"}, "frame")
    import pandas as pd

    return pd.DataFrame(columns, index=pd.Index(index, name=name))


@public
def synthetic_control(Y: Any, treated: Any, t0: Any, *, unit: Any = None, time: Any = None, outcome: Any = None,
                      donors: Sequence[Any] | None = None, predictors: Any = None, importance: Sequence[float] | None = None,
                      intercept: bool = False, placebos: bool = True, max_pre_mspe: float | None = None,
                      tol: float = 1e-8) -> SyntheticControl:
    """Estimate the effect of a treatment on one unit by a weighted mean of untreated units.

    The weights w of the donors are non-negative and sum to one. They minimise the mean squared distance between the
    treated unit and the weighted mean of the donors before the treatment, which is least squares over a simplex; the
    certificate of the result bounds how far the fit is from the best one.

    Parameters
    ----------
    Y : array, data frame or mapping of columns
        Outcomes. Wide: one row for each period, in order of time, and one column for each unit. Long: one row for each
        unit and period, in any order; then ``unit``, ``time`` and ``outcome`` name its columns. Every unit must be observed
        in every period.
    treated : label
        The treated unit: a column of a wide frame, an entry of the column ``unit`` of a long one, the number of a column of
        an array.
    t0 : label
        The first period with the treatment: a label of the index or of the column ``time``, the number of a row of an
        array. Dates and periods may be given as text such as "1990-01" (the first that begins so is meant) or as a year.
    unit, time, outcome : str, optional
        The columns of a long frame, or levels of its index. ``time`` alone names the column of a wide frame that
        holds its periods.
    donors : list of labels, optional
        The units that may get weight. All units but the treated one by default; leave out units that had the treatment
        too, or that it affected.
    predictors : array, data frame or list of str, optional
        What to match in place of the outcomes: one row for each predictor, one column for each unit, which in a data frame
        is found by name. For a long frame, names of columns: their means over the periods before ``t0`` are matched, missing
        values left out. Each predictor is divided by its standard deviation over the units.
    importance : sequence of float, optional
        How much each predictor counts; all the same by default. A labelled series is aligned with the names of predictors.
    intercept : bool, default=False
        Add a constant to the mean of the donors, so that only the path of the treated unit must be matched and not its
        level (demeaned synthetic control). With ``predictors``, which are matched as before, the constant is the mean
        difference before ``t0``.
    placebos : bool, default=True
        Repeat the estimate for every donor, as if it had been the treated unit; the treated unit is no donor then.
    max_pre_mspe : float, optional
        Leave placebos out of the p-value and of figures if their mean squared prediction error before ``t0`` is more than
        this many times the treated unit's: what cannot be fitted before says little about after. 2, 5 and 20 are usual.
    tol : float, default=1e-8
        The weights are found to a certified gap of ``tol`` times the larger of the loss and the loss of predicting zero.

    Returns
    -------
    SyntheticControl
        Weights, series, effects and placebos, with methods for frames, figures and robustness.

    Notes
    -----
    The weights need not be unique where donors are many and periods few. The certificate is about the fit.

    Examples
    --------
    >>> Y = np.array([[1.0, 0.0, 2.0], [2.0, 1.0, 3.0], [3.0, 1.0, 5.0], [9.0, 2.0, 6.0]])
    >>> s = synthetic_control(Y, treated=0, t0=3, placebos=False)
    >>> s.weights.round(6), s.effect[3].round(6)
    (array([0.5, 0.5]), np.float64(5.0))

    A long table, here as a dictionary of columns:

    >>> long = {"state": ["A", "A", "B", "B", "C", "C"], "year": [1990, 1991] * 3, "sales": [2.0, 9.0, 1.0, 1.0, 3.0, 3.0]}
    >>> synthetic_control(long, "A", 1991, unit="state", time="year", outcome="sales").donors()
    {'B': 0.5, 'C': 0.5}
    """
    long = unit is not None or outcome is not None
    panel = read_long(Y, treated, donors, unit, time, outcome) if long else read_wide(Y, treated, donors, time)
    start = place(t0, panel.periods, "t0", "the first period with the treatment, one of the periods,")
    check(start > 0, f"t0={t0!r} was given, the first period; periods before the treatment are wanted, to fit the weights.")
    check(start > 1 or not intercept or predictors is not None, f"t0={t0!r} leaves one period before the treatment, which an "
          "intercept fits with any weights. Give more periods, or leave the intercept out.")
    limit = checked_limit(max_pre_mspe)
    matched = matched_rows(panel, start, Y, predictors, importance, unit, time)
    stop = Relative(tol) | Stalled(300) | Iterations(10_000)
    problem = Problem(panel, matched, start, bool(intercept), predictors is None, stop)
    own = problem.fit(0, np.arange(1, panel.table.shape[1]))
    none = np.zeros((len(panel.periods), 0)), np.zeros(0, dtype=bool)
    effects, exact = problem.placebos(own.weights) if placebos else none
    return SyntheticControl(panel.names[1:], own.weights, panel.periods, start, panel.table[:, 0], own.synthetic,
                            own.certificate, effects, panel.names[0], own.intercept, limit, problem,
                            np.concatenate([[own.exact], exact]))
