"""A budget on groups of features, chosen by cross-validation."""

from __future__ import annotations

from typing import Any, ClassVar

from greedyhull.atoms.group_l1_ball import GroupL1Ball
from greedyhull.estimators.cv_choice import CHOICE, Chosen
from greedyhull.estimators.cv_classifier import ChosenClassifier
from greedyhull.estimators.cv_regressor import ChosenRegressor
from greedyhull.estimators.described import CHOSEN_CLASSIFIER, CHOSEN_REGRESSOR, described
from greedyhull.estimators.group_budget import GROUPS, Grouped
from greedyhull.estimators.linear import LinearRegressor
from greedyhull.estimators.linear_classifier import LinearClassifier
from greedyhull.types import Array


class GroupChosen(Grouped, Chosen):
    """A budget on groups to choose the radius of."""

    def _atoms(self, X: Any, s: Array | None) -> GroupL1Ball:
        """The ball of radius one, which is scaled to the radii."""
        return self._ball(X, 1.0)


@described(CHOSEN_REGRESSOR)
class GroupBudgetRegressorCV(GroupChosen, ChosenRegressor):
    """
    Linear regression with a budget on groups of features chosen by cross-validation.

    Paths over the radii are warm-started. The model with the chosen radius is fitted to ``tol`` on all data, and certified.

    Parameters
    ----------
    {groups}
    radii : int or array-like of shape (n_radii,), default=20
        How many radii to try, or which.
    {cv, eps, select, loss, delta, quantile, fit_intercept, n_jobs, tol, max_iter, random_state, verbose}

    Attributes
    ----------
    {radii_, cv_losses_, coefs_path_, coef_, weights_, intercept_, radius_, price_, dual_gap_, certificate_, solution_}
    {trace_, n_iter_, n_features_in_, feature_names_in_}

    See Also
    --------
    GroupBudgetRegressor : The same model with a given radius.
    GroupBudgetClassifierCV : The same for classes.
    L1BudgetRegressorCV : Each feature by itself.

    Notes
    -----
    ``groups`` here are groups of features; those that `fit` takes are groups of samples, for splitters such as GroupKFold.

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import GroupBudgetRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 9))
    >>> y = X[:, :3] @ [3.0, 4.0, 0.0] + 0.01 * rng.standard_normal(60)
    >>> model = GroupBudgetRegressorCV(["a"] * 3 + ["b"] * 3 + ["c"] * 3, radii=[1.0, 5.0]).fit(X, y)
    >>> model.radius_, model.coef_.round(1)[:3]
    (5.0, array([3., 4., 0.]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearRegressor._parameter_constraints, **CHOICE, **GROUPS}

    def __init__(self, groups: Any = None, *, radii: Any = 20, cv: Any = None, eps: float = 1e-3, select: str = "best",
                 loss: str = "squared", delta: float = 1.0, quantile: float = 0.5, fit_intercept: bool = True,
                 n_jobs: int | None = None, tol: float = 1e-6, max_iter: int = 10_000, random_state: Any = None,
                 verbose: Any = 0) -> None:
        self.groups, self.radii, self.cv, self.eps, self.select, self.loss = groups, radii, cv, eps, select, loss
        self.delta, self.quantile, self.fit_intercept, self.n_jobs = delta, quantile, fit_intercept, n_jobs
        self.tol, self.max_iter, self.random_state, self.verbose = tol, max_iter, random_state, verbose


@described(CHOSEN_CLASSIFIER)
class GroupBudgetClassifierCV(GroupChosen, ChosenClassifier):
    """
    Linear classification with a budget on groups of features chosen by cross-validation.

    All classes share one radius. Folds keep the shares of the classes, unless ``cv`` says otherwise. The model with the chosen
    radius is fitted to ``tol`` on all data, and certified.

    Parameters
    ----------
    {groups}
    radii : int or array-like of shape (n_radii,), default=20
        How many radii to try, or which.
    {cv, eps, select, loss, fit_intercept, class_weight, n_jobs, tol, max_iter, random_state, verbose}

    Attributes
    ----------
    {radii_, cv_losses_, coefs_path_, coef_, weights_, intercept_, radius_, price_, dual_gap_, certificate_, solution_}
    {trace_, n_iter_, classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    GroupBudgetClassifier : The same model with a given radius.
    GroupBudgetRegressorCV : The same for numbers.
    L1BudgetClassifierCV : Each feature by itself.

    Notes
    -----
    ``groups`` here are groups of features; those that `fit` takes are groups of samples, for splitters such as GroupKFold.

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import GroupBudgetClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 6))
    >>> y = X[:, 2] + X[:, 3] + 0.3 * rng.standard_normal(80) > 0
    >>> model = GroupBudgetClassifierCV([0, 0, 1, 1, 2, 2], radii=5).fit(X, y)
    >>> int(np.linalg.norm(model.coef_.reshape(3, 2), axis=1).argmax())
    1
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearClassifier._parameter_constraints, **CHOICE, **GROUPS}

    def __init__(self, groups: Any = None, *, radii: Any = 20, cv: Any = None, eps: float = 1e-3, select: str = "best",
                 loss: str = "logistic", fit_intercept: bool = True, class_weight: dict[Any, float] | str | None = None,
                 n_jobs: int | None = None, tol: float = 1e-6, max_iter: int = 10_000, random_state: Any = None,
                 verbose: Any = 0) -> None:
        self.groups, self.radii, self.cv, self.eps, self.select, self.loss = groups, radii, cv, eps, select, loss
        self.fit_intercept, self.class_weight, self.n_jobs = fit_intercept, class_weight, n_jobs
        self.tol, self.max_iter, self.random_state, self.verbose = tol, max_iter, random_state, verbose
