"""Weights that are non-negative and sum to one."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from greedyhull.atoms.simplex import Simplex
from greedyhull.estimators.linear import LinearClassifier, LinearRegressor
from greedyhull.types import Array

LIMITS: dict[str, list[Any]] = {"total": [Interval(Real, 0, None, closed="neither")],
                                "upper": [None, Interval(Real, 0, None, closed="neither"), "array-like"]}


class SimplexRegressor(LinearRegressor):
    """Linear regression with weights ≥ 0 that sum to ``total``, none above ``upper`` (a number, or one for each weight).

    ``loss`` is "squared", "huber" (up to ``delta``), "absolute", "quantile" (at ``quantile``) or "poisson". The weights are
    certified: ``dual_gap_`` bounds by how much the loss can exceed the least one. It is at most ``tol`` times the loss, or
    times the loss of predicting zero (with an intercept: the best constant) where that is larger.

    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 3.0], [1.0, 1.0, 0.0]])
    >>> SimplexRegressor().fit(X, X @ [0.25, 0.75, 0.0]).weights_.round(6)
    array([0.25, 0.75, 0.  ])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearRegressor._parameter_constraints, **LIMITS}

    def __init__(self, *, loss: str = "squared", total: float = 1.0, upper: Any = None, delta: float = 1.0,
                 quantile: float = 0.5, fit_intercept: bool = False, tol: float = 1e-6, max_iter: int = 10_000,
                 random_state: Any = None, verbose: Any = 0) -> None:
        self.loss, self.total, self.upper, self.delta, self.quantile = loss, total, upper, delta, quantile
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter
        self.random_state, self.verbose = random_state, verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # on data that no weights of one sign fit
        return tags

    def _atoms(self, X: Any, s: Array | None) -> Any:
        return Simplex(X.shape[1], self.total, upper=self.upper)


class SimplexClassifier(LinearClassifier):
    """Linear classification with weights ≥ 0 that sum to ``total``, none above ``upper``.

    ``loss`` is "logistic", "squared_hinge" or "hinge". A larger ``total`` lets scores, and so probabilities, grow.

    >>> import numpy as np
    >>> X = np.array([[2.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]])
    >>> SimplexClassifier().fit(X, ["yes", "yes", "no", "no"]).weights_.round(6)
    array([1., 0.])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearClassifier._parameter_constraints, **LIMITS}

    def __init__(self, *, loss: str = "logistic", total: float = 1.0, upper: Any = None, fit_intercept: bool = True,
                 tol: float = 1e-6, max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self.loss, self.total, self.upper = loss, total, upper
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter
        self.random_state, self.verbose = random_state, verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on data that no weights of one sign tell apart
        return tags

    def _atoms(self, X: Any, s: Array | None) -> Any:
        return Simplex(X.shape[1], self.total, upper=self.upper)
