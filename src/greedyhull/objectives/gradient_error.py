"""What an inexact gradient costs: the share of a gap that its error may hide.

For ĝ with |ĝⱼ − ∂ⱼf(w)| ≤ eⱼ, and any point u of the hull, |⟨∇f(w) − ĝ, w − u⟩| ≤ Σⱼ eⱼ(|wⱼ| + |uⱼ|) ≤ 2·max_abs(e), so that
f(w) − min f ≤ ⟨ĝ, w⟩ − min_S ⟨ĝ, ·⟩ + 2·max_abs(e).
"""

from __future__ import annotations

import numpy as np

from greedyhull.errors import check
from greedyhull.points.iterate import Iterate
from greedyhull.types import AtomSet, Objective
from greedyhull.types.kinds import approximate

EPS = float(np.finfo(np.float64).eps)


def gradient_slack(f: Objective, w: Iterate, S: AtomSet) -> float:
    """2·max_abs(e) where the gradient of f at w is inexact by at most e; 0 where it is exact.

    Where ``S.sized`` is False it is an estimate, as `max_abs` is.
    """
    rough = approximate(f)
    if rough is None:
        return 0.0
    told = rough.gradient_error(w)
    try:
        error = np.asarray(told, dtype=np.float64)
    except (TypeError, ValueError):
        error = np.asarray(np.nan)
    check(error.shape in ((), S.shape) and bool(np.isfinite(error).all()) and bool((error >= 0.0).all()),
          lambda: f"gradient_error(w) of {f!r} returned {told!r}; a finite number of at least 0 is wanted, or an array of "
                  f"them of shape {S.shape}: a bound on the error of each entry of the gradient.")
    slack = 2.0 * S.max_abs(np.broadcast_to(error, S.shape))
    return float(slack * (1.0 + EPS * (error.size + np.prod(S.shape) + 16.0)))
