"""Several targets in one fit: a row of coefficients for each, solved as a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from greedyhull.driver.batch.call import batch
from greedyhull.driver.batch.solutions import Solutions
from greedyhull.driver.stop import Iterations, Relative, Stalled
from greedyhull.estimators.base import STILL
from greedyhull.estimators.convergence import SOLVED
from greedyhull.estimators.losses import Posed
from greedyhull.objectives.by_name import least_squares
from greedyhull.types import Array, AtomSet


def solve_targets(estimator: Any, posed: Posed, S: AtomSet, X: Any, Y: Array, s: Array | None,
                  start: Array | None) -> Solutions:
    """The solutions for the columns of Y; an error of one of them is an error of the fit."""
    stop = Relative(float(estimator.tol)) | Iterations(int(estimator.max_iter)) | Stalled(STILL)
    random = estimator.random_state
    how: dict[str, Any] = {"start": start, "stop": stop, "progress": bool(estimator.verbose),
                           "seed": 0 if random is None else int(check_random_state(random).randint(2**31 - 1))}
    if posed.loss == "squared":
        found = batch(least_squares, S, X=X, Y=Y, sample_weight=s, intercept=posed.intercept, **how)
    else:
        found = batch([posed(X, y, s) for y in Y.T], S, **how)
    for error in found.errors.values():
        raise error.__cause__ if isinstance(error.__cause__, KeyboardInterrupt) else error
    return found


def keep_targets(estimator: Any, found: Solutions, dtype: Any) -> None:
    """The attributes of a fit with several targets, and what it says of those that missed ``tol``."""
    estimator.coef_ = estimator.weights_ = found.x.astype(dtype)
    estimator.intercept_ = found.intercepts.astype(dtype)
    estimator.solution_ = found
    estimator.certificate_ = found.certificates()
    estimator.n_iter_ = max(int(found.iterations.max()), 1)
    estimator.dual_gap_ = float(found.gaps.max())
    vars(estimator).pop("trace_", None)  # of another fit: here each solution has its own
    vars(estimator)[SOLVED] = [(True, "", 0.0) if held else (False, found[i].reason, float(found.gaps[i]))
                               for i, held in enumerate(found.converged.tolist())]


def starts(previous: list[Array | None], S: AtomSet, moved: Any) -> Array | None:
    """The coefficients of the fit before, brought into the set; None where there are none, or one lies outside."""
    points = [None if x is None else moved(x, S) for x in previous]
    inside = [x for x in points if x is not None and S.contains(x)]
    return np.array(inside) if inside and len(inside) == len(points) else None
