"""Portfolios under linear constraints, with the price of each."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from greedyhull.atoms.arguments import numbers, positive
from greedyhull.atoms.grouped_simplex import GroupedSimplex, TurnoverSimplex
from greedyhull.atoms.linear_program import LinearProgram
from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.run import minimize
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Iterations, Relative, Stalled
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check, shown
from greedyhull.kernels.core import public
from greedyhull.objectives.by_name import least_squares, log_likelihood, quadratic
from greedyhull.points.aligned import alike, few, labels_of, mapping_of, numbered, ordered, places_of, square, table_of
from greedyhull.points.gradients import as_array
from greedyhull.types import Array, AtomSet, Objective


@dataclass(frozen=True, eq=False)
class Assets:
    """What is known of the assets; ``labels`` are their names, or their numbers where they have none."""

    labels: Sequence[Any]
    returns: Array | None
    covariance: Array | None
    mean: Array | None

    @property
    def names(self) -> list[str]:
        return [str(label) for label in self.labels]

    def vector(self, given: Any, name: str, missing: float = 0.0) -> Array:
        """A number for each asset; a mapping may leave assets out, which get ``missing``."""
        d = len(self.labels)
        found = numbers(self.ordered(given, name, missing), name)
        check(found.shape in ((), (d,)), lambda: f"{name} must be one number, or {d} numbers; got shape {found.shape}.")
        return np.broadcast_to(found, d).copy()

    def ordered(self, given: Any, name: str, missing: Any = None) -> Any:
        """An entry for each asset, in their order; a mapping must name all unless ``missing`` is not None."""
        if not isinstance(given, Mapping):
            return ordered(given, self.labels, name, "the assets")
        known = f"The assets are {few(self.names)}."
        places = places_of(list(given), self.names, name, "the assets", known, some=missing is not None).tolist()
        values = list(given.values())
        return [missing if k < 0 else values[k] for k in places]


def assets_of(returns: Any, covariance: Any, mean: Any, *others: Any) -> Assets:
    """The assets, with the labels of the first argument that has any; ``others`` have an entry for each asset."""
    check(returns is not None or covariance is not None, "portfolio() was given neither returns nor covariance.")
    named = [*(labels_of(one, 1) for one in (returns, covariance)), *(labels_of(one) for one in (mean, *others))]
    labels = next((list(one) for k, one in enumerate(named) if one is not None and not numbered(one, shuffled=k > 1)), None)
    R = None if returns is None else _matrix(ordered(returns, labels, "returns", "the assets", 1), "returns")
    Q = None if covariance is None else _matrix(square(covariance, "covariance", labels, "the assets"), "covariance")
    d = (R if R is not None else Q).shape[1]  # type: ignore[union-attr]
    check(Q is None or Q.shape == (d, d), lambda: f"covariance has shape {Q.shape}; {(d, d)} is wanted, for {d} assets.")  # type: ignore[union-attr]
    check(R is None or len(R) > 1, "returns has one row; at least two periods are wanted.")
    known: Sequence[Any] = range(d) if labels is None or len(labels) != d else labels
    check(len({str(label) for label in known}) == d, "Two assets have the same name; a name of its own for each is wanted.")
    kept = Assets(known, R, Q, None)
    odd = [] if R is None else [j for j in np.flatnonzero(R.min(axis=0) > 0.0).tolist() if np.median(R[:, j]) >= 0.5]
    if odd:  # no returns are all positive, with 50 % or more in half of the periods
        warnings.warn(f"returns holds positive numbers only for {few([kept.names[j] for j in odd])}, with a median of at "
                      "least 0.5, and looks like prices. Returns are changes relative to the price before, 0.01 for one per "
                      "cent: prices[1:] / prices[:-1] - 1.", GreedyhullWarning, stacklevel=4)
    return Assets(known, R, Q, None if mean is None else kept.vector(mean, "mean"))


def groups_of(groups: Any, assets: Assets) -> list[str]:
    check(not isinstance(groups, str), lambda: f"groups must have a label for each asset; got {groups!r}.")
    if isinstance(groups, Mapping):  # it may be about more assets than these
        groups = {name: group for name, group in groups.items() if str(name) in assets.names}
    found = list(assets.ordered(groups, "groups"))
    check(len(found) == len(assets.labels),
          lambda: f"groups has {len(found)} labels; {len(assets.labels)} are wanted, one for each asset.")
    return [str(label) for label in found]


def _matrix(given: Any, name: str) -> Array:
    found = numbers(table_of(given), name)
    if found.ndim != 2 or 0 in found.shape:
        raise GreedyhullError(f"{name} = {shown(given)} was given; a matrix with a column for each asset is wanted.")
    return found


GROUP = "group "  # in front of a label, in the name of its row


@dataclass(frozen=True, eq=False)
class Feasible:
    """The set, how many of its variables are weights (others are sizes of trades), and the cap of each weight."""

    S: AtomSet
    d: int
    caps: Array | None


def feasible(assets: Assets, groups: Any, group_upper: Any, upper: Any, turnover: float | None, previous: Any,
             constraints: Any) -> Feasible:
    d, group_upper = len(assets.names), mapping_of(group_upper, "group_upper")
    caps = None if upper is None else assets.vector(upper, "upper", missing=1.0)
    for_groups = group_upper.values() if isinstance(group_upper, Mapping) else [group_upper]
    _warn_of_idle([] if caps is None else caps, "upper", 1.0)
    _warn_of_idle([one for one in for_groups if isinstance(one, (int, float, np.number))], "group_upper", 1.0)
    rows = [*_groups(assets, groups, group_upper), *_own(assets, constraints)]
    check((turnover is None) == (previous is None), "turnover=, the sum of all trades, and previous= belong together.")
    before = None if previous is None else assets.vector(previous, "previous")
    if before is not None and isinstance(turnover, (int, float, np.number)):
        _warn_of_idle([turnover], "turnover", 1.0 + float(np.abs(before).sum()))
    if not rows and turnover is None:
        return Feasible(Simplex(d, upper=caps), d, caps)
    if constraints is None:  # caps on disjoint groups are a polymatroid: no program is needed
        limits = {name.removeprefix(GROUP): min(end, 1.0) for name, _, end in rows}
        grouped = GroupedSimplex(groups_of(groups, assets) if rows else ["all"] * d, upper=caps, group_upper=limits)
        if turnover is None:
            return Feasible(grouped, d, caps)
        return Feasible(TurnoverSimplex(grouped, before, turnover), d, caps)
    A, b = np.array([row for _, row, _ in rows]).reshape(len(rows), d), [float(end) for _, _, end in rows]
    names, bounds = [name for name, _, _ in rows], [(0.0, cap) for cap in (np.ones(d) if caps is None else caps)]
    sum_ = np.ones((1, d))
    if turnover is not None:
        assert before is not None
        limit = positive(turnover, "turnover")
        one, none = np.eye(d), np.zeros((len(rows), d))
        A = np.block([[A, none], [one, -one], [-one, -one], [np.zeros((1, d)), np.ones((1, d))]])
        b = [*b, *before, *-before, limit]
        names = [*names, *(f"buy {name}" for name in assets.names), *(f"sell {name}" for name in assets.names), "turnover"]
        bounds, sum_ = bounds + [(0.0, limit)] * d, np.hstack([sum_, np.zeros((1, d))])
    return Feasible(LinearProgram(A, b, sum_, [1.0], bounds, [*names, "sum of weights"]), d, caps)


def _warn_of_idle(limits: Any, name: str, most: float) -> None:
    """Warn of limits that no portfolio reaches, such as caps in per cent."""
    largest = max(limits, default=0.0)
    if largest > most:
        warnings.warn(f"{name} holds {largest:g} and has no effect there: the weights sum to 1, so that nothing exceeds "
                      f"{most:g}. For {largest:g} per cent give {largest / 100:g}.", GreedyhullWarning, stacklevel=5)


def _groups(assets: Assets, groups: Any, group_upper: Any) -> list[tuple[str, Array, float]]:
    """A row for each group with a cap."""
    check((groups is None) == (group_upper is None), "groups= and group_upper=, their largest weights, belong together.")
    if groups is None:
        return []
    labels = groups_of(groups, assets)
    kinds = sorted(set(labels))
    if isinstance(group_upper, Mapping):
        lost = [str(key) for key in group_upper if str(key) not in kinds]
        check(not lost, lambda: f"group_upper names {lost[0]!r}, which is no group. The groups are {few(kinds)}.")
        caps = {str(key): positive(value, f"group_upper[{key!r}]") for key, value in group_upper.items()}
    else:
        cap = positive(group_upper, "group_upper")
        check(cap * len(kinds) >= 1.0 - 1e-12, f"group_upper = {cap:g} for {len(kinds)} groups leaves at most "
              f"{cap * len(kinds):.4g} of the portfolio; the weights sum to 1. Give at least {1 / len(kinds):.4g}.")
        caps = dict.fromkeys(kinds, cap)
    return [(f"{GROUP}{kind}", np.array([label == kind for label in labels], dtype=float), cap) for kind, cap in caps.items()]


def _own(assets: Assets, constraints: Any) -> list[tuple[str, Array, float]]:
    """Rows ⟨coefficients, w⟩ ≤ limit by name."""
    if constraints is None:
        return []
    if not isinstance(constraints, Mapping):
        raise GreedyhullError("constraints must be a mapping {name: (coefficients, limit)}, for coefficients · w ≤ limit.")
    rows = []
    for name, row in constraints.items():
        check(isinstance(row, (tuple, list)) and len(row) == 2, f"constraints[{name!r}] is no pair (coefficients, limit).")
        rows.append((str(name), assets.vector(row[0], f"constraints[{name!r}]"), float(row[1])))
    return rows


SMALL = 1e-9  # a weight below this is not shown


@dataclass(frozen=True, eq=False)
class Portfolio:
    """The result of `portfolio`: weights, what they are worth, and which constraints matter.

    Each parameter is an attribute of the same name.

    Parameters
    ----------
    names : list of str
        The assets.
    weights : ndarray
        The weight of each asset; they sum to one.
    prices : dict
        What one more unit of each constraint that matters is worth: how much the minimum of the objective falls. Groups,
        single caps ("cap NAME"), own constraints and turnover, by name; the largest first.
    certificate : Certificate
        How far the objective is from its minimum, proved.
    solution : Solution
        The run, with its objective and set.
    expected : float or None
        The mean return of the portfolio, where it is known.
    variance : float or None
        The variance of its return, where it is known.

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.apps import portfolio
    >>> found = portfolio(covariance=np.diag([1.0, 2.0, 2.0]))
    >>> found.held()
    {'0': 0.5, '1': 0.25, '2': 0.25}
    """

    names: list[str]
    weights: Array
    prices: dict[str, float]
    certificate: Certificate
    solution: Solution = field(repr=False)
    expected: float | None = None
    variance: float | None = None

    def held(self, digits: int = 6) -> dict[str, float]:
        """Return the assets with a weight, the largest first.

        Parameters
        ----------
        digits : int, default 6
            To how many digits weights are rounded.

        Returns
        -------
        dict
            Weights by name.
        """
        order = np.argsort(-self.weights, kind="stable")
        return {self.names[j]: round(float(self.weights[j]), digits) for j in order.tolist() if self.weights[j] > SMALL}

    def __repr__(self) -> str:
        held = int((self.weights > SMALL).sum())
        return f"Portfolio({held} of {len(self.names)} assets, {len(self.prices)} active constraints, {self.certificate})"


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
        More rows, {name: (coefficients, limit)} for coefficients · w ≤ limit; they need highspy.
    benchmark : array_like of shape (n,), optional
        The returns to track.
    tol : float, default 1e-8
        The gap to reach, relative to the objective.

    Returns
    -------
    Portfolio or list of Portfolio
        Weights by name, active constraints with prices, and the certificate; a list where ``risk`` is one.

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
    several = not isinstance(risk, str) and np.ndim(risk) == 1
    found: list[Portfolio] = []
    for one in risk if several else [risk]:
        start = found[-1].solution.point if found else None
        s = minimize(_objective(assets, allowed, one, benchmark), allowed.S, start=start, stop=stop)
        w = s.x[: allowed.d]
        known = assets.mean is not None or assets.returns is not None
        if assets.covariance is None:
            assert assets.returns is not None
            variance = float(np.var(assets.returns @ w, ddof=1))
        else:
            variance = float(w @ assets.covariance @ w)
        found.append(Portfolio(assets.names, w, _prices(assets, allowed, s), s.certificate, s,
                               float(_mean(assets) @ w) if known else None, variance))
    return found if several else found[0]


def _objective(assets: Assets, allowed: Feasible, risk: Any, benchmark: Any) -> Objective:
    """What is minimised, as a function of all variables of the set; sizes of trades cost nothing."""
    more = allowed.S.shape[0] - allowed.d
    trades = ((0, 0), (0, more))
    if benchmark is not None or (isinstance(risk, str) and risk == "log"):
        what = "benchmark=" if benchmark is not None else "risk='log'"
        check(assets.returns is not None, f"{what} was given without returns; one row for each period is wanted.")
        assert assets.returns is not None
        if benchmark is not None:
            target, n = numbers(benchmark, "benchmark"), len(assets.returns)
            check(target.shape == (n,), lambda: f"benchmark must have a return for each of {n} periods; got {target.shape}.")
            return least_squares(np.pad(assets.returns, trades), target)
        check(bool((assets.returns >= -1.0).all()), "returns has an entry below −1: more than everything is lost. Returns are "
                                                    "changes relative to the price before, 0.01 for one per cent.")
        return log_likelihood(np.pad(1.0 + assets.returns, trades))
    good = (isinstance(risk, str) and risk == "minimum") or (
        isinstance(risk, (int, float, np.integer, np.floating)) and not isinstance(risk, bool) and 0 < risk < np.inf)
    if not good:
        raise GreedyhullError(f"risk must be 'minimum', 'log', a positive number or a list of them; got {shown(risk)}.")
    if assets.covariance is None:  # no Σ is formed
        assert assets.returns is not None
        n, centred = len(assets.returns), assets.returns - assets.returns.mean(axis=0)
        if isinstance(risk, str):  # ½wᵀΣw is half the mean square of centred returns
            return least_squares(np.pad(np.sqrt(n / (n - 1)) * centred, trades), np.zeros(n))
        mean = np.concatenate([_mean(assets), np.zeros(more)])
        return quadratic(None, mean, factors=np.pad(np.sqrt(float(risk) / (n - 1)) * centred, trades))
    scale = 1.0 if isinstance(risk, str) else float(risk)
    mean = np.zeros(allowed.d) if isinstance(risk, str) else _mean(assets)
    return quadratic(np.pad(scale * assets.covariance, (0, more)), np.concatenate([mean, np.zeros(more)]))


def _mean(assets: Assets) -> Array:
    if assets.mean is not None:
        return assets.mean
    check(assets.returns is not None, "A number for risk needs mean or returns. Give mean=, or risk='minimum'.")
    assert assets.returns is not None
    return np.asarray(assets.returns.mean(axis=0))


def _prices(assets: Assets, allowed: Feasible, s: Solution) -> dict[str, float]:
    """The prices of rows and of single caps that matter; that of the sum of weights is no constraint to give way."""
    g, d = as_array(s.objective.gradient(s.point)), allowed.d
    S, least = allowed.S, 1e-7 * float(np.abs(g).max(initial=0.0))  # a price below this share of the largest slope is none
    if isinstance(S, LinearProgram):
        y, reduced = S.duals(g)
        found = {name: float(-p) for name, p in zip(S.rows.names, y, strict=True)
                 if not name.startswith(("buy ", "sell ")) and name != "sum of weights"}
    elif isinstance(S, GroupedSimplex):
        found, reduced = {GROUP + name: p for name, p in S.prices(g).items()}, g - S.levels(g)[1][S.of]
    elif isinstance(S, TurnoverSimplex):
        level, costs, price = S.levels(g)
        found = {GROUP + str(name): level - float(cost) for name, cost in zip(S.caps.labels.tolist(), costs, strict=True)}
        found |= {"turnover": price}
        reduced = g - costs[S.caps.of] + price * np.sign(s.x - S.previous)
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
