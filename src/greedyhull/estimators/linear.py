"""Linear models whose coefficients lie in a set: what they share, and the regressor that the public ones are made from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from greedyhull.driver.batch.solutions import Solutions
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.solution import Solution
from greedyhull.driver.trace import Trace
from greedyhull.errors import check
from greedyhull.estimators.base import FLOATS, Certified, bounded, plain, weights_of
from greedyhull.estimators.by_block import predictions, r_squared
from greedyhull.estimators.callbacks import begin, checked, end
from greedyhull.estimators.labelled import by_column, by_row
from greedyhull.estimators.losses import REGRESSION, Posed, mean
from greedyhull.estimators.over_shards import are_shards, fit_regressor
from greedyhull.estimators.reports import write_report
from greedyhull.kernels.threads import alone
from greedyhull.points.given import sound
from greedyhull.types import Array, AtomSet, LinearModel, Objective
from greedyhull.types.kinds import told_intercept

STORAGE: dict[str, Any] = {"accept_sparse": ("csr", "csc"), "dtype": FLOATS}


class Linear(Certified, ABC):
    """Coefficients in a set that the subclass names: it writes ``_atoms(X, s)``, s the sample weights or None."""

    loss: str
    warm_start: bool = False  # where the subclass does not take it
    coef_: Array
    weights_: Array
    intercept_: Any  # a number, or one for each class

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _given(self, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
        """Data and targets as arrays of numbers that can be computed with."""
        if how.get("y_numeric") and plain(X) and plain(y, 1) and len(X) == len(y):
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
            return X, y
        X, y = validate_data(self, sound(X), y, **how, **STORAGE)
        bounded(X, "X", X.dtype)
        if how.get("y_numeric"):
            bounded(y, "y", X.dtype)
            y = y if y.dtype.kind == "f" else y.astype(np.float64)  # differences of booleans are no numbers
        return X, y

    @abstractmethod
    def _atoms(self, X: Any, s: Array | None) -> Any:
        """The set that the coefficients lie in."""

    def _atoms_for(self, f: Objective, X: Any, s: Array | None) -> Any:
        """The set for an objective, whose points may be matrices where the subclass says so."""
        return self._atoms(X, s)

    def _previous(self, rows: int, d: int) -> list[Array | None]:
        """The coefficients of the fit before this one, a row for each problem, where they are to be used and fit."""
        if self.warm_start and "coef_" in vars(self):
            coef = np.atleast_2d(np.asarray(self.coef_, dtype=np.float64))
            if coef.shape == (rows, d) and bool(np.isfinite(coef).all()):
                return list(coef)
        return [None] * rows

    def _moved(self, x: Array, S: AtomSet) -> Array:
        """Coefficients of an earlier fit, brought into the set as far as the subclass knows how."""
        return x

    def _found(self, f: Objective, X: Any, s: Array | None, start: Array | None = None) -> Solution:
        """The solution of one problem; a subclass may search for its set."""
        S = self._atoms_for(f, X, s)
        x = None if start is None else self._moved(start, S)
        return self._solve(f, S, x if x is not None and S.contains(x) else None)

    @alone
    def _linear(self, X: Any) -> Array:
        check_is_fitted(self)
        if are_shards(X):
            return predictions(self._linear, X, self._feature_names())
        if not plain(X) or X.shape[1] != self.n_features_in_ or "feature_names_in_" in vars(self):
            X = validate_data(self, sound(by_column(self, X)), reset=False, **STORAGE)
        return np.asarray(safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_)

    def _minimised(self) -> str:
        """What a report says of the objective where that is not all, else nothing."""
        return ""


class LinearRegressor(RegressorMixin, Linear):  # type: ignore[misc]
    """Regression with coefficients in a set."""

    delta: float
    quantile: float
    certificate_: Certificate  # with several targets, a list of them
    solution_: Solution  # with several targets, Solutions
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
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """
        Find the coefficients with the least loss.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or Shards
            Training data. float32 is kept; other types become float64. Shards have targets and weights of their own.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Target values, aligned with the rows of X where both have labels, as weights are. Several targets are for
            `SimplexRegressor` alone, with any loss but "poisson": each gets coefficients of its own.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights sᵢ ≥ 0 of the samples: the loss is Σ sᵢ ℓᵢ / Σ sᵢ.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from greedyhull.estimators import SimplexRegressor
        >>> SimplexRegressor().fit(np.eye(2), [0.25, 0.75]).coef_.round(6)
        array([0.25, 0.75])
        """
        if are_shards(X):
            fit_regressor(self, X, y, sample_weight)
            return self
        X, y = self._given(X, y, y_numeric=True, multi_output=self._several_targets)
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        if y.ndim == 2:
            self._fit_targets(X, y, s)
        else:
            f = self._problem(X, y, s)
            solution = self._found(f, X, s, *self._previous(1, X.shape[1]))
            for name, value in self._attributes(solution.point, f, X.dtype).items():
                setattr(self, name, value)
            self._keep([solution], X.dtype)
        end(self, X, y)
        return self

    def _fit_targets(self, X: Any, Y: Array, s: Array | None) -> None:
        """A row of coefficients for each column of Y."""
        from greedyhull.estimators.many_targets import keep_targets, solve_targets, starts

        S = self._atoms(X, s)
        before = starts(self._previous(Y.shape[1], X.shape[1]), S, self._moved)
        keep_targets(self, solve_targets(self, self._problem, S, X, Y, s, before), X.dtype)

    @property
    def _several_targets(self) -> bool:
        """Whether y may have several columns."""
        return False

    @property
    def _problem(self) -> Posed:
        return Posed(self.loss, self.fit_intercept, self.delta, self.quantile)

    def _attributes(self, w: Any, f: LinearModel, dtype: Any = np.float64) -> dict[str, Any]:
        """What a prediction needs, from a point of a solve."""
        coef, b = w.array().astype(dtype), told_intercept(f, w)
        return {"coef_": coef, "weights_": coef, "intercept_": dtype.type(b) if isinstance(dtype, np.dtype) else float(b)}

    def predict(self, X: Any) -> Array:
        """
        Predict the targets of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,) or (n_samples, n_targets)
            X @ coef_.T + intercept_; for ``loss="poisson"`` its exponential, the expected count.

        Examples
        --------
        >>> import numpy as np
        >>> from greedyhull.estimators import SimplexRegressor
        >>> SimplexRegressor().fit(np.eye(2), [0.25, 0.75]).predict([[1.0, 1.0]]).round(6)
        array([1.])
        """
        return mean(self.loss, self._linear(X))

    @by_row
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """
        Compute R², the share of the variance of the targets that is predicted.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or Shards
            The samples. Shards have targets and weights of their own.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        score : float
            R² of ``predict(X)``.

        Examples
        --------
        >>> import numpy as np
        >>> from greedyhull.estimators import SimplexRegressor
        >>> round(SimplexRegressor().fit(np.eye(2), [0.25, 0.75]).score(np.eye(2), [0.25, 0.75]), 6)
        1.0
        """
        if are_shards(X):
            return r_squared(self.predict, X, self._feature_names())
        return float(super().score(X, y, sample_weight))

    def report(self, path: str | Path) -> Path:
        """
        Write a self-contained HTML page about the fit.

        It shows the certificate, the coefficients as a table and as bars, convergence, and the bounds that apply. Features
        have their names where the training data had them.

        Parameters
        ----------
        path : str or path-like
            The file to write.

        Returns
        -------
        path : pathlib.Path
            The file written.

        Notes
        -----
        A page needs the training data. They are kept in memory after `fit`, but are no part of a pickle.

        Examples
        --------
        >>> import numpy as np
        >>> from greedyhull.estimators import SimplexRegressor
        >>> model = SimplexRegressor().fit(np.eye(2), [0.25, 0.75])
        >>> model.report("fit.html")  # doctest: +SKIP
        PosixPath('fit.html')
        """
        check_is_fitted(self)
        check(not isinstance(self.solution_, Solutions), "This fit has several targets, and a page is about one. Write that "
                                                         "of target j by solution_[j].report(path).")
        return write_report(self.solution_, path, self._minimised())
