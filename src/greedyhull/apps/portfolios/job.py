"""The whole job: from returns or a covariance to weights with a proof and prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np

from greedyhull.apps.portfolios.assets import Assets, assets_of
from greedyhull.apps.portfolios.feasible import GROUP, Feasible, feasible
from greedyhull.apps.portfolios.result import Portfolio
from greedyhull.atoms.arguments import numbers
from greedyhull.driver.minimize import minimize
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Iterations, Relative, Stalled
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown
from greedyhull.kernels.threads import public
from greedyhull.objectives.by_name import least_squares, log_likelihood, quadratic
from greedyhull.points.aligned import alike
from greedyhull.points.gradients import as_array
from greedyhull.types import Array, Objective

ACTIVE = 1e-7  # a price below this share of the largest slope counts as none


@overload
def portfolio(returns: Any = None, *, covariance: Any = None, mean: Any = None, risk: float | str = "minimum",
              groups: Any = None, group_upper: Any = None, upper: Any = None, turnover: float | None = None,
              previous: Any = None, constraints: Any = None, benchmark: Any = None, tol: float = 1e-8) -> Portfolio: ...
@overload
def portfolio(returns: Any = None, *, covariance: Any = None, mean: Any = None, risk: Sequence[float],
              groups: Any = None, group_upper: Any = None, upper: Any = None, turnover: float | None = None,
              previous: Any = None, constraints: Any = None, benchmark: Any = None, tol: float = 1e-8) -> list[Portfolio]: ...
@public
def portfolio(returns: Any = None, *, covariance: Any = None, mean: Any = None, risk: Any = "minimum", groups: Any = None,
              group_upper: Any = None, upper: Any = None, turnover: float | None = None, previous: Any = None,
              constraints: Any = None, benchmark: Any = None, tol: float = 1e-8) -> Portfolio | list[Portfolio]:
    """Find portfolio weights under any linear constraints, with a proof and the price of each constraint.

    The weights are non-negative and sum to one. With a ``benchmark`` they track it by least squares; otherwise ``risk`` says
    what is minimised. Labelled arguments are aligned by label: the assets are the columns of ``returns`` or, without names,
    the labels of the first argument that has any. Arrays, lists and polars series are taken by position.

    Parameters
    ----------
    returns : array, data frame or mapping of columns, optional
        One row for each period, one column for each asset.
    covariance : array or data frame of shape (d, d), optional
        The covariance Σ of the returns; that of ``returns`` by default.
    mean : array_like or mapping of shape (d,), optional
        The expected returns μ; the means of ``returns`` by default.
    risk : "minimum", "log", float or sequence of float, default "minimum"
        "minimum": the least variance, ½wᵀΣw. A number λ > 0: mean and variance, ½λwᵀΣw − μᵀw. Several numbers: the frontier,
        a portfolio for each, every one started from the last. "log": the largest mean of log(1 + return), from ``returns``.
    groups : sequence, series or mapping, optional
        The group of each asset, such as its sector.
    group_upper : float, series or mapping, optional
        The largest weight of a group, one number for all or one for some of them.
    upper : float, array_like or mapping, optional
        The largest weight of an asset, 0.2 for 20 per cent: one number for all, one for each, or a mapping for some of them.
    turnover : float, optional
        The largest Σ|w − previous|.
    previous : array_like or mapping, optional
        The weights before trading.
    constraints : mapping, optional
        More rows, {name: (coefficients, limit)} for coefficients · w ≤ limit.
    benchmark : array_like of shape (n,), optional
        The returns to track.
    tol : float, default 1e-8
        The gap to reach, relative to the objective.

    Returns
    -------
    Portfolio or list of Portfolio
        Weights by name, active constraints with prices, and the certificate; a list where ``risk`` is one.

    See Also
    --------
    greedyhull.GroupedSimplex : The set behind groups and caps.
    greedyhull.LinearProgram : The set behind own constraints; it needs highspy.
    greedyhull.Simplex : The set where there are at most single caps.

    Examples
    --------
    >>> import numpy as np
    >>> found = portfolio(covariance=np.diag([1.0, 1.0, 2.0, 4.0]), groups=["a", "a", "b", "b"], group_upper=0.6)
    >>> found.weights.round(3)
    array([0.3  , 0.3  , 0.267, 0.133])
    >>> {name: round(price, 3) for name, price in found.prices.items()}
    {'group a': 0.233}
    """
    coefficients = [row[0] for row in constraints.values() if isinstance(row, (tuple, list)) and row] \
        if isinstance(constraints, Mapping) else []
    assets = assets_of(returns, covariance, mean, upper, previous, groups, *coefficients)
    benchmark = alike(("returns", returns, 0), ("benchmark", benchmark, 0))[1][1]
    allowed = feasible(assets, groups, group_upper, upper, turnover, previous, constraints)
    stop = Relative(tol) | Stalled(300) | Iterations(10_000)
    if not isinstance(risk, str) and np.ndim(risk) == 1:
        found: list[Portfolio] = []
        for one in risk:
            start = found[-1].solution.point if found else None
            s = minimize(_objective(assets, allowed, one, benchmark), allowed.S, start=start, stop=stop)
            found.append(_told(assets, allowed, s))
        return found
    return _told(assets, allowed, minimize(_objective(assets, allowed, risk, benchmark), allowed.S, stop=stop))


def _objective(assets: Assets, allowed: Feasible, risk: Any, benchmark: Any) -> Objective:
    """What is minimised, as a function of all variables of the set; sizes of trades cost nothing."""
    more = allowed.S.shape[0] - allowed.d
    if benchmark is not None or (isinstance(risk, str) and risk == "log"):
        what = "benchmark=" if benchmark is not None else "risk='log'"
        check(assets.returns is not None, f"{what} was given without returns; one row for each period is wanted.")
        assert assets.returns is not None
        R = np.hstack([assets.returns, np.zeros((len(assets.returns), more))])
        if benchmark is not None:
            target = numbers(benchmark, "benchmark")
            check(target.shape == (len(R),), lambda: f"benchmark has shape {target.shape}; {len(R)} returns, one for each "
                                                     "period, are wanted.")
            return least_squares(R, target)
        relatives = np.hstack([1.0 + assets.returns, np.zeros((len(R), more))])
        check(bool((assets.returns >= -1.0).all()), "returns has an entry below −1: more than everything is lost. Returns are "
                                                    "changes relative to the price before, 0.01 for one per cent.")
        return log_likelihood(relatives)
    good = (isinstance(risk, str) and risk == "minimum") or (
        isinstance(risk, (int, float, np.integer, np.floating)) and not isinstance(risk, bool) and 0 < risk < np.inf)
    if not good:
        raise GreedyhullError(f"risk = {shown(risk)} was given; 'minimum', 'log', a positive number, or a list of "
                              "them is wanted.")
    if assets.covariance is None and isinstance(risk, str):  # ½wᵀΣw is half the mean square of centred returns: no Σ is formed
        assert assets.returns is not None
        n = len(assets.returns)
        centred = np.sqrt(n / (n - 1)) * (assets.returns - assets.returns.mean(axis=0))
        return least_squares(np.hstack([centred, np.zeros((n, more))]), np.zeros(n))
    if assets.covariance is None:
        assert assets.returns is not None
        n = len(assets.returns)
        spread = np.sqrt(float(risk) / (n - 1)) * (assets.returns - assets.returns.mean(axis=0))
        mean = np.concatenate([_mean(assets), np.zeros(more)])
        return quadratic(None, mean, factors=np.hstack([spread, np.zeros((n, more))]))
    scale = 1.0 if isinstance(risk, str) else float(risk)
    mean = np.zeros(allowed.d) if isinstance(risk, str) else _mean(assets)
    Q = np.zeros((allowed.d + more, allowed.d + more))
    Q[: allowed.d, : allowed.d] = scale * assets.covariance
    return quadratic(Q, np.concatenate([mean, np.zeros(more)]))


def _mean(assets: Assets) -> Array:
    if assets.mean is not None:
        return assets.mean
    check(assets.returns is not None, "risk is a number, and neither mean nor returns tell the expected returns. Give mean=, "
                                      "or risk='minimum'.")
    assert assets.returns is not None
    return np.asarray(assets.returns.mean(axis=0))


def _told(assets: Assets, allowed: Feasible, s: Solution) -> Portfolio:
    w = s.x[: allowed.d]
    known = assets.mean is not None or assets.returns is not None
    expected = float(_mean(assets) @ w) if known else None
    if assets.covariance is None:
        assert assets.returns is not None
        variance = float(np.var(assets.returns @ w, ddof=1))
    else:
        variance = float(w @ assets.covariance @ w)
    return Portfolio(assets.names, w, _prices(assets, allowed, s), s.certificate, s, expected, variance)


def _prices(assets: Assets, allowed: Feasible, s: Solution) -> dict[str, float]:
    """The prices of rows and of single caps that matter; that of the sum of weights is no constraint to give way."""
    g, d = as_array(s.objective.gradient(s.point)), allowed.d
    least, rows = ACTIVE * float(np.abs(g).max(initial=0.0)), allowed.by_rows
    grouped, traded = allowed.by_groups, allowed.by_trades
    if rows is not None:
        y, reduced = rows.duals(g)
        found = {name: float(-p) for name, p in zip(rows.rows.names, y, strict=True)
                 if not name.startswith(("buy ", "sell ")) and name != "sum of weights"}
    elif grouped is not None:
        found, reduced = {GROUP + name: p for name, p in grouped.prices(g).items()}, g - grouped.levels(g)[1][grouped.of]
    elif traded is not None:
        level, costs, price = traded.levels(g)
        found = {GROUP + str(name): level - float(cost) for name, cost in zip(traded.caps.labels.tolist(), costs, strict=True)}
        found |= {"turnover": price}
        reduced = g - costs[traded.caps.of] + price * np.sign(s.x - traded.previous)
    else:
        w = s.x
        full = np.zeros(d, dtype=bool) if allowed.caps is None else w >= allowed.caps - 1e-7
        held = (w > 1e-7) & ~full
        level = float(g[held].max()) if held.any() else float(g[w > 1e-7].max())
        found, reduced = {}, g - level
    if allowed.caps is not None:
        at = np.flatnonzero((s.x[:d] >= allowed.caps - 1e-6) & (allowed.caps < 1.0))
        found |= {f"cap {assets.names[j]}": float(-reduced[j]) for j in at.tolist()}
    return dict(sorted(((name, p) for name, p in found.items() if p > least), key=lambda pair: -pair[1]))
