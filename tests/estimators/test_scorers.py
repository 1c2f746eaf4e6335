"""Scorers by name: the weights that maximise the score, and a suggestion for names that are none."""

import numpy as np
import pytest
from sklearn.metrics import get_scorer_names

from greedyhull.estimators import EnsembleClassifier, EnsembleRegressor
from greedyhull.estimators.ensemble import CLASSIFICATION, REGRESSION

rng = np.random.default_rng(0)
y = rng.standard_normal(90)
Z = y[:, None] + rng.standard_normal((90, 5)) * rng.uniform(0.3, 1.5, 5)
kinds = (y > 0).astype(int)


@pytest.mark.parametrize("name", REGRESSION)
def test_regression_scorers_stand_for_losses(name):
    m = EnsembleRegressor(loss=name).fit(Z, y)
    np.testing.assert_array_equal(m.weights_, EnsembleRegressor(loss=REGRESSION[name]).fit(Z, y).weights_)
    assert m.certificate_.kind == "always" and m.get_params()["loss"] == name


@pytest.mark.parametrize("name", CLASSIFICATION)
def test_classification_scorers_stand_for_losses(name):
    p = 1 / (1 + np.exp(-Z))
    m = EnsembleClassifier(loss=name).fit(p, kinds)
    np.testing.assert_array_equal(m.weights_, EnsembleClassifier(loss=CLASSIFICATION[name]).fit(p, kinds).weights_)


def test_scorers_have_the_names_that_scikit_learn_has():
    assert {*REGRESSION, *CLASSIFICATION} - set(get_scorer_names()) == {"brier"}


@pytest.mark.parametrize(("given", "said"), [
    ("neg_mean_square_error", "Did you mean 'neg_mean_squared_error'?"), ("squard", "Did you mean 'squared'?"),
    ("neg_median_absolute_error", "No convex loss is known here for the scorer"), ("qqq", r"a function of \(y, prediction\)")])
def test_names_that_are_none_come_with_a_suggestion(given, said):
    with pytest.raises(ValueError, match=rf"'loss' parameter of EnsembleRegressor must .* Got '{given}' instead\. .*{said}"):
        EnsembleRegressor(loss=given).fit(Z, y)


def test_losses_of_the_other_kind_are_refused():
    with pytest.raises(ValueError, match="'loss' parameter"):
        EnsembleRegressor(loss="neg_log_loss").fit(Z, y)
    with pytest.raises(ValueError, match="'loss' parameter"):
        EnsembleClassifier(loss="r2").fit(Z, kinds)
    with pytest.raises(ValueError, match="'tol' parameter") as error:
        EnsembleRegressor(tol=-1.0).fit(Z, y)
    assert "Did you mean" not in str(error.value)
    with pytest.raises(ValueError, match="Did you mean 'log_loss'"):
        EnsembleClassifier(loss="log_los").fit(Z, kinds)
