"""A budget on groups of features, given or chosen by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.sparse_balls import GroupL1Ball
from greedyhull.errors import check
from greedyhull.estimators.base import Certified
from greedyhull.estimators.cv import CVMixin
from greedyhull.estimators.cv_paths import RadiusPath
from greedyhull.estimators.described import CHOSEN_CLASSIFIER, CHOSEN_REGRESSOR, CLASSIFIER, REGRESSOR, described
from greedyhull.estimators.linear import LinearRegressor
from greedyhull.estimators.linear_classifier import LinearClassifier
from greedyhull.points.aligned import point_of
from greedyhull.types import Array, Shape


class Grouped(Certified):
    """Coefficients in a ball of groups of features; of radius one where the radius is yet to be chosen."""

    groups: Any

    def _atoms(self, X: Any, s: Array | None, shape: Shape) -> GroupL1Ball:
        groups = np.arange(*shape) if self.groups is None else point_of(self.groups, self, name="groups")
        S = GroupL1Ball(groups, float(vars(self).get("radius", 1.0)))
        check(S.shape == shape, lambda: f"groups must have a label for each of {shape[0]} features; got {S.shape[0]}.")
        return S


@described(REGRESSOR)
class GroupBudgetRegressor(Grouped, RadiusPath, LinearRegressor):
    """Linear regression with a budget on groups of features: Σ over the groups of ‖w_group‖₂ ≤ radius.

    The features of a group enter or stay out together: the constraint form of the group lasso. Where groups overlap, it is
    that of the latent group lasso.

    Parameters
    ----------
    {groups}
    radius : float, default=1.0
        The budget r.
    {loss, delta, quantile, fit_intercept, warm_start, tol, max_iter, random_state, verbose}

    Attributes
    ----------
    {coef_, weights_, intercept_, radius_, price_, dual_gap_, fitted}

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import GroupBudgetRegressor
    >>> model = GroupBudgetRegressor(["a", "a", "b"], radius=2.5, fit_intercept=False).fit(np.eye(3), [3.0, 4.0, 1.0])
    >>> model.coef_.round(4)
    array([1.5, 2. , 0. ])
    """

    def __init__(self, groups: Any = None, radius: float = 1.0, *, loss: str = "squared", delta: float = 1.0,
                 quantile: float = 0.5, fit_intercept: bool = True, warm_start: bool = False, tol: float = 1e-6,
                 max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self._store(locals())


@described(CLASSIFIER)
class GroupBudgetClassifier(Grouped, RadiusPath, LinearClassifier):
    """Linear classification with a budget on groups of features: Σ over the groups of ‖w_group‖₂ ≤ radius.

    The features of a group enter or stay out together. Several classes are fitted one against the rest, each with the whole
    budget.

    Parameters
    ----------
    {groups}
    radius : float, default=1.0
        The budget r.
    {loss, fit_intercept, class_weight, warm_start, tol, max_iter, random_state, verbose}

    Attributes
    ----------
    {coef_, weights_, intercept_, radius_, price_, dual_gap_, fitted}

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import GroupBudgetClassifier
    >>> X = np.array([[2.0, 2.0, 0.1], [1.0, 1.0, -0.1], [-1.0, -1.0, 0.1], [-2.0, -2.0, -0.1]])
    >>> GroupBudgetClassifier([0, 0, 1], radius=1.0).fit(X, [1, 1, 0, 0]).coef_.round(3)
    array([[0.707, 0.707, 0.   ]])
    """

    def __init__(self, groups: Any = None, radius: float = 1.0, *, loss: str = "logistic", fit_intercept: bool = True,
                 class_weight: dict[Any, float] | str | None = None, warm_start: bool = False, tol: float = 1e-6,
                 max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self._store(locals())


@described(CHOSEN_REGRESSOR)
class GroupBudgetRegressorCV(Grouped, CVMixin, LinearRegressor):
    """Linear regression with a budget on groups of features chosen by cross-validation.

    Paths over the radii are warm-started. The model with the chosen radius is fitted to ``tol`` on all data, and certified.

    Parameters
    ----------
    {groups, radii, cv, eps, select, loss, delta, quantile, fit_intercept, n_jobs, tol, max_iter, random_state, verbose}

    Attributes
    ----------
    {radii_, cv_losses_, coefs_path_, coef_, weights_, intercept_, radius_, price_, dual_gap_, fitted}

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

    def __init__(self, groups: Any = None, *, radii: Any = 20, cv: Any = None, eps: float = 1e-3, select: str = "best",
                 loss: str = "squared", delta: float = 1.0, quantile: float = 0.5, fit_intercept: bool = True,
                 n_jobs: int | None = None, tol: float = 1e-6, max_iter: int = 10_000, random_state: Any = None,
                 verbose: Any = 0) -> None:
        self._store(locals())


@described(CHOSEN_CLASSIFIER)
class GroupBudgetClassifierCV(Grouped, CVMixin, LinearClassifier):
    """Linear classification with a budget on groups of features chosen by cross-validation.

    All classes share one radius. Folds keep the shares of the classes, unless ``cv`` says otherwise. The model with the chosen
    radius is fitted to ``tol`` on all data, and certified.

    Parameters
    ----------
    {groups, radii, cv, eps, select, loss, fit_intercept, class_weight, n_jobs, tol, max_iter, random_state, verbose}

    Attributes
    ----------
    {radii_, cv_losses_, coefs_path_, coef_, weights_, intercept_, radius_, price_, dual_gap_, fitted}

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

    def __init__(self, groups: Any = None, *, radii: Any = 20, cv: Any = None, eps: float = 1e-3, select: str = "best",
                 loss: str = "logistic", fit_intercept: bool = True, class_weight: dict[Any, float] | str | None = None,
                 n_jobs: int | None = None, tol: float = 1e-6, max_iter: int = 10_000, random_state: Any = None,
                 verbose: Any = 0) -> None:
        self._store(locals())
