"""Several responses at once: scikit-learn's checks, and the same answer as the problem itself."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import parametrize_with_checks

import greedyhull as gh
from greedyhull.estimators import LowRankRegressor

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 8))
Y = X @ rng.standard_normal((8, 2)) @ rng.standard_normal((2, 5)) + 3.0 + 0.1 * rng.standard_normal((60, 5))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([LowRankRegressor(), LowRankRegressor(radius=1.0, fit_intercept=False, tol=1e-12, max_iter=100)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_it_is_the_problem_on_centred_data_and_its_certificate():
    model = LowRankRegressor(radius=12.0).fit(X, Y)
    f = gh.multitask(X - X.mean(0), Y - Y.mean(0))
    c = gh.certify(f, gh.NuclearBall((8, 5), 12.0), model.coef_.T)
    assert model.certificate_.kind == "always" and model.dual_gap_ <= 1e-6 * f.scale
    assert c.value == pytest.approx(model.certificate_.value, rel=1e-9) and 1 <= model.rank_ <= 5
    assert model.predict(X) == pytest.approx(X @ model.coef_.T + model.intercept_)
    assert np.linalg.svd(model.coef_, compute_uv=False).sum() <= 12.0 * (1 + 1e-9)


def test_a_weight_of_two_is_a_row_twice():
    s = np.ones(60)
    s[7] = 2.0
    a = LowRankRegressor(12.0, tol=1e-9).fit(X, Y, s)
    b = LowRankRegressor(12.0, tol=1e-9).fit(np.vstack([X, X[7]]), np.vstack([Y, Y[7]]))
    assert a.coef_ == pytest.approx(b.coef_, abs=1e-3)
