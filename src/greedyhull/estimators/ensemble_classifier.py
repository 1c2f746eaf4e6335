"""Ensemble weights for classification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets

from greedyhull.errors import check
from greedyhull.estimators.base import Certified, weights_of
from greedyhull.estimators.callbacks import begin, checked, end
from greedyhull.estimators.columns import TINY, columns_of
from greedyhull.estimators.described import ENSEMBLE, described
from greedyhull.estimators.ensemble import COMMON, Ensemble
from greedyhull.estimators.labelled import by_row
from greedyhull.estimators.models import classes_of, probabilities
from greedyhull.estimators.scorers import CLASSIFICATION
from greedyhull.estimators.seen import warn_if_seen
from greedyhull.objectives.by_name import least_squares, log_likelihood
from greedyhull.objectives.composite import Composite
from greedyhull.types import Array


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
    {max_models}
    cv : int, splitter, iterable or "prefit", default=None
        How to make out-of-fold predictions, as in scikit-learn: a number of folds (stratified by class), a splitter, or an
        iterable of pairs of rows to train with and rows to predict. Clones of the models are fitted, with ``sample_weight``
        where they take it. None or "prefit": the models are fitted already.
    tol : float, default=1e-6
        The certified gap to reach, relative to the larger of the loss and the loss of predicting zero.
    {max_iter, random_state, verbose}

    Attributes
    ----------
    {weights_}
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    models_ : list of (str, model) or None
        The models that are asked by `predict_proba`: with ``cv``, clones fitted with all samples.
    {model_names_, n_models_, certificate_, dual_gap_, solution_, trace_, n_iter_, n_features_in_, feature_names_in_}

    See Also
    --------
    EnsembleRegressor : The same for numbers.
    SimplexClassifier : Non-negative weights that sum to one, for features instead of probabilities.
    sklearn.ensemble.StackingClassifier : Fits any model on out-of-fold predictions; this one may be its final estimator.

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
        **Certified._parameter_constraints, **COMMON,
        "loss": [StrOptions({"log_loss", "squared"}), StrOptions(set(CLASSIFICATION)), callable]}
    _parameter_constraints.pop("fit_intercept")

    def __init__(self, *, loss: str | Callable[..., Any] = "log_loss", models: Any = None, max_models: int | None = None,
                 cv: Any = None, tol: float = 1e-6, max_iter: int = 10_000, random_state: Any = None,
                 verbose: Any = 0) -> None:
        self.loss, self.models, self.max_models, self.cv = loss, models, max_models, cv
        self.tol, self.max_iter, self.random_state, self.verbose = tol, max_iter, random_state, verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # where the columns do not predict the classes
        return tags

    score = by_row(ClassifierMixin.score)

    @checked
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the weights; with ``cv``, fit the models as well.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_columns), or whatever the models take
            Probabilities; with ``models``, their data.
        y : array of shape (n_samples,)
            Classes.
        sample_weight : array of shape (n_samples,), default=None
            How much each sample counts: the loss is Σ sᵢ ℓᵢ / Σ sᵢ. Models get it where their ``fit`` takes it.

        Returns
        -------
        EnsembleClassifier
            Itself.
        """
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
        if self.models_ is None and self._loss() == "log_loss":  # half of what there is to read
            said = self._reader.of_truth(X, labels)
            self._weigh(_log_loss(said, s), None, said, said.dtype)
            end(self, X, y)
            return self
        P, rows = self._predicted(X, y, np.searchsorted(self.classes_, own)[labels], s)
        t, s = y[rows], None if s is None else s[rows]
        f, metric = self._objective(P, np.searchsorted(self.classes_, t), s), None
        if f is None:
            metric = lambda z: self._measured(t, s, z[:, 1] if z.shape[1] == 2 else z)
        self._weigh(f, metric, np.moveaxis(P, 2, 0), P.dtype)
        end(self, X, y)
        return self

    def _predicted(self, X: Any, y: Array, labels: Array, s: Array | None) -> tuple[Array, Any]:
        """What the weights are fitted with: probabilities, and the rows they are for."""
        if self.models_ is not None and self._fitted_here():
            ask = lambda models, rows: probabilities(models, rows, self.classes_)
            rows, P = self._out_of_fold(X, y, s, ask, (labels, self.classes_))
            return P, rows
        P = self._probabilities(X)
        if self.models_ is not None:
            warn_if_seen(self.models_, X, 1.0 - P[np.arange(len(P)), labels][:, None], 1.0)
        return P, slice(None)

    def _objective(self, P: Array, labels: Array, s: Array | None) -> Any:
        """Log-loss needs only what each model gave the true class; Brier's all classes, as one long column a model."""
        n, K, m = P.shape
        loss = self._loss()
        if loss == "log_loss":
            return _log_loss(P[np.arange(n), labels], s)
        if loss == "squared":
            truth = np.zeros((n, K))
            truth[np.arange(n), labels] = 1.0
            return least_squares(P.reshape(n * K, m), truth.ravel(), sample_weight=None if s is None else np.repeat(s, K))
        return None

    def _probabilities(self, X: Any) -> Array:
        """(samples, classes, models)."""
        return self._reader.read(X) if self.models_ is None else probabilities(self.models_, X, self.classes_)

    def _names(self) -> list[str] | None:
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
        return np.asarray(self._probabilities(self._new(X)) @ self.weights_)

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
