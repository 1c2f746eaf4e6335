"""A budget chosen by cross-validation: the losses are those of models fitted one by one, the rules are kept."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import KFold, ShuffleSplit, TimeSeriesSplit

from greedyhull.estimators import L1BudgetClassifier, L1BudgetClassifierCV, L1BudgetRegressor, L1BudgetRegressorCV

rng = np.random.default_rng(0)
X = rng.standard_normal((90, 7)) * np.array([1, 2, 3, 1, 1, 0.5, 1.0]) + 2.0
y = X[:, 0] - 0.5 * X[:, 2] + 0.5 * rng.standard_normal(90) + 4.0
wide = rng.standard_normal((40, 60))
target = wide[:, 0] - wide[:, 1] + 0.2 * rng.standard_normal(40)


@pytest.mark.parametrize("cv", [KFold(4), ShuffleSplit(3, random_state=0), TimeSeriesSplit(3)],
                         ids=["KFold", "Shuffle", "Time"])
@pytest.mark.parametrize(("A", "t"), [(X, y), (wide, target), (sp.csr_array(X), y)], ids=["tall", "wide", "sparse"])
@pytest.mark.parametrize("how", [{}, {"standardize": True}, {"fit_intercept": False}],
                         ids=["plain", "standardised", "no_intercept"])
def test_losses_are_those_of_single_fits(cv, A, t, how):
    radii = [0.2, 0.8, 1.5]
    m = L1BudgetRegressorCV(radii=radii, cv=cv, **how).fit(A, t)
    spread = (A.toarray() if sp.issparse(A) else A).std(axis=0) if how.get("standardize") else 1.0
    for i, (train, test) in enumerate(cv.split(A)):
        for j, r in enumerate(radii):
            Z = (A.toarray() if sp.issparse(A) else A) / spread
            alone = L1BudgetRegressor(r, tol=1e-8, fit_intercept=how.get("fit_intercept", True)).fit(Z[train], t[train])
            loss = 0.5 * np.mean((alone.predict(Z[test]) - t[test]) ** 2)
            assert m.cv_losses_[j, i] == pytest.approx(loss, rel=0.05, abs=0.02)
    assert m.radius_ == radii[int(m.cv_losses_.mean(axis=1).argmin())]


def test_the_chosen_model_is_certified_and_within_its_budget():
    m = L1BudgetRegressorCV(radii=15).fit(X, y)
    assert np.abs(m.coef_).sum() <= m.radius_ + 1e-9
    assert m.dual_gap_ <= 1e-6 * max(m.certificate_.value, 0.5 * np.var(y)) and m.price_ >= 0
    np.testing.assert_allclose(m.coef_, L1BudgetRegressor(m.radius_).fit(X, y).coef_, atol=1e-3)
    assert m.coefs_path_.shape == (15, 7)


def test_one_standard_error_buys_a_smaller_budget():
    D, t = load_diabetes(return_X_y=True)
    best, least = L1BudgetRegressorCV(radii=30).fit(D, t), L1BudgetRegressorCV(radii=30, select="one_se").fit(D, t)
    means = best.cv_losses_.mean(axis=1)
    bar = means.min() + best.cv_losses_.std(axis=1, ddof=1)[means.argmin()] / np.sqrt(5)
    assert least.radius_ < best.radius_ and least.radius_ == best.radii_[np.flatnonzero(means <= bar)[0]]


def test_weights_of_samples_count_like_copies():
    s, folds = rng.integers(1, 3, 90), KFold(3)
    copies = np.repeat(np.arange(90), s)
    splits = list(folds.split(X))
    of_copies = [(np.flatnonzero(np.isin(copies, a)), np.flatnonzero(np.isin(copies, b))) for a, b in splits]
    one = L1BudgetRegressorCV(radii=[0.5, 1.0, 2.0], cv=splits).fit(X, y, sample_weight=s)
    two = L1BudgetRegressorCV(radii=[0.5, 1.0, 2.0], cv=of_copies).fit(X[copies], y[copies])
    np.testing.assert_allclose(one.cv_losses_, two.cv_losses_, rtol=1e-2)
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-4)


@pytest.mark.parametrize("loss", ["huber", "absolute", "quantile"])
def test_other_losses_go_through_the_driver(loss):
    m = L1BudgetRegressorCV(loss=loss, radii=5, cv=3).fit(X, y)
    assert np.abs(m.coef_).sum() <= m.radius_ + 1e-9 and m.score(X, y) > 0.5


def test_classes_share_one_radius():
    D, t = load_iris(return_X_y=True)
    m = L1BudgetClassifierCV(radii=8, cv=3).fit(D, t)
    assert m.score(D, t) > 0.9 and (np.abs(m.coef_).sum(axis=1) <= m.radius_ + 1e-6).all()
    alone = L1BudgetClassifier(m.radius_).fit(D, t)
    np.testing.assert_allclose(alone.predict_proba(D), m.predict_proba(D), atol=1e-2)
    assert m.cv_losses_.shape == (8, 3)


def test_the_figure_has_a_line_for_each_coefficient():
    pytest.importorskip("matplotlib").use("Agg")
    top, bottom = L1BudgetRegressorCV(radii=10, cv=3).fit(X, y).plot_path()
    assert len(top.lines) >= 7 and bottom.get_xlabel() == "radius"


@pytest.mark.parametrize("radii", [0, [0.0, 1.0], [-1.0]])
def test_radii_that_are_none_are_refused(radii):
    with pytest.raises(ValueError, match="radii"):
        L1BudgetRegressorCV(radii=radii).fit(X, y)
