"""Data that need none of scikit-learn's checks: nothing else passes by them, and fits are the same with and without."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import validate_data

from greedyhull.estimators import L1BudgetRegressor, L1BudgetRegressorCV, SimplexClassifier, SimplexRegressor
from greedyhull.estimators.base import plain


class Sub(np.ndarray[Any, Any]):
    """Its products may be anything."""


rng = np.random.default_rng(0)
X, y = rng.standard_normal((40, 4)), rng.standard_normal(40)
ODD = {
    "NaN": (np.where(X > 2.0, np.nan, X), y), "infinite": (X, np.where(y > 1.0, -np.inf, y)), "empty": (X[:0], y[:0]),
    "no columns": (X[:, :0], y), "a vector": (X[:, 0], y), "a cube": (X[:, :, None], y), "another length": (X, y[1:]),
    "several targets": (X, np.stack([y, y], 1)), "a column": (X, y[:, None]), "single": (X.astype(np.float32), y),
    "whole": (X, y.astype(int)), "a list": (X.tolist(), y), "masked": (np.ma.masked_greater(X, 1.0), y),
    "objects": (X.astype(object), y), "a subclass": (X.view(Sub), y), "other bytes": (X.astype(">f8"), y),
    "too large": (1e151 * X, y), "large targets": (X, 1e160 * y), "none": (X, None), "complex": (X + 0j, y),
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_data_are_left_to_scikit_learn(odd: str) -> None:
    A, b = ODD[odd]
    assert not (plain(A) and plain(b, 1) and len(A) == len(b))


@pytest.mark.parametrize("A", [X, np.asfortranarray(X), X[::2, ::-1], X[:1], X[:, :1], 0.0 * X, -0.0 * X, 1e-200 * X,
                               1e148 * X])
def test_scikit_learn_hands_plain_data_on_as_they_are(A: Any) -> None:
    b = y[: len(A)]
    assert plain(A) and plain(b, 1)
    same, target = validate_data(BaseEstimator(), A, b, y_numeric=True, dtype=(np.float64, np.float32))
    assert np.shares_memory(same, A) and same.strides == A.strides and same.dtype == A.dtype and same.shape == A.shape
    np.testing.assert_array_equal(target, b)


@pytest.mark.parametrize("model", [SimplexRegressor(), L1BudgetRegressor(radius=0.5), L1BudgetRegressor(alpha=0.1),
                                   L1BudgetRegressorCV(radii=3, cv=3)], ids=lambda m: type(m).__name__)
def test_lists_and_arrays_give_the_same_fit(model: Any) -> None:
    one, other = clone(model).fit(X, y), clone(model).fit(X.tolist(), y.tolist())
    np.testing.assert_array_equal(one.coef_, other.coef_)
    assert one.n_features_in_ == other.n_features_in_ == 4 and one.dual_gap_ == other.dual_gap_


def test_names_of_an_earlier_fit_are_forgotten() -> None:
    pd = pytest.importorskip("pandas")
    model = SimplexRegressor().fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert list(model.feature_names_in_) == list("abcd")
    model.fit(X[:, :3], y)
    assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == 3 and model.solution_.names is None


def test_bad_numbers_are_refused_as_before() -> None:
    for odd in ("NaN", "infinite", "empty", "another length", "too large"):
        with pytest.raises(ValueError):
            SimplexRegressor().fit(*ODD[odd])


def test_each_class_has_parameters_of_its_own() -> None:
    class Mine(SimplexRegressor):
        def __init__(self, *, flavour: str = "sweet") -> None:
            super().__init__()
            self.flavour = flavour

    assert list(Mine().get_params()) == ["flavour"] and "radius" in L1BudgetRegressor().get_params()
    assert "class_weight" in SimplexClassifier().get_params() and "class_weight" not in SimplexRegressor().get_params()
    L1BudgetRegressor._get_param_names().clear()
    assert "radius" in L1BudgetRegressor().get_params()


def test_predictions_of_arrays_and_lists_are_the_same_and_odd_data_are_refused() -> None:
    model = SimplexRegressor(fit_intercept=True).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.predict(X.tolist()))
    for odd in ("NaN", "empty", "a vector", "a cube", "no columns"):
        with pytest.raises(ValueError):
            model.predict(ODD[odd][0])
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :3])
    assert model.predict(1e151 * X).shape == (40,)  # large, but finite: no squares are taken


def test_names_are_still_asked_for_where_the_fit_had_them() -> None:
    pd = pytest.importorskip("pandas")
    model = SimplexRegressor().fit(pd.DataFrame(X, columns=list("abcd")), y)
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(X)
