"""An l1 budget chosen by cross-validation."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.parallel import Parallel, delayed

from greedyhull.estimators.base import weights_of
from greedyhull.estimators.budget_set import Budget, price_of
from greedyhull.estimators.callbacks import begin, checked, end
from greedyhull.estimators.cv_choice import CHOICE, Chosen, affordable, constant, left_out
from greedyhull.estimators.cv_paths import Line, Paths, SquarePaths, first_price, grid, radii_of
from greedyhull.estimators.linear import LinearRegressor
from greedyhull.estimators.over_shards import refuse_shards
from greedyhull.estimators.split import Fold, folds_of, splits_of
from greedyhull.types import Array, LinearModel


class L1BudgetRegressorCV(Chosen, LinearRegressor):
    """
    Linear regression with an l1 budget chosen by cross-validation.

    Paths over the radii are warm-started. The model with the chosen radius is fitted to ``tol`` on all data, and certified.

    Parameters
    ----------
    radii : int or array-like of shape (n_radii,), default=50
        How many radii to try, or which.
    cv : int, cross-validation generator or iterable, default=None
        How to split the data, as in scikit-learn; None stands for five folds.
    eps : float, default=1e-3
        At the largest radius the price of the budget has fallen to ``eps`` times what its first unit is worth.
    select : {"best", "one_se"}, default="best"
        "best" takes the radius with the least loss on left-out data, "one_se" the least radius within one standard error of
        it.
    loss : {"squared", "huber", "absolute", "quantile", "poisson"}, default="squared"
        The loss. "squared" is ½(z − y)², "poisson" models counts with mean e^z.
    standardize : bool, default=False
        Measure each coefficient in units of the standard deviation of its column. The data are not copied, and sparse data
        stay sparse.
    positive : bool, default=False
        Only coefficients w_j ≥ 0.
    delta : float, default=1.0
        Where the Huber loss turns from quadratic to linear.
    quantile : float, default=0.5
        The quantile that ``loss="quantile"`` predicts, between 0 and 1.
    fit_intercept : bool, default=True
        Fit an intercept, which does not count towards the budget.
    n_jobs : int, default=None
        How many folds to fit in parallel, by joblib; None means 1 and -1 all processors.
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
    radii_ : ndarray of shape (n_radii,)
        The radii tried, in increasing order.
    cv_losses_ : ndarray of shape (n_radii, n_folds)
        The loss on left-out data.
    coefs_path_ : ndarray of shape (n_radii, n_features)
        The coefficients on all data at each radius.
    coef_ : ndarray of shape (n_features,)
        The coefficients.
    weights_ : ndarray
        The coefficients once more.
    intercept_ : float
        The intercept, 0 without one.
    radius_ : float
        The radius chosen.
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearRegressor._parameter_constraints, **CHOICE}

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

    @checked
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """
        Choose the radius, then find the coefficients on all data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data. float32 is kept; other types become float64.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights sᵢ ≥ 0 of the samples: losses, also those on left-out data, are Σ sᵢ ℓᵢ / Σ sᵢ.
        groups : array-like of shape (n_samples,), default=None
            Groups of the samples, for splitters such as GroupKFold.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.model_selection import GroupKFold
        >>> from greedyhull.estimators import L1BudgetRegressorCV
        >>> X, groups = np.random.default_rng(0).standard_normal((30, 4)), np.arange(30) // 5
        >>> model = L1BudgetRegressorCV(radii=5, cv=GroupKFold(3)).fit(X, X[:, 0], groups=groups)
        >>> model.cv_losses_.shape
        (5, 3)
        """
        refuse_shards(X)
        X, y = self._given(X, y, y_numeric=True)
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        S = self._atoms(X, s)
        folds = folds_of(splits_of(check_cv(self.cv), X, y, groups), len(y), s)
        f, radii = self._problem(X, y, s), self.radii
        if (self.fit_intercept and constant(y, s)) or first_price(f, S) == 0.0:  # no budget is worth anything
            radii = radii_of(radii, lambda count: grid(1.0, count))
        if self.loss == "squared":
            whole, losses = self._squares(X, y, s, S, folds, radii)
        else:
            whole, losses = self._others(X, y, s, S, folds, radii, f)
        self.radius_ = self._choose(self.radii_, losses)
        self.coefs_path_ = whole.coefs
        solution = self._solve(f, S.rescaled(self.radius_))  # cold, so that it does not depend on how rough the path is
        self.price_ = price_of(solution)
        for name, value in self._attributes(solution.point, f, X.dtype).items():
            setattr(self, name, value)
        self._keep([solution], X.dtype)
        end(self, X, y)
        return self

    def _squares(self, X: Any, y: Array, s: Array | None, S: Budget, folds: list[Fold], radii: Any) -> tuple[Line, Array]:
        """The path on all data and the losses (radius, fold), by trails."""
        paths = SquarePaths(X, y, s, S, folds, centre=self.fit_intercept, positive=self.positive)
        self.radii_, whole = paths.chosen(radii, float(self.eps))
        found = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(paths.on)(i, self.radii_) for i in range(len(folds)))
        return whole, np.array([paths.left_out(i, line) for i, line in enumerate(found)]).T

    def _others(self, X: Any, y: Array, s: Array | None, S: Budget, folds: list[Fold], radii: Any, f: LinearModel
                ) -> tuple[Line, Array]:
        """The same by the driver, for any loss."""
        paths = Paths(X, y, s, S, self._problem)
        self.radii_ = radii_of(radii, lambda count: grid(affordable(f, S, float(self.eps)), count))
        found = Parallel(n_jobs=self.n_jobs)(delayed(paths.on)(train, self.radii_) for train, _ in folds)
        return paths.on(None, self.radii_), left_out(found, X, y, s, folds, self._problem)
