"""Predictions that models make for samples they were not fitted with: each fold is left out in turn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from greedyhull.errors import GreedyhullWarning, check
from greedyhull.estimators.caller import caller_level
from greedyhull.estimators.models import Named
from greedyhull.estimators.split import Fold
from greedyhull.kernels.threads import user
from greedyhull.types import Array, Index
from greedyhull.types.attributes import lacks

Ask = Callable[[list[Named], Any], Array]  # what fitted models say about data, samples in rows


def out_of_fold(models: list[Named], folds: list[Fold], X: Any, y: Array, s: Array | None, ask: Ask) -> tuple[Index, Array]:
    """The rows that folds leave out, one fold after the other, and what clones of the models, fitted without them, say.

    A row that several folds leave out is there several times, one that none leaves out is not there.
    """
    parts = []
    for i, (train, test) in enumerate(folds, 1):
        parts.append(ask(refitted(models, X, y, s, train, f" in fold {i} of {len(folds)}"), _safe_indexing(X, test)))
    return np.concatenate([test for _, test in folds]), np.concatenate(parts)


def refitted(models: list[Named], X: Any, y: Array, s: Array | None, rows: Index | None = None,
             where: str = " with all samples") -> list[Named]:
    """Clones of the models, fitted with some of the rows, or with all; frames stay frames.

    An error of a model goes through as it is, with a note that names the model and says ``where`` it was fitted.
    """
    if rows is not None:
        X, y, s = _safe_indexing(X, rows), y[rows], None if s is None else s[rows]
    fitted = []
    for name, model in models:
        fresh, takes = clone(model, safe=False), weights_name(model)
        try:
            user(fresh.fit, X, y, **({} if s is None or not takes else {takes: s}))
        except Exception as error:
            error.add_note(f"This happened as the model {name!r} of the ensemble was fitted{where}.")
            raise
        fitted.append((name, fresh))
    return fitted


def weights_name(model: Any) -> str:
    """The name under which ``model.fit`` takes weights of samples, of a pipeline its last step; empty where it takes none.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> weights_name(Ridge()), weights_name(Pipeline([("ridge", Ridge())])), weights_name(KNeighborsRegressor())
    ('sample_weight', 'ridge__sample_weight', '')
    """
    if isinstance(model, Pipeline):
        last, final = model.steps[-1]
        inner = weights_name(final)
        routed = get_config().get("enable_metadata_routing", False)  # then a pipeline hands on what its steps request
        return "" if not inner else "sample_weight" if routed else f"{last}__{inner}"
    return "sample_weight" if has_fit_parameter(model, "sample_weight") else ""


def check_models(models: list[Named], s: Array | None) -> None:
    """Refuse models that cannot be fitted; warn of those that take no weights of samples where there are some."""
    for name, model in models:
        check(not lacks(model, "fit") and callable(model.fit), f"The model {name!r}, {model!r}, has no fit; cv fits clones of "
                                                               "the models. Leave cv out where models are fitted already.")
    without = [repr(name) for name, model in models if not weights_name(model)]
    if s is not None and without:
        warnings.warn(f"fit of {', '.join(without)} takes no sample_weight: fitted without. The weights of the ensemble are "
                      "fitted with it.", GreedyhullWarning, stacklevel=caller_level())
