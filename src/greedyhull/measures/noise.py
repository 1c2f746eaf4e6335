"""σ, how far the gradient of one term is from that of f: what stochastic bounds and growing batches are made of."""

from __future__ import annotations

import numpy as np

from greedyhull.atoms.geometry.row_ranges import row_norms
from greedyhull.errors import GreedyhullError
from greedyhull.objectives.batch import counts_of
from greedyhull.objectives.ridged import without_ridge
from greedyhull.points.gradients import size
from greedyhull.points.iterate import Iterate
from greedyhull.points.lengths import rms, times
from greedyhull.theory import Constant
from greedyhull.types import Array, Atom, AtomSet, LinearModel, Objective, Shape
from greedyhull.types.kinds import linear_model, listed

SMALL = 20_000_000  # multiplications that the exact σ of a sum of squares may cost


def noise(f: Objective, S: AtomSet) -> Constant:
    """σ with E‖∇fᵢ − ∇f‖² ≤ σ² on the hull of S, for a term i drawn from all n alike.

    For squares the variance is convex in w, so that an atom attains the largest: exact where all atoms can be looked at.
    Otherwise it is at most the mean of Lᵢ², Lᵢ = sup|φ'ᵢ|·‖aᵢ‖ with the supremum over the range of aᵢ·w.

    >>> import greedyhull as gh
    >>> noise(gh.least_squares(np.array([[1.0], [1.0]]), [1.0, -1.0]), gh.Simplex(1))
    σ = 1 (exact)
    """
    model, atoms = linear_model(without_ridge(f)), listed(S)  # every term has the same ridge: it makes no noise
    if model is None or len(f.domain) != 1 or model.has_intercept:
        raise GreedyhullError(f"The noise σ of the terms of {f!r} has no formula here. Give it, for instance "
                              "Growing(sigma=...).")
    norms = row_norms(model.design.precise())
    if f.traits.quadratic and atoms is not None and len(atoms) * model.n * f.domain[0] <= SMALL:
        most = max(_deviation(model, atoms[j], S.shape, norms) for j in range(len(atoms)))
        return Constant(most, "exact" if most < np.inf else "upper bound", "σ")
    low, high = S.row_ranges(model.design.precise())
    slopes = times(times(np.broadcast_to(model.exact.lipschitz(low, high), model.n), counts_of(model)), norms)
    return Constant(rms(slopes), "upper bound", "σ")


def _deviation(f: LinearModel, atom: Atom, shape: Shape, norms: Array) -> float:
    """√E‖∇fᵢ − ∇f‖² = √(E‖∇fᵢ‖² − ‖∇f‖²) at an atom."""
    g, w = f.precise(), Iterate.at(atom, shape)
    with np.errstate(over="ignore", invalid="ignore"):
        whole, mean = rms(g.residual(w) * f.n * norms), size(g.gradient(w))
    if whole == np.inf:
        return np.inf
    return float(np.sqrt(max(whole - mean, 0.0)) * np.sqrt(whole + mean))
