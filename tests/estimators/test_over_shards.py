"""Estimators take shards in place of X and y: the same model, predictions and scores shard by shard."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.estimators import (
    L1BudgetClassifier,
    L1BudgetClassifierCV,
    L1BudgetRegressor,
    L1BudgetRegressorCV,
    SimplexClassifier,
    SimplexRegressor,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "objectives" / "sharded"))
from pieces import Pieces

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 5))
SIGNS = np.where(X[:, 0] + 0.3 * rng.standard_normal(60) > 0, 1.0, 0.0)
S = rng.random(60)
CUTS = [25, 25]


@pytest.mark.parametrize("model", [L1BudgetClassifier(radius=2.0, tol=1e-10),
                                   SimplexClassifier(loss="squared_hinge", tol=1e-10)], ids=repr)
def test_a_classifier_is_the_one_of_all_rows(model):
    data = Pieces(X, SIGNS, CUTS, S)
    coef = model.fit(X, SIGNS, S).coef_.copy()
    told = (model.predict(X), model.score(X, SIGNS, S), float(model.intercept_[0]))
    model.fit(data)
    assert model.coef_ == pytest.approx(coef, abs=1e-4) and model.coef_.shape == (1, 5)
    assert float(model.intercept_[0]) == pytest.approx(told[2], abs=1e-4)
    assert (model.predict(data) == told[0]).all() and model.score(data) == pytest.approx(told[1])
    assert model.classes_.tolist() == [0.0, 1.0] and model.n_features_in_ == 5 and model.certificate_.kind == "always"


@pytest.mark.parametrize("model", [L1BudgetRegressor(radius=1.0, tol=1e-10),
                                   L1BudgetRegressor(radius=1.0, loss="huber", tol=1e-10),
                                   SimplexRegressor(loss="poisson", tol=1e-10)], ids=repr)
def test_a_regressor_is_the_one_of_all_rows(model):
    y = np.floor(np.exp(0.5 * X[:, 1] + 0.5 * rng.standard_normal(60)))
    data = Pieces(X, y, CUTS)
    coef = model.fit(X, y).coef_.copy()
    told = (model.predict(X), model.score(X, y))
    model.fit(data)
    assert model.coef_ == pytest.approx(coef, abs=1e-4)
    assert model.predict(data) == pytest.approx(told[0], abs=1e-3) and model.score(data) == pytest.approx(told[1], abs=1e-4)


@pytest.mark.parametrize(("model", "words"), [
    (L1BudgetRegressor(radius=1.0, loss="absolute"), "add a constant column"),
    (L1BudgetRegressor(alpha=0.1), "alpha needs all rows"),
    (L1BudgetClassifier(radius=1.0, class_weight="balanced"), "class_weight needs all rows"),
])
def test_what_needs_all_rows_says_so(model, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        model.fit(Pieces(X, SIGNS, CUTS))


def test_shards_bring_their_targets():
    with pytest.raises(gh.GreedyhullError, match="come with the shards"):
        L1BudgetRegressor().fit(Pieces(X, SIGNS, CUTS), SIGNS)
    with pytest.raises(ValueError, match="y"):
        L1BudgetRegressor().fit(X)


@pytest.mark.parametrize("model", [L1BudgetRegressorCV(), L1BudgetClassifierCV()], ids=repr)
def test_cross_validation_needs_all_rows(model):
    with pytest.raises(gh.GreedyhullError, match="cross-validation splits rows"):
        model.fit(Pieces(X, SIGNS, CUTS))


def test_names_of_columns_are_compared_and_nothing_is_warned_of(recwarn):
    data, other = Pieces(X, SIGNS, CUTS), Pieces(X, SIGNS, CUTS)
    data.names, other.names = list("abcde"), list("abced")
    model = L1BudgetClassifier(radius=2.0).fit(data)
    assert model.predict(data).tolist() == model.predict(Pieces(X, SIGNS, CUTS)).tolist() and model.score(data) > 0.5
    assert len(recwarn) == 0
    with pytest.raises(gh.GreedyhullError, match="Name the same features in the same order"):
        model.predict(other)
