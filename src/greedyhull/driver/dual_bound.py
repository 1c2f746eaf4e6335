"""Lower bounds for f with kinks, near a point that somebody found.

One subgradient at a kink may say little: the slopes of the samples on their kinks are free, and only the right ones prove
that a minimum is one. They are found by smoothing: −φ*(r) + min_S ⟨Aᵀr, ·⟩ is a lower bound for the residual r of any f_μ.
With a ridge it is −φ*(r) − (l2/2)‖w‖² + min_S ⟨Aᵀr + l2·w, ·⟩.
"""

from __future__ import annotations

from collections.abc import Callable

from greedyhull.atoms.generator import generator
from greedyhull.errors import GreedyhullError
from greedyhull.objectives.smoothing import smoothing, with_kinks
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.continuation import LEAST, SHARPER, first_mu
from greedyhull.solvers.parts.memory import Memory
from greedyhull.types import Array, AtomSet, Floor, Objective

TRIALS = 16  # values of μ that are tried at the point itself
ROUNDS = 100  # of the solver that begins at the point
ENOUGH = 1e-9  # relative to f: a gap that is not worth another round


def dual_bound(f: Objective, S: AtomSet, w: Iterate, best: Floor, known: float, ask: Callable[[Array], Floor]) -> Floor:
    """A lower bound of min f, ``best`` or a better one that is quick to find from w; its delta is that of all compared.

    What the caller has ``known`` before is left alone, unless w itself shows that there is a better one. ``ask`` is the floor
    of an oracle.
    """
    sharp = with_kinks(f)
    if sharp is None:
        return best
    value, soft = f.value(w), smoothing(sharp, first_mu(sharp, w))
    above, enough = value - f.rounding(w, S), ENOUGH * abs(value) + 2.0 * f.rounding(w, S)
    for _ in range(TRIALS):
        g = soft.gradient(w)
        least = ask(g)
        best = higher(best, least._replace(lower=above - soft.smoothing_error(w, S) - (soft.gradient_dot(w) - least.lower)))
        if SHARPER * soft.mu < LEAST:
            break
        soft.sharpen(SHARPER * soft.mu, w)
    if best.lower <= known or value - best.lower <= enough:
        return best
    return higher(best, _searched(f, S, w, value - enough))


def higher(one: Floor, other: Floor) -> Floor:
    """The better of two bounds; that one of them fails may be why it is the better one.

    >>> higher(Floor(1.0, "probability", 0.25), Floor(2.0, "always"))
    Floor(lower=2.0, kind='always', delta=0.25, sharpest=0.0)
    """
    return max(one, other, key=lambda bound: bound.lower)._replace(delta=one.delta + other.delta)


def _searched(f: Objective, S: AtomSet, w: Iterate, wanted: float) -> Floor:
    """The best lower bound that some rounds of `Smoothed`, begun at w, come by, until one is ``wanted`` or above."""
    from greedyhull.solvers.smoothed import Smoothed

    try:
        if S.traits.region is not None:  # rounds in coordinates: corners of a box, or atoms of a ball, are too many
            u: Iterate = CoordinateIterate(w.array())
        else:
            u = w.copy() if w.keeps_atoms else S.decompose(w.array())
    except GreedyhullError:  # the set cannot name atoms for it
        u = Iterate.at(S.start(generator(S, 0)), S.shape)
    best = Floor(-float("inf"))
    for i, p in enumerate(Smoothed().run(f, S, u, Memory())):
        if p.gap >= 0.0:  # else an oracle has erred by more than it owned up to, and there is no bound
            best = higher(best, Floor(f.value(u) - p.gap - f.rounding(u, S), p.kind, p.spent))
        if i >= ROUNDS or best.lower >= wanted:
            break
    return best
