"""The estimators on real problems: the reference optimum through scikit-learn's interface."""

import numpy as np
import pytest
from problems import Problem, parametrised

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from greedyhull.estimators import L1BudgetClassifier, L1BudgetRegressor, SimplexRegressor


@parametrised(lambda problem: problem.name.startswith(("lasso", "logistic")) and not problem.big)
def test_a_budget_has_the_reference_value(problem: Problem) -> None:
    f, S = problem.built
    assert problem.data is not None
    X, y = problem.data()
    kind = L1BudgetRegressor if problem.name.startswith("lasso") else L1BudgetClassifier
    model = kind(S.radius, fit_intercept=False).fit(X, y)
    assert np.abs(model.coef_).sum() <= S.radius * (1 + 1e-9)
    assert problem.optimum - problem.precision <= model.certificate_.value + 1e-9 * abs(problem.optimum)
    assert model.certificate_.value - problem.optimum <= model.dual_gap_ + problem.precision
    assert model.dual_gap_ <= 1e-6 * max(problem.optimum, f.value(S.centre()))


@parametrised(lambda problem: problem.name.startswith(("tracking", "stacking", "control-smoking", "control-basque")))
def test_simplex_weights_have_the_reference_value(problem: Problem) -> None:
    f, _ = problem.built
    X, y = f.design.X, f.loss.y
    model = SimplexRegressor().fit(X, y)
    assert model.certificate_.value - problem.optimum <= model.dual_gap_ + problem.precision
    assert model.weights_.sum() == pytest.approx(1.0)
