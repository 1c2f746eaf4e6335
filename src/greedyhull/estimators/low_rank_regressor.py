"""Several responses that depend on few combinations of the features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from greedyhull.atoms.nuclear_ball import NuclearBall
from greedyhull.estimators.base import FLOATS, Certified, bounded, by_column, by_row, warning_once, weights_of
from greedyhull.estimators.described import REGRESSOR, described
from greedyhull.objectives.responses import multitask
from greedyhull.types import Array


@described(REGRESSOR)
class LowRankRegressor(MultiOutputMixin, RegressorMixin, Certified):  # type: ignore[misc]
    """Linear regression of several responses whose matrix of coefficients has a small nuclear norm.

    The coefficients with the least mean squared error are found and certified.

    Parameters
    ----------
    radius : float, default=1.0
        The largest sum of the singular values of the coefficients.
    fit_intercept : bool, default=True
        Fit an intercept for each response.
    {tol, max_iter, random_state, verbose}

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features) or (n_features,)
        The coefficients.
    intercept_ : float or ndarray of shape (n_targets,)
        The intercepts.
    rank_ : int
        The rank of the coefficients.
    {dual_gap_, fitted}

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import LowRankRegressor
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
    >>> LowRankRegressor(radius=3.0).fit(X, X @ np.ones((2, 3))).rank_
    1
    """

    radius: float
    coef_: Array
    intercept_: Any
    rank_: int

    def __init__(self, radius: float = 1.0, *, fit_intercept: bool = True, tol: float = 1e-6, max_iter: int = 10_000,
                 random_state: Any = None, verbose: Any = 0) -> None:
        self._store(locals())

    score = by_row(RegressorMixin.score)

    @warning_once
    @by_row
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples, n_targets) or (n_samples,)
            The responses.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights of the samples.

        Returns
        -------
        self : LowRankRegressor
            The fitted estimator.
        """
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=FLOATS, multi_output=True, y_numeric=True)
        bounded(X, "X", X.dtype)
        bounded(y, "y", X.dtype)
        s = weights_of(sample_weight, X)
        Y = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
        p = np.full(len(X), 1.0 / len(X)) if s is None else s / s.sum()
        middle = (p @ X, p @ Y) if self.fit_intercept else (np.zeros(X.shape[1]), np.zeros(Y.shape[1]))
        found = self._solve(multitask((X - middle[0]).astype(X.dtype), Y - middle[1], sample_weight=s),
                            NuclearBall((X.shape[1], Y.shape[1]), float(self.radius)))
        self._keep([found], X.dtype)
        W, self.rank_ = found.point.array(), len(found.point.factors().sigma)
        intercept = middle[1] - middle[0] @ W
        one = np.ndim(y) == 1
        self.coef_ = (W[:, 0] if one else W.T).astype(X.dtype)
        self.intercept_ = float(intercept[0]) if one else intercept.astype(X.dtype)
        return self

    def predict(self, X: Any) -> Array:
        """Predict the responses.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.

        Returns
        -------
        ndarray of shape (n_samples, n_targets) or (n_samples,)
            The predictions.
        """
        check_is_fitted(self)
        X = validate_data(self, by_column(self, X), reset=False, dtype=FLOATS)
        return np.asarray(X @ self.coef_.T + self.intercept_)
