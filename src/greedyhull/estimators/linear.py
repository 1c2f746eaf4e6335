"""Linear models whose coefficients lie in a set: the regressor and the classifier that the public ones are made from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from greedyhull.driver.certificate import Certificate
from greedyhull.driver.solution import Solution
from greedyhull.driver.trace import Trace
from greedyhull.errors import check
from greedyhull.estimators.base import FLOATS, Certified, bounded, weights_of
from greedyhull.estimators.callbacks import begin, checked, end
from greedyhull.estimators.losses import CLASSIFICATION, REGRESSION, mean
from greedyhull.points.given import sound
from greedyhull.types import Array, LinearModel, Objective

STORAGE: dict[str, Any] = {"accept_sparse": ("csr", "csc"), "dtype": FLOATS}


class Linear(Certified, ABC):
    """Coefficients in a set that the subclass names: it writes ``_atoms(X, s)``, s the sample weights or None."""

    loss: str
    coef_: Array
    weights_: Array
    intercept_: Any  # a number, or one for each class

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _given(self, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
        """Data and targets as arrays of numbers that can be computed with."""
        X, y = validate_data(self, sound(X), y, **how, **STORAGE)
        bounded(X, "X", X.dtype)
        if how.get("y_numeric"):
            bounded(y, "y", X.dtype)
            y = y if y.dtype.kind == "f" else y.astype(np.float64)  # differences of booleans are no numbers
        return X, y

    @abstractmethod
    def _atoms(self, X: Any, s: Array | None) -> Any:
        """The set that the coefficients lie in."""

    def _found(self, f: Objective, X: Any, s: Array | None) -> Solution:
        """The solution of one problem; a subclass may search for its set."""
        return self._solve(f, self._atoms(X, s))

    def _linear(self, X: Any) -> Array:
        check_is_fitted(self)
        X = validate_data(self, sound(X), reset=False, **STORAGE)
        return np.asarray(safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_)


class LinearRegressor(RegressorMixin, Linear):  # type: ignore[misc]
    """Regression with coefficients in a set."""

    delta: float
    quantile: float
    certificate_: Certificate
    solution_: Solution
    trace_: Trace
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Certified._parameter_constraints,
        "loss": [StrOptions(set(REGRESSION))],
        "delta": [Interval(Real, 0, None, closed="neither")],
        "quantile": [Interval(Real, 0, 1, closed="neither")],
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.loss == "poisson"
        return tags

    @checked
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the coefficients; ``sample_weight`` s means Σ sᵢ ℓᵢ / Σ sᵢ."""
        X, y = self._given(X, y, y_numeric=True)
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        f = REGRESSION[self.loss](X, y, self, sample_weight=s, intercept=self.fit_intercept)
        solution = self._found(f, X, s)
        for name, value in self._attributes(solution.point, f, X.dtype).items():
            setattr(self, name, value)
        self._keep([solution], X.dtype)
        end(self, X, y)
        return self

    def _attributes(self, w: Any, f: LinearModel, dtype: Any = np.float64) -> dict[str, Any]:
        """What a prediction needs, from a point of a solve."""
        coef = w.array().astype(dtype)
        return {"coef_": coef, "weights_": coef, "intercept_": dtype.type(f.intercept(w)) if isinstance(dtype, np.dtype)
                else float(f.intercept(w))}

    def predict(self, X: Any) -> Array:
        """The predicted targets."""
        return mean(self.loss, self._linear(X))


def _has_probabilities(estimator: Any) -> bool:
    if estimator.loss != "logistic":
        raise AttributeError(f"loss={estimator.loss!r} has no probabilities; loss='logistic' has.")
    return True


class LinearClassifier(ClassifierMixin, Linear):  # type: ignore[misc]
    """Classification with coefficients in a set; more than two classes are told apart one against the rest."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Certified._parameter_constraints,
        "loss": [StrOptions(set(CLASSIFICATION))],
    }

    @checked
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the coefficients; ``sample_weight`` s means Σ sᵢ ℓᵢ / Σ sᵢ."""
        X, y = self._given(X, y)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        check(len(self.classes_) > 1, f"y holds one class only, {self.classes_.tolist()[0]!r}; two classes or more are "
                                      "wanted.")
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        signs = [np.where(labels == c, 1.0, -1.0) for c in positive]
        solutions = self._searched(X, signs, labels, s)
        rows = [self._attributes(solution.point, solution.objective) for solution in solutions]
        self.coef_ = np.vstack([row["coef_"] for row in rows]).astype(X.dtype)
        self.intercept_ = np.concatenate([row["intercept_"] for row in rows]).astype(X.dtype)
        self.weights_ = self.coef_[0] if len(rows) == 1 else self.coef_
        self._keep(solutions, X.dtype)
        end(self, X, y)
        return self

    def _problem(self, X: Any, sign: Array, s: Array | None) -> Any:
        return CLASSIFICATION[self.loss](X, sign, sample_weight=s, intercept=self.fit_intercept)

    def _searched(self, X: Any, signs: list[Array], labels: Array, s: Array | None) -> list[Solution]:
        """One solution for each class that is told apart from the rest, its samples those with sign +1."""
        return [self._found(self._problem(X, sign, s), X, s) for sign in signs]

    def _attributes(self, w: Any, f: LinearModel) -> dict[str, Any]:
        """What a prediction needs, from a point of a solve."""
        return {"coef_": w.array()[None, :], "intercept_": np.array([f.intercept(w)]), "classes_": self.classes_}

    def decision_function(self, X: Any) -> Array:
        """The scores of the samples: one each for two classes, else one for each class."""
        z = self._linear(X)
        return z.ravel() if z.shape[1] == 1 else z

    def predict(self, X: Any) -> Array:
        """The class with the highest score."""
        z = self.decision_function(X)
        return np.asarray(self.classes_[(z > 0).astype(np.intp) if z.ndim == 1 else z.argmax(axis=1)])

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes; of several, each one's against the rest, scaled to sum to one."""
        from scipy.special import expit

        p = expit(self.decision_function(X))
        if p.ndim == 1:
            return np.column_stack([1.0 - p, p])
        return np.asarray(p / np.maximum(p.sum(axis=1, keepdims=True), np.finfo(p.dtype).tiny))
