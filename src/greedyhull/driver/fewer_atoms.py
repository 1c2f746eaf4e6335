"""The last thing a run does with its point: the same point in fewer atoms, where the set knows how."""

from __future__ import annotations

from math import isnan
from warnings import warn

from greedyhull.errors import GreedyhullWarning
from greedyhull.points.factors import apart
from greedyhull.points.iterate import Iterate
from greedyhull.points.mixture import wrong_weights
from greedyhull.points.owners import vertices
from greedyhull.types import AtomSet

SAME = 1e-12  # of Σ αᵢ|dᵢ|: what two points may differ by that are called the same


def in_fewer_atoms(w: Iterate, S: AtomSet) -> Iterate | None:
    """w as ``S.compressed`` writes it, if that has fewer atoms; else None.

    What a set gives is looked at: weights of a mixture, the same point, and atoms of the set where it has a formula for
    membership. Anything else is left, with a warning, for the point as it is has cost a whole run.
    """
    if not w.keeps_atoms or not S.traits.compresses:
        return None
    given = w.copy()  # which a set may spoil
    try:
        block, weights = S.compressed(given.block, given.weights, SAME)
        if len(block) >= len(w):
            return None
        fewer = Iterate(block, weights, w.shape)
        wrong = wrong_weights(fewer, 0) or _elsewhere(w, fewer, S)
    except Exception as error:  # a set of whatever kind: the result does not hang on it
        wrong = f"{type(error).__name__}: {error}"
    if wrong is None:
        return fewer.merged()
    warn(f"compressed(block, weights, tol) of {S!r} was to write the point of the run in fewer atoms, and what it gave was "
         f"left: {wrong}. The point is as it was.", GreedyhullWarning, stacklevel=7)
    return None


def _elsewhere(w: Iterate, fewer: Iterate, S: AtomSet) -> str | None:
    """Why the two are not the same point of S, if they are not."""
    off, size = apart(w, fewer)
    allowed = SAME * size
    if isnan(off):
        return "its atoms are not finite"
    if not off <= allowed:
        return f"it is {off:.3g} away, and {allowed:.3g} would be the same point"
    for d in vertices(fewer.block):
        inside = S.contains_quickly(Iterate.at(d, w.shape))
        if inside is not None and not inside:
            return f"{d!r} lies outside the set"
    return None
