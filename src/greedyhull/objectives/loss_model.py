"""A loss of a linear model from its data: targets and labels checked, weights as shares, the precision of X."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import check
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.counted import in_place_of
from greedyhull.objectives.losses.base import Separable, shares, signs, vector
from greedyhull.objectives.ridged import with_ridge
from greedyhull.types import Array, Design


def model(A: Design, exact: Separable, intercept: bool, name: str, l2: float) -> Composite:
    """φ∘A and the ridge, if any; where the data are float32, the loss is kept in float64 too, for the certificate."""
    taken = in_place_of(A, exact.p, exact.y)
    if taken is not None:
        A, exact.y = A.rows(taken), exact.y[taken]
    loss = exact if A.dtype == exact.y.dtype else _rounded(exact, A.dtype)
    f = Composite(A, loss.profiled(), name, exact.profiled()) if intercept else Composite(A, loss, name, exact)
    return with_ridge(f, l2)


def _rounded(exact: Separable, dtype: Any) -> Separable:
    """The loss in the precision of the data."""
    with np.errstate(over="ignore"):
        loss = exact.cast(dtype)
    check(bool(np.isfinite(loss.y).all()), lambda: f"y has entries of up to {np.abs(exact.y).max():.3g}, too large for "
          "float32, in which X is given. Give X in float64, or scale y down.")
    return loss


def targets(A: Design, y: Any) -> Array:
    """One number for each row."""
    return vector(y, A.n, "y")


def labels(A: Design, y: Any, p: Array | float, intercept: bool) -> Array:
    """Two classes as −1 and +1; with an intercept, both must be there with positive weight."""
    found = signs(y, A.n)
    seen = found if isinstance(p, float) else found[p > 0.0]
    check(not intercept or bool(seen.min() < seen.max()), "y holds one class only: the best intercept is infinite. "
          "Give samples of both classes, with positive weight, or leave the intercept out.")
    return found


def shares_of(A: Design, sample_weight: Any) -> Array | float:
    """The weights of the rows as shares of their sum; one number where all are equal."""
    return shares(sample_weight, A.n)
