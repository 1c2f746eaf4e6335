"""Several classes as one problem with one certificate: L1BudgetClassifier and L1BudgetClassifierCV."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

import greedyhull as gh
from greedyhull.estimators import L1BudgetClassifier, L1BudgetClassifierCV

X, y = load_iris(return_X_y=True)
X = X[::2] - X.mean(axis=0)
y = y[::2]
NAMES = np.array(["setosa", "versicolor", "virginica"])


def loss(model, X, y, s=None):
    p = model.predict_proba(X)[np.arange(len(y)), y]
    return float(np.average(-np.log(p), weights=s))


def test_the_certificate_is_that_of_all_classes_together():
    s = np.linspace(0.5, 2.0, len(y))
    model = L1BudgetClassifier(4.0, tol=1e-8).fit(X, NAMES[y], s)
    assert model.classes_.tolist() == NAMES.tolist() and (model.predict(X) == NAMES[y]).mean() > 0.9
    assert model.certificate_.value == pytest.approx(loss(model, X, y, s), rel=1e-10)
    assert np.abs(model.coef_).sum() <= 4.0 * (1 + 1e-9) and abs(model.intercept_.sum()) < 1e-9
    assert model.radius_ == 4.0 and model.dual_gap_ <= 1e-8 * 1.2 and model.price_ > 0.0
    better = L1BudgetClassifier(4.5).fit(X, NAMES[y], s)  # one more unit is worth no more than the price
    assert 0.0 < model.certificate_.value - better.certificate_.value <= 0.5 * model.price_ + 1e-6


def test_a_penalty_gives_what_saga_gives():
    alpha = 0.05
    ours = L1BudgetClassifier(alpha=alpha, tol=1e-9, fit_intercept=False).fit(X, y)
    theirs = LogisticRegression(l1_ratio=1.0, C=1 / (len(y) * alpha), solver="saga", tol=1e-9, max_iter=20000,
                                fit_intercept=False).fit(X, y)
    value = lambda m: loss(m, X, y) + alpha * np.abs(m.coef_).sum()
    assert ours.certificate_.value == pytest.approx(value(ours), rel=1e-9)
    assert ours.certificate_.lower <= value(theirs) + 1e-12 and value(ours) <= value(theirs) + 1e-8
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_options_mean_for_matrices_what_they_mean_for_vectors():
    spread = X.std(axis=0)
    one = L1BudgetClassifier(3.0, standardize=True, tol=1e-10).fit(X, y)
    two = L1BudgetClassifier(3.0, tol=1e-10).fit(X / spread, y)
    np.testing.assert_allclose(one.coef_ * spread, two.coef_, atol=1e-4)
    assert (L1BudgetClassifier(3.0, positive=True).fit(X, y).coef_ >= 0.0).all()
    balanced, plain = (L1BudgetClassifier(3.0, class_weight=c).fit(X[20:], y[20:]) for c in ("balanced", None))
    assert not np.allclose(balanced.coef_, plain.coef_)
    bare = L1BudgetClassifier(3.0, fit_intercept=False).fit(X, y)
    assert bare.intercept_.tolist() == [0.0, 0.0, 0.0]
    single = L1BudgetClassifier(3.0, tol=1e-5).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32 and single.certificate_.value == pytest.approx(
        L1BudgetClassifier(3.0).fit(X.astype(np.float32).astype(float), y).certificate_.value, rel=3e-5)


def test_a_warm_start_begins_where_the_last_fit_ended():
    model = L1BudgetClassifier(4.0, warm_start=True, tol=1e-7).fit(X, y)
    again = model.fit(X, y).n_iter_
    assert again <= 1 and L1BudgetClassifier(4.0, tol=1e-7).fit(X, y).n_iter_ > 1
    model.fit(X[y < 2], y[y < 2])  # other classes: a fresh start
    assert model.coef_.shape == (1, 4)


def test_coefficients_along_radii_are_those_of_single_fits():
    model = L1BudgetClassifier(4.0, tol=1e-9).fit(X, y)
    _, coefs = model.path([1.0, 4.0])
    assert coefs.shape == (2, 3, 4)
    np.testing.assert_allclose(coefs[0], L1BudgetClassifier(1.0, tol=1e-9).fit(X, y).coef_, atol=1e-4)
    np.testing.assert_allclose(coefs[1], model.coef_, atol=1e-4)
    assert pickle.loads(pickle.dumps(model)).predict_proba(X).shape == (len(y), 3)


@pytest.mark.parametrize("select", ["best", "one_se"])
def test_cross_validation_chooses_one_radius_for_all_classes(select):
    model = L1BudgetClassifierCV(radii=[0.5, 3.0, 20.0], cv=3, select=select, tol=1e-8).fit(X, NAMES[y])
    assert model.cv_losses_.shape == (3, 3) and model.coefs_path_.shape == (3, 12)
    assert model.radius_ in (0.5, 3.0, 20.0) and isinstance(model.price_, float)
    fitted = L1BudgetClassifier(model.radius_, tol=1e-8).fit(X, NAMES[y])
    np.testing.assert_allclose(model.coef_, fitted.coef_, atol=1e-5)
    at = model.radii_.tolist().index(model.radius_)
    np.testing.assert_allclose(model.coefs_path_[at].reshape(3, 4), model.coef_, atol=1e-2)


def test_losses_on_left_out_data_are_those_of_fits_to_the_rest():
    folds = [(np.arange(len(y)) % 3 != k, np.arange(len(y)) % 3 == k) for k in range(3)]
    s = np.linspace(1.0, 2.0, len(y))
    model = L1BudgetClassifierCV(radii=[2.0], cv=folds).fit(X, y, s)
    for k, (train, test) in enumerate(folds):
        fitted = L1BudgetClassifier(2.0, tol=1e-8).fit(X[train], y[train], s[train])
        assert model.cv_losses_[0, k] == pytest.approx(loss(fitted, X[test], y[test], s[test]), rel=1e-2)


def test_classes_that_are_missing_get_words():
    with pytest.raises(gh.GreedyhullError, match="no sample of the class 2 to train with"):
        L1BudgetClassifierCV(radii=3, cv=GroupKFold(3)).fit(X, y, groups=y)
    with pytest.raises(gh.GreedyhullError, match="one class only"):
        L1BudgetClassifier().fit(X, np.zeros(len(y)))
    with pytest.raises(gh.GreedyhullError, match="positive weight"):
        L1BudgetClassifier().fit(X, y, (y < 2).astype(float))
