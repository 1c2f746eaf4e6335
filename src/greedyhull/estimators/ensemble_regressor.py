"""Ensemble weights for regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import StrOptions

from greedyhull.errors import check
from greedyhull.estimators.base import Certified, bounded, weights_of
from greedyhull.estimators.callbacks import begin, checked, end
from greedyhull.estimators.described import ENSEMBLE, described
from greedyhull.estimators.ensemble import COMMON, Ensemble
from greedyhull.estimators.labelled import by_row
from greedyhull.estimators.models import predictions
from greedyhull.estimators.scorers import REGRESSION
from greedyhull.estimators.seen import warn_if_seen
from greedyhull.objectives.by_name import absolute, least_squares
from greedyhull.objectives.composite import Composite
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.types import Array

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
    {max_models}
    cv : int, splitter, iterable or "prefit", default=None
        How to make out-of-fold predictions, as in scikit-learn: a number of folds, a splitter, or an iterable of pairs of rows
        to train with and rows to predict. Clones of the models are fitted, with ``sample_weight`` where they take it. None or
        "prefit": the models are fitted already.
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
    models_ : list of (str, model) or None
        The models that are asked by `predict`: with ``cv``, clones fitted with all samples.
    {model_names_, n_models_, certificate_, dual_gap_, solution_, trace_, n_iter_, n_features_in_, feature_names_in_}

    See Also
    --------
    EnsembleClassifier : The same for probabilities of classes.
    SimplexRegressor : Non-negative weights that sum to one, for features instead of predictions.
    sklearn.ensemble.StackingRegressor : Fits any model on out-of-fold predictions; this one may be its final estimator.

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
        **Certified._parameter_constraints, **COMMON, "loss": [StrOptions(set(LOSSES)), StrOptions(set(REGRESSION)), callable]}

    def __init__(self, *, loss: str | Callable[..., Any] = "squared", models: Any = None, max_models: int | None = None,
                 cv: Any = None, fit_intercept: bool = False, tol: float = 1e-8, max_iter: int = 10_000,
                 random_state: Any = None, verbose: Any = 0) -> None:
        self.loss, self.models, self.max_models, self.cv = loss, models, max_models, cv
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter
        self.random_state, self.verbose = random_state, verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # where the columns do not predict the target
        return tags

    @checked
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the weights; with ``cv``, fit the models as well.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_models), or whatever the models take
            Predictions, one model a column; with ``models``, their data.
        y : array of shape (n_samples,)
            Targets.
        sample_weight : array of shape (n_samples,), default=None
            How much each sample counts: the loss is Σ sᵢ ℓᵢ / Σ sᵢ. Models get it where their ``fit`` takes it.

        Returns
        -------
        EnsembleRegressor
            Itself.
        """
        check(isinstance(self.loss, str) or not self.fit_intercept, "fit_intercept=True was given with a function for a loss, "
              "for which no intercept is searched. Leave the intercept out, or give a loss by name.")
        X, y = self._given(X, y, y_numeric=True)
        bounded(y, "y", np.dtype(np.float64) if self.models_ is not None else X.dtype)
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        Z, t, s = self._predicted(X, y, s)
        loss = self._loss()
        make = LOSSES[loss] if isinstance(loss, str) else None
        f = None if make is None else make(Z, t, sample_weight=s, intercept=self.fit_intercept)
        metric = None if make is not None else lambda z: self._measured(t, s, z)
        self._weigh(f, metric, Z.T, Z.dtype)
        self.intercept_ = 0.0 if f is None else float(f.intercept(CoordinateIterate(self.weights_.astype(np.float64))))
        end(self, X, y)
        return self

    def _predicted(self, X: Any, y: Array, s: Array | None) -> tuple[Array, Array, Array | None]:
        """What the weights are fitted with: predictions, their targets, and weights of samples."""
        if self.models_ is not None and self._fitted_here():
            rows, Z = self._out_of_fold(X, y, s, predictions)
            return Z, y[rows], None if s is None else s[rows]
        Z = self._columns(X)
        if self.models_ is not None:
            warn_if_seen(self.models_, X, y[:, None] - Z, float(np.ptp(y)))
        return Z, y, s

    def _columns(self, X: Any) -> Array:
        return np.asarray(X) if self.models_ is None else predictions(self.models_, X)

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
        return np.asarray(self._columns(self._new(X)) @ self.weights_ + self.intercept_)
