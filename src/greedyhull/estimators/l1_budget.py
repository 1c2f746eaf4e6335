"""An l1 budget: Σ|w_j| ≤ radius. Few coefficients, certified; or a penalty ``alpha``, whose radius is searched for."""

from __future__ import annotations

from typing import Any, ClassVar

from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Gap
from greedyhull.errors import check
from greedyhull.estimators.base import POSITIVE, counted
from greedyhull.estimators.budget import L1Set, at_price
from greedyhull.estimators.cv_paths import RadiusPath
from greedyhull.estimators.described import PENALISED_CLASSIFIER, PENALISED_REGRESSOR, described
from greedyhull.estimators.linear import LinearRegressor
from greedyhull.estimators.linear_classifier import LinearClassifier
from greedyhull.types import Array, Objective

MISSED = ", where the search for the radius ended. Use a larger alpha, tol or max_iter, or give a radius."


class Budgeted(L1Set, RadiusPath):
    """What the two estimators with a budget share."""

    radius: float | None
    alpha: float | None

    def _given(self, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
        check(self.radius is None or self.alpha is None,
              lambda: f"radius={self.radius!r} and alpha={self.alpha!r} were both given. Leave one of them at None.")
        return super()._given(X, y, **how)

    def _found(self, f: Objective, X: Any, s: Array | None, start: Array | None = None) -> Solution:
        if self.alpha is None:
            return super()._found(f, X, s, start)
        check(f.traits.smooth, f"alpha={self.alpha!r} needs a smooth loss; got loss={self.loss!r}. Give the radius.")
        solve = lambda ball, start, gap: self._run(f, ball, Gap(gap), None if start is None else self._moved(start, ball))
        priced = at_price(f, self._atoms(X, s, f.domain), float(self.alpha), solve, float(self.tol), start)
        found = priced.solution
        found.certificate, found.converged = priced.certificate, priced.converged
        found.reason = (f"The penalised problem was solved to a gap of {priced.certificate.gap:.3g}, at radius "
                        f"{priced.radius:.6g}{'.' if priced.converged else MISSED}")
        return counted(self, found)

    def _minimised(self) -> str:
        if self.alpha is None:
            return ""
        return (f"Value and gap are those of the penalised problem, loss + {self.alpha:g} times the l1 norm, over all "
                "coefficients. It was solved through the radius whose price is the penalty; the bounds of theorems are about "
                "the last solve, over the ball of that radius.")


@described(PENALISED_REGRESSOR)
class L1BudgetRegressor(Budgeted, LinearRegressor):
    """Linear regression with an l1 budget: Σ|w_j| ≤ radius.

    The coefficients with the least mean loss in the l1 ball are found and certified. A penalty ``alpha`` may be given in place
    of the radius; it means what it means for scikit-learn's Lasso.

    Parameters
    ----------
    {radius, alpha, loss, standardize, positive, delta, quantile, fit_intercept, warm_start, tol, max_iter}
    {random_state, verbose}

    Attributes
    ----------
    {coef_, weights_, intercept_, radius_, price_, dual_gap_, fitted}

    Notes
    -----
    With ``alpha`` scikit-learn's Lasso solves the same problem, without a certificate.

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import L1BudgetRegressor
    >>> model = L1BudgetRegressor(radius=2.0, fit_intercept=False).fit(np.eye(3), [3.0, 0.0, 1.0])
    >>> model.coef_.round(6)
    array([2., 0., 0.])
    >>> model = L1BudgetRegressor(positive=True, radius=5.0, fit_intercept=False).fit(np.eye(3), [3.0, -1.0, 1.0])
    >>> model.coef_.round(6)
    array([3., 0., 1.])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearRegressor._parameter_constraints, "radius": [None, POSITIVE]}

    def __init__(self, radius: float | None = None, *, alpha: float | None = None, loss: str = "squared",
                 standardize: bool = False, positive: bool = False, delta: float = 1.0, quantile: float = 0.5,
                 fit_intercept: bool = True, warm_start: bool = False, tol: float = 1e-6, max_iter: int = 10_000,
                 random_state: Any = None, verbose: Any = 0) -> None:
        self._store(locals())


@described(PENALISED_CLASSIFIER)
class L1BudgetClassifier(Budgeted, LinearClassifier):
    """Linear classification with an l1 budget: Σ|w_j| ≤ radius.

    Several classes are one problem with ``loss="logistic"``: the mean cross-entropy, a budget for the coefficients of all
    classes, one certificate. With other losses they are fitted one against the rest, each with the whole budget. A penalty
    ``alpha`` may be given in place of the radius; it is for the mean loss, so that scikit-learn's C is 1/(n·alpha).

    Parameters
    ----------
    {radius, alpha, loss, standardize, positive, fit_intercept, class_weight, warm_start, tol, max_iter, random_state, verbose}

    Attributes
    ----------
    {coef_, weights_, intercept_, radius_, price_, dual_gap_, fitted}

    Notes
    -----
    For logistic models of each class against the rest, use scikit-learn's OneVsRestClassifier around this one.

    With ``alpha`` scikit-learn's LogisticRegression with an l1 penalty solves the same problem, without a certificate; some of
    its solvers penalise the intercept.

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import L1BudgetClassifier
    >>> X = np.array([[2.0, 0.1], [1.0, -0.1], [-1.0, 0.1], [-2.0, -0.1]])
    >>> L1BudgetClassifier(radius=1.0).fit(X, [1, 1, 0, 0]).coef_.round(6)
    array([[1., 0.]])
    >>> model = L1BudgetClassifier(radius=2.0).fit(np.eye(3), ["a", "b", "c"])
    >>> model.coef_.shape, model.certificate_.kind
    ((3, 3), 'always')
    """

    _one_problem = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearClassifier._parameter_constraints, "radius": [None, POSITIVE]}

    def __init__(self, radius: float | None = None, *, alpha: float | None = None, loss: str = "logistic",
                 standardize: bool = False, positive: bool = False, fit_intercept: bool = True,
                 class_weight: dict[Any, float] | str | None = None, warm_start: bool = False, tol: float = 1e-6,
                 max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self._store(locals())
