"""The best intercept of a loss that is no square, found by the same trips that bring everything else.

F(b) = φ(Ax + b) is convex, and a trip at b brings F' = Σr and F'' = Σc beside the rest. Newton steps on F' = 0, kept in a
bracket, begin at the intercept of the last point and mostly end after two or three trips. An intercept need not be exact for a
certificate to hold: with b' the best one for any point u of the hull, |b' − b| ≤ max|xᵢ·(u − w)| + |b − b*|, so that the lower
bound is off by at most |Σr| times that. `rounding` counts it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.types import Array

EPS = float(np.finfo(np.float64).eps)
ULPS = 16.0  # units in the last place by which an intercept may be off
NOISE = 8.0  # times eps·√n‖r‖: what is left of Σr by rounding
TRIPS = 60  # at most: halving a bracket of any width needs no more
WIDE = 8.0  # a Newton step that is longer is cut to this


def settled(ask: Callable[[float], dict[str, Array]], first: float, n: int) -> tuple[dict[str, Array], float]:
    """What is said at the best intercept, and the intercept; ``n`` terms, whose slopes rounding does not sum to less than
    eps·Σ|r| ≤ eps·√n‖r‖."""
    b, low, high, best = first, -np.inf, np.inf, None
    for _ in range(TRIPS):
        sums = ask(b)
        slope, curve = float(sums["residual"]), float(sums["curve"])
        if best is None or abs(slope) < best[0]:
            best = (abs(slope), sums, b)
        off = ULPS * EPS * (abs(b) + float(sums["spread"]))
        noise = NOISE * EPS * float(np.sqrt(n * sums["square"]))
        if abs(slope) <= max(off * curve, noise) or slope == 0.0:
            return sums, b
        low, high = (b, high) if slope < 0.0 else (low, b)
        step = -slope / curve if curve > 0.0 and np.isfinite(slope / curve) else -np.sign(slope) * WIDE
        trial = b + float(np.clip(step, -WIDE - abs(b), WIDE + abs(b)))
        if not low < trial < high:
            trial = 0.5 * (low + high) if np.isfinite(low + high) else trial
        if trial == b or not low < trial < high:
            break
        b = trial
    if best is None or not np.isfinite(best[0]):
        raise GreedyhullError("No intercept was found at which the loss is finite. Scale the data down, or leave the "
                              "intercept out.")
    return best[1], best[2]
