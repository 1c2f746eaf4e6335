"""Linear models whose coefficients lie in a set; also from shards, and with several targets."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from greedyhull.driver.batch.call import batch
from greedyhull.driver.batch.solutions import Solutions
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Iterations, Relative, Stalled
from greedyhull.driver.trace import Trace
from greedyhull.errors import check
from greedyhull.estimators.base import (
    FLOATS,
    SOLVED,
    STILL,
    Certified,
    begin,
    bounded,
    by_column,
    by_row,
    checked,
    end,
    plain,
    weights_of,
    write_report,
)
from greedyhull.kernels.core import alone
from greedyhull.objectives.by_name import absolute, hinge, huber, least_squares, logistic, poisson, quantile, squared_hinge
from greedyhull.objectives.losses.base import shares
from greedyhull.objectives.losses.softmax import Softmax
from greedyhull.objectives.responses import multinomial
from greedyhull.points.arrays import is_sparse, sound
from greedyhull.types import Array, AtomSet, LinearModel, Objective, Shape, Shard, Shards, told_intercept

REGRESSION = {"squared": least_squares, "huber": huber, "absolute": absolute, "quantile": quantile, "poisson": poisson}
CLASSIFICATION = {"logistic": logistic, "squared_hinge": squared_hinge, "hinge": hinge}


@dataclass(frozen=True)
class Problem:
    """What makes an objective of data, targets and sample weights: plain values, which other processes can be sent."""

    loss: str
    intercept: bool
    delta: float = 1.0
    quantile: float = 0.5
    classes: int = 0  # of one problem for all of them, where targets number the classes; else 0

    def __call__(self, X: Any, y: Array | None = None, s: Array | None = None) -> Any:
        """The objective; shards have targets and weights of their own."""
        how: dict[str, Any] = {"intercept": self.intercept} if s is None else {"intercept": self.intercept, "sample_weight": s}
        if self.loss in ("huber", "quantile"):
            how |= {"delta": self.delta} if self.loss == "huber" else {"q": self.quantile}
        made: Any = multinomial if self.classes else (REGRESSION | CLASSIFICATION)[self.loss]
        return made(X, **how) if y is None else made(X, y, **how)

    def loss_of(self, y: Array, s: Array | None) -> Any:
        """The loss as a function of scores, row by row where there are several classes; its intercept is in the scores."""
        if self.classes:
            return Softmax(np.eye(self.classes)[y].ravel(), shares(s, len(y)), self.classes)
        return replace(self, intercept=False)(np.ones((len(y), 1)), y, s).loss


AT_ONCE = 1 << 20  # entries of X that are predicted from at once

Predict = Callable[[object], Array]


def predictions(predict: Predict, data: Shards, names: list[str] | None = None) -> Array:
    """What is predicted for all rows, in order. ``names``: those of the fit's columns."""
    return np.concatenate([part for part, _ in _predicted(predict, data, names)])


def scored(predict: Predict, data: Shards, names: list[str] | None, *, classes: bool) -> float:
    """The weighted share of rows whose label is predicted; without ``classes`` R² = 1 − Σs(y − ŷ)²/Σs(y − ȳ)².

    Targets that are all the same have R² = 1 where they are predicted, else 0.
    """
    total = right = mean = spread = missed = 0.0
    for predicted, rows in _predicted(predict, data, names):
        y, s = np.asarray(rows.y), rows.sample_weight
        s = np.ones(len(y)) if s is None else np.asarray(s, dtype=np.float64)
        weight = float(s.sum())
        if weight == 0.0:
            continue
        total += weight
        if classes:
            right += float(s[y == predicted].sum())
            continue
        middle, wrong = float(s.dot(y)) / weight, y - predicted
        away = middle - mean
        missed += float(s.dot(wrong * wrong))
        spread += float(s.dot((y - middle) ** 2)) + away * away * weight * (total - weight) / total
        mean += away * weight / total
    check(total > 0.0, "sample_weight is zero in every row of every shard; some must be positive.")
    if classes:
        return right / total
    return 1.0 - missed / spread if spread > 0.0 else float(missed == 0.0)


def _predicted(predict: Predict, data: Shards, names: list[str] | None) -> Iterator[tuple[Array, Shard]]:
    """What is predicted for a block, and its rows; one shard is in memory at a time."""
    check(names is None or data.names is None or data.names == names,
          lambda: f"The shards must have the columns of the fit, {names}; got {data.names}.")
    n = 0
    for k in range(data.count):
        for rows in cut(data.load(k)):
            with warnings.catch_warnings():  # the names of the rows' columns were compared here
                warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
                found = predict(rows.X)
            n += len(found)
            yield found, rows
    check(n > 0, "The shards have no rows; they must have at least one.")


def cut(shard: Shard) -> Iterator[Shard]:
    """Its rows, some at a time."""
    n, X, s = len(shard), shard.X, shard.sample_weight
    if is_sparse(X):
        X = X.tocsr()
    entries = int(X.nnz) if is_sparse(X) else n * int(X.shape[1])
    step = max(n * AT_ONCE // max(entries, n, 1), 1)
    for first in range(0, n, step):
        here = slice(first, first + step)
        yield Shard(X[here], shard.y[here], None if s is None else s[here])


def are_shards(X: Any) -> bool:
    return type(X) is not np.ndarray and isinstance(X, Shards)


STORAGE: dict[str, Any] = {"accept_sparse": ("csr", "csc"), "dtype": FLOATS}


class Linear(Certified):
    """Coefficients in a set that the subclass names: it writes `_atoms`, where s are the sample weights or None."""

    loss: str
    warm_start: bool = False  # where the subclass does not take it
    coef_: Array
    weights_: Array
    intercept_: Any  # a number, or one for each class
    classes_: Array  # of a classifier
    _problem: Any  # what makes an objective of data

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

    def _atoms(self, X: Any, s: Array | None, shape: Shape) -> Any:
        """The set of the coefficients, whose shape is (features,) or (features, classes)."""
        raise NotImplementedError

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
        S = self._atoms(X, s, f.domain)
        x = None if start is None else self._moved(start, S)
        return self._solve(f, S, x if x is not None and S.contains(x) else None)

    @checked
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the coefficients with the least loss.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or Shards
            Training data. float32 is kept; other types become float64. Shards have targets and weights of their own.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Target values; for a classifier class labels, which are numbers, strings or booleans. They are aligned with the
            rows of X where both have labels, as weights are. Several targets are for `SimplexRegressor` alone, with any loss
            but "poisson": each gets coefficients of its own.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights sᵢ ≥ 0 of the samples: the loss is Σ sᵢ ℓᵢ / Σ sᵢ. ``class_weight`` of a classifier multiplies them.

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
        return self._fit_shards(X, y, sample_weight) if are_shards(X) else self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Self:
        raise NotImplementedError

    def _searched(self, X: Any, targets: list[Array], labels: Array, s: Array | None, starts: list[Array | None],
                  groups: Any, classes: int = 0) -> list[Solution]:
        """One solution for each vector of ``targets``; or one for so many ``classes``, with a column for each."""
        make = replace(self._problem, classes=classes)
        return [self._found(make(X, y, s), X, s, start) for y, start in zip(targets, starts, strict=True)]

    def _fit_shards(self, data: Shards, y: Any, sample_weight: Any) -> Self:
        """The one solve of a fit over shards; labels are −1 and +1, or 0 and 1, as the shards have them."""
        check(y is None and sample_weight is None, "Targets and weights come with the shards. Call fit(data).")
        given = self.get_params()
        for name, default in (("alpha", None), ("standardize", False), ("class_weight", None)):
            value = given.get(name, default)
            check(value is default, lambda: f"{type(self).__name__}({name}={value!r}) was fitted to shards, and "  # noqa: B023
                  f"{name} needs all rows in one place. Leave it out.")  # noqa: B023
        f = self._problem(data)
        self.n_features_in_ = int(data.d)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if data.names is not None:
            self.feature_names_in_ = np.array(data.names, dtype=object)
        columns = SimpleNamespace(shape=(f.n, int(data.d)))  # all that a set needs of the data
        solution = self._found(f, columns, None, *self._previous(1, int(data.d)))
        self.coef_, self.intercept_ = solution.point.array(), solution.intercept
        if is_classifier(self):
            self.classes_ = np.array([0.0 if solution.objective.summary.zero_one else -1.0, 1.0])
            self.coef_, self.intercept_ = self.coef_[None, :], np.array([self.intercept_])
        self.weights_ = np.ravel(self.coef_)
        self._keep([solution], np.float64)
        return self

    @alone
    def _linear(self, X: Any) -> Array:
        check_is_fitted(self)
        if are_shards(X):
            return predictions(self._linear, X, self._feature_names())
        if not plain(X) or X.shape[1] != self.n_features_in_ or "feature_names_in_" in vars(self):
            X = validate_data(self, sound(by_column(self, X)), reset=False, **STORAGE)
        return np.asarray(safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_)

    @by_row
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Compute R², the share of the variance that is predicted; for a classifier, the share of right predictions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or Shards
            The samples. Shards have targets and weights of their own.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Their targets, or labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        score : float
            R² or the accuracy of ``predict(X)``.

        Examples
        --------
        >>> import numpy as np
        >>> from greedyhull.estimators import SimplexRegressor
        >>> round(SimplexRegressor().fit(np.eye(2), [0.25, 0.75]).score(np.eye(2), [0.25, 0.75]), 6)
        1.0
        """
        classes = is_classifier(self)
        if are_shards(X):
            return scored(self.predict, X, self._feature_names(), classes=classes)
        return float((accuracy_score if classes else r2_score)(y, self.predict(X), sample_weight=sample_weight))

    def predict(self, X: Any) -> Array:
        raise NotImplementedError

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
        **Certified._parameter_constraints, "loss": [StrOptions(set(REGRESSION))]}
    score = Linear.score

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.loss == "poisson"
        return tags

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Self:
        X, y = self._given(X, y, y_numeric=True, multi_output=self._several_targets)
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        if y.ndim == 2:
            self._fit_targets(X, y, s)
        else:
            solution = self._searched(X, [y], y, s, self._previous(1, X.shape[1]), groups)[0]
            for name, value in self._attributes(solution.point, solution.objective, X.dtype).items():
                setattr(self, name, value)
            self._keep([solution], X.dtype)
        end(self, X, y)
        return self

    def _fit_targets(self, X: Any, Y: Array, s: Array | None) -> None:
        """A row of coefficients for each column of Y; an error of one of them is an error of the fit."""
        S, stop = self._atoms(X, s, X.shape[1:]), Relative(float(self.tol)) | Iterations(int(self.max_iter)) | Stalled(STILL)
        before = [None if x is None else self._moved(x, S) for x in self._previous(Y.shape[1], X.shape[1])]
        inside = [x for x in before if x is not None and S.contains(x)]
        how: dict[str, Any] = {"start": np.array(inside) if len(inside) == len(before) else None, "stop": stop,
                               "progress": bool(self.verbose), "seed": self._seed()}
        if self.loss == "squared":
            found = batch(least_squares, S, X=X, Y=Y, sample_weight=s, intercept=self.fit_intercept, **how)
        else:
            found = batch([self._problem(X, y, s) for y in Y.T], S, **how)
        for error in found.errors.values():
            raise error.__cause__ if isinstance(error.__cause__, KeyboardInterrupt) else error
        self.coef_ = self.weights_ = found.x.astype(X.dtype)
        self.intercept_ = found.intercepts.astype(X.dtype)
        self.n_iter_, self.dual_gap_ = max(int(found.iterations.max()), 1), float(found.gaps.max())
        self.__dict__.pop("trace_", None)  # of another fit: here each solution has its own
        self.__dict__["solution_"], self.__dict__["certificate_"] = found, found.certificates()
        self.__dict__[SOLVED] = [(True, "", 0.0) if held else (False, found[i].reason, float(found.gaps[i]))
                                 for i, held in enumerate(found.converged.tolist())]

    @property
    def _several_targets(self) -> bool:
        """Whether y may have several columns."""
        return False

    @property
    def _problem(self) -> Problem:
        return Problem(self.loss, self.fit_intercept, self.delta, self.quantile)

    def _attributes(self, w: Any, f: LinearModel, dtype: Any = np.float64) -> dict[str, Any]:
        """What a prediction needs, from a point of a solve."""
        coef, b = w.array().astype(dtype), told_intercept(f, w)
        return {"coef_": coef, "weights_": coef, "intercept_": dtype.type(b) if isinstance(dtype, np.dtype) else float(b)}

    def predict(self, X: Any) -> Array:
        """Predict the targets of samples.

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
        z = self._linear(X)
        return np.exp(z) if self.loss == "poisson" else z

    def report(self, path: str | Path) -> Path:
        """Write a self-contained HTML page about the fit.

        It shows the certificate, the coefficients as a table and as bars, convergence, and the bounds that apply. It needs the
        training data, which are kept in memory after `fit`, but are no part of a pickle.

        Parameters
        ----------
        path : str or path-like
            The file to write.

        Returns
        -------
        path : pathlib.Path
            The file written.

        Examples
        --------
        >>> import numpy as np
        >>> from greedyhull.estimators import SimplexRegressor
        >>> model = SimplexRegressor().fit(np.eye(2), [0.25, 0.75])
        >>> model.report("fit.html")  # doctest: +SKIP
        PosixPath('fit.html')
        """
        check_is_fitted(self)
        check(not isinstance(self.solution_, Solutions), "A page is about one target. Call solution_[j].report(path).")
        return write_report(self.solution_, path, self._minimised())
