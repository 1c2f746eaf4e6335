"""Lower bounds for f with kinks, near a point that somebody found.

One subgradient at a kink may say little: the slopes of the samples on their kinks are free, and only the right ones prove
that a minimum is one. They are found by smoothing: −φ*(r) + min_S ⟨Aᵀr, ·⟩ is a lower bound for the residual r of any f_μ.
"""

from __future__ import annotations

from typing import Any

from greedyhull.continuation import LEAST, SHARPER, first_mu
from greedyhull.errors import GreedyhullError
from greedyhull.iterate import Iterate
from greedyhull.memory import Memory, lazy_rng
from greedyhull.smoothing import Smoothing
from greedyhull.types import Kind

TRIALS = 16  # values of μ that are tried at the point itself
ROUNDS = 100  # of the solver that begins at the point
ENOUGH = 1e-9  # relative to f: a gap that is not worth another round


def dual_bound(f: Any, S: Any, w: Iterate, best: tuple[float, Kind], known: float) -> tuple[float, Kind]:
    """A lower bound of min f and its kind, ``best`` or a better one that is quick to find from w.

    What the caller has ``known`` before is left alone, unless w itself shows that there is a better one.
    """
    value, oracle, soft = f.value(w), S.oracle(lazy_rng(0)), Smoothing(f, first_mu(f, w))
    above, enough = value - f.rounding(w, S), ENOUGH * abs(value) + 2.0 * f.rounding(w, S)
    for _ in range(TRIALS):
        g = soft.gradient(w)
        d, slack, kind = oracle.argmin(g)
        best = max(best, (above - soft.blur(w, S) - (soft.euler(w) - d.dot(g) + slack), kind))
        if SHARPER * soft.mu < LEAST:
            break
        soft.sharpen(SHARPER * soft.mu, w)
    if best[0] <= known or value - best[0] <= enough:
        return best
    return max(best, _searched(f, S, w, value - enough))


def _searched(f: Any, S: Any, w: Iterate, wanted: float) -> tuple[float, Kind]:
    """The best lower bound that some rounds of `Smoothed`, begun at w, come by, until one is ``wanted`` or above."""
    from greedyhull.solvers.smoothed import Smoothed

    try:
        u = w.copy() if w.keeps_atoms else S.decompose(w.array())
    except GreedyhullError:  # the set cannot name atoms for it
        u = Iterate.at(S.start(lazy_rng(0)), S.shape)
    best: tuple[float, Kind] = (-float("inf"), "always")
    for i, p in enumerate(Smoothed().run(f, S, u, Memory())):
        if p.gap >= 0.0:  # else an oracle has erred by more than it owned up to, and there is no bound
            best = max(best, (f.value(u) - p.gap - f.rounding(u, S), p.kind))
        if i >= ROUNDS or best[0] >= wanted:
            break
    return best
