"""An l1 budget for classes, chosen by cross-validation."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.parallel import Parallel, delayed

from greedyhull.driver.solution import Solution
from greedyhull.estimators.budget_set import price_of
from greedyhull.estimators.callbacks import checked
from greedyhull.estimators.class_paths import ClassPaths
from greedyhull.estimators.cv_choice import CHOICE, Chosen, affordable, left_out
from greedyhull.estimators.cv_paths import Paths, grid, radii_of
from greedyhull.estimators.linear_classifier import LinearClassifier
from greedyhull.estimators.over_shards import refuse_shards
from greedyhull.estimators.split import folds_of, splits_of
from greedyhull.types import Array


class L1BudgetClassifierCV(Chosen, LinearClassifier):
    """
    Linear classification with an l1 budget chosen by cross-validation.

    Several classes are one problem with ``loss="logistic"``, and have one budget together; with other losses they are fitted
    one against the rest, each with the same radius. Folds keep the shares of the classes, unless ``cv`` says otherwise. The
    model with the chosen radius is fitted to ``tol`` on all data, and certified.

    Parameters
    ----------
    radii : int or array-like of shape (n_radii,), default=20
        How many radii to try, or which.
    cv : int, cross-validation generator or iterable, default=None
        How to split the data, as in scikit-learn; None stands for five folds.
    eps : float, default=1e-3
        At the largest radius the price of the budget has fallen to ``eps`` times what its first unit is worth.
    select : {"best", "one_se"}, default="best"
        "best" takes the radius with the least loss on left-out data, "one_se" the least radius within one standard error of
        it.
    loss : {"logistic", "squared_hinge", "hinge"}, default="logistic"
        The loss. Only "logistic" has probabilities.
    standardize : bool, default=False
        Measure each coefficient in units of the standard deviation of its column. The data are not copied, and sparse data
        stay sparse.
    positive : bool, default=False
        Only coefficients w_j ≥ 0.
    fit_intercept : bool, default=True
        Fit an intercept, which does not count towards the budget.
    class_weight : dict or "balanced", default=None
        Weights of the classes, multiplied into ``sample_weight``. "balanced" makes all classes count the same.
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
    coefs_path_ : ndarray of shape (n_radii, n_features or n_classes * n_features)
        The coefficients on all data at each radius, class after class.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The coefficients; with more than two classes a row for each.
    weights_ : ndarray
        The coefficients once more, a vector for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercept, 0 without one; those of several classes in one problem sum to zero.
    radius_ : float
        The radius chosen.
    price_ : float or list of float
        How much the least loss falls for one more unit of radius; where classes are fitted one against the rest, a list.
    dual_gap_ : float
        The loss is at most this far above the least one: proved, rounding included.
    certificate_ : Certificate or list of Certificate
        Value, gap and lower bound; where classes are fitted one against the rest, a list, one for each.
    solution_ : Solution or list of Solution
        The whole answer of the solver; where classes are fitted one against the rest, a list, one for each.
    trace_ : Trace or list of Trace
        How the solve went; where classes are fitted one against the rest, a list, one for each.
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
    L1BudgetClassifier : The same model with a given radius.
    L1BudgetRegressorCV : The same for numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import L1BudgetClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 5))
    >>> model = L1BudgetClassifierCV(radii=10).fit(X, X[:, 1] + 0.3 * rng.standard_normal(80) > 0)
    >>> int(np.abs(model.coef_).argmax())
    1
    """

    _one_problem = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearClassifier._parameter_constraints, **CHOICE}

    def __init__(self, *, radii: Any = 20, cv: Any = None, eps: float = 1e-3, select: str = "best", loss: str = "logistic",
                 standardize: bool = False, positive: bool = False, fit_intercept: bool = True,
                 class_weight: dict[Any, float] | str | None = None, n_jobs: int | None = None, tol: float = 1e-6,
                 max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self.radii, self.cv, self.eps, self.select, self.loss, self.standardize = radii, cv, eps, select, loss, standardize
        self.positive, self.fit_intercept, self.class_weight, self.n_jobs = positive, fit_intercept, class_weight, n_jobs
        self.tol, self.max_iter, self.random_state, self.verbose = tol, max_iter, random_state, verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.positive  # on data that no coefficients of one sign tell apart
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
            Class labels: numbers, strings or booleans.
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
        >>> from greedyhull.estimators import L1BudgetClassifierCV
        >>> X, groups = np.random.default_rng(0).standard_normal((30, 4)), np.arange(30) // 5
        >>> model = L1BudgetClassifierCV(radii=5, cv=GroupKFold(3)).fit(X, X[:, 0] > 0, groups=groups)
        >>> model.cv_losses_.shape
        (5, 3)
        """
        refuse_shards(X)
        return self._fit(X, y, sample_weight, groups)

    def _searched_together(self, X: Any, labels: Array, s: Array | None, start: Array | None, groups: Any) -> Solution:
        paths = ClassPaths(X, labels, s, self._atoms(X, s, len(self.classes_)), intercept=self.fit_intercept)
        splits = splits_of(check_cv(self.cv, labels, classifier=True), X, labels, groups)
        folds = folds_of(splits, len(labels), s, (labels, self.classes_))
        f = paths.problem()
        self.radii_ = radii_of(self.radii, lambda count: grid(affordable(f, paths.S, float(self.eps)), count))
        found = Parallel(n_jobs=self.n_jobs)(delayed(paths.on)(train, self.radii_) for train, _ in folds)
        losses = [paths.left_out(line, test) for line, (_, test) in zip(found, folds, strict=True)]
        self.radius_ = self._choose(self.radii_, np.array(losses).T)
        coefs = paths.on(None, self.radii_).coefs
        self.coefs_path_ = coefs.transpose(0, 2, 1).reshape(len(self.radii_), -1)  # class after class
        chosen = self._solve(f, paths.S.rescaled(self.radius_))
        self.price_: float | list[float] = price_of(chosen)
        return chosen

    def _searched(self, X: Any, signs: list[Array], labels: Array, s: Array | None, starts: list[Array | None],
                  groups: Any) -> list[Solution]:
        S = self._atoms(X, s)
        splits = splits_of(check_cv(self.cv, labels, classifier=True), X, labels, groups)
        folds = folds_of(splits, len(labels), s, (labels, self.classes_))
        problems = [self._problem(X, sign, s) for sign in signs]
        self.radii_ = radii_of(self.radii, lambda count: grid(max(affordable(f, S, float(self.eps)) for f in problems), count))
        paths = [Paths(X, sign, s, S, self._problem) for sign in signs]
        found = Parallel(n_jobs=self.n_jobs)(delayed(one.on)(train, self.radii_) for one in paths for train, _ in folds)
        losses, m = np.zeros((len(self.radii_), len(folds))), len(folds)
        for k, sign in enumerate(signs):
            losses += left_out(found[k * m : (k + 1) * m], X, sign, s, folds, self._problem)
        self.radius_ = self._choose(self.radii_, losses)
        self.coefs_path_ = np.concatenate([one.on(None, self.radii_).coefs for one in paths], axis=1)
        chosen = [self._solve(f, S.rescaled(self.radius_)) for f in problems]
        self.price_ = price_of(chosen[0]) if len(chosen) == 1 else [price_of(s) for s in chosen]
        return chosen
