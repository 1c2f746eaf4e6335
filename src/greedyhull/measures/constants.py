"""The constants that bounds are made of, for one objective over one set: measured, each with its status."""

from __future__ import annotations

from math import inf

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.measures.term_constants import linear_terms, sampled_terms
from greedyhull.theory import Constant, Constants
from greedyhull.types import AtomSet, Objective
from greedyhull.types.kinds import linear_model, remote


def constants(f: Objective, S: AtomSet, *, seed: int = 0, **given: float) -> Constants:
    """All constants of f over the hull of S: by formula where there is one, else estimated from a few terms at a few points.

    What is ``given``, by name, is taken as an upper bound: for a stream, for terms without formulas.

    >>> import numpy as np, greedyhull as gh
    >>> table = constants(gh.least_squares(np.eye(2), [1.0, 0.0]), gh.L1Ball(2, 1.0))
    >>> table.M, table.r_S, table.sigma
    (M = 2 (exact), r_S = 1 (exact), sigma = 1 (exact))
    """
    unknown = set(given) - set(Constants.names())
    check(not unknown, f"{', '.join(sorted(unknown))} was given; the constants are {', '.join(Constants.names())}.")
    found = {name: Constant(inf, "upper bound", name) for name in Constants.names()}
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, which is an upper bound too
        found.update(_sizes(S))
        found.update(_terms(f, S, seed))
        try:
            found["M"] = f.curvature(S)
        except GreedyhullError:  # a stream, or a black box of unknown smoothness
            for name, smooth in (("M", "L_F"), ("M_mean", "L_max")):
                found[name] = _scaled(found[smooth], found["D"], name)
    found.update({name: Constant(float(value), "upper bound", name) for name, value in given.items()})
    return Constants(**found)


def _sizes(S: AtomSet) -> dict[str, Constant]:
    try:
        D, r_S = S.sizes()
    except GreedyhullError:
        return {}
    R = S.radius_around(S.centre().array())
    return {
        "D": D,
        "r_S": r_S,
        "R2": Constant(0.5 * float(R) * float(R), R.status, "R2"),
        "rho": Constant(1.0, "exact", "rho"),
        "M_Phi": Constant(float(D) * float(D), D.status, "M_Phi"),
    }


def _scaled(L: Constant, D: Constant, name: str) -> Constant:
    """LD², zero where D is: on one point nothing bends."""
    value = float(L) * float(D) * float(D) if float(D) > 0.0 else 0.0
    return Constant(value, L.status, name)


def _terms(f: Objective, S: AtomSet, seed: int) -> dict[str, Constant]:
    if f.traits.intercept and not f.traits.quadratic:  # the best intercept depends on all terms: there are no single ones
        return {}
    model = linear_model(f)
    if model is not None and len(f.domain) == 1:
        return linear_terms(model, S)
    if f.traits.terms == "none":  # no sum, or one of data whose rows nobody can take: nothing is known of single terms
        return {}
    try:
        return sampled_terms(f, S, seed)
    except GreedyhullError:
        if remote(f) is None:
            raise
        return {}  # whoever could fetch terms is gone by now, as after the `with` block of a crew
