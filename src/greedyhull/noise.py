"""σ, how far the gradient of one term is from that of f: what stochastic bounds and growing batches are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.ranges import row_norms
from greedyhull.errors import check
from greedyhull.iterate import Iterate
from greedyhull.lengths import length, rms, times
from greedyhull.theory import Constant
from greedyhull.types import AtomSet, Objective

SMALL = 20_000_000  # multiplications that the exact σ of a sum of squares may cost


def noise(f: Objective, S: AtomSet) -> Constant:
    """σ with E‖∇fᵢ − ∇f‖² ≤ σ² on the hull of S, for a term i drawn from all n alike.

    For squares the variance is convex in w, so that an atom attains the largest: exact where all atoms can be looked at.
    Otherwise it is at most the mean of Lᵢ², Lᵢ = sup|φ'ᵢ|·‖aᵢ‖ with the supremum over the range of aᵢ·w.

    >>> import greedyhull as gh
    >>> noise(gh.least_squares(np.array([[1.0], [1.0]]), [1.0, -1.0]), gh.Simplex(1))
    σ = 1 (exact)
    """
    check(hasattr(f, "design") and len(f.domain) == 1 and not f.has_intercept,
          f"The noise σ of the terms of {f!r} has no formula here. Give it, for instance Growing(sigma=...).")
    norms = row_norms(f.design.precise())
    if f.quadratic and hasattr(S, "scores") and len(S) * f.n * f.domain[0] <= SMALL:
        most = max(_deviation(f, S[j], S.shape, norms) for j in range(len(S)))
        return Constant(most, "exact" if most < np.inf else "upper bound", "σ")
    low, high = S.row_ranges(f.design.precise())
    slopes = times(times(np.broadcast_to(f.exact.lipschitz(low, high), f.n), _shares(f)), norms)
    return Constant(rms(slopes), "upper bound", "σ")


def _shares(f: Objective) -> Any:
    """n·pᵢ, what each term counts for when it is drawn: one without sample weights."""
    return f.n * np.broadcast_to(np.asarray(f.exact.p, dtype=np.float64), f.n)


def _deviation(f: Objective, atom: Any, shape: tuple[int, ...], norms: Any) -> float:
    """√E‖∇fᵢ − ∇f‖² = √(E‖∇fᵢ‖² − ‖∇f‖²) at an atom."""
    g, w = f.precise(), Iterate.at(atom, shape)
    with np.errstate(over="ignore", invalid="ignore"):
        whole, mean = rms(g.residual(w) * f.n * norms), length(g.gradient(w))
    if whole == np.inf:
        return np.inf
    return float(np.sqrt(max(whole - mean, 0.0)) * np.sqrt(whole + mean))
