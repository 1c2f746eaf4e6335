"""A group budget: Σ‖w_group‖ ≤ radius. Few groups of features, whole and certified."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.utils._param_validation import Interval

from greedyhull.atoms.group_l1_ball import GroupL1Ball
from greedyhull.driver.solution import Solution
from greedyhull.errors import check
from greedyhull.estimators.budget_set import price_of
from greedyhull.estimators.linear import Linear, LinearRegressor
from greedyhull.estimators.linear_classifier import LinearClassifier
from greedyhull.estimators.radius_path import RadiusPath
from greedyhull.types import Array, AtomSet

GROUPS: dict[str, list[Any]] = {"groups": ["array-like", None], "radius": [Interval(Real, 0, None, closed="neither")],
                                "warm_start": ["boolean"]}


class GroupBudgeted(RadiusPath, Linear):
    """What the two estimators with a group budget share."""

    groups: Any
    radius: float

    def _atoms(self, X: Any, s: Array | None) -> GroupL1Ball:
        d = X.shape[1]
        S = GroupL1Ball(np.arange(d) if self.groups is None else self.groups, float(self.radius))
        check(S.shape == (d,), lambda: f"groups is about {S.shape[0]} features, and the data have {d}; one label for each "
                                       "feature, or lists that have every feature, are wanted.")
        return S

    def _moved(self, x: Array, S: AtomSet) -> Array:
        return np.asarray(x / max(cast(GroupL1Ball, S).gauge(x), 1.0))

    def _keep(self, solutions: list[Solution], dtype: Any) -> None:
        super()._keep(solutions, dtype)
        prices = [price_of(s) for s in solutions]
        self.radius_: Any = [float(self.radius)] * len(solutions) if len(solutions) > 1 else float(self.radius)
        self.price_: Any = prices if len(solutions) > 1 else prices[0]


class GroupBudgetRegressor(GroupBudgeted, LinearRegressor):
    """
    Linear regression with a budget on groups of features: Σ over the groups of ‖w_group‖₂ ≤ radius.

    The features of a group enter or stay out together: the constraint form of the group lasso. Where groups overlap, it is
    that of the latent group lasso.

    Parameters
    ----------
    groups : array-like of shape (n_features,) or list of index arrays, default=None
        The group of each feature, a number or a name; or a list with the features of each group, which may overlap. None makes
        each feature a group of its own, an l1 budget.
    radius : float, default=1.0
        The budget r.
    loss : {"squared", "huber", "absolute", "quantile", "poisson"}, default="squared"
        The loss. "squared" is ½(z − y)², "poisson" models counts with mean e^z.
    delta : float, default=1.0
        Where the Huber loss turns from quadratic to linear.
    quantile : float, default=0.5
        The quantile that ``loss="quantile"`` predicts, between 0 and 1.
    fit_intercept : bool, default=True
        Fit an intercept, which does not count towards the budget.
    warm_start : bool, default=False
        Start from the coefficients of the previous call to `fit`, if the number of features and the classes are the same.
    tol : float, default=1e-6
        The certified gap to reach, relative to the loss, or to the loss of predicting zero (with an intercept: the best
        constant) where that is larger.
    max_iter : int, default=10000
        The most iterations of one solve.
    random_state : int, RandomState instance or None, default=None
        Seed of the solver.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients.
    weights_ : ndarray
        The coefficients once more.
    intercept_ : float
        The intercept, 0 without one.
    radius_ : float
        The radius used.
    price_ : float
        How much the least loss falls for one more unit of radius.
    dual_gap_ : float
        The loss is at most this far above the least one: proved, rounding included.
    certificate_ : Certificate
        Value, gap and lower bound.
    solution_ : Solution
        The whole answer of the solver.
    trace_ : Trace
        How the solve went.
    n_iter_ : int
        Iterations of the solver.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the training data had them.

    See Also
    --------
    L1BudgetRegressor : Each feature by itself, or a penalty in place of the radius.

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import GroupBudgetRegressor
    >>> model = GroupBudgetRegressor(["a", "a", "b"], radius=2.5, fit_intercept=False).fit(np.eye(3), [3.0, 4.0, 1.0])
    >>> model.coef_.round(4)
    array([1.5, 2. , 0. ])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearRegressor._parameter_constraints, **GROUPS}

    def __init__(self, groups: Any = None, radius: float = 1.0, *, loss: str = "squared", delta: float = 1.0,
                 quantile: float = 0.5, fit_intercept: bool = True, warm_start: bool = False, tol: float = 1e-6,
                 max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self.groups, self.radius, self.loss, self.delta, self.quantile = groups, radius, loss, delta, quantile
        self.fit_intercept, self.warm_start, self.tol, self.max_iter = fit_intercept, warm_start, tol, max_iter
        self.random_state, self.verbose = random_state, verbose


class GroupBudgetClassifier(GroupBudgeted, LinearClassifier):
    """
    Linear classification with a budget on groups of features: Σ over the groups of ‖w_group‖₂ ≤ radius.

    The features of a group enter or stay out together. Several classes are fitted one against the rest, each with the whole
    budget.

    Parameters
    ----------
    groups : array-like of shape (n_features,) or list of index arrays, default=None
        The group of each feature, a number or a name; or a list with the features of each group, which may overlap. None makes
        each feature a group of its own, an l1 budget.
    radius : float, default=1.0
        The budget r.
    loss : {"logistic", "squared_hinge", "hinge"}, default="logistic"
        The loss. Only "logistic" has probabilities.
    fit_intercept : bool, default=True
        Fit an intercept, which does not count towards the budget.
    class_weight : dict or "balanced", default=None
        Weights of the classes, multiplied into ``sample_weight``. "balanced" makes all classes count the same.
    warm_start : bool, default=False
        Start from the coefficients of the previous call to `fit`, if the number of features and the classes are the same.
    tol : float, default=1e-6
        The certified gap to reach, relative to the loss, or to the loss of predicting zero (with an intercept: the best
        constant) where that is larger.
    max_iter : int, default=10000
        The most iterations of one solve.
    random_state : int, RandomState instance or None, default=None
        Seed of the solver.
    verbose : int, default=0
        Show progress if positive.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The coefficients; with more than two classes a row for each.
    weights_ : ndarray
        The coefficients once more, a vector for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercept, 0 without one.
    radius_ : float or list of float
        The radius used; with more than two classes a list, one for each.
    price_ : float or list of float
        How much the least loss falls for one more unit of radius; with more than two classes a list, one for each.
    dual_gap_ : float
        The loss is at most this far above the least one: proved, rounding included.
    certificate_ : Certificate or list of Certificate
        Value, gap and lower bound; with more than two classes a list, one for each.
    solution_ : Solution or list of Solution
        The whole answer of the solver; with more than two classes a list, one for each.
    trace_ : Trace or list of Trace
        How the solve went; with more than two classes a list, one for each.
    n_iter_ : int
        Iterations of the solver, the most of any class.
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the training data had them.

    See Also
    --------
    L1BudgetClassifier : Each feature by itself, or a penalty in place of the radius.

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import GroupBudgetClassifier
    >>> X = np.array([[2.0, 2.0, 0.1], [1.0, 1.0, -0.1], [-1.0, -1.0, 0.1], [-2.0, -2.0, -0.1]])
    >>> GroupBudgetClassifier([0, 0, 1], radius=1.0).fit(X, [1, 1, 0, 0]).coef_.round(3)
    array([[0.707, 0.707, 0.   ]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearClassifier._parameter_constraints, **GROUPS}

    def __init__(self, groups: Any = None, radius: float = 1.0, *, loss: str = "logistic", fit_intercept: bool = True,
                 class_weight: dict[Any, float] | str | None = None, warm_start: bool = False, tol: float = 1e-6,
                 max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self.groups, self.radius, self.loss, self.fit_intercept = groups, radius, loss, fit_intercept
        self.class_weight, self.warm_start, self.tol, self.max_iter = class_weight, warm_start, tol, max_iter
        self.random_state, self.verbose = random_state, verbose
