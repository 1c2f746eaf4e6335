"""Estimators whose training data are shards: ``fit(data)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.driver.solution import Solution
from greedyhull.errors import check
from greedyhull.objectives.by_name import (
    absolute,
    hinge,
    huber,
    least_squares,
    logistic,
    poisson,
    quantile,
    squared_hinge,
)
from greedyhull.types import Shards

if TYPE_CHECKING:
    from greedyhull.estimators.linear import Linear, LinearRegressor
    from greedyhull.estimators.linear_classifier import LinearClassifier

LOSSES: dict[str, Callable[..., Any]] = {
    "squared": lambda data, est, **how: least_squares(data, **how),
    "huber": lambda data, est, **how: huber(data, delta=est.delta, **how),
    "poisson": lambda data, est, **how: poisson(data, **how),
    "absolute": lambda data, est, **how: absolute(data, **how),
    "quantile": lambda data, est, **how: quantile(data, q=est.quantile, **how),
    "logistic": lambda data, est, **how: logistic(data, **how),
    "squared_hinge": lambda data, est, **how: squared_hinge(data, **how),
    "hinge": lambda data, est, **how: hinge(data, **how),
}


class Columns:
    """What a set needs to know of the data: how many rows and columns there are."""

    def __init__(self, n: int, d: int) -> None:
        self.shape = (n, d)


def are_shards(X: Any) -> bool:
    """Whether data are shards.

    >>> are_shards(np.eye(2))
    False
    """
    return type(X) is not np.ndarray and isinstance(X, Shards)


def refuse_shards(X: Any) -> None:
    """Raise where data that are split into folds are shards."""
    check(not are_shards(X), "fit was given shards, and cross-validation splits rows, which have to be in one place. Choose a "
                             "radius by a validation set: fit for several, and compare score(...).")


def _found(model: Linear, data: Shards, y: Any, sample_weight: Any) -> Solution:
    """The one solve of a fit over shards."""
    check(y is None and sample_weight is None, "fit was given shards and more data; targets and weights come with the shards. "
                                               "Call fit(data).")
    given = model.get_params()
    for name, plain in (("alpha", None), ("standardize", False), ("class_weight", None)):
        value = given.get(name, plain)
        check(value is plain, lambda: f"{type(model).__name__}({name}={value!r}) was fitted to shards, and "  # noqa: B023
              f"{name} needs all rows in one place. Leave it out.")  # noqa: B023
    f = LOSSES[model.loss](data, model, intercept=model.fit_intercept)
    model.n_features_in_ = int(data.d)
    model.__dict__.pop("feature_names_in_", None)  # of an earlier fit
    if data.names is not None:
        model.feature_names_in_ = np.array(data.names, dtype=object)
    (start,) = model._previous(1, int(data.d))
    return model._found(f, Columns(f.n, int(data.d)), None, start)


def fit_regressor(model: LinearRegressor, data: Shards, y: Any, sample_weight: Any) -> None:
    """Coefficients and intercept of a regressor."""
    solution = _found(model, data, y, sample_weight)
    model.coef_ = model.weights_ = solution.point.array()
    model.intercept_ = solution.intercept
    model._keep([solution], np.float64)


def fit_classifier(model: LinearClassifier, data: Shards, y: Any, sample_weight: Any) -> None:
    """Coefficients and intercept of a classifier; labels are −1 and +1, or 0 and 1, as the shards have them."""
    solution = _found(model, data, y, sample_weight)
    zero_one = solution.objective.facts.zero_one  # f is one over shards
    model.classes_ = np.array([0.0 if zero_one else -1.0, 1.0])
    model.coef_ = solution.point.array()[None, :]
    model.weights_, model.intercept_ = model.coef_[0], np.array([solution.intercept])
    model._keep([solution], np.float64)
