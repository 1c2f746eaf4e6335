"""How far the terms of f can pull: what bounds from samples rest on. It is about all terms, never those of a sample."""

from __future__ import annotations

import numpy as np

from greedyhull.measures.reach import reach
from greedyhull.objectives.batch import counts_of
from greedyhull.objectives.finite_sum import FiniteSum
from greedyhull.objectives.stream import Stream
from greedyhull.types import Array, AtomSet, LinearModel, Objective
from greedyhull.types.kinds import linear_model

ABOVE = 1.0 + 1e-9  # for the rounding of a bound


def range_bound(f: Objective, S: AtomSet) -> float | None:
    """C ≥ |⟨∇fᵢ(x), y − u⟩| for all terms i and all x, y, u in the hull of S; None if nobody knows one.

    For φ(Ax) it is max nᵢpᵢ·sup|ℓ'ᵢ|·(the width of aᵢ over S), plus l2·max‖u‖·D for a ridge; otherwise L·D, if f tells a bound
    L on the length of the gradient of every term (``lipschitz``).

    >>> import greedyhull as gh
    >>> range_bound(gh.logistic(np.array([[1.0, 3.0]]), [1]), gh.Simplex(2)) <= 2 / (1 + np.e) * (1 + 1e-8)
    True
    """
    model = linear_model(f)
    if model is not None:
        R, D = reach(S) if model.l2 else (0.0, 0.0)
        return _finite(_terms(model, S).max() + model.l2 * R * D) if not model.has_intercept else None
    L = f.lipschitz if isinstance(f, FiniteSum | Stream) else None
    return None if L is None else _finite(L * S.diameter)


def _terms(f: LinearModel, S: AtomSet) -> Array:
    low, high = S.row_ranges(f.design.precise())
    out: Array = counts_of(f) * np.broadcast_to(f.exact.lipschitz(low, high), f.n) * (high - low)
    return out


def _finite(C: float) -> float | None:
    return float(C) * ABOVE if np.isfinite(C) else None
