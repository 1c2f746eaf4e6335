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
from scipy.sparse import csr_array

from greedyhull.types import Shard

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
    (L1BudgetRegressor(alpha=0.1), "alpha needs all rows"),
    (L1BudgetClassifier(radius=1.0, class_weight="balanced"), "class_weight needs all rows"),
])
def test_what_needs_all_rows_says_so(model, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        model.fit(Pieces(X, SIGNS, CUTS))


def test_a_loss_with_kinks_is_fitted_with_its_intercept():
    y = X[:, 1] + 4.0
    model = L1BudgetRegressor(radius=1.0, loss="absolute", tol=1e-4).fit(Pieces(X, y, CUTS))
    assert model.score(Pieces(X, y, CUTS)) > 0.99 and model.intercept_ == pytest.approx(4.0, abs=0.05)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shift", [0.0, 1e8])
def test_scores_made_of_sums_are_those_of_all_rows(weighted, shift, monkeypatch):
    from sklearn.metrics import r2_score

    from greedyhull.estimators import linear as by_block

    monkeypatch.setattr(by_block, "AT_ONCE", 35)  # seven rows
    s = S * (S > 0.2) if weighted else None
    y = X[:, 0] + 0.5 * rng.standard_normal(60) + shift
    for cuts in ([], [25, 25], [0, 1, 2, 59]):
        for data in (X, csr_array(X)):
            shards = Pieces(data, y, cuts, s)
            guess = lambda rows: np.asarray(rows @ np.ones(5)).ravel() + shift
            found = by_block.scored(guess, shards, None, classes=False)
            assert found == pytest.approx(r2_score(y, guess(X), sample_weight=s), rel=1e-7)
            assert np.allclose(by_block.predictions(guess, shards), guess(X), rtol=1e-14, atol=1e-14)
            both = by_block.predictions(lambda rows: np.stack([guess(rows)] * 2, axis=1), shards)  # noqa: B023
            assert np.allclose(both[:, 1], guess(X), rtol=1e-14, atol=1e-14) and both.shape == (60, 2)
    same = lambda rows: np.full(rows.shape[0], shift)
    assert by_block.scored(same, Pieces(X, np.full(60, shift), CUTS), None, classes=False) == 1.0
    zero = lambda rows: np.zeros(rows.shape[0])
    assert by_block.scored(zero, Pieces(X, np.full(60, 3.0), CUTS), None, classes=False) == 0.0


def test_no_rows_and_no_weights_are_said_in_words():
    model = L1BudgetClassifier(radius=2.0).fit(X, SIGNS)
    for ask in (model.score, model.predict):
        with pytest.raises(gh.GreedyhullError, match="have no rows"):
            ask(Pieces(X[:0], SIGNS[:0], []))
    with pytest.raises(gh.GreedyhullError, match="zero in every row"):
        model.score(Pieces(X, SIGNS, CUTS, np.zeros(60)))


class Long:
    """Many rows of few columns: targets and predictions of all would be most of the memory."""

    names, d, count = None, 2, 40

    def load(self, k: int) -> Shard:
        X = np.random.default_rng(k).standard_normal((50_000, 2))
        return Shard(X, (X[:, 0] > 0.0).astype(np.float64))

    def name(self, k: int) -> str:
        return f"shard {k}"

    def mark(self, k: int) -> str:
        return str(k)


def test_a_score_keeps_neither_targets_nor_predictions():
    import tracemalloc

    one, all_targets = 50_000 * 3 * 8, 40 * 50_000 * 8
    for model in (L1BudgetClassifier(radius=2.0).fit(X[:, :2], SIGNS), L1BudgetRegressor(radius=2.0).fit(X[:, :2], SIGNS)):
        tracemalloc.start()
        score = model.score(Long())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert score > 0.3 and peak < 4 * one + (1 << 20) < all_targets / 2


def test_shards_bring_their_targets():
    with pytest.raises(gh.GreedyhullError, match="come with the shards"):
        L1BudgetRegressor().fit(Pieces(X, SIGNS, CUTS), SIGNS)
    with pytest.raises(ValueError, match="y"):
        L1BudgetRegressor().fit(X)


@pytest.mark.parametrize("model", [L1BudgetRegressorCV(), L1BudgetClassifierCV()], ids=repr)
def test_cross_validation_needs_all_rows(model):
    with pytest.raises(gh.GreedyhullError, match="needs all rows in one place"):
        model.fit(Pieces(X, SIGNS, CUTS))


def test_names_of_columns_are_compared_and_nothing_is_warned_of(recwarn):
    data, other = Pieces(X, SIGNS, CUTS), Pieces(X, SIGNS, CUTS)
    data.names, other.names = list("abcde"), list("abced")
    model = L1BudgetClassifier(radius=2.0).fit(data)
    assert model.predict(data).tolist() == model.predict(Pieces(X, SIGNS, CUTS)).tolist() and model.score(data) > 0.5
    assert len(recwarn) == 0
    with pytest.raises(gh.GreedyhullError, match="must have the columns of the fit"):
        model.predict(other)
