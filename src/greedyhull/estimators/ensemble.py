"""Weights for an ensemble of models: non-negative, sum to one, certified where the loss is convex."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, _clone_parametrized
from sklearn.utils import check_consistent_length
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.certificate import Certificate, certify
from greedyhull.driver.solution import Solution
from greedyhull.driver.trace import Trace
from greedyhull.errors import GreedyhullError, check
from greedyhull.estimators.base import FLOATS, Certified, bounded, weights_of
from greedyhull.estimators.callbacks import begin, checked, end
from greedyhull.estimators.cardinality import best_few
from greedyhull.estimators.columns import TINY, columns_of
from greedyhull.estimators.models import classes_of, named, predictions, probabilities
from greedyhull.estimators.selection import improved, selected
from greedyhull.objectives.by_name import absolute, least_squares, log_likelihood
from greedyhull.objectives.composite import Composite
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.types import Array, LinearModel

COMMON: dict[str, list[Any]] = {"models": [list, tuple, None],
                                "max_models": [None, Interval(Integral, 1, None, closed="left")]}


class Ensemble(Certified):
    """What both ensembles share: the weights are found for the models' predictions, whoever made these."""

    loss: str | Callable[..., Any]
    models: Any
    max_models: int | None
    asks: ClassVar[str]  # the method of models that says what the weights are for
    certificate_: Certificate
    solution_: Solution  # where the loss has a name
    trace_: Trace

    def __sklearn_clone__(self) -> Any:
        """A clone asks the same models: they are fitted, and would be no use otherwise."""
        clone = _clone_parametrized(self)
        clone.models = self.models
        return clone

    def _given(self, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
        """Predictions as an array of numbers; data for ``models`` as they are, for only these know what they want."""
        if self.models is None:
            X, y = validate_data(self, X, y, dtype=FLOATS, **how)
            bounded(X, "X", X.dtype)
            self.model_names_ = self._feature_names()
            return X, y
        y = validate_data(self, "no_validation", y, **how)
        X, _ = validate_data(self, X, y, skip_check_array=True)
        check_consistent_length(X, y)
        self.model_names_ = [name for name, _ in named(self.models, self.asks)]
        return X, y

    def _new(self, X: Any) -> Any:
        """The same for data to predict."""
        check_is_fitted(self)
        if self.models is None:
            return validate_data(self, X, reset=False, dtype=FLOATS)
        return validate_data(self, X, reset=False, skip_check_array=True)

    def _names(self) -> list[str] | None:
        return self.model_names_

    def _measured(self, y: Array, s: Array | None, z: Array) -> float:
        """The loss, a function, of the ensemble's predictions."""
        how, given = ({}, "") if s is None else ({"sample_weight": s}, ", sample_weight=...")
        try:
            assert callable(self.loss)
            value = np.asarray(self.loss(y, z, **how))
        except TypeError as error:
            raise GreedyhullError(f"loss, {self.loss!r}, cannot be called as loss(y, prediction{given}): {error}. Give a "
                                  "function that can.") from error
        check(value.size == 1 and value.dtype.kind in "biuf", lambda: f"loss, {self.loss!r}, answered {value!r}; a number, "
                                                                      "the lower the better, is wanted.")
        return float(value.item())

    def _weigh(self, f: Composite | None, metric: Callable[[Array], float] | None, P: Array, dtype: Any) -> None:
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
            for name in ("solution_", "trace_"):  # of a fit before this one, with another loss
                self.__dict__.pop(name, None)
        self.weights_ = self.coef_ = w.astype(dtype)
        self.n_models_ = int(np.count_nonzero(w))

    def _attributes(self, w: Any, f: LinearModel) -> dict[str, Any]:
        return {"weights_": w.array(), "coef_": w.array()}


class EnsembleRegressor(RegressorMixin, Ensemble):  # type: ignore[misc]
    """Ensemble weights for regression: ≥ 0, sum to one, at most ``max_models`` of them positive.

    ``fit(Z, y)`` takes a matrix of out-of-fold predictions, one model a column. With ``models``, fitted ones or pairs of a
    name and one, it takes data that they have not seen, as they are, and predictions are theirs. ``loss`` is "squared",
    "absolute" or a function of (y, prediction), the lower the better, which is improved by greedy steps and swaps on itself,
    never to more than greedy selection with replacement reaches; where it is not finite, it loses.

    >>> import numpy as np
    >>> y = np.array([1.0, 2.0, 3.0, 4.0])
    >>> Z = np.column_stack([y + [1, -1, 1, -1], y - [1, -1, 1, -1], y**2])
    >>> EnsembleRegressor().fit(Z, y).weights_.round(6)
    array([0.5, 0.5, 0. ])
    """

    asks = "predict"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Certified._parameter_constraints, **COMMON, "loss": [StrOptions({"squared", "absolute"}), callable]}

    def __init__(self, *, loss: str | Callable[..., Any] = "squared", models: Any = None, max_models: int | None = None,
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
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the weights."""
        check(isinstance(self.loss, str) or not self.fit_intercept, "fit_intercept=True was given with a function for a loss, "
              "for which no intercept is searched. Leave the intercept out, or give a loss by name.")
        X, y = self._given(X, y, y_numeric=True)
        bounded(y, "y", np.dtype(np.float64) if self.models is not None else X.dtype)
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        Z = self._columns(X)
        make = {"squared": least_squares, "absolute": absolute}.get(self.loss) if isinstance(self.loss, str) else None
        f = None if make is None else make(Z, y, sample_weight=s, intercept=self.fit_intercept)
        metric = None if make is not None else lambda z: self._measured(y, s, z)
        self._weigh(f, metric, Z.T, Z.dtype)
        self.intercept_ = 0.0 if f is None else float(f.intercept(CoordinateIterate(self.weights_.astype(np.float64))))
        end(self, X, y)
        return self

    def _columns(self, X: Any) -> Array:
        return np.asarray(X) if self.models is None else predictions(named(self.models, self.asks), X)

    def predict(self, X: Any) -> Array:
        """The weighted mean of what the models predict."""
        return np.asarray(self._columns(self._new(X)) @ self.weights_ + self.intercept_)


class EnsembleClassifier(ClassifierMixin, Ensemble):  # type: ignore[misc]
    """Ensemble weights for classification: ≥ 0, sum to one, at most ``max_models`` of them positive.

    ``fit(Z, y)`` takes a matrix of out-of-fold probabilities: for two classes one column a model, the probability of the
    second class in sorted order; for K > 2 classes a block of K columns a model. This is what scikit-learn's
    StackingClassifier hands on. With ``models``, fitted ones or pairs of a name and one, it takes data that they have not
    seen. ``loss`` is "log_loss", "squared" (Brier's) or a function of (y, probabilities), the lower the better.

    Columns with negative entries are taken for scores s, and turned into 1/(1 + e^−s), or for several classes into e^s over
    their sum. One column a model for several classes is the class it votes for, 0 … K − 1.

    >>> import numpy as np
    >>> y = np.array([0, 1, 1, 0])
    >>> Z = np.array([[0.1, 0.4], [0.8, 0.3], [0.9, 0.6], [0.3, 0.5]])
    >>> EnsembleClassifier().fit(Z, y).weights_.round(6)
    array([1., 0.])
    """

    asks = "predict_proba"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Certified._parameter_constraints, **COMMON, "loss": [StrOptions({"log_loss", "squared"}), callable]}
    _parameter_constraints.pop("fit_intercept")

    def __init__(self, *, loss: str | Callable[..., Any] = "log_loss", models: Any = None, max_models: int | None = None,
                 tol: float = 1e-6, max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self.loss, self.models, self.max_models = loss, models, max_models
        self.tol, self.max_iter, self.random_state, self.verbose = tol, max_iter, random_state, verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # where the columns do not predict the classes
        return tags

    @checked
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the weights."""
        X, y = self._given(X, y)
        check_classification_targets(y)
        own, labels = np.unique(y, return_inverse=True)
        check(len(own) > 1, f"y holds one class only, {own.tolist()[0]!r}; two classes or more are wanted.")
        self.classes_ = own if self.models is None else classes_of(named(self.models, self.asks), own)
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        if self.models is None:
            self._reader = columns_of(X, len(own), self._feature_names())
        P = self._probabilities(X)
        f, metric = self._objective(P, np.searchsorted(self.classes_, own)[labels], s), None
        if f is None:
            metric = lambda z: self._measured(y, s, z[:, 1] if z.shape[1] == 2 else z)
        self._weigh(f, metric, np.moveaxis(P, 2, 0), P.dtype)
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

    def _probabilities(self, X: Any) -> Array:
        """(samples, classes, models)."""
        if self.models is not None:
            return probabilities(named(self.models, self.asks), X, self.classes_)
        return self._reader.read(X)

    def _names(self) -> list[str] | None:
        """Several classes have several columns for each model."""
        names = self.model_names_
        if self.models is not None or names is None or len(names) == len(self._reader.names):
            return names
        return self._reader.names

    def predict_proba(self, X: Any) -> Array:
        """The weighted mean of the models' probabilities."""
        return np.asarray(self._probabilities(self._new(X)) @ self.weights_)

    def predict(self, X: Any) -> Array:
        """The class with the highest probability."""
        p = self.predict_proba(X)
        return np.asarray(self.classes_[p.argmax(axis=1)])
