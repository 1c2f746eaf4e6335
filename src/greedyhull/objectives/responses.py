"""The public objectives of matrices: completion, multitask, multinomial."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import matrix_shape
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.matrix import Observed, Tasks
from greedyhull.objectives.designs.stored import design
from greedyhull.objectives.losses.base import Separable, positive_number, shares, signs
from greedyhull.objectives.losses.smooth import Huber, Logistic, Squared
from greedyhull.objectives.matrices import MatrixModel, Multinomial, SquaredEntries, SquaredResponses, multinomial_model
from greedyhull.objectives.ridge import RidgedMultinomial, RidgedResponses, checked_ridge, from_data
from greedyhull.points.arrays import masked, regular
from greedyhull.types import Array, Index

LOSSES = ("squared", "logistic", "huber")


@from_data("rows", "cols", "values", "sample_weight", instead="Give the places and values of all entries as arrays.")
def completion(rows: Any, cols: Any, values: Any, shape: Any, *, loss: str = "squared", sample_weight: Any = None,
               delta: float = 1.0) -> MatrixModel:
    """Matrix completion, f(W) = ½ Σ (W_ij − v_ij)² over the observed entries.

    It is a sum, not a mean. Gradients are sparse, and over a `NuclearBall` points are kept as factors, so that no m×n array is
    made.

    Parameters
    ----------
    rows, cols : array_like of int of shape (n,)
        The places of the entries, from 0. No place may be given twice. Rows and columns may be empty; the representation of
        the objective, and so `Solution.summary`, says how many are.
    values : array_like of shape (n,)
        The entries. float32 values are iterated in float32 and certified in float64.
    shape : tuple of int
        The numbers of rows and columns of W.
    loss : {"squared", "logistic", "huber"}, default "squared"
        "logistic" is for values −1 and +1, or 0 and 1: Σ log(1 + exp(−v_ij W_ij)). "huber" is less sensitive to outliers.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ of the entries; the sum becomes n·Σ sᵢℓᵢ / Σ sᵢ, so that equal weights change nothing.
    delta : float, default 1.0
        For "huber", the error at which the loss becomes linear.

    {Returns}

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.completion([0, 0, 1], [0, 1, 0], [1.0, 2.0, 2.0], (2, 2))
    >>> s = gh.minimize(f, gh.NuclearBall((2, 2), radius=5.0), stop=gh.Gap(1e-8))
    >>> s.point.entries([0, 1], [1, 0]).round(3)
    array([2., 2.])
    """
    m, n = matrix_shape(shape)
    i, j = _places(rows, m, "rows"), _places(cols, n, "cols")
    y = _values(values)
    check(len(i) == len(j) == len(y), lambda: f"{len(i)} rows, {len(j)} cols and {len(y)} values were given; as many of each "
                                              "are wanted.")
    check(len(y) > 0, "No entries were given; at least one observed entry is wanted.")
    order = np.lexsort((j, i))
    i, j, y = i[order], j[order], y[order]
    _check_once(i, j)
    p = shares(sample_weight, len(y))
    weights: Array | float = 1.0 if isinstance(p, float) else (p * len(y))[order]
    kept = y.dtype if y.dtype == np.float32 else np.dtype(np.float64)
    exact = _loss(loss, y.astype(np.float64), weights, delta)
    design = Observed(i, j, (m, n), kept)
    note = _emptiness(*design.empty())
    if isinstance(exact, Squared):
        return SquaredEntries(design, exact.cast(kept), "completion", exact, note)
    return MatrixModel(design, exact.cast(kept), "completion", exact, 1.0, 0, note)


def _emptiness(rows: int, cols: int) -> str:
    """Rows and columns of which nothing is known, for the words about a problem."""
    said = [f"{k} {one if k == 1 else one + 's'}" for k, one in ((rows, "row"), (cols, "column")) if k]
    return f", {' and '.join(said)} without entries" if said else ""


def _loss(name: str, y: Array, p: Array | float, delta: float) -> Separable:
    if name == "squared":
        return Squared(y, p)
    if name == "huber":
        return Huber(y, p, positive_number(delta, "delta"))
    if name == "logistic":
        return Logistic(signs(y, len(y), "values"), p)
    raise GreedyhullError(f"loss = {shown(name)} was given; one of {', '.join(map(repr, LOSSES))} is wanted.")


def _places(given: Any, size: int, what: str) -> Index:
    """Whole numbers from 0 to ``size`` − 1."""
    places = regular(given, what)
    check(places.ndim == 1, lambda: f"{what} has shape {places.shape}; one whole number for each observed entry is wanted.")
    whole = places.dtype.kind in "iu" or not places.size
    whole = whole or (places.dtype.kind == "f" and bool((places == np.floor(places)).all()))
    check(whole, lambda: f"{what} has dtype {places.dtype}; whole numbers are wanted. Number its labels first: "
                         "labels, numbers = np.unique(..., return_inverse=True).")
    off = np.flatnonzero((places < 0) | (places >= size))
    check(not len(off), lambda: f"{what} holds {', '.join(f'{x:g}' for x in places[off[:3]])}"
          f"{f' and {len(off) - 3} more' if len(off) > 3 else ''} outside 0 to {size - 1}. Give a larger shape, or "
          "count from 0.")
    return places.astype(np.intp)


def _values(given: Any) -> Array:
    check(not masked(given), "values has masked entries; leave these places out.")
    y = np.asarray(given)
    good = y.ndim == 1 and (y.dtype.kind in "biuf" or not y.size)
    check(good, lambda: f"values has shape {y.shape} and dtype {y.dtype}; one number for each observed entry is wanted.")
    if y.dtype != np.float32:
        y = y.astype(np.float64)
    bad = int((~np.isfinite(y)).sum())
    check(not bad, lambda: f"values holds {bad} NaN or infinite number{'' if bad == 1 else 's'}. Leave these places out: an "
                           "entry that is not known is not observed.")
    largest = float(np.abs(y).max(initial=0.0))
    small = largest < (1e150 if y.dtype == np.float64 else 1e15)
    check(small, lambda: f"values holds a number of size {largest:.3g}, whose square overflows. Scale the values down.")
    return y


def _check_once(i: Index, j: Index) -> None:
    """Raise where a place stands twice among sorted ones."""
    again = np.flatnonzero((i[1:] == i[:-1]) & (j[1:] == j[:-1]))
    check(not len(again), lambda: f"{len(again)} place{' is' if len(again) == 1 else 's are'} given more than once, the first "
          f"at ({i[again[0]]}, {j[again[0]]}). Aggregate them, by their mean say: "
          "pandas.DataFrame({'i': rows, 'j': cols, 'v': values}).groupby(['i', 'j']).v.mean().")


@from_data("X", "Y", "sample_weight", instead="Give X and Y as arrays.")
def multitask(X: Any, Y: Any, *, sample_weight: Any = None, l2: float = 0.0) -> Composite:
    """Several responses at once, f(W) = 1/(2n) ‖XW − Y‖_F².

    Parameters
    ----------
    X : array_like or sparse matrix of shape (n, d)
        One row for each sample.
    Y : array_like of shape (n, c)
        One column for each response.
    {sample_weight}
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖W‖_F² to f; at least 0.

    Returns
    -------
    Composite
        The objective; points are matrices of shape (d, c).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.multitask(np.eye(3), np.diag([3.0, 2.0, 0.0]))
    >>> s = gh.minimize(f, gh.NuclearBall((3, 3), radius=1.0), stop=gh.Gap(1e-8))
    >>> s.point.factors().sigma.round(4)
    array([1.])
    """
    A = design(X)
    targets = _table(Y, A.n)
    p = shares(sample_weight, A.n)
    tasks = Tasks(A, targets.shape[1])
    weights: Array | float = p if isinstance(p, float) else np.repeat(p, tasks.c)
    exact = Squared(targets.ravel(), weights)
    f = SquaredResponses(tasks, exact.cast(A.dtype), "multitask", exact, tasks.X.frobenius, tasks.domain[0])
    factor = checked_ridge(l2)
    return f if factor == 0.0 else RidgedResponses(f, factor)


@from_data("X", "y", "sample_weight", instead="Give X and y as arrays, or use logistic for two classes.")
def multinomial(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False,
                l2: float = 0.0) -> Multinomial | RidgedMultinomial:
    """Cross-entropy of several classes, f(W) = mean of log Σₖ exp(xᵢ·wₖ) − xᵢ·w_yᵢ.

    Parameters
    ----------
    X : array_like or sparse matrix of shape (n, d)
        One row for each sample.
    y : array_like of shape (n,)
        The class of each sample: whole numbers from 0 to c − 1, of which none is missing.
    {sample_weight}
    intercept : bool, default False
        Whether to add a free constant for each class. They are found for every W, are no entries of it, and are returned as
        `Solution.intercept`; they sum to zero.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖W‖_F² to f; at least 0. Intercepts are not penalised.

    Returns
    -------
    Composite
        The objective; points are matrices of shape (d, c), one column for each class.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.multinomial(np.eye(3), [0, 1, 2])
    >>> s = gh.minimize(f, gh.NuclearBall((3, 3), radius=3.0), stop=gh.Gap(1e-8))
    >>> bool(s.value < f.scale)
    True
    """
    A = design(X)
    labels = _labels(y, A.n)
    classes = int(labels.max()) + 1
    hot = np.zeros((A.n, classes))
    hot[np.arange(A.n), labels] = 1.0
    p = shares(sample_weight, A.n)
    counted = hot if isinstance(p, float) else hot[p > 0.0]
    empty = np.flatnonzero(~counted.any(axis=0))
    check(not intercept or not len(empty), lambda: f"Class {int(empty[0])} has no sample of positive weight: its best "
          "intercept is minus infinity. Leave the class out, or the intercept.")
    f, factor = multinomial_model(Tasks(A, classes), hot, p, intercept), checked_ridge(l2)
    return f if factor == 0.0 else RidgedMultinomial(f, factor)


def _table(Y: Any, n: int) -> Array:
    check(not masked(Y), "Y has masked entries, which stand for no number. Drop those rows first.")
    table = regular(Y, "Y")
    check(table.ndim == 2 and table.shape[1] > 0, lambda: f"Y has shape {table.shape}; a matrix with a column for each "
          "response is wanted. Use least_squares for a single one.")
    check(len(table) == n, lambda: f"Y has {len(table)} rows but X has {n}; one row for each sample is wanted.")
    check(table.dtype.kind in "biuf", lambda: f"Y has dtype {table.dtype}; numbers are wanted.")
    table = table.astype(np.float64)
    check(bool(np.isfinite(table).all()), "Y holds NaN or infinite values. Drop those rows first.")
    return table


def _labels(y: Any, n: int) -> Array:
    check(not masked(y), "y has masked entries, which stand for no class. Drop those rows first.")
    labels = regular(y, "y")
    check(labels.shape == (n,), lambda: f"y has shape {labels.shape} but X has {n} rows; one class for each row is wanted.")
    whole = labels.dtype.kind in "biu" or (labels.dtype.kind == "f" and bool((labels == np.floor(labels)).all()))
    check(whole, lambda: f"y has dtype {labels.dtype}; classes 0, 1, … are wanted. Number its labels first: "
                         "classes, y = np.unique(y, return_inverse=True).")
    numbers = labels.astype(np.int64)
    found = np.unique(numbers)
    check(len(found) > 1 and found[0] == 0 and found[-1] == len(found) - 1, lambda: f"y holds the classes {found[:5].tolist()}"
          f"{' and more' if len(found) > 5 else ''}; at least two classes, 0 to c − 1 with none missing, are wanted. Number "
          "them: classes, y = np.unique(y, return_inverse=True).")
    return numbers
