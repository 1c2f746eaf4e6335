"""Weights for an ensemble of models: non-negative, sum to one, certified where the loss is convex."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from greedyhull.atoms.simplex import Simplex
from greedyhull.certificate import Certificate, certify
from greedyhull.errors import GreedyhullWarning, check
from greedyhull.estimators.base import Certified, weights_of
from greedyhull.estimators.callbacks import begin, checked, end
from greedyhull.estimators.few import best_few
from greedyhull.estimators.selection import improved, selected
from greedyhull.iterate import CoordinateIterate
from greedyhull.problems import absolute, least_squares, log_likelihood
from greedyhull.types import Array

COMMON: dict[str, list[Any]] = {"models": [list, tuple, None],
                                "max_models": [None, Interval(Integral, 1, None, closed="left")]}
TINY = 1e-15  # probabilities below it are taken for it, as log-losses usually do


class Ensemble(Certified):
    """What both ensembles share: the weights are found for the models' predictions, whoever made these."""

    loss: Any
    models: Any
    max_models: int | None

    def _weigh(self, f: Any, metric: Callable[[Array], float] | None, P: Array, dtype: Any) -> None:
        """Find ``weights_``: by f where the loss is convex, else by the metric on the rows of ``P``."""
        m = len(P) if f is None else f.domain[0]
        most = m if self.max_models is None else min(int(self.max_models), m)
        if f is not None:
            solution = self._solve(f, Simplex(m))
            w = solution.point.array()
            self._keep([solution], dtype)
            if np.count_nonzero(w) > most:
                w = best_few(f, w, most, lambda g, S: self._solve(g, S).point.array())
                value, lower = float(certify(f, Simplex(m), w).value or 0.0), solution.certificate.lower
                self.dual_gap_ = value - lower  # to the least loss with any number of models
                self.certificate_ = Certificate(value, self.dual_gap_, lower, solution.certificate.kind)
        else:
            assert metric is not None
            rounds = min(int(self.max_iter), 100)
            w, value = improved(P, metric, *selected(P, metric, rounds, most), rounds, most)
            self.certificate_, self.dual_gap_ = Certificate(value, None, -np.inf, "estimate"), np.inf
            self.n_iter_ = rounds
        self.weights_ = self.coef_ = w.astype(dtype)
        self.n_models_ = int(np.count_nonzero(w))

    def _attributes(self, w: Any, f: Any) -> dict[str, Any]:
        return {"weights_": w.array(), "coef_": w.array()}


class EnsembleRegressor(RegressorMixin, Ensemble):  # type: ignore[misc]
    """Ensemble weights for regression: ≥ 0, sum to one, at most ``max_models`` of them positive.

    ``fit(Z, y)`` takes a matrix of out-of-fold predictions, one model a column. With ``models``, fitted ones, it takes data
    that they have not seen, and predictions are theirs. ``loss`` is "squared", "absolute" or a function of (y, prediction),
    the lower the better, which is improved by greedy steps and swaps on itself, never to more than greedy selection with
    replacement reaches.

    >>> import numpy as np
    >>> y = np.array([1.0, 2.0, 3.0, 4.0])
    >>> Z = np.column_stack([y + [1, -1, 1, -1], y - [1, -1, 1, -1], y**2])
    >>> EnsembleRegressor().fit(Z, y).weights_.round(6)
    array([0.5, 0.5, 0. ])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Certified._parameter_constraints, **COMMON, "loss": [StrOptions({"squared", "absolute"}), callable]}

    def __init__(self, *, loss: Any = "squared", models: Any = None, max_models: int | None = None,
                 fit_intercept: bool = False, tol: float = 1e-6, max_iter: int = 10_000, random_state: Any = None,
                 verbose: Any = 0) -> None:
        self.loss, self.models, self.max_models = loss, models, max_models
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter
        self.random_state, self.verbose = random_state, verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # where the columns do not predict the target
        return tags

    @checked
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the weights."""
        X, y = validate_data(self, X, y, y_numeric=True, dtype=(np.float64, np.float32))
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        Z = self._columns(X)
        make = {"squared": least_squares, "absolute": absolute}.get(self.loss) if isinstance(self.loss, str) else None
        f = None if make is None else make(Z, y, sample_weight=s, intercept=self.fit_intercept)
        metric = None if make is not None else lambda z: float(self.loss(y, z))
        self._weigh(f, metric, Z.T, X.dtype)
        self.intercept_ = 0.0 if f is None else float(f.intercept(CoordinateIterate(self.weights_.astype(np.float64))))
        end(self, X, y)
        return self

    def _columns(self, X: Array) -> Array:
        return X if self.models is None else np.column_stack([np.asarray(model.predict(X)) for model in self.models])

    def predict(self, X: Any) -> Array:
        """The weighted mean of what the models predict."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=(np.float64, np.float32))
        return np.asarray(self._columns(X) @ self.weights_ + self.intercept_)


class EnsembleClassifier(ClassifierMixin, Ensemble):  # type: ignore[misc]
    """Ensemble weights for classification: ≥ 0, sum to one, at most ``max_models`` of them positive.

    ``fit(Z, y)`` takes a matrix of out-of-fold probabilities: for two classes one column a model, the probability of the
    second class in sorted order; for K > 2 classes a block of K columns a model. This is what scikit-learn's
    StackingClassifier hands on. With ``models``, fitted ones, it takes data that they have not seen. ``loss`` is "log_loss",
    "squared" (Brier's) or a function of (y, probabilities), the lower the better.

    Columns that are no probabilities are taken for scores s, and turned into 1/(1 + e^−s) first, or for several classes into
    e^s over their sum. One column a model for several classes is the class it votes for, 0 … K − 1.

    >>> import numpy as np
    >>> y = np.array([0, 1, 1, 0])
    >>> Z = np.array([[0.1, 0.4], [0.8, 0.3], [0.9, 0.6], [0.3, 0.5]])
    >>> EnsembleClassifier().fit(Z, y).weights_.round(6)
    array([1., 0.])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Certified._parameter_constraints, **COMMON, "loss": [StrOptions({"log_loss", "squared"}), callable]}
    _parameter_constraints.pop("fit_intercept")

    def __init__(self, *, loss: Any = "log_loss", models: Any = None, max_models: int | None = None, tol: float = 1e-6,
                 max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self.loss, self.models, self.max_models = loss, models, max_models
        self.tol, self.max_iter, self.random_state, self.verbose = tol, max_iter, random_state, verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # where the columns do not predict the classes
        return tags

    @checked
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the weights."""
        X, y = validate_data(self, X, y, dtype=(np.float64, np.float32))
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        check(len(self.classes_) > 1, f"y holds one class only, {self.classes_[0]!r}; two classes or more are wanted.")
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        P = self._probabilities(X)
        f, metric = self._objective(P, labels, s), None
        if f is None:
            metric = lambda z: float(self.loss(y, z[:, 1] if z.shape[1] == 2 else z))
        self._weigh(f, metric, np.moveaxis(P, 2, 0), X.dtype)
        end(self, X, y)
        return self

    def _objective(self, P: Array, labels: Array, s: Array | None) -> Any:
        """Log-loss needs only what each model gave the true class; Brier's all classes, as one long column a model."""
        n, K, m = P.shape
        if self.loss == "log_loss":
            return log_likelihood(np.maximum(P[np.arange(n), labels], TINY), sample_weight=s)
        if self.loss == "squared":
            truth = np.zeros((n, K))
            truth[np.arange(n), labels] = 1.0
            return least_squares(P.reshape(n * K, m), truth.ravel(), sample_weight=None if s is None else np.repeat(s, K))
        return None

    def _probabilities(self, X: Array) -> Array:
        """(samples, classes, models)."""
        K = len(self.classes_)
        if self.models is not None:
            return np.stack([np.asarray(model.predict_proba(X)) for model in self.models], axis=2)
        n, columns = X.shape
        scores = bool(((X < 0.0) | (X > 1.0)).any())
        if K == 2:
            p = 1.0 / (1.0 + np.exp(-np.clip(X, -500.0, 500.0))) if scores else X
            return np.stack([1.0 - p, p], axis=1)
        if columns % K:
            return _votes(X, K)
        blocks = X.reshape(n, columns // K, K).transpose(0, 2, 1)
        if scores:
            blocks = np.exp(blocks - blocks.max(axis=1, keepdims=True))
        return np.asarray(blocks / np.maximum(blocks.sum(axis=1, keepdims=True), TINY))

    def predict_proba(self, X: Any) -> Array:
        """The weighted mean of the models' probabilities."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=(np.float64, np.float32))
        return np.asarray(self._probabilities(X) @ self.weights_)

    def predict(self, X: Any) -> Array:
        """The class with the highest probability."""
        p = self.predict_proba(X)
        return np.asarray(self.classes_[p.argmax(axis=1)])


def _votes(X: Array, K: int) -> Array:
    """One column a model: the class it votes for, as (samples, classes, models)."""
    votes = np.clip(np.rint(X), 0, K - 1)
    if not np.array_equal(votes, X):
        warnings.warn(f"X has {X.shape[1]} columns and y {K} classes. Blocks of {K} columns for each model, the probabilities "
                      "of the classes in sorted order, are wanted; each column is taken for the number of the class that a "
                      "model votes for, rounded.", GreedyhullWarning, stacklevel=5)
    return np.stack([votes == k for k in range(K)], axis=1).astype(np.float64)
