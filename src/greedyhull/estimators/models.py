"""Fitted models that are asked for predictions: each has a name, and what it says is checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import _name_estimators
from sklearn.utils.validation import _num_samples

from greedyhull.errors import GreedyhullError, check
from greedyhull.estimators.base import bounded
from greedyhull.kernels.threads import user
from greedyhull.types import Array
from greedyhull.types.attributes import lacks

ROUNDING = 1e-3  # probabilities may miss [0, 1], and their sum 1, by so much: float32, or a few digits in a file
Named = tuple[str, Any]  # models are whatever has predict or predict_proba, scikit-learn's or not


def named(models: Sequence[Any], method: str) -> list[Named]:
    """The models with their names: pairs as scikit-learn's VotingClassifier takes them, or models named by their class."""
    check(len(models) > 0, "models is empty; one model or more are wanted.")
    for model in models:
        check(not isinstance(model, type), f"models holds a class, {model!r}; an instance of it is wanted.")
    bare = iter(_name_estimators([model for model in models if not _pair(model)]))
    pairs = [model if _pair(model) else next(bare) for model in models]
    names = [name for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    check(not twice, f"models has several named {', '.join(twice)}; each needs a name of its own.")
    for name, model in pairs:
        check(not isinstance(model, type), f"{_who(name)} is a class, {model!r}; an instance of it is wanted.")
        # models come from any library, and may have the method or not
        check(callable(getattr(model, method, None)), f"{_who(name)}, {model!r}, has no {method}; models that have it, or "
                                                      "pairs of a name and such a model, are wanted.")
    return pairs


def _pair(model: Any) -> bool:
    return isinstance(model, tuple) and len(model) == 2 and isinstance(model[0], str)


def _who(name: str) -> str:
    return f"The model {name!r}"


def _asked(name: str, method: Callable[[Any], Any], X: Any) -> Any:
    """What a fitted model says of X."""
    try:
        return user(method, X)
    except NotFittedError as error:
        raise GreedyhullError(f"{_who(name)} is not fitted. Fit it with other data than these, or give cv=5 to have it fitted "
                              "and out-of-fold predictions made.") from error


def predictions(models: list[Named], X: Any) -> Array:
    """What each predicts for X, which is handed on untouched; one column a model."""
    n = _num_samples(X)
    return np.column_stack([_numbers(name, _asked(name, model.predict, X), n) for name, model in models])


def _numbers(name: str, given: Any, n: int) -> Array:
    y = np.asarray(given)
    y = y.ravel() if y.shape == (n, 1) else y
    check(y.shape == (n,) and y.dtype.kind in "biuf",
          lambda: f"{_who(name)} predicts an array of shape {y.shape} and dtype {y.dtype} "
                  f"for {n} samples; one number for each is wanted.")
    check(bool(np.isfinite(y).all()),
          lambda: f"{_who(name)} predicts NaN or infinity for {np.count_nonzero(~np.isfinite(y))} of {n} "
                  "samples. Leave it out, or mend it first.")
    bounded(y, f"What the model {name!r} predicts", np.dtype(np.float64))
    return y.astype(np.float64)


def classes_of(models: list[Named], own: Array) -> Array:
    """The classes that y or a model knows, sorted; those of y must be known to some model."""
    known = [np.asarray(model.classes_) for _, model in models if not lacks(model, "classes_")]
    if len(known) == len(models):
        heard = {label for some in known for label in some.tolist()}
        strange = [label for label in own.tolist() if label not in heard]
        check(not strange, f"y holds the class {strange[:1]!r}, which none of the models was fitted with: they know "
                           f"{sorted(map(str, heard))[:5]}. Give targets as the models had them.")
    return np.unique(np.concatenate([own, *known]))


def probabilities(models: list[Named], X: Any, classes: Array) -> Array:
    """(samples, classes, models): what each holds likely; a class that a model was not fitted with has probability zero."""
    n = _num_samples(X)
    P = np.zeros((n, len(classes), len(models)))
    for j, (name, model) in enumerate(models):
        own = np.asarray(classes if lacks(model, "classes_") else model.classes_)
        P[:, np.searchsorted(classes, own), j] = _probable(name, _asked(name, model.predict_proba, X), (n, len(own)))
    return P


def _probable(name: str, given: Any, shape: tuple[int, int]) -> Array:
    p = np.asarray(given)
    check(p.shape == shape and p.dtype.kind in "biuf",
          lambda: f"{_who(name)} gives probabilities of shape {p.shape} and dtype "
                  f"{p.dtype}; {shape}, a number for each sample and class, are wanted.")
    p = p.astype(np.float64)
    fault = improbable(p)
    check(not fault, f"{_who(name)} gives probabilities {fault}. Numbers in [0, 1] that sum to one in each row are wanted: "
                     "calibrate it, or leave it out.")
    p = np.maximum(p, 0.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def improbable(p: Array) -> str:
    """What is wrong with rows of probabilities, in words; empty where nothing is, up to rounding.

    >>> improbable(np.array([[0.25, 0.75], [0.5, 0.6]]))
    'that sum to 1.1 in row 1'
    """
    outside = ~((p >= -ROUNDING) & (p <= 1.0 + ROUNDING))  # NaN too
    if outside.any():
        return f"such as {p[outside][0]:.6g}"
    sums = p.sum(axis=1)
    row = int(np.abs(sums - 1.0).argmax())
    return f"that sum to {sums[row]:.6g} in row {row}" if abs(sums[row] - 1.0) > ROUNDING else ""
