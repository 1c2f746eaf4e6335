"""Every estimator passes scikit-learn's own checks, at its defaults and at other settings.

Some checks want predictions that agree to nine digits: there ``tol`` is small. Others fit hundreds of times: there radii and
iterations are few. The checks themselves set alpha to 0.01 wherever it is a parameter of a regressor, so that a radius, or a
loss with kinks, which both exclude alpha, are left to the estimators without it.
"""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import parametrize_with_checks

from greedyhull.estimators import (
    EnsembleClassifier,
    EnsembleRegressor,
    GroupBudgetClassifier,
    GroupBudgetClassifierCV,
    GroupBudgetRegressor,
    GroupBudgetRegressorCV,
    L1BudgetClassifier,
    L1BudgetClassifierCV,
    L1BudgetRegressor,
    L1BudgetRegressorCV,
    SimplexClassifier,
    SimplexRegressor,
)

pytestmark = [pytest.mark.filterwarnings("ignore::greedyhull.errors.GreedyhullWarning"),
              pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")]


class Far:
    """The mean distance to targets that may be classes; a function would have its address in the names of the tests."""

    def __call__(self, t, z, sample_weight=None):
        numbers = np.unique(t, return_inverse=True)[1] if z.ndim == 2 or t.dtype.kind not in "if" else t
        apart = np.abs(numbers - z) if z.ndim == 1 else 1.0 - z[np.arange(len(z)), numbers]
        return np.average(apart, weights=sample_weight)

    def __repr__(self):
        return "Far()"


SETTINGS = [
    SimplexRegressor(),
    SimplexRegressor(loss="huber", total=2.0, fit_intercept=True),
    SimplexRegressor(loss="absolute", max_iter=50),
    SimplexRegressor(loss="quantile", quantile=0.7, fit_intercept=True, max_iter=30),
    SimplexRegressor(loss="poisson"),
    SimplexClassifier(),
    SimplexClassifier(loss="hinge", total=3.0, max_iter=10),
    SimplexClassifier(loss="squared_hinge", fit_intercept=False),
    GroupBudgetRegressor(),
    GroupBudgetRegressor(loss="huber", tol=1e-13, max_iter=200),
    GroupBudgetClassifier(),
    GroupBudgetClassifier(radius=0.5, class_weight="balanced", warm_start=True, tol=1e-13, max_iter=200),
    GroupBudgetRegressorCV(radii=[0.5, 2.0], cv=2, tol=1e-10),
    GroupBudgetClassifierCV(radii=[0.5, 1.0], cv=2, select="one_se", class_weight="balanced", tol=1e-8, max_iter=200),
    L1BudgetRegressor(),
    L1BudgetRegressor(alpha=0.1, fit_intercept=False),
    L1BudgetRegressor(loss="huber", standardize=True, tol=1e-10, max_iter=200),
    L1BudgetRegressor(loss="poisson"),
    L1BudgetClassifier(),
    L1BudgetClassifier(alpha=0.01),
    L1BudgetClassifier(2.0, loss="hinge", max_iter=10),
    L1BudgetClassifier(loss="squared_hinge", standardize=True, fit_intercept=False),
    L1BudgetRegressor(positive=True, warm_start=True),
    L1BudgetClassifier(positive=True, class_weight="balanced", warm_start=True),
    SimplexClassifier(class_weight="balanced", warm_start=True),
    L1BudgetRegressorCV(),
    L1BudgetRegressorCV(radii=3, cv=2, positive=True),
    L1BudgetClassifierCV(radii=[0.5, 2.0], cv=2, positive=True, class_weight="balanced"),
    L1BudgetRegressorCV(loss="huber", radii=[0.5, 1.0], cv=2),
    L1BudgetRegressorCV(loss="poisson", radii=2, cv=2),
    L1BudgetRegressorCV(radii=[0.5, 200.0], cv=2, select="one_se", fit_intercept=False, standardize=True),
    L1BudgetClassifierCV(radii=[0.5, 2.0, 5.0], cv=3),
    L1BudgetClassifierCV(loss="squared_hinge", radii=[0.5, 2.0], cv=2, tol=1e-10),
    L1BudgetClassifierCV(loss="hinge", radii=[1.0], cv=2, fit_intercept=False, max_iter=10),
    L1BudgetClassifierCV(radii=[1.0, 5.0], cv=2, select="one_se", standardize=True),
    EnsembleRegressor(),
    EnsembleRegressor(loss="absolute", fit_intercept=True, max_iter=50),
    EnsembleRegressor(loss=Far(), max_iter=3),
    EnsembleRegressor(max_models=2, fit_intercept=True),
    EnsembleClassifier(),
    EnsembleClassifier(loss="squared", tol=1e-12),
    EnsembleClassifier(loss=Far(), max_iter=3),
    EnsembleClassifier(max_models=1),
]


def unable(estimator):
    """What a model cannot do: without an intercept, weights of classes do not make it predict one class everywhere.

    scikit-learn's own linear classifiers fail that check too when they have no intercept.
    """
    if isinstance(estimator, L1BudgetClassifier | L1BudgetClassifierCV) and not estimator.fit_intercept:
        return {"check_class_weight_classifiers": "a line through the origin leaves samples on both of its sides"}
    return {}


@parametrize_with_checks(SETTINGS, expected_failed_checks=unable)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
