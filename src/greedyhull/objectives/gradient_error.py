"""What an inexact gradient costs: the share of a gap that its error may hide.

For ĝ with |ĝⱼ − ∂ⱼf(w)| ≤ eⱼ, and any point u of the hull, |⟨∇f(w) − ĝ, w − u⟩| ≤ Σⱼ eⱼ(|wⱼ| + |uⱼ|) ≤ 2·max_abs(e), so that
f(w) − min f ≤ ⟨ĝ, w⟩ − min_S ⟨ĝ, ·⟩ + 2·max_abs(e).
"""

from __future__ import annotations

import numpy as np

from greedyhull.errors import check
from greedyhull.objectives.coarse import coarse_of, gradient_errors
from greedyhull.points.arrays import masked
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, AtomSet, Objective
from greedyhull.types.attributes import lacks
from greedyhull.types.kinds import approximate

EPS = float(np.finfo(np.float64).eps)


def gradient_slack(f: Objective, w: Iterate, S: AtomSet) -> float:
    """2·max_abs(e) where the gradient of f at w is inexact by at most e; 0 where it is exact.

    Where ``S.sized`` is False it is an estimate, as `max_abs` is.
    """
    rough = approximate(f)
    if rough is None:
        seen = coarse_of(f, w)
        return 0.0 if seen is None else error_slack(gradient_errors(seen, as_array(f.gradient(w), S.shape)), S)
    check(not lacks(f, "gradient_error"), lambda: f"{f!r} says exact_gradient=False, but has no gradient_error(w). Write one: "
                                                 "a bound on the error of each entry of the gradient at w.")
    told = rough.gradient_error(w)
    error = _numbers(told)
    check(error.shape in ((), S.shape) and bool(np.isfinite(error).all()) and bool((error >= 0.0).all()),
          lambda: f"gradient_error(w) of {f!r} returned {told!r}; a finite number of at least 0 is wanted, or an array of "
                  f"them of shape {S.shape}: a bound on the error of each entry of the gradient.")
    slack = error_slack(error, S)
    check(slack < np.inf, lambda: f"gradient_error(w) of {f!r} is up to {error.max():g}, so large that the error of ⟨∇f(w), ·⟩"
                                  f" over {S!r} overflows. Nothing can be certified there.")
    return slack


def error_slack(error: Array, S: AtomSet) -> float:
    """2·max_abs(error), rounded up."""
    most = np.zeros(S.shape)  # an array of its own, which a user's set may write on
    most[...] = error
    return float(2.0 * S.max_abs(most) * (1.0 + EPS * (error.size + most.size + 16.0)))


def _numbers(told: object) -> Array:
    """What an objective told of its error, as an array; NaN where it is no number or array of them."""
    try:
        given = np.asanyarray(told)
        if given.dtype.kind in "biuf" and not masked(given):
            return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):  # a ragged list
        pass
    return np.asarray(np.nan)
