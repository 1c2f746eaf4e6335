"""Before a point is certified: is it a point of the hull, and are the numbers that were carried along its own?"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from warnings import warn

import numpy as np

from greedyhull.errors import DriftWarning, GreedyhullError
from greedyhull.points.iterate import Iterate
from greedyhull.points.mixture import owners_agree, wrong_weights
from greedyhull.types import AtomSet

EPS = float(np.finfo(np.float64).eps)
FEW = 64  # points with so many numbers at most are looked for in the hull even where that takes a search
LEEWAY = 8.0  # how many times what rounding may do counts as more than rounding


def check_point(w: Iterate, S: AtomSet, solver: object, moves: int) -> None:
    """Raise unless w lies in the hull of S: weights of at least 0 that sum to one, and a place that the set owns up to.

    ``moves`` is how many steps may each have rounded the weights. Where the atoms are kept, and the set has no formula for
    membership, the weights are the proof: the atoms are answers of its oracle, unless the set let them slide.
    """
    check_owners(w, S)
    wrong = wrong_weights(w, moves) if w.keeps_atoms else None
    inside = S.contains_quickly(w) if wrong is None else None
    unproved = inside is None and wrong is None and (S.traits.slides or not w.keeps_atoms)
    if unproved and prod(S.shape) <= FEW:
        inside = not S.excludes(w)  # by a search, which an oracle that errs may leave open
    if inside is not None and not inside:
        wrong = f"its point lies outside the set ({_described(w)})"
    if wrong is not None:
        raise GreedyhullError(f"{type(solver).__name__} over {S!r} ended at a point that cannot be certified: {wrong}. This "
                              "is an error of the solver, of the set's oracle or of a step rule, not of the data; run with "
                              "check=True to see where it begins, or use another solver.")


def check_owners(w: Iterate, S: AtomSet) -> None:
    """Raise unless w has as many owners as S says, or is kept by its coordinates."""
    if not w.keeps_atoms or owners_agree(w, S):
        return
    have, said = (1 if w.owners is None else len(w.totals)), S.traits.owners
    raise GreedyhullError(f"A point of {S!r} has {have} owner{'' if have == 1 else 's'}, but the set says owners = {said!r}. "
                          "A set made of several says in owners how many, and answers with Joint(parts, owners), a part "
                          "for each of them; its centre() and decompose(x) are points with these owners too.")


def _described(w: Iterate) -> str:
    x = w.array()
    return f"entries from {x.min():.6g} to {x.max():.6g}, their sum {x.sum():.6g}"


def check_drift(f: object, carried: float, value: float, allowance: float, noise: Callable[[], float] = float) -> None:
    """Warn where the value that the views carried is not that of the atoms, whatever rounding did.

    ``noise`` tells what the function itself makes of rounded points; it is asked where the allowance does not suffice.
    """
    allowance += EPS * abs(value)
    if not abs(carried - value) <= LEEWAY * allowance and not abs(carried - value) <= LEEWAY * (allowance + noise()):
        warn(f"The run carried the value {carried:.10g} along, but {f!r} is {value:.10g} at its atoms; rounding explains "
             f"{allowance:.3g}. The certificate is that of the atoms and holds. A loss, a design or a set of this run is not "
             "what it says: its products, or its atoms, change from call to call.", DriftWarning, stacklevel=4)
