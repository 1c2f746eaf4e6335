"""A budget on groups chosen by cross-validation: losses as computed by hand, the fit certified, whole groups, words."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from scipy import sparse
from sklearn.model_selection import GroupKFold, KFold

import greedyhull as gh
from greedyhull.estimators import (
    GroupBudgetClassifierCV,
    GroupBudgetRegressor,
    GroupBudgetRegressorCV,
    L1BudgetRegressorCV,
)

RNG = np.random.default_rng(0)
X, GROUPS = RNG.standard_normal((80, 12)), np.repeat(np.arange(4), 3)
Y = X[:, GROUPS == 2] @ [2.0, -1.0, 2.0] + 3.0 + 0.5 * RNG.standard_normal(80)
RADII = [0.5, 3.0, 10.0]


def test_losses_are_those_of_the_folds_and_the_best_radius_is_taken():
    cv = KFold(3, shuffle=True, random_state=1)
    model = GroupBudgetRegressorCV(GROUPS, radii=RADII, cv=cv).fit(X, Y)
    for k, (train, test) in enumerate(cv.split(X)):
        for j, radius in enumerate(RADII):
            one = GroupBudgetRegressor(GROUPS, radius, tol=1e-10).fit(X[train], Y[train])
            loss = 0.5 * np.mean((one.predict(X[test]) - Y[test]) ** 2)
            assert model.cv_losses_[j, k] == pytest.approx(loss, rel=0.02)
    assert model.radius_ == RADII[model.cv_losses_.mean(axis=1).argmin()] == 3.0
    whole = GroupBudgetRegressor(GROUPS, 3.0).fit(X, Y)
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=1e-4)
    assert model.certificate_.gap <= 1e-6 * np.var(Y) and model.price_ == pytest.approx(whole.price_, rel=1e-2)
    assert model.coefs_path_.shape == (3, 12)
    norms = [sum(np.linalg.norm(c[k == GROUPS]) for k in range(4)) for c in model.coefs_path_]
    assert (np.array(norms) <= np.array(RADII) * (1 + 1e-9)).all()


def test_radii_are_found_and_the_least_of_one_standard_error_taken():
    best, least = (GroupBudgetRegressorCV(GROUPS, radii=6, cv=3, select=rule).fit(X, Y) for rule in ("best", "one_se"))
    assert least.radius_ <= best.radius_ and len(best.radii_) == 6 and (np.diff(best.radii_) > 0).all()
    norms = [np.linalg.norm(least.coef_[k == GROUPS]) for k in range(4)]
    assert int(np.argmax(norms)) == 2 and best.score(X, Y) > 0.9
    other = GroupBudgetRegressorCV([list(range(i, i + 3)) for i in range(10)], radii=3, cv=2).fit(X, Y)
    assert other.certificate_.gap < 1e-4
    same = GroupBudgetRegressorCV(GROUPS, radii=6, cv=3).fit(sparse.csr_matrix(X), Y)
    np.testing.assert_allclose(same.radius_, best.radius_, rtol=0.02)


def test_without_groups_it_is_an_l1_budget():
    ours, plain = (make(radii=RADII, cv=3, tol=1e-9).fit(X, Y) for make in (GroupBudgetRegressorCV, L1BudgetRegressorCV))
    np.testing.assert_allclose(ours.cv_losses_, plain.cv_losses_, rtol=0.02)
    assert ours.radius_ == plain.radius_
    np.testing.assert_allclose(ours.coef_, plain.coef_, atol=1e-3)


def test_classes_weights_and_groups_of_samples():
    model = GroupBudgetClassifierCV(GROUPS, radii=[0.1, 2.0], cv=GroupKFold(4)).fit(X, Y > 3.0, groups=np.arange(80) // 5)
    assert model.radius_ == 2.0 and model.cv_losses_.shape == (2, 4) and model.score(X, Y > 3.0) > 0.85
    three = GroupBudgetClassifierCV(GROUPS, radii=[1.0], cv=2)
    three.fit(X, np.digitize(Y, [2.0, 4.0]), sample_weight=np.arange(80) % 3)
    assert three.coef_.shape == (3, 12) and len(three.price_) == 3 and three.coefs_path_.shape == (1, 36)


@pytest.mark.parametrize("target", [np.full(80, 2.0), np.zeros(80)])
def test_constant_targets_are_predicted(target):
    model = GroupBudgetRegressorCV(GROUPS, radii=3, cv=2).fit(X, target)
    np.testing.assert_allclose(model.predict(X), target, atol=1e-9)


@pytest.mark.parametrize(("given", "said"), [({"groups": [0, 1]}, "12 features; got 2"),
                                             ({"radii": [-1.0]}, "radii"), ({"groups": [[0], [2]]}, "in no group")])
def test_bad_input_gets_words(given, said):
    with pytest.raises(gh.GreedyhullError, match=said):
        GroupBudgetRegressorCV(**{"groups": GROUPS, **given}).fit(X, Y)
