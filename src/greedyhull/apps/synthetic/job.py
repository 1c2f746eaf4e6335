"""The whole job: read the panel, find the weights of the donors, run the placebos."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from greedyhull.apps.synthetic.fitting import Problem, matched_rows
from greedyhull.apps.synthetic.labels import place
from greedyhull.apps.synthetic.panel import read_long, read_wide
from greedyhull.apps.synthetic.result import SyntheticControl, checked_limit
from greedyhull.driver.stop import Iterations, Relative, Stalled
from greedyhull.errors import check
from greedyhull.kernels.threads import public


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

    See Also
    --------
    greedyhull.estimators.SimplexRegressor : Least squares over a simplex with scikit-learn's interface.

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
