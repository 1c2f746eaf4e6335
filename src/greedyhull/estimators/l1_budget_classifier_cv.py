"""An l1 budget for classes, chosen by cross-validation."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.parallel import Parallel, delayed

from greedyhull.driver.solution import Solution
from greedyhull.estimators.budget_set import price_of
from greedyhull.estimators.class_paths import ClassPaths
from greedyhull.estimators.cv_choice import CHOICE, SCALED, L1Chosen, affordable
from greedyhull.estimators.cv_classifier import ChosenClassifier
from greedyhull.estimators.cv_paths import grid, radii_of
from greedyhull.estimators.described import CHOSEN_TOGETHER, described
from greedyhull.estimators.linear_classifier import LinearClassifier
from greedyhull.estimators.split import folds_of, splits_of
from greedyhull.types import Array


@described(CHOSEN_TOGETHER)
class L1BudgetClassifierCV(L1Chosen, ChosenClassifier):
    """
    Linear classification with an l1 budget chosen by cross-validation.

    Several classes are one problem with ``loss="logistic"``, and have one budget together; with other losses they are fitted
    one against the rest, each with the same radius. Folds keep the shares of the classes, unless ``cv`` says otherwise. The
    model with the chosen radius is fitted to ``tol`` on all data, and certified.

    Parameters
    ----------
    radii : int or array-like of shape (n_radii,), default=20
        How many radii to try, or which.
    {cv, eps, select, loss, standardize, positive, fit_intercept, class_weight, n_jobs, tol, max_iter, random_state}
    {verbose}

    Attributes
    ----------
    {radii_, cv_losses_, coefs_path_, coef_, weights_, intercept_, radius_, price_, dual_gap_, certificate_, solution_}
    {trace_, n_iter_, classes_, n_features_in_, feature_names_in_}

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
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearClassifier._parameter_constraints, **CHOICE, **SCALED}

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
