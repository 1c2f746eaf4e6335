"""Objectives of several responses, whose points are matrices: multitask(X, Y) and multinomial(X, y)."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import check
from greedyhull.kernels.core import public
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs import design
from greedyhull.objectives.designs.matrix import Tasks
from greedyhull.objectives.losses.base import shares
from greedyhull.objectives.losses.smooth import Squared
from greedyhull.objectives.multinomial import Multinomial, SquaredResponses, multinomial_model
from greedyhull.objectives.ridge import RidgedMultinomial, RidgedResponses, checked_ridge
from greedyhull.points.aligned import by_label
from greedyhull.points.arrays import masked, regular
from greedyhull.types import Array


@by_label("X", "Y", "sample_weight")
@public
def multitask(X: Any, Y: Any, *, sample_weight: Any = None, l2: float = 0.0) -> Composite:
    """Several responses at once, f(W) = 1/(2n) ‖XW − Y‖_F².

    Parameters
    ----------
    X : array_like or sparse matrix of shape (n, d)
        One row for each sample.
    Y : array_like of shape (n, c)
        One column for each response.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ of the rows; the mean becomes Σ sᵢℓᵢ / Σ sᵢ.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖W‖_F² to f; at least 0.

    Returns
    -------
    Composite
        The objective; points are matrices of shape (d, c).

    See Also
    --------
    NuclearBall : Responses that depend on few combinations of the features.
    multinomial : One response with several classes.

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


@by_label("X", "y", "sample_weight")
@public
def multinomial(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False,
                l2: float = 0.0) -> Multinomial | RidgedMultinomial:
    """Cross-entropy of several classes, f(W) = mean of log Σₖ exp(xᵢ·wₖ) − xᵢ·w_yᵢ.

    Parameters
    ----------
    X : array_like or sparse matrix of shape (n, d)
        One row for each sample.
    y : array_like of shape (n,)
        The class of each sample: whole numbers from 0 to c − 1, of which none is missing.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ of the rows; the mean becomes Σ sᵢℓᵢ / Σ sᵢ.
    intercept : bool, default False
        Whether to add a free constant for each class. They are found for every W, are no entries of it, and are returned as
        `Solution.intercept`; they sum to zero.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖W‖_F² to f; at least 0. Intercepts are not penalised.

    Returns
    -------
    Composite
        The objective; points are matrices of shape (d, c), one column for each class.

    See Also
    --------
    logistic : Two classes.
    multitask : Several numeric responses.

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
