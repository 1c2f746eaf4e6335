"""An l1 budget chosen by cross-validation."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from greedyhull.estimators.budget_set import Budget
from greedyhull.estimators.cv_choice import CHOICE, SCALED, L1Chosen
from greedyhull.estimators.cv_paths import Line, SquarePaths
from greedyhull.estimators.cv_regressor import ChosenRegressor
from greedyhull.estimators.described import CHOSEN_REGRESSOR, described
from greedyhull.estimators.linear import LinearRegressor
from greedyhull.estimators.split import Fold
from greedyhull.types import Array, AtomSet, LinearModel


@described(CHOSEN_REGRESSOR)
class L1BudgetRegressorCV(L1Chosen, ChosenRegressor):
    """
    Linear regression with an l1 budget chosen by cross-validation.

    Paths over the radii are warm-started. The model with the chosen radius is fitted to ``tol`` on all data, and certified.

    Parameters
    ----------
    radii : int or array-like of shape (n_radii,), default=50
        How many radii to try, or which.
    {cv, eps, select, loss, standardize, positive, delta, quantile, fit_intercept, n_jobs, tol, max_iter, random_state}
    {verbose}

    Attributes
    ----------
    {radii_, cv_losses_, coefs_path_, coef_, weights_, intercept_, radius_, price_, dual_gap_, certificate_, solution_}
    {trace_, n_iter_, n_features_in_, feature_names_in_}

    See Also
    --------
    L1BudgetRegressor : The same model with a given radius.
    L1BudgetClassifierCV : The same for classes.

    Notes
    -----
    For the squared loss a radius costs about one product with the data, and all folds share one covariance matrix where the
    columns are few. Other losses follow `greedyhull.path`.

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import L1BudgetRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 8))
    >>> model = L1BudgetRegressorCV().fit(X, X[:, 0] - X[:, 3] + 0.01 * rng.standard_normal(60))
    >>> bool(1.8 < model.radius_ < 2.3), model.coef_.round(1).tolist()
    (True, [1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearRegressor._parameter_constraints, **CHOICE, **SCALED}

    def __init__(self, *, radii: Any = 50, cv: Any = None, eps: float = 1e-3, select: str = "best", loss: str = "squared",
                 standardize: bool = False, positive: bool = False, delta: float = 1.0, quantile: float = 0.5,
                 fit_intercept: bool = True, n_jobs: int | None = None, tol: float = 1e-6, max_iter: int = 10_000,
                 random_state: Any = None, verbose: Any = 0) -> None:
        self.radii, self.cv, self.eps, self.select, self.loss, self.standardize = radii, cv, eps, select, loss, standardize
        self.positive, self.delta, self.quantile, self.fit_intercept = positive, delta, quantile, fit_intercept
        self.n_jobs, self.tol, self.max_iter, self.random_state, self.verbose = n_jobs, tol, max_iter, random_state, verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self.positive  # on data that no coefficients of one sign fit
        return tags

    def _walked(self, X: Any, y: Array, s: Array | None, S: AtomSet, folds: list[Fold], radii: Any, f: LinearModel
                ) -> tuple[Line, Array]:
        """Squares by trails, other losses as for any set."""
        if self.loss != "squared":
            return super()._walked(X, y, s, S, folds, radii, f)
        paths = SquarePaths(X, y, s, cast(Budget, S), folds, centre=self.fit_intercept, positive=self.positive)
        self.radii_, whole = paths.chosen(radii, float(self.eps))
        found = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(paths.on)(i, self.radii_) for i in range(len(folds)))
        return whole, np.array([paths.left_out(i, line) for i, line in enumerate(found)]).T
