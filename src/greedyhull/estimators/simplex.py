"""Weights that are non-negative and sum to a total."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.atoms.neighbours import lowest
from greedyhull.atoms.simplex import Simplex
from greedyhull.estimators.described import CLASSIFIER, REGRESSOR, described
from greedyhull.estimators.linear import Linear, LinearRegressor
from greedyhull.estimators.linear_classifier import LinearClassifier
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs import design
from greedyhull.points.aligned import point_of
from greedyhull.points.arrays import column
from greedyhull.types import Array, AtomSet, Index, Shape

Solve = Callable[[Any, Any], Array]


def best_few(f: Composite, w: Array, most: int, solve: Solve) -> Array:
    """Weights with at most ``most`` positive ones: the better of backward elimination and forward selection, then exchanges.

    Backward steps drop the smallest weights, half of what is too many at a time; forward steps add the one with the least
    partial derivative. An exchange tries those with the least derivatives in the place of one weight.
    """
    m = len(w)
    while np.count_nonzero(w) > most:
        on = np.flatnonzero(w)
        keep = max(most, len(on) - max(1, (len(on) - most) // 2))
        w = _on(f, np.sort(on[np.argsort(-w[on], kind="stable")[:keep]]), solve)
    alone = [float(f.loss.value(column(f.design, j))) for j in range(m)]
    joined = [int(np.argmin(alone))]
    other = np.zeros(m)
    other[joined] = 1.0
    while len(joined) < most:
        scores = _scores(f, other)
        scores[joined] = np.inf
        joined.append(int(scores.argmin()))
        other = _on(f, np.array(joined), solve)
    return _exchanged(f, min((w, other), key=lambda x: _value(f, x)), solve)


def _value(f: Composite, w: Array) -> float:
    return float(f.loss.value(f.design.matvec(w)))


def _scores(f: Composite, w: Array) -> Array:
    g = np.asarray(f.design.adjoint(f.loss.gradient(f.design.matvec(w))), dtype=np.float64)
    g[w > 0] = np.inf
    return g


def _exchanged(f: Composite, w: Array, solve: Solve) -> Array:
    value, better = _value(f, w), True
    while better:
        better = False
        for i in np.flatnonzero(w):
            rest = w.copy()
            rest[i] = 0.0
            on = np.flatnonzero(rest)
            scores = _scores(f, rest / rest.sum() if len(on) else w)
            scores[i] = np.inf
            for j in lowest(scores, min(8, len(w))):  # how many are tried in the place of one
                if not np.isfinite(scores[j]):
                    break
                new = _on(f, np.append(on, j), solve)
                if _value(f, new) < value - 1e-9 * abs(value):
                    w, value, better = new, _value(f, new), True
                    break
            if better:
                break
    return w


def _on(f: Composite, on: Index, solve: Solve) -> Array:
    """The best weights on some of the columns."""
    small = Composite(design(np.column_stack([column(f.design, int(j)) for j in on])), f.loss, f.name, f.exact)
    w = np.zeros(f.domain)
    w[on] = solve(small, Simplex(len(on)))
    return w


class Shared(Linear):
    """What the two estimators on a simplex share."""

    total: float
    upper: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        (tags.regressor_tags or tags.classifier_tags).poor_score = True  # on data that no weights of one sign fit
        return tags

    def _atoms(self, X: Any, s: Array | None, shape: Shape) -> Any:
        return Simplex(shape[0], self.total, upper=point_of(self.upper, self, name="upper"))

    def _moved(self, x: Array, S: AtomSet) -> Array:
        inside = np.maximum(x, 0.0)
        sum_ = float(inside.sum())
        return np.asarray(inside * (self.total / sum_)) if sum_ > 0.0 else inside


@described(REGRESSOR)
class SimplexRegressor(Shared, LinearRegressor):
    """Linear regression with non-negative weights that have a given sum.

    Typical uses are mixtures of forecasts, portfolios that track an index and donors of a synthetic control. The weights with
    the least mean loss are found and certified.

    Parameters
    ----------
    {loss}
    total : float, default=1.0
        What the weights sum to.
    {upper, delta, quantile}
    fit_intercept : bool, default=False
        Fit an intercept. Without one, the predictions are weighted sums of the columns.
    {warm_start, tol, max_iter, random_state, verbose}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The coefficients; where y has several columns, a row for each of them.
    {weights_}
    intercept_ : float or ndarray of shape (n_targets,)
        The intercept, 0 without one.
    dual_gap_ : float
        The loss is at most this far above the least one: proved, rounding included. Of several targets, the largest.
    certificate_ : Certificate or list of Certificate
        Value, gap and lower bound.
    solution_ : Solution or Solutions
        The whole answer of the solver.
    trace_ : Trace
        How the solve went. Not set where y has several columns: ``solution_[j].trace``.
    {n_iter_, n_features_in_, feature_names_in_}

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import SimplexRegressor
    >>> X = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 3.0], [1.0, 1.0, 0.0]])
    >>> SimplexRegressor().fit(X, X @ [0.25, 0.75, 0.0]).weights_.round(6)
    array([0.25, 0.75, 0.  ])
    """

    def __init__(self, *, loss: str = "squared", total: float = 1.0, upper: Any = None, delta: float = 1.0,
                 quantile: float = 0.5, fit_intercept: bool = False, warm_start: bool = False, tol: float = 1e-6,
                 max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self._store(locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._several_targets
        return tags

    @property
    def _several_targets(self) -> bool:
        return self.loss != "poisson"  # scikit-learn tests several targets with negative ones


@described(CLASSIFIER)
class SimplexClassifier(Shared, LinearClassifier):
    """Linear classification with non-negative weights that have a given sum.

    Several classes are fitted one against the rest, each with weights of its own.

    Parameters
    ----------
    {loss}
    total : float, default=1.0
        What the weights sum to. A larger one lets scores, and so probabilities, grow.
    {upper}
    fit_intercept : bool, default=True
        Fit an intercept.
    {class_weight, warm_start, tol, max_iter, random_state, verbose}

    Attributes
    ----------
    {coef_, weights_, intercept_, dual_gap_, fitted}

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import SimplexClassifier
    >>> X = np.array([[2.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]])
    >>> SimplexClassifier().fit(X, ["yes", "yes", "no", "no"]).weights_.round(6)
    array([1., 0.])
    """

    def __init__(self, *, loss: str = "logistic", total: float = 1.0, upper: Any = None, fit_intercept: bool = True,
                 class_weight: dict[Any, float] | str | None = None, warm_start: bool = False, tol: float = 1e-6,
                 max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self._store(locals())
