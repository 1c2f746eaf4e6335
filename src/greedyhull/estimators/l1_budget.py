"""An l1 budget: Σ|w_j| ≤ radius. Few coefficients, found with a proof; or a penalty ``alpha``, whose budget is looked for."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Gap
from greedyhull.errors import check
from greedyhull.estimators.linear import Linear, LinearClassifier, LinearRegressor
from greedyhull.estimators.penalty import at_price
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array, Objective

BUDGET: dict[str, list[Any]] = {"radius": [None, Interval(Real, 0, None, closed="neither")],
                                "alpha": [None, Interval(Real, 0, None, closed="neither")], "standardize": ["boolean"]}


class Budgeted(Linear):
    """What the two estimators with a budget share."""

    radius: float | None
    alpha: float | None
    standardize: bool

    def _given(self, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
        check(self.radius is None or self.alpha is None, f"radius={self.radius!r} and alpha={self.alpha!r} were given; one of "
              "them is wanted: a budget, or its price. Leave the other at None.")
        return super()._given(X, y, **how)

    def _atoms(self, X: Any, s: Array | None) -> L1Ball:
        radius = 1.0 if self.radius is None else float(self.radius)
        return L1Ball(X.shape[1], radius, weights=spreads(X, s) if self.standardize else None)

    def _found(self, f: Objective, X: Any, s: Array | None) -> Solution:
        S = self._atoms(X, s)
        if self.alpha is None:
            return self._solve(f, S)
        check(f.traits.smooth, f"alpha={self.alpha!r} was given with loss={self.loss!r}, which has kinks: there a "
                                          "budget has no one price to search by. Give the radius.")
        solve = lambda ball, start, gap: self._run(f, ball, Gap(gap), start)
        priced = at_price(f, S, float(self.alpha), solve, float(self.tol))
        found = priced.solution
        found.certificate, found.converged = priced.certificate, priced.converged
        found.reason = (f"The penalised problem was solved to a gap of {priced.certificate.gap:.3g}, at radius "
                        f"{priced.radius:.6g}{'.' if priced.converged else ', and no radius near it does better.'}")
        if not priced.converged:
            self._warn(found)
        return found

    def _keep(self, solutions: list[Solution], dtype: Any) -> None:
        super()._keep(solutions, dtype)
        radii, prices = [float(s.atom_set.radius) for s in solutions], [s.price for s in solutions]
        self.radius_: Any = radii if len(solutions) > 1 else radii[0]
        self.price_: Any = prices if len(solutions) > 1 else prices[0]


def spreads(X: Any, s: Array | None) -> Array:
    """The standard deviation of every column, 1 where a column is constant."""
    n = X.shape[0]
    p = np.full(n, 1.0 / n) if s is None else s / s.sum()
    mean = np.asarray(X.T @ p.astype(X.dtype), dtype=np.float64)
    square = (X.multiply(X) if is_sparse(X) else X * X).T @ p.astype(X.dtype)
    spread = np.sqrt(np.maximum(np.asarray(square, dtype=np.float64) - mean**2, 0.0))
    return np.where(spread > 1e-7 * np.maximum(np.abs(mean), 1e-300), spread, 1.0)


class L1BudgetRegressor(Budgeted, LinearRegressor):
    """Linear regression with Σ|w_j| ≤ ``radius``, or with ``alpha`` in its place: then the budget is the one of that price.

    With neither, the radius is 1. The penalty ``alpha`` means what it means for scikit-learn's Lasso: loss + alpha·Σ|w_j|, the
    loss being 1/(2n) ‖Xw − y‖². ``standardize`` measures each coefficient in units of its column's standard deviation; the
    data are not copied for it. ``price_`` is what one more unit of radius is worth, ``radius_`` the budget that was used.

    >>> import numpy as np
    >>> m = L1BudgetRegressor(radius=2.0, fit_intercept=False).fit(np.eye(3), [3.0, 0.0, 1.0])
    >>> m.coef_.round(6)
    array([2., 0., 0.])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearRegressor._parameter_constraints, **BUDGET}

    def __init__(self, radius: float | None = None, *, alpha: float | None = None, loss: str = "squared",
                 standardize: bool = False, delta: float = 1.0, quantile: float = 0.5, fit_intercept: bool = True,
                 tol: float = 1e-6, max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self.radius, self.alpha, self.loss, self.standardize = radius, alpha, loss, standardize
        self.delta, self.quantile, self.fit_intercept, self.tol, self.max_iter = delta, quantile, fit_intercept, tol, max_iter
        self.random_state, self.verbose = random_state, verbose


class L1BudgetClassifier(Budgeted, LinearClassifier):
    """Linear classification with Σ|w_j| ≤ ``radius``, one against the rest; or with ``alpha``, the budget of that price.

    With neither, the radius is 1. The penalty ``alpha`` is for the mean loss: scikit-learn's C is 1/(n·alpha).

    >>> import numpy as np
    >>> X = np.array([[2.0, 0.1], [1.0, -0.1], [-1.0, 0.1], [-2.0, -0.1]])
    >>> L1BudgetClassifier(radius=1.0).fit(X, [1, 1, 0, 0]).coef_.round(6)
    array([[1., 0.]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearClassifier._parameter_constraints, **BUDGET}

    def __init__(self, radius: float | None = None, *, alpha: float | None = None, loss: str = "logistic",
                 standardize: bool = False, fit_intercept: bool = True, tol: float = 1e-6, max_iter: int = 10_000,
                 random_state: Any = None, verbose: Any = 0) -> None:
        self.radius, self.alpha, self.loss, self.standardize = radius, alpha, loss, standardize
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter
        self.random_state, self.verbose = random_state, verbose
