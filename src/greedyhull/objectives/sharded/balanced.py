"""The best intercept of a smoothed loss with kinks: slopes at two intercepts, mixed so that they sum to zero.

A trip at (x, b) brings Σr, Aᵀr and φ*(r) for the slopes at b, and at b − h and b + h as well. Σr rises with the intercept. If
it changes its sign between b and b ± h, a mixture s = (1 − t)r + tr' of the slopes at both has Σs = 0. It stays in the
intervals in which slopes are, φ* being finite there, and φ*(s) ≤ (1 − t)φ*(r) + tφ*(r'): with Aᵀs known, that is a lower bound
for every point and every intercept, φ(Au + b') ≥ ⟨Aᵀs, u⟩ − φ*(s).

What the mixture takes from the bound is how far φ_μ lies above the lowest point of its two tangents at these intercepts: no
more than h|Σr|, and nothing where b is the only kink between them. So a prediction of b is good enough when that is a share of
what smoothing costs anyway. Curvatures, which `intercepts` moves slopes by, are of no use here: where μ is small hardly a row
has any.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.objectives.sharded.intercepts import Ask, Leaning, Settled, Tilt
from greedyhull.types import Array

EPS = float(np.finfo(np.float64).eps)
SHARE = 1e-2  # of what smoothing costs: what a better intercept may gain
FINE = 1e-15  # of the size of targets and predictions: what it may gain in any case
TRIPS = 40  # at most
MISSED = 0.25  # of its step: how far an intercept is expected from its prediction
WIDER = np.array([-256.0, -64.0, -16.0, -4.0, 4.0, 16.0, 64.0, 256.0])  # where to look beside b ± h, in units of h
AROUND = np.array([-0.03, -1e-3, -3e-5, -1e-6, 1e-6, 3e-5, 1e-3, 0.03])  # around a guess, in widths of a bracket


class Seen(NamedTuple):
    """What is known at an intercept: φ_μ and Σr, which is its slope."""

    at: float
    value: float
    slope: float


def mixed(at: Settled) -> tuple[Tilt, Array]:
    """The share t of the slopes at b ± h at which Σs = 0, and Aᵀ(r' − r)."""
    sums, gradient = at.sums, at.sums["gradient"]
    slope, side = float(sums["residual"]), _side(at)
    other = float(sums["sides"][side, 1])
    if slope == 0.0:
        return Tilt(0.0, 0.0, 0.0), np.zeros_like(gradient)
    if slope * other > 0.0 or not np.isfinite(other):
        return Tilt(0.0, 0.0, slope), np.zeros_like(gradient)
    t, step = slope / (slope - other), at.off if side else -at.off
    sway = t * (float(sums["value"]) - float(sums["sides"][side, 0]) + step * other)
    return Tilt(t, max(sway, 0.0), 0.0), sums["leans"][side] - gradient


def dual(at: Settled, tilt: Tilt) -> float:
    """φ*(s), or a little more."""
    one = float(at.sums["dual"])
    return one if tilt.t == 0.0 else one + tilt.t * (float(at.sums["duals"][_side(at)]) - one)


def _side(at: Settled) -> int:
    """On which side Σr vanishes: 0 below b, 1 above."""
    return 0 if float(at.sums["residual"]) > 0.0 else 1


def leaning(x: Array, at: Settled, mean: Array) -> Leaning:
    """What is to be remembered of x: intercepts nearby are about ``base`` − ⟨lean, x⟩, by the slopes at b ± h."""
    sums, b, off = at
    (_, below), (_, above) = sums["sides"].tolist()
    rise = np.float64(above - below)
    with np.errstate(all="ignore"):
        lean, step = (sums["leans"][1] - sums["leans"][0]) / rise, float(2.0 * off * float(sums["residual"]) / rise)
    if not (rise > 0.0 and np.isfinite(lean).all() and np.isfinite(step)):
        lean, step = mean, 0.0
    step = float(np.clip(step, -off, off))
    return Leaning(b, float(sums["value"]), abs(step), off, b - step + float(lean.dot(x)), lean)


def balanced(ask: Ask, first: float, expected: float, before: Leaning | None = None, farthest: float = np.inf) -> Settled:
    """What is said at an intercept that is good enough; no best intercept is beyond ±``farthest``.

    ``first`` is a prediction, perhaps after a step from the point ``before``, from which the best one is ``expected`` to be so
    far at least. One trip is enough where Σr changes its sign close to it;
    else the next one looks where it does.
    """
    low, high = Seen(-farthest, np.nan, -np.inf), Seen(farthest, np.nan, np.inf)
    b, off, best, least = min(max(first, -farthest), farthest), expected, None, np.inf
    if before is not None:
        off = max(4.0 * before.missed, MISSED * abs(b - before.b), expected)
    least_off = 16.0 * EPS * farthest if np.isfinite(farthest) else 0.0  # predictions are rounded by as much
    off = max(off, least_off)
    beside = off * WIDER
    for _ in range(TRIPS):
        sums = ask(b, off, beside)
        found = Settled(sums, b, off)
        tilt, _ = mixed(found)
        if tilt.left == 0.0 and (best is None or tilt.sway < least):
            best, least = found, tilt.sway
        if tilt.left == 0.0 and tilt.sway <= _allowed(sums):
            return found
        for seen in _all(found, beside):
            low = seen if low.at < seen.at < high.at and seen.slope < 0.0 else low
            high = seen if low.at < seen.at < high.at and seen.slope >= 0.0 else high
        if not high.at - low.at > 8.0 * EPS * (abs(low.at) + abs(high.at)):
            break
        b, off, beside = _next(low, high, off)
        off = max(off, least_off)
    return best or _last(ask, low, high, least_off)


def _last(ask: Ask, low: Seen, high: Seen, off: float) -> Settled:
    """What is said between two intercepts that rounding hardly tells apart."""
    b = 0.5 * low.at + 0.5 * high.at
    off = max(off, high.at - low.at)
    found = Settled(ask(b, off, None), b, off)
    if not np.isfinite(float(found.sums["residual"])):
        raise GreedyhullError("No intercept was found at which the loss is finite. Scale the data down, or leave the "
                              "intercept out.")
    return found


def _all(at: Settled, beside: Array) -> list[Seen]:
    """What a trip has told of φ_μ at several intercepts."""
    sums, b = at.sums, at.b
    (low, below), (high, above) = sums["sides"].tolist()
    there = zip(beside.tolist(), sums["beside"].tolist(), strict=True)
    more = [Seen(b + step, value, slope) for step, (value, slope) in there]
    here = Seen(b, float(sums["value"]), float(sums["residual"]))
    return [here, Seen(b - at.off, low, below), Seen(b + at.off, high, above), *more]


def _allowed(sums: dict[str, Array]) -> float:
    lost = float(sums["sharp"]) + float(sums["dual"]) - float(sums["dot"])
    return max(SHARE * lost, FINE * float(sums["size"]))


def _next(low: Seen, high: Seen, off: float) -> tuple[float, float, Array]:
    """Where to look between two intercepts between which Σr vanishes, an h that reaches both, and where to look beside.

    If one kink lies between them, it is where their tangents meet; if Σr is straight, it vanishes where a line through both
    does.
    """
    width = high.at - low.at
    if not (np.isfinite(low.value) and np.isfinite(high.value)):
        finite = [seen.at for seen in (low, high) if np.isfinite(seen.value)]
        far = 1024.0 * off
        b = 0.5 * low.at + 0.5 * high.at if not finite or width <= 4.0 * far else finite[0] + (
            far if np.isfinite(low.value) else -far)
        return b, max(0.25 * far, EPS * abs(b)), far * np.array([-16.0, -4.0, -0.99, -0.5, 0.5, 0.99, 4.0, 16.0])
    straight = low.at + width * (-low.slope / (high.slope - low.slope))
    meet = low.at + (high.value - low.value - high.slope * width) / (low.slope - high.slope)
    meet = min(max(meet, low.at), high.at) if np.isfinite(meet) else straight
    bent = high.value - low.value - 0.5 * (low.slope + high.slope) * width  # nothing where Σr is straight
    kink = abs(bent) > 1e-3 * (high.slope - low.slope) * width or abs(meet - 0.5 * (low.at + high.at)) > 0.01 * width
    b, other = (meet, straight) if kink else (straight, meet)
    around = np.concatenate([b + width * AROUND, other + width * AROUND, [other, 0.5 * (low.at + high.at)]])
    return b, max(high.at - b, b - low.at), np.unique(around[(around > low.at) & (around < high.at)]) - b
