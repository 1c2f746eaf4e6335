"""A budget on groups of features: whole groups, certified, and words for groups that do not fit."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import greedyhull as gh
from greedyhull.estimators import GroupBudgetClassifier, GroupBudgetRegressor, L1BudgetRegressor

RNG = np.random.default_rng(0)
X, GROUPS = RNG.standard_normal((90, 24)), np.repeat(np.arange(6), 4)
Y = X[:, GROUPS == 2] @ [2.0, -1.0, 1.0, 0.5] + 3.0 + 0.1 * RNG.standard_normal(90)


def test_whole_groups_enter_and_the_fit_is_that_of_minimize():
    model = GroupBudgetRegressor(GROUPS, radius=2.0).fit(X, Y)
    norms = np.array([np.linalg.norm(model.coef_[k == GROUPS]) for k in range(6)])
    assert norms.argmax() == 2 and norms.sum() <= 2.0 * (1 + 1e-9)
    s = gh.minimize(gh.least_squares(X, Y, intercept=True), gh.GroupL1Ball(GROUPS, 2.0), stop=gh.Relative(1e-9))
    assert model.certificate_.value == pytest.approx(s.value, rel=1e-5) and model.dual_gap_ <= 1e-6 * np.var(Y)
    np.testing.assert_allclose(model.price_, s.price, rtol=1e-2)
    assert model.radius_ == 2.0 and model.intercept_ == pytest.approx(3.0, abs=0.5)


def test_without_groups_it_is_an_l1_budget():
    ours, plain = GroupBudgetRegressor(radius=1.5, tol=1e-10).fit(X, Y), L1BudgetRegressor(1.5, tol=1e-10).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, plain.coef_, atol=1e-4)


def test_classes_and_groups_that_overlap():
    severe, overlapping = Y > 4.0, [np.arange(i, i + 4) for i in range(21)]
    for groups in (GROUPS, overlapping, list("abcdef" * 4)):
        model = GroupBudgetClassifier(groups, radius=3.0).fit(X, severe)
        assert model.score(X, severe) > 0.75 and model.certificate_.gap < 1e-5
    three = GroupBudgetClassifier(GROUPS, radius=3.0).fit(X, np.digitize(Y, [2.0, 4.0]))
    assert three.coef_.shape == (3, 24) and len(three.price_) == 3


def test_clones_pickles_searches_and_paths():
    model = GroupBudgetRegressor(GROUPS, radius=2.0, warm_start=True)
    found = GridSearchCV(model, {"radius": [0.1, 2.4]}, cv=3).fit(X, Y)
    assert found.best_params_ == {"radius": 2.4}
    fitted = clone(model).fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))
    coefs = fitted.path([0.5, 1.0])[1]
    np.testing.assert_allclose([sum(np.linalg.norm(c[k == GROUPS]) for k in range(6)) for c in coefs], [0.5, 1.0], rtol=1e-6)
    np.testing.assert_allclose(fitted.set_params(radius=2.1).fit(X, Y).radius_, 2.1)


@pytest.mark.parametrize(("groups", "said"), [([0, 1], "24 features; got 2"), ([[0, 1], [1, 2]], "24 features; got 3"),
                                              ([[0], [2]], "in no group")])
def test_groups_that_do_not_fit(groups, said):
    with pytest.raises(gh.GreedyhullError, match=said):
        GroupBudgetRegressor(groups).fit(X, Y)
