"""Whether a point is a mixture of atoms: weights of at least 0 that sum to one, for each owner."""

from __future__ import annotations

from math import isfinite

import numpy as np

from greedyhull.points.iterate import Iterate
from greedyhull.types import AtomSet

EPS = float(np.finfo(np.float64).eps)
FEW = 32  # so many numbers are looked at one by one, sooner than as an array


def wrong_weights(w: Iterate, moves: int) -> str | None:
    """What the weights have that those of a mixture do not, if anything."""
    weights, whose = w.weights, "its weights"
    few = weights.tolist() if len(weights) <= FEW else None
    total = float(weights.sum()) if few is None else sum(few)
    if not isfinite(total) and not np.isfinite(weights).all():  # the sum is not finite where one of them is not
        return "some of its weights are NaN or infinite"
    least = float(weights.min()) if few is None else min(few)
    if least < 0.0:
        return f"one of its weights is {least:.3g}, below zero"
    if w.owners is not None:
        owner = int(np.abs(w.totals - 1.0).argmax())
        total, whose = float(w.totals[owner]), f"its weights of owner {owner}"
    if abs(total - 1.0) > EPS * (16.0 + 8.0 * len(weights) + 8.0 * moves):
        return f"{whose} sum to {total:.10g}, not to one"
    return None


def owners_agree(w: Iterate, S: AtomSet) -> bool:
    """Whether w keeps atoms of each of the owners that S has, and of no other."""
    said = S.traits.owners
    if w.owners is None:
        return said == 1
    return isinstance(said, (int, np.integer)) and set(w.owners.tolist()) == set(range(said))
