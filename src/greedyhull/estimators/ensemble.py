"""Weights for an ensemble of models."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from difflib import get_close_matches
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, _clone_parametrized
from sklearn.metrics import get_scorer_names
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, check_consistent_length
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.certificate import Certificate, certify
from greedyhull.driver.solution import Solution
from greedyhull.driver.trace import Trace
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check
from greedyhull.estimators.base import (
    FLOATS,
    Certified,
    begin,
    bounded,
    by_column,
    by_row,
    caller_level,
    checked,
    end,
    folds_of,
    weights_of,
)
from greedyhull.estimators.described import ENSEMBLE, described
from greedyhull.estimators.ensemble_models import (
    TINY,
    Named,
    check_models,
    classes_of,
    columns_of,
    improved,
    named,
    predictions,
    probabilities,
    refitted,
    selected,
    warn_if_seen,
)
from greedyhull.estimators.simplex import best_few
from greedyhull.objectives.by_name import absolute, least_squares, log_likelihood
from greedyhull.objectives.composite import Composite
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.types import Array, LinearModel

# scikit-learn's scorers, and the losses that rank as they do
REGRESSION = {"neg_mean_squared_error": "squared", "neg_root_mean_squared_error": "squared", "r2": "squared",
              "neg_mean_absolute_error": "absolute"}
CLASSIFICATION = {"neg_log_loss": "log_loss", "neg_brier_score": "squared", "brier": "squared"}
COMMON: dict[str, list[Any]] = {**Certified._parameter_constraints, "cv": ["cv_object", StrOptions({"prefit"})],
                                "models": [list, tuple, None],
                                "max_models": [None, Interval(Integral, 1, None, closed="left")]}


class Ensemble(Certified):
    """What both ensembles share: the weights are found for the models' predictions, whoever made these."""

    loss: str | Callable[..., Any]
    models: Any
    cv: Any
    max_models: int | None
    asks: ClassVar[str]  # the method of models that says what the weights are for
    scorers: ClassVar[dict[str, str]]  # names of scikit-learn's scorers, and the losses they stand for
    certificate_: Certificate
    solution_: Solution  # where the loss has a name
    trace_: Trace
    models_: list[Named] | None

    @checked
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the weights; with ``cv``, fit the models as well.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_columns), or whatever the models take
            Predictions or probabilities, one model a column or, with K > 2 classes, a block of K columns; with ``models``,
            their data.
        y : array of shape (n_samples,)
            Targets, or classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each sample counts: the loss is Σ sᵢ ℓᵢ / Σ sᵢ. Models get it where their ``fit`` takes it.

        Returns
        -------
        object
            The ensemble itself.
        """
        self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        raise NotImplementedError

    def __sklearn_clone__(self) -> Any:
        """A clone has the same models: without cv they are fitted, and would be no use otherwise; with it they are cloned."""
        clone = _clone_parametrized(self)
        clone.models = self.models
        return clone

    def _validate_params(self) -> None:
        """As scikit-learn does; of a loss that is not known it is also said which one may be meant."""
        try:
            super()._validate_params()
        except InvalidParameterError as error:
            known = [one.options for one in self._parameter_constraints["loss"] if isinstance(one, StrOptions)]
            names = sorted(set().union(*known))
            if not isinstance(self.loss, str) or self.loss in names:
                raise
            near = get_close_matches(self.loss, names, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else "For another loss give a function of (y, prediction)."
            if self.loss in get_scorer_names():
                hint = (f"No convex loss is known here for the scorer {self.loss!r}; give a function of (y, prediction), the "
                        "lower the better, in its place.")
            raise InvalidParameterError(f"{error} {hint}") from None

    def _loss(self) -> str | Callable[..., Any]:
        """The loss, or the one that the name of a scorer stands for."""
        return self.scorers.get(self.loss, self.loss) if isinstance(self.loss, str) else self.loss

    def _fitted_here(self) -> bool:
        return self.cv is not None and not (isinstance(self.cv, str) and self.cv == "prefit")

    def _given(self, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
        """Predictions as an array of numbers; data for ``models`` as they are, for only these know what they want."""
        if self.models is None:
            if self._fitted_here():
                warnings.warn("cv was given without models and has no effect: the columns of X are taken for out-of-fold "
                              "predictions. Give models to have these made.", GreedyhullWarning, stacklevel=caller_level())
            X, y = validate_data(self, X, y, dtype=FLOATS, **how)
            bounded(X, "X", X.dtype)
            self.model_names_, self.models_ = self._feature_names(), None
            return X, y
        y = validate_data(self, "no_validation", y, **how)
        X, _ = validate_data(self, X, y, skip_check_array=True)
        check_consistent_length(X, y)
        self.models_ = named(self.models, self.asks)
        self.model_names_ = [name for name, _ in self.models_]
        return X, y

    def _answers(self, models: list[Named] | None, X: Any) -> Array:
        """What ``models`` predict for X; without them, what the columns of X say. The last axis is that of the models."""
        raise NotImplementedError

    def _predicted(self, X: Any, y: Array, s: Array | None, kinds: tuple[Array, Array] | None = None) -> tuple[Any, Array]:
        """Rows, and predictions for them. With ``cv``: by clones fitted without them; then the models are fitted with all."""
        if self.models_ is None or not self._fitted_here():
            return slice(None), self._answers(self.models_, X)
        models, parts = self.models_, []
        check_models(models, s)
        splitter = check_cv(self.cv, y, classifier=kinds is not None)
        try:
            splits = list(splitter.split(X, y))
        except ValueError as error:
            check("groups" not in str(error), f"cv={self.cv!r} needs groups. Give cv=list(splitter.split(X, y, groups)).")
            raise
        folds = folds_of(splits, len(y), s, kinds)
        for i, (train, test) in enumerate(folds, 1):
            fitted = refitted(models, X, y, s, train, f" in fold {i} of {len(folds)}")
            parts.append(self._answers(fitted, _safe_indexing(X, test)))
        self.models_ = refitted(models, X, y, s)
        return np.concatenate([test for _, test in folds]), np.concatenate(parts)

    def _mixed(self, X: Any) -> Array:
        """The weighted mean of the predictions for data that are checked as those of the fit were."""
        check_is_fitted(self)
        how: dict[str, Any] = {"dtype": FLOATS} if self.models_ is None else {"skip_check_array": True}
        X = validate_data(self, by_column(self, X), reset=False, **how)
        return np.asarray(self._answers(self.models_, X) @ self.weights_)

    def _names(self, axes: int) -> list[str] | None:
        return self.model_names_

    def _measured(self, y: Array, s: Array | None, z: Array) -> float:
        """The loss, a function, of the ensemble's predictions."""
        how, given = ({}, "") if s is None else ({"sample_weight": s}, ", sample_weight=...")
        try:
            assert callable(self.loss)
            value = np.asarray(self.loss(y, z, **how))
        except TypeError as error:
            raise GreedyhullError(f"loss, {self.loss!r}, cannot be called as loss(y, prediction{given}): {error}.") from error
        check(value.size == 1 and value.dtype.kind in "biuf", lambda: f"loss must return a number; got {value!r}.")
        return float(value.item())

    def _weigh(self, f: Composite | None, P: Array, metric: Callable[[Array], float] | None = None) -> None:
        """Find ``weights_``: by f where the loss has a name, else by the metric on the rows of ``P``."""
        m = len(P) if f is None else f.domain[0]
        most = m if self.max_models is None else min(int(self.max_models), m)
        if f is not None:
            solution = self._solve(f, Simplex(m))
            w = solution.point.array()
            self._keep([solution], P.dtype)
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
        self.weights_ = self.coef_ = w.astype(P.dtype)
        self.n_models_ = int(np.count_nonzero(w))

    def _attributes(self, w: Any, f: LinearModel) -> dict[str, Any]:
        return {"weights_": w.array(), "coef_": w.array()}


LOSSES: dict[str, Callable[..., Composite]] = {"squared": least_squares, "absolute": absolute}


@described(ENSEMBLE)
class EnsembleRegressor(RegressorMixin, Ensemble):  # type: ignore[misc]
    """Weights for an ensemble of regressors: non-negative, with sum one, certified for losses that have a name.

    The ensemble predicts Σ_j w_j z_j, where z_j is what model j predicts. The weights w minimise the loss of predictions for
    samples that the models were not fitted with. There are three ways to provide these:

    - ``models`` and ``cv``: `fit` makes out-of-fold predictions, then fits the models with all samples;
    - fitted ``models`` without ``cv``: `fit` takes samples that the models have not seen;
    - no ``models``: `fit` takes a matrix of out-of-fold predictions, one column for each model, as scikit-learn's
      `StackingRegressor` hands to its final estimator.

    Parameters
    ----------
    loss : str or callable, default="squared"
        What the weights minimise: "squared", "absolute", or the name of a scorer that ranks as one of them does
        ("neg_mean_squared_error", "neg_root_mean_squared_error", "r2", "neg_mean_absolute_error"). A function of (y,
        prediction), the lower the better, is minimised by greedy steps and swaps, without a certificate; it is never worse
        than greedy selection with replacement, and predictions for which it is not finite lose.
    models : list, default=None
        Models, or pairs of a name and a model. Anything with ``predict`` will do; data frames reach it as they are. None: the
        columns of X are predictions.
    {max_models, cv}
    fit_intercept : bool, default=False
        Add a constant to the weighted mean. Not for a loss that is a function.
    tol : float, default=1e-8
        The certified gap to reach, relative to the larger of the loss and the loss of predicting zero.
    {max_iter, random_state, verbose}

    Attributes
    ----------
    {weights_}
    intercept_ : float
        The constant that is added; 0 without ``fit_intercept``.
    {models_, model_names_, n_models_, dual_gap_, fitted}

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([1.0, 2.0, 3.0, 4.0])
    >>> Z = np.column_stack([y + [1, -1, 1, -1], y - [1, -1, 1, -1], y**2])
    >>> EnsembleRegressor().fit(Z, y).weights_.round(6)
    array([0.5, 0.5, 0. ])

    Out-of-fold predictions of models that are fitted on the way:

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> models = [("line", Ridge(1e-6)), ("near", KNeighborsRegressor(20))]
    >>> EnsembleRegressor(models=models, cv=5).fit(X, 3 * X[:, 0] + 1).weights_.round(3)
    array([1., 0.])
    """

    asks = "predict"
    score = by_row(RegressorMixin.score)
    scorers = REGRESSION
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON, "loss": [StrOptions(set(LOSSES)), StrOptions(set(REGRESSION)), callable]}

    def __init__(self, *, loss: str | Callable[..., Any] = "squared", models: Any = None, max_models: int | None = None,
                 cv: Any = None, fit_intercept: bool = False, tol: float = 1e-8, max_iter: int = 10_000,
                 random_state: Any = None, verbose: Any = 0) -> None:
        self._store(locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # where the columns do not predict the target
        return tags

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        check(isinstance(self.loss, str) or not self.fit_intercept, "fit_intercept=True needs a loss by name; got a function.")
        X, y = self._given(X, y, y_numeric=True)
        bounded(y, "y", np.dtype(np.float64) if self.models_ is not None else X.dtype)
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        rows, Z = self._predicted(X, y, s)
        if self.models_ is not None and not self._fitted_here():
            warn_if_seen(self.models_, X, y[:, None] - Z, float(np.ptp(y)))
        t, s, loss = y[rows], None if s is None else s[rows], self._loss()
        f = LOSSES[loss](Z, t, sample_weight=s, intercept=self.fit_intercept) if isinstance(loss, str) else None
        self._weigh(f, Z.T, lambda z: self._measured(t, s, z))
        self.intercept_ = 0.0 if f is None else float(f.intercept(CoordinateIterate(self.weights_.astype(np.float64))))
        end(self, X, y)

    def _answers(self, models: list[Named] | None, X: Any) -> Array:
        return np.asarray(X) if models is None else predictions(models, X)

    def predict(self, X: Any) -> Array:
        """The weighted mean of what the models predict.

        Parameters
        ----------
        X : array or data frame
            Predictions, or data for the models, as in `fit`.

        Returns
        -------
        array of shape (n_samples,)
            One number for each sample.
        """
        return self._mixed(X) + self.intercept_


@described(ENSEMBLE)
class EnsembleClassifier(ClassifierMixin, Ensemble):  # type: ignore[misc]
    """Weights for an ensemble of classifiers: non-negative, with sum one, certified for losses that have a name.

    The ensemble gives the probabilities Σ_j w_j p_j, where p_j are those of model j. The weights w minimise the loss of
    probabilities for samples that the models were not fitted with. There are three ways to provide these:

    - ``models`` and ``cv``: `fit` makes out-of-fold predictions, then fits the models with all samples;
    - fitted ``models`` without ``cv``: `fit` takes samples that the models have not seen;
    - no ``models``: `fit` takes a matrix of out-of-fold probabilities, as scikit-learn's `StackingClassifier` hands to its
      final estimator: for two classes one column for each model, the probability of the second class in sorted order; for
      K > 2 classes a block of K columns for each model.

    Parameters
    ----------
    loss : str or callable, default="log_loss"
        What the weights minimise: "log_loss", "squared" (Brier's score), or the name of a scorer that ranks as one of them
        does ("neg_log_loss", "neg_brier_score", also "brier"). A function of (y, probabilities), the lower the better, is
        minimised by greedy steps and swaps, without a certificate; for two classes it is given the probability of the second.
    models : list, default=None
        Models, or pairs of a name and a model. Anything with ``predict_proba`` will do; data frames reach it as they are.
        None: the columns of X are probabilities.
    {max_models, cv}
    tol : float, default=1e-6
        The certified gap to reach, relative to the larger of the loss and the loss of predicting zero.
    {max_iter, random_state, verbose}

    Attributes
    ----------
    {weights_}
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    {models_, model_names_, n_models_, dual_gap_, fitted}

    Notes
    -----
    Without ``models``, columns with negative entries are taken for scores s and turned into 1/(1 + e^−s), or for several
    classes into e^s over their sum. One column a model for several classes is the class it votes for, 0 … K − 1.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([0, 1, 1, 0])
    >>> Z = np.array([[0.1, 0.4], [0.8, 0.3], [0.9, 0.6], [0.3, 0.5]])
    >>> EnsembleClassifier().fit(Z, y).weights_.round(6)
    array([1., 0.])
    """

    asks = "predict_proba"
    scorers = CLASSIFICATION
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON, "loss": [StrOptions({"log_loss", "squared"}), StrOptions(set(CLASSIFICATION)), callable]}

    def __init__(self, *, loss: str | Callable[..., Any] = "log_loss", models: Any = None, max_models: int | None = None,
                 cv: Any = None, tol: float = 1e-6, max_iter: int = 10_000, random_state: Any = None,
                 verbose: Any = 0) -> None:
        self._store(locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # where the columns do not predict the classes
        return tags

    score = by_row(ClassifierMixin.score)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        X, y = self._given(X, y)
        check_classification_targets(y)
        own, labels = np.unique(y, return_inverse=True)
        check(len(own) > 1, f"y holds one class only, {own.tolist()[0]!r}; two classes or more are wanted.")
        known = self.models_ is not None and not self._fitted_here()
        self.classes_ = classes_of(self.models_ or [], own) if known else own
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        if self.models_ is None:
            self._reader = columns_of(X, len(own), self._feature_names())
        loss = self._loss()
        if self.models_ is None and loss == "log_loss":  # half of what there is to read
            P = self._reader.of_truth(X, labels)
            self._weigh(_log_loss(P, s), P)
            end(self, X, y)
            return
        labels, f = np.searchsorted(self.classes_, own)[labels], None
        rows, P = self._predicted(X, y, s, (labels, self.classes_))
        if known:
            warn_if_seen(self.models_ or [], X, 1.0 - P[np.arange(len(P)), labels][:, None], 1.0)
        t, labels, s = y[rows], labels[rows], None if s is None else s[rows]
        n, K, m = P.shape
        if loss == "log_loss":  # it needs only what each model gives the true class
            f = _log_loss(P[np.arange(n), labels], s)
        elif loss == "squared":  # one long column for each model
            each = None if s is None else np.repeat(s, K)
            f = least_squares(P.reshape(n * K, m), np.eye(K)[labels].ravel(), sample_weight=each)
        self._weigh(f, np.moveaxis(P, 2, 0), lambda z: self._measured(t, s, z[:, 1] if K == 2 else z))
        end(self, X, y)

    def _answers(self, models: list[Named] | None, X: Any) -> Array:
        """(samples, classes, models)."""
        return self._reader.read(X) if models is None else probabilities(models, X, self.classes_)

    def _names(self, axes: int) -> list[str] | None:
        """Several classes have several columns for each model."""
        names = self.model_names_
        if self.models_ is not None or names is None or len(names) == len(self._reader.names):
            return names
        return self._reader.names

    def predict_proba(self, X: Any) -> Array:
        """The weighted mean of the models' probabilities.

        Parameters
        ----------
        X : array or data frame
            Probabilities, or data for the models, as in `fit`.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Probabilities of the classes, in the order of ``classes_``.
        """
        return self._mixed(X)

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of the probabilities; −∞ where one is zero.

        Parameters
        ----------
        X : array or data frame
            Probabilities, or data for the models, as in `fit`.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Logarithms, in the order of ``classes_``.
        """
        p = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(p))

    def predict(self, X: Any) -> Array:
        """The class with the highest probability.

        Parameters
        ----------
        X : array or data frame
            Probabilities, or data for the models, as in `fit`.

        Returns
        -------
        array of shape (n_samples,)
            One class for each sample.
        """
        p = self.predict_proba(X)
        return np.asarray(self.classes_[p.argmax(axis=1)])


def _log_loss(said: Array, s: Array | None) -> Composite:
    """The log-loss of mixtures, of what each model gave the true class; ``said`` is written to."""
    return log_likelihood(np.maximum(said, TINY, out=said), sample_weight=s)
