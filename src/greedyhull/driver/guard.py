"""Before a point is certified: is it a point of the hull, and are the numbers that were carried along its own?"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, isinf, isnan, prod
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from greedyhull.atoms.budget import has_atoms
from greedyhull.atoms.generator import generator
from greedyhull.driver.certificate import at_edge
from greedyhull.errors import DriftWarning, GreedyhullError, check
from greedyhull.points.entering import as_answer
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.mixture import owners_agree, wrong_weights
from greedyhull.points.shapes import dense
from greedyhull.solvers.parts.progress import Progress
from greedyhull.types import AtomSet, Kind

if TYPE_CHECKING:
    from greedyhull.driver.run import Run

EPS = float(np.finfo(np.float64).eps)
FEW = 64  # points with so many numbers at most are looked for in the hull even where that takes a search
ASKED = 8  # of a point with more numbers, atoms that the oracle is asked about
NEAR, ROUGH = 1e-7, 1e-6  # shares by which ⟨x, x⟩ and a value may be beyond what is proved of all points
LEEWAY = 8.0  # how many times what rounding may do counts as more than rounding


def check_point(w: Iterate, S: AtomSet, solver: object, moves: int) -> None:
    """Raise unless w lies in the hull of S: weights of at least 0 that sum to one, and a place that the set owns up to.

    ``moves`` is how many steps may each have rounded the weights. Where the atoms are kept, and the set has no formula for
    membership, the weights are the proof: the atoms are answers of its oracle, unless the set let them slide. Of slid atoms
    with many entries the oracle is asked a few questions only, which find those that stick out far.
    """
    wrong = wrong_weights(w, moves) if w.keeps_atoms else None
    if wrong is None and w.keeps_atoms and has_atoms(S, w.block):  # a mixture of atoms lies in the hull
        return
    check_owners(w, S)
    inside = S.contains_quickly(w) if wrong is None else None
    unproved = inside is None and wrong is None and (S.traits.slides or not w.keeps_atoms)
    if unproved and prod(S.shape) <= FEW:
        inside = not S.excludes(w)  # by a search, which an oracle that errs may leave open
    elif unproved and w.keeps_atoms:
        inside = not _sticks_out(w, S)
    if inside is not None and not inside and not _rounded(w, S, moves):
        wrong = f"its point lies outside the set ({_described(w)})"
    if wrong is not None:
        raise GreedyhullError(f"{type(solver).__name__} over {S!r} ended at a point that cannot be certified: {wrong}. This "
                              "is an error of the solver, of the set's oracle or of a step rule, not of the data; run with "
                              "check=True to see where it begins, or use another solver.")


def _rounded(w: Iterate, S: AtomSet, moves: int) -> bool:
    """Whether the coordinates of w are so large beside the set, or a part of it, that rounding them explains where it lies."""
    off = EPS * (16.0 + len(w) + moves) * float(np.abs(w.array()).max()) / max(S.least_size, 1e-300)
    return off > 1e-9 and S.contains(w, off)


def _sticks_out(w: Iterate, S: AtomSet) -> bool:
    """Whether ⟨x, x⟩ > max over S of ⟨x, ·⟩ for x the point or, if the set has one owner, one of its first atoms."""
    oracle = S.oracle(generator(S, 0))
    atoms = [dense(w.block[i], S.shape) for i in range(min(len(w), ASKED))] if w.owners is None else []
    for x in (w.array(), *atoms):
        largest = float(np.abs(x).max())
        if largest == 0.0:
            continue
        g = -x / largest
        answer = as_answer(oracle.argmin(g), S.shape)
        here, least = -float(np.vdot(g, x)), float(answer.atom.dot(g)) - answer.slack
        if answer.kind == "always" and here > (1.0 + NEAR) * -least:
            return True
    return False


def check_lower(f: object, S: AtomSet, value: float, lower: float, kind: Kind, rounding: float) -> None:
    """Raise where a value lies below what is said to be always a lower bound: something that the bound rests on is wrong."""
    if kind != "always" or not value < lower - ROUGH * (abs(value) + abs(lower)) - LEEWAY * rounding:
        return
    raise GreedyhullError(f"{f!r} is {value:.10g} at the last point, below {lower:.10g}, which is a lower bound by its "
                          f"gradients and the oracle of {S!r}. The point lies outside the set, an answer of the oracle is "
                          "wrong, or the gradient disagrees with the value; run with check=True to see which.")


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


def question(run: Run, value: float, gap: float, p: Progress) -> float:
    """Why a gap or a value cannot be: an error with the likely cause, or its size where only rounding is to blame."""
    f, S, w, k = run.f, run.S, p.point, run.memory.k
    if not isfinite(value) or isnan(gap):
        raise GreedyhullError(f"At iteration {k} the value is {value} and the gap {gap}: {f!r} or its gradient "
                              "returned NaN or infinity. Nothing can be certified there; look for overflow in the data.")
    check(run.rounding < inf, lambda: f"At iteration {k}: {at_edge(f)}")
    if isinf(gap) and not isinf(p.slack):
        raise GreedyhullError(f"At iteration {k} the gap is infinite although the oracle of {S!r} gave a slack of "
                              f"{p.slack:g}: the gradient of {f!r} has infinite entries. Look for overflow.")
    if isinf(gap):
        return gap
    size = abs(value) + abs(f.gradient_dot(w)) + S.max_abs(np.abs(as_array(f.gradient(w))))
    noise = (1e-2 if run.single_precision else 1e-6) * size
    if gap < -noise:
        raise GreedyhullError(f"At iteration {k} the oracle of {S!r} returned an atom that is worse than the point "
                              f"itself (gap {gap:.3g} < 0). Its argmin is wrong, its slack too small, or the gradient "
                              "disagrees with the value; run with check=True to see which.")
    return abs(gap)  # the oracle is off by at least as much
