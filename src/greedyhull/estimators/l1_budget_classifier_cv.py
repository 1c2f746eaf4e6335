"""An l1 budget for classes, chosen by cross-validation."""

from __future__ import annotations

from typing import Any, ClassVar

from greedyhull.estimators.cv_choice import CHOICE, SCALED, L1Chosen
from greedyhull.estimators.cv_classifier import ChosenClassifier
from greedyhull.estimators.described import CLASSIFIER, described
from greedyhull.estimators.linear_classifier import LinearClassifier


@described(CLASSIFIER)
class L1BudgetClassifierCV(L1Chosen, ChosenClassifier):
    """
    Linear classification with an l1 budget chosen by cross-validation.

    All classes share one radius. Folds keep the shares of the classes, unless ``cv`` says otherwise. The model with the chosen
    radius is fitted to ``tol`` on all data, and certified.

    Parameters
    ----------
    radii : int or array-like of shape (n_radii,), default=20
        How many radii to try, or which.
    {cv, eps, select, loss, standardize, positive, fit_intercept, class_weight, n_jobs, tol, max_iter, random_state}
    {verbose}

    Attributes
    ----------
    {radii_, cv_losses_}
    coefs_path_ : ndarray of shape (n_radii, n_features or n_classes * n_features)
        The coefficients on all data at each radius, class after class.
    {coef_, weights_, intercept_}
    radius_ : float
        The radius chosen.
    {price_, dual_gap_, certificate_, solution_, trace_, n_iter_, classes_, n_features_in_, feature_names_in_}

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
