"""The classifier that the public linear ones are made from."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from greedyhull.errors import check
from greedyhull.estimators.base import Certified, begin, class_weighted, end, weights_of, write_report
from greedyhull.estimators.linear import CLASSIFICATION, Linear, Problem, are_shards, predictions
from greedyhull.types import Array, LinearModel, told_intercept


def _has_probabilities(estimator: Any) -> bool:
    if estimator.loss != "logistic":
        raise AttributeError(f"loss={estimator.loss!r} has no probabilities; loss='logistic' has.")
    return True


class LinearClassifier(ClassifierMixin, Linear):  # type: ignore[misc]
    """Classification with coefficients in a set."""

    _one_problem: bool = False  # more than two classes at once with the logistic loss, else one against the rest
    class_weight: dict[Any, float] | str | None
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Certified._parameter_constraints, "loss": [StrOptions(set(CLASSIFICATION))]}
    score = Linear.score

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Self:
        X, y = self._given(X, y)
        check_classification_targets(y)
        before = vars(self).get("classes_")
        self.classes_, labels = np.unique(y, return_inverse=True)
        check(len(self.classes_) > 1, f"y must hold several classes; it has one class only, {self.classes_.tolist()[0]!r}.")
        begin(self, X, y)
        s = class_weighted(self.class_weight, self.classes_, labels, weights_of(sample_weight, X))
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        starts = self._previous(len(positive), X.shape[1])
        if before is not None and not np.array_equal(before, self.classes_):
            starts = [None] * len(positive)
        together = len(self.classes_) if self._one_problem and self.loss == "logistic" and len(self.classes_) > 2 else 0
        if together:
            rows = None if starts[0] is None else np.stack([row for row in starts if row is not None]).T
            solutions = self._searched(X, [labels], labels, s, [rows], groups, together)
            coef, intercept = solutions[0].point.array().T, np.asarray(solutions[0].intercept)
        else:
            signs = [np.where(labels == c, 1.0, -1.0) for c in positive]
            solutions = self._searched(X, signs, labels, s, starts, groups)
            found = [self._attributes(solution.point, solution.objective) for solution in solutions]
            coef, intercept = (np.concatenate([row[name] for row in found]) for name in ("coef_", "intercept_"))
        self.coef_ = np.ascontiguousarray(coef, dtype=X.dtype)  # a row for each class, or one for two of them
        self.intercept_ = np.broadcast_to(intercept.astype(X.dtype), len(coef)).copy()
        self.weights_ = self.coef_[0] if len(coef) == 1 else self.coef_
        self._keep(solutions, X.dtype)
        end(self, X, y)
        return self

    @property
    def _problem(self) -> Problem:
        return Problem(self.loss, self.fit_intercept)

    def _attributes(self, w: Any, f: LinearModel) -> dict[str, Any]:
        return {"coef_": w.array()[None, :], "intercept_": np.array([told_intercept(f, w)]), "classes_": self.classes_}

    def decision_function(self, X: Any) -> Array:
        """Compute the scores X @ coef_.T + intercept_ of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One score a sample for two classes, positive for ``classes_[1]``; else one for each class.

        Examples
        --------
        >>> from greedyhull.estimators import SimplexClassifier
        >>> model = SimplexClassifier(fit_intercept=False).fit([[1.0], [-1.0]], ["yes", "no"])
        >>> model.decision_function([[3.0]])
        array([3.])
        """
        z = self._linear(X)
        return z.ravel() if z.shape[1] == 1 else z

    def predict(self, X: Any) -> Array:
        """Predict the class with the highest score.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            The predicted labels.

        Examples
        --------
        >>> from greedyhull.estimators import SimplexClassifier
        >>> SimplexClassifier().fit([[1.0], [-1.0]], [1, 0]).predict([[3.0]])
        array([1])
        """
        if are_shards(X):
            return predictions(self.predict, X, self._feature_names())
        z = self.decision_function(X)
        return np.asarray(self.classes_[(z > 0).astype(np.intp) if z.ndim == 1 else z.argmax(axis=1)])

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Predict the probabilities of the classes, with ``loss="logistic"`` only.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            The probabilities, in the order of ``classes_``. Where more than two classes are fitted one against the rest, they
            are those of each class against the rest, scaled to sum to one.

        Examples
        --------
        >>> from greedyhull.estimators import SimplexClassifier
        >>> model = SimplexClassifier(fit_intercept=False).fit([[1.0], [-1.0]], [1, 0])
        >>> model.predict_proba([[0.0]])
        array([[0.5, 0.5]])
        """
        if are_shards(X):
            return predictions(self.predict_proba, X, self._feature_names())
        z = self.decision_function(X)
        if z.ndim == 2 and not isinstance(self.solution_, list):
            return np.asarray(softmax(z, axis=1))
        p = expit(z)
        if p.ndim == 1:
            return np.column_stack([1.0 - p, p])
        return np.asarray(p / np.maximum(p.sum(axis=1, keepdims=True), np.finfo(p.dtype).tiny))

    def report(self, path: str | Path, label: Any = None) -> Path:
        """Write a self-contained HTML page about the fit.

        It shows the certificate, the coefficients as a table and as bars, convergence, and the bounds that apply. It needs the
        training data, which are kept in memory after `fit`, but are no part of a pickle.

        Parameters
        ----------
        path : str or path-like
            The file to write.
        label : object, default=None
            Where classes are fitted one against the rest, the class whose page is wanted: each is a problem of its own.

        Returns
        -------
        path : pathlib.Path
            The file written.

        Examples
        --------
        >>> from greedyhull.estimators import SimplexClassifier
        >>> model = SimplexClassifier().fit([[1.0], [-1.0]], [1, 0])
        >>> model.report("fit.html")  # doctest: +SKIP
        PosixPath('fit.html')
        """
        check_is_fitted(self)
        known = self.classes_.tolist()
        several = isinstance(self.solution_, list)
        check(label in known if several else label is None or label in known,
              f"label={label!r} was given; one of the classes is wanted: {', '.join(map(repr, known))}.")
        if not several:
            return write_report(self.solution_, path, self._minimised())
        return write_report(self.solution_[known.index(label)], path, f"The class {label!r} against all others.",
                            self._minimised())
