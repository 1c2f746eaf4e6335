"""A matrix from some of its entries, as an estimator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from greedyhull.atoms.nuclear_ball import NuclearBall
from greedyhull.driver.run import minimize
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Iterations, Relative
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.estimators.base import by_row, counted, warning_once
from greedyhull.objectives.responses import LOSSES, completion
from greedyhull.points.aligned import few, kept, labels_of, ordered
from greedyhull.points.arrays import compressed, is_sparse
from greedyhull.points.factors import gathered
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, Index


class Biases(NamedTuple):
    """W_ij is about mean + rows_i + cols_j."""

    mean: float
    rows: Array
    cols: Array

    def at(self, i: Index, j: Index) -> Array:
        """At pairs of places; −1 stands for a row or a column that is not known."""
        return np.asarray(self.mean + np.where(i >= 0, self.rows[i], 0.0) + np.where(j >= 0, self.cols[j], 0.0))


def fitted_biases(i: Index, j: Index, v: Array, shape: tuple[int, int]) -> Biases:
    """Least squares with a little ridge, by turns."""
    mean, rows, cols = float(v.mean()), np.zeros(shape[0]), np.zeros(shape[1])
    # entries of value zero that each bias is fitted with besides its own: few entries do not tell much
    many = [np.bincount(at, minlength=size) + 1.0 for at, size in ((i, shape[0]), (j, shape[1]))]
    for _ in range(20):
        rows = np.bincount(i, weights=v - mean - cols[j], minlength=shape[0]) / many[0]
        cols = np.bincount(j, weights=v - mean - rows[i], minlength=shape[1]) / many[1]
    return Biases(mean, rows, cols)


class Tried(NamedTuple):
    """A radius, the nuclear norm of the point that was found there, or the radius if that is less, and its error."""

    radius: float
    norm: float
    error: float
    point: Iterate


class MatrixCompletion(BaseEstimator):  # type: ignore[misc]
    """Matrix completion: the matrix of small nuclear norm that is nearest to the known entries.

    A mean and a bias for each row and column are fitted first, by least squares with a little ridge, and subtracted. What is
    left is minimised over a `NuclearBall`, and certified.

    Parameters
    ----------
    radius : float, default=None
        The largest nuclear norm. None: chosen by the error on a tenth of the entries, which are held out; then all entries are
        fitted.
    rank : int, default=None
        The largest number of components that predictions use. The certificate is that of all of them.
    biases : bool, default=True
        Whether to fit biases. With loss="logistic" there are none.
    loss : {"squared", "logistic", "huber"}, default="squared"
        The loss; "logistic" is for entries −1 and +1, or 0 and 1.
    tol : float, default=1e-3
        The certified gap to reach, relative to the loss, or to that of predicting zero where that is larger.
    random_state : int, default=0
        Seed of the entries that are held out.

    Attributes
    ----------
    components_ : ndarray of shape (rank, n_columns)
        The right singular vectors.
    row_factors_ : ndarray of shape (n_rows, rank)
        The left singular vectors times the singular values.
    singular_values_ : ndarray of shape (rank,)
        The singular values.
    rows_, columns_ : ndarray
        The labels of rows and columns.
    biases_ : tuple
        The mean, the biases of the rows and those of the columns.
    radius_ : float
        The radius.
    certificate_ : Certificate
        How far the loss without the biases is from the least one over the ball.
    solution_ : Solution
        The solution.

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import MatrixCompletion
    >>> pairs = [("ann", "a"), ("ann", "b"), ("bob", "a"), ("eve", "b")]
    >>> model = MatrixCompletion(radius=5.0).fit(pairs, [5.0, 1.0, 4.0, 2.0])
    >>> model.predict([("bob", "b")]).shape
    (1,)
    """

    def __init__(self, radius: float | None = None, rank: int | None = None, biases: bool = True, loss: str = "squared",
                 tol: float = 1e-3, random_state: int = 0) -> None:
        self.radius, self.rank, self.biases, self.loss, self.tol = radius, rank, biases, loss, tol
        self.random_state = random_state

    @warning_once
    @by_row
    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit to the known entries.

        Parameters
        ----------
        X : sparse matrix, or array-like of shape (n_entries, 2) or (n_entries, 3)
            A SciPy sparse matrix, whose stored entries are the known ones; or a pair of labels, of row and column, for each
            entry; or triples of the labels and the entry.
        y : array-like of shape (n_entries,), default=None
            The entries that belong to the pairs; None with triples or a sparse matrix.

        Returns
        -------
        self : MatrixCompletion
            The fitted estimator.
        """
        check(self.loss in LOSSES, lambda: f"loss must be one of {', '.join(map(repr, LOSSES))}; got {shown(self.loss)}.")
        whole = self.rank is None or (isinstance(self.rank, (int, np.integer)) and self.rank >= 1)
        check(bool(whole), lambda: f"rank must be an integer of at least 1, or None; got {shown(self.rank)}.")
        i, j, v = self._read(X, y)
        shape = (len(self.rows_), len(self.columns_))
        self.radius_, start = (self.radius, None) if self.radius is not None else self._chosen(i, j, v, shape)
        known = self._biases(i, j, v, shape)
        s = self._solved(i, j, v - known.at(i, j), shape, self.radius_, start)
        counted(self, s)
        U, sigma, V = s.point.factors()
        keep = slice(None) if self.rank is None else slice(int(self.rank))
        self.row_factors_, self.singular_values_, self.components_ = (U * sigma)[:, keep], sigma[keep], V.T[keep]
        self.biases_, self.solution_, self.certificate_ = known, s, s.certificate
        return self

    def predict(self, pairs: Any) -> Array:
        """Entries at pairs of labels.

        Parameters
        ----------
        pairs : array-like of shape (n, 2)
            A label of a row and one of a column for each entry. If one is unknown, the biases alone predict; without biases
            that is an error.

        Returns
        -------
        ndarray of shape (n,)
            The predictions.
        """
        check_is_fitted(self, "components_")
        table = _table(self._turned(pairs))
        rows, cols = _pairs(table)
        i, j = _found(self.rows_, rows, table[:, 0]), _found(self.columns_, cols, table[:, 1])
        new = (i < 0) | (j < 0)
        check(self._has_biases or not new.any(), lambda: "The fit has not seen the rows or columns "
              f"{few([*np.unique(rows[i < 0]), *np.unique(cols[j < 0])])}. Leave them out, or fit with biases=True.")
        out, ones = self.biases_.at(i, j), np.ones(len(self.singular_values_))
        out[~new] += gathered(self.row_factors_, self.components_.T, ones, i[~new], j[~new])
        return out

    @by_row
    def score(self, pairs: Any, values: Any = None) -> float:
        """How well entries are predicted: R², or with loss="logistic" the share of entries whose sign is predicted.

        Parameters
        ----------
        pairs : array-like of shape (n, 2) or (n, 3)
            A label of a row and one of a column for each entry; or triples of the labels and the entry.
        values : array-like of shape (n,), default=None
            The entries that belong to the pairs; None with triples.

        Returns
        -------
        float
            R² = 1 − Σ(v − predicted)² / Σ(v − mean)², at most 1.
        """
        from sklearn.metrics import r2_score

        check_is_fitted(self, "components_")
        rows, cols, v = _entries(self._turned(pairs), values, "score")
        found = self.predict([*zip(rows.tolist(), cols.tolist(), strict=True)])
        if self.loss == "logistic":
            return float(((found > 0.0) == (v > 0.0)).mean())
        return float(r2_score(v, found))

    def _turned(self, pairs: Any) -> Any:
        """A frame with the columns that were rows and columns in the fit first; others are taken by position."""
        known, names = kept(self), labels_of(pairs, 1)
        if known is None or names is None or not set(known[:2]) & set(names):
            return pairs
        return ordered(pairs, [*known[:2], *(name for name in names if name not in known[:2])], "pairs", "the fit", 1)

    @property
    def _has_biases(self) -> bool:
        return bool(self.biases) and self.loss != "logistic"

    def _read(self, X: Any, y: Any) -> tuple[Index, Index, Array]:
        """Places and values; what the rows and columns are called is kept."""
        if is_sparse(X):
            check(y is None, "X is a sparse matrix, whose entries are the values, and y was given too. Leave it out.")
            X = compressed(X).tocoo()
            self.rows_, self.columns_ = np.arange(X.shape[0]), np.arange(X.shape[1])
            return X.row.astype(np.intp), X.col.astype(np.intp), np.asarray(X.data, dtype=np.float64)
        rows, cols, v = _entries(X, y, "fit")
        self.rows_, i = np.unique(rows, return_inverse=True)
        self.columns_, j = np.unique(cols, return_inverse=True)
        return i, j, v

    def _biases(self, i: Index, j: Index, v: Array, shape: tuple[int, int]) -> Biases:
        if self._has_biases:
            return fitted_biases(i, j, v, shape)
        return Biases(0.0, np.zeros(shape[0]), np.zeros(shape[1]))

    def _solved(self, i: Index, j: Index, v: Array, shape: tuple[int, int], radius: float, start: Any = None) -> Solution:
        return minimize(completion(i, j, v, shape, loss=self.loss), NuclearBall(shape, radius), start=start,
                        stop=Relative(float(self.tol)) | Iterations(200), seed=int(self.random_state))  # rounds of one solve

    def _chosen(self, i: Index, j: Index, v: Array, shape: tuple[int, int]) -> tuple[float, Any]:
        """The radius with the least error on entries that are held out, and the point there.

        Radii grow by half until the error has grown three times, or a ball is larger than its point; then one is tried on
        either side of the best. Where a ball is larger than its point, the norm of the point is its radius: beyond, many
        matrices fit alike, and most of them predict badly.
        """
        out = np.random.default_rng(int(self.random_state)).random(len(v)) < 0.1  # of the entries, by which a radius is chosen
        check(bool(out.any() and (~out).any()), lambda: f"{len(v)} entries are too few to choose a radius by; give radius=.")
        known = self._biases(i[~out], j[~out], v[~out], shape)
        rest = v - known.at(i, j)
        tried: list[Tried] = []

        def attempt(radius: float) -> Tried:
            smaller = [t for t in tried if t.norm <= radius]
            start = max(smaller, key=lambda t: t.norm).point if smaller else None
            point = self._solved(i[~out], j[~out], rest[~out], shape, radius, start).point
            norm = float(point.factors().sigma.sum()) * (1.0 + 1e-9)
            found, known = point.entries(i[out], j[out]), rest[out]
            if self.loss == "logistic":
                error = np.logaddexp(0.0, -np.where(known > 0.0, 1.0, -1.0) * found).mean()
            else:
                error = np.mean(np.abs(found - known) ** (1.0 if self.loss == "huber" else 2.0))
            tried.append(Tried(radius, min(radius, norm), float(error), point))
            return tried[-1]

        size = float(np.linalg.norm(rest)) * (shape[0] * shape[1] / len(v)) ** 0.5
        radius, since, least, wider = max(size, 1e-6) / 8.0, 0, np.inf, 1.5
        for _ in range(16):
            last = attempt(radius)
            since, least = (0, last.error) if last.error < least else (since + 1, least)
            if since >= 3 or last.norm < 0.999 * radius:  # a point inside its ball is one of all larger balls too
                break
            radius *= wider
        middle = min(tried, key=lambda t: t.error).radius
        for radius in (middle / wider**0.5, middle * wider**0.5):
            if radius < max(t.radius for t in tried):  # beyond the largest the constraint is idle, or the error grows
                attempt(radius)
        best = min(tried, key=lambda t: t.error)
        return (best.norm if best.norm > 0.0 else best.radius), best.point  # zero fits best where biases say all


def _entries(X: Any, y: Any, call: str) -> tuple[Array, Array, Array]:
    """Labels of rows and of columns, and values, of pairs and values or of triples."""
    table = _table(X)
    if y is None:
        check(table.ndim == 2 and table.shape[1] == 3, lambda: f"Pairs of shape {table.shape} were given without values. Give "
              f"{call}(pairs, values), or triples of the labels of row and column and the entry, shape (n, 3).")
        y, table = table[:, 2].tolist(), table[:, :2]
    rows, cols = _pairs(table)
    try:
        v = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise GreedyhullError(f"{shown(y)} was given for values; numbers are wanted, one for each pair.") from None
    check(v.shape == rows.shape, lambda: f"values must have an entry for each of {len(rows)} pairs; got shape {v.shape}.")
    sound = v.size > 0 and bool(np.isfinite(v).all())
    check(sound, "The values are none, or hold NaN or infinity; give known entries only.")
    return rows, cols, v


def _table(given: Any) -> Array:
    """What is given, as an array with a row for each entry; numbers and words stay what they are."""
    if isinstance(given, np.ndarray):
        return given
    try:
        table = np.asarray([*given] if isinstance(given, Iterator) else given, dtype=object)
        return np.array([row if isinstance(row, str) else tuple(row) for row in table], dtype=object)
    except (TypeError, ValueError):
        raise GreedyhullError(f"pairs must have shape (n, 2), labels of row and column; got {shown(given)}.") from None


def _pairs(table: Array) -> tuple[Array, Array]:
    """Labels of rows and of columns."""
    check(table.ndim == 2 and table.shape[1] == 2,
          lambda: f"pairs must have shape (n, 2), labels of row and column; got shape {table.shape}.")
    return tuple(np.array(table[:, k].tolist()) for k in (0, 1))  # type: ignore[return-value]


def _found(labels: Array, asked: Array, given: Array) -> Index:
    """The place of each label, −1 where it is not known; ``given`` are the labels before words made words of numbers."""
    known = {label: place for place, label in enumerate(labels.tolist())}
    mixed = (labels.dtype.kind in "biuf") != (asked.dtype.kind in "biuf")  # words among numbers made words of all of them
    return np.array([known.get(label, -1) for label in (given if mixed else asked).tolist()], dtype=np.intp)
