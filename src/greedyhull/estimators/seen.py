"""Signs that models were fitted with the very data that the ensemble's weights are to be fitted with.

Weights fitted so favour the models that overfit most. Three signs are looked for, all cheap: a model that keeps its training
data keeps these; its predictions are exact; residuals of a regression sum to zero, as they do after least squares with an
intercept, in trees and in boosting. Other models, forests or logistic regressions say, show none of them.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullWarning
from greedyhull.estimators.caller import caller_level
from greedyhull.estimators.models import Named
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array
from greedyhull.types.attributes import own

KEPT = ("_fit_X", "X_train_", "X_fit_")  # where scikit-learn's neighbours, Gaussian processes and kernel ridge keep data
FEW = 10  # samples below which exact predictions mean nothing
EXACT = 1e-12  # of the largest target
BALANCED = 1e-7  # the sum of residuals over the sum of their sizes; on other data it is about 1/√n


def warn_if_seen(models: list[Named], X: Any, residuals: Array, scale: float) -> None:
    """Warn of models that seem to know the data; ``residuals`` has samples in the first axis and models in the last."""
    signs = [(name, sign) for j, (name, model) in enumerate(models) if (sign := _sign(model, X, residuals[..., j], scale))]
    if signs:
        said = "; ".join(f"{name!r} {sign}" for name, sign in signs)
        warnings.warn(f"Models seem to have been fitted on the data that the weights are fitted on: {said}. Such weights "
                      "favour models that overfit. Fit the weights on data that the models have not seen, or give cv=5 to "
                      "have out-of-fold predictions made.", GreedyhullWarning, stacklevel=caller_level())


def _sign(model: Any, X: Any, r: Array, scale: float) -> str:
    """What tells that a model knows the data, in words; empty where nothing does."""
    if _keeps(model, X):
        return "holds these samples as its training data"
    if len(r) < FEW:
        return ""
    if scale > 0.0 and float(np.abs(r).max()) <= EXACT * scale:
        return "predicts every target exactly"
    if r.ndim == 1 and abs(float(r.sum())) <= BALANCED * float(np.abs(r).sum()) and 2 * len(np.unique(r)) >= len(r):
        return "has residuals that sum to zero"
    return ""


def _keeps(model: Any, X: Any) -> bool:
    """Whether a model holds the rows of X: all of them, or support vectors with their places."""
    inside = own(model)
    if is_sparse(X) or inside is None:
        return False
    kept = next((inside[name] for name in KEPT if name in inside), None)
    if isinstance(kept, np.ndarray):
        return _equal(X, kept)
    places, vectors = inside.get("support_"), inside.get("support_vectors_")
    if isinstance(places, np.ndarray) and isinstance(vectors, np.ndarray) and inside.get("shape_fit_") == np.shape(X):
        return len(places) > 0 and _equal(np.asarray(X)[places], vectors)
    return False


def _equal(X: Any, kept: Array) -> bool:
    given = np.asarray(X)
    return given.shape == kept.shape and given.dtype.kind in "biuf" and bool(np.array_equal(given, kept))
