"""The best intercept over shards, for smooth and nonsmooth losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.losses.base import Separable
from greedyhull.types import Array

EPS = float(np.finfo(np.float64).eps)
WIDE = 8.0  # the longest Newton step
FAR = np.array([1.0, 0.3, 0.1, 0.03, -0.03, -0.1, -0.3, -1.0])  # candidates lie so many of the last steps from b
PARTS = np.arange(1.0, 9.0) / 9.0  # or so far apart in a bracket, where nothing else is known
NEARBY = 1e-3  # times √value: how far an intercept is expected from its prediction, at least
MISSED = 0.25  # of its step: how far an intercept is expected from its prediction

Ask = Callable[[float, float, "Array | None"], dict[str, Array]]


class InterceptModel(NamedTuple):
    """What a point remembers: its intercept b, its value, about how far b was from the best one and how far it was expected
    to be, and that intercepts nearby are about ``base`` − ⟨derivative, x⟩."""

    b: float
    value: float
    missed: float
    off: float
    base: float
    derivative: Array

    @classmethod
    def read(cls, near: Array) -> InterceptModel:
        b, value, missed, off, base = near[:5].tolist()
        return cls(b, value, missed, off, base, near[5:])

    def written(self) -> Array:
        return np.concatenate([[self.b, self.value, self.missed, self.off, self.base], self.derivative])

    def at(self, x: Array) -> float:
        return self.base - float(self.derivative.dot(x))

    def expected(self, b: float) -> float:
        """How far the best intercept is expected from a prediction b."""
        return max(4.0 * self.missed, MISSED * abs(b - self.b), NEARBY * float(abs(self.value) ** 0.5))


class Settled(NamedTuple):
    """The sums at an intercept b, and how far from the best one it was expected to be."""

    sums: dict[str, Array]
    b: float
    off: float = 0.0


class SlopeCorrection(NamedTuple):
    """Slopes r + tc̃ that sum to zero: the ``error`` that this takes from a lower bound, and what is ``left`` of Σr."""

    t: float
    error: float
    left: float


def corrected(at: Settled, loss: Separable) -> SlopeCorrection:
    """Return the t at which Σ(r + tc̃) = 0, if a bound for it is known."""
    slope, steady = float(at.sums["residual"]), float(at.sums["steady"])
    with np.errstate(all="ignore"):
        t = -slope / np.float64(steady)
        error = loss.sway(float(t), at.off) * steady if np.isfinite(t) else np.inf
    return SlopeCorrection(float(t), float(error), 0.0) if error < np.inf else SlopeCorrection(0.0, 0.0, slope)


def intercept_model(x: Array, at: Settled, mean: Array) -> InterceptModel:
    """Return the model at x: the intercept's Newton step, of a smoothed loss by the slopes at b ± h. Where the loss has no
    curvature, intercepts move by the ``mean`` of the rows."""
    sums, b, off = at
    smoothed, total, widest = "sides" in sums, sums.get("steady"), WIDE
    if smoothed:
        (_, below), (_, above) = sums["sides"].tolist()
        derivative, total, widest = sums["derivatives"][1] - sums["derivatives"][0], above - below, off
    else:
        derivative = sums["derivative"]
    curve = np.float64(total)
    with np.errstate(all="ignore"):
        derivative, step = derivative / curve, float((2.0 * off if smoothed else 1.0) * float(sums["residual"]) / curve)
    if not (curve > 0.0 and np.isfinite(derivative).all() and np.isfinite(step)):
        derivative, step = mean, 0.0
    clipped = float(np.clip(step, -widest, widest))
    missed = abs(clipped if smoothed else step)
    return InterceptModel(b, float(sums["value"]), missed, off, b - clipped + float(derivative.dot(x)), derivative)


def settled(ask: Ask, first: float, n: int, before: InterceptModel | None = None, farthest: float = np.inf) -> Settled:
    """Return the sums at an intercept that is good enough; ``n`` terms, whose slopes rounding does not sum to less than
    eps·Σ|r| ≤ eps·√n‖r‖, and no best intercept beyond ±``farthest``.

    After a step from the point ``before``, ``first`` is a prediction: one round, unless a better intercept would change what
    the step has gained. Otherwise a search follows, with Σr and Σc at eight more candidates per round.
    """
    b, low, high, best, least = min(max(first, -farthest), farthest), -farthest, farthest, None, np.inf
    off = NEARBY if before is None else before.expected(b)
    beside = FAR if before is None else None
    for _ in range(60):  # at most: halving a bracket of any width needs no more
        sums = ask(b, off, beside)
        found, slope = Settled(sums, b, off), float(sums["residual"])
        noise = 8.0 * EPS * float(np.sqrt(n * sums["square"]))  # what rounding leaves of Σr
        noise = noise if np.isfinite(noise) else 0.0  # slopes that overflow still have a sign
        more = [] if beside is None else zip(beside, sums["beside"].tolist(), strict=True)
        known = [(b, slope, float(sums["curve"])), *((b + step, *pair) for step, pair in more)]
        low = max([low, *(at for at, one, _ in known if one < -noise)])
        high = min([high, *(at for at, one, _ in known if one > noise)])
        changed = 0.0 if before is None else abs(float(sums["value"]) - before.value)
        allowed = max(1e-18 * float(sums["size"]), 0.5 * changed)  # half of what the step has changed
        if abs(slope) <= noise or _gain(sums, max(b - low, high - b)) <= (allowed if np.isfinite(allowed) else 0.0):
            return found
        if abs(slope) < least:
            best, least = found, abs(slope)
        trial, close = _next(known, low, high)
        if trial == b or not low < trial < high:
            break
        width = max(float(abs(trial - b)), 16.0 * EPS * (abs(b) + float(sums["spread"])))
        beside = width * FAR if close else low + (high - low) * PARTS - trial
        b, off = trial, MISSED * width
    if best is None:
        raise GreedyhullError(NOT_FINITE)
    return best


NOT_FINITE = "No intercept was found at which the loss is finite. Scale the data down, or leave the intercept out."


def _gain(sums: dict[str, Array], apart: float) -> float:
    """Estimate what a better intercept would gain, ½(Σr)²/Σc̃; |Σr| times how far it can be, if that is less."""
    slope, steady = abs(float(sums["residual"])), float(sums["steady"])
    gain = 0.5 * slope * slope / steady if steady > 0.0 else np.inf
    return min(gain, slope * apart) if gain >= 0.0 else np.inf  # not where it is NaN


def _next(known: list[tuple[float, float, float]], low: float, high: float) -> tuple[float, bool]:
    """Estimate where Σr vanishes, and whether that is close: b as a polynomial in Σr through the four smallest of them, or a
    Newton step; else the middle of the bracket."""
    sound = sorted((one for one in known if np.isfinite(one[1])), key=lambda one: abs(one[1])) or known
    b, slope, curve = sound[0]
    close = [one for one in sound[:4] if one[2] > 0.0]
    slopes = {one[1] for one in close}
    if len(slopes) == len(close) > 1 and min(slopes) < 0.0 < max(slopes):  # a polynomial does not extrapolate
        trial = _inverse(close)
        if low < trial < high:
            return trial, True
    trial = b - slope / curve if curve > 0.0 and np.isfinite(slope / curve) else np.nan
    if low < trial < high:
        return trial, True
    if np.isfinite(high - low):
        return 0.5 * (low + high), False
    return b - float(np.sign(slope)) * (WIDE + abs(b)), True


def _inverse(close: list[tuple[float, float, float]]) -> float:
    """Return b at Σr = 0 by Hermite interpolation of b as a function of Σr: divided differences with every node twice."""
    nodes = np.repeat([slope for _, slope, _ in close], 2)
    table = np.repeat([b for b, _, _ in close], 2)
    with np.errstate(all="ignore"):
        found, product = table[0], 1.0
        for order in range(1, len(nodes)):
            apart = nodes[order:] - nodes[:-order]
            table = np.diff(table) / np.where(apart == 0.0, 1.0, apart)
            if order == 1:
                table[::2] = [1.0 / curve for _, _, curve in close]
            product *= -nodes[order - 1]
            found = found + table[0] * product
    return float(found)


WIDER = np.array([-256.0, -64.0, -16.0, -4.0, 4.0, 16.0, 64.0, 256.0])  # candidates outside b ± h, in units of h
AROUND = np.array([-0.03, -1e-3, -3e-5, -1e-6, 1e-6, 3e-5, 1e-3, 0.03])  # around a guess, in widths of a bracket


class Seen(NamedTuple):
    """An intercept with φ_μ and Σr, which is its slope."""

    at: float
    value: float
    slope: float


def mixed(at: Settled) -> tuple[SlopeCorrection, Array]:
    """Return the share t of the slopes at b ± h at which Σs = 0, and Aᵀ(r' − r)."""
    sums, gradient = at.sums, at.sums["gradient"]
    slope, side = float(sums["residual"]), _side(at)
    other = float(sums["sides"][side, 1])
    if slope == 0.0:
        return SlopeCorrection(0.0, 0.0, 0.0), np.zeros_like(gradient)
    if slope * other > 0.0 or not np.isfinite(other):
        return SlopeCorrection(0.0, 0.0, slope), np.zeros_like(gradient)
    t, step = slope / (slope - other), at.off if side else -at.off
    error = t * (float(sums["value"]) - float(sums["sides"][side, 0]) + step * other)
    return SlopeCorrection(t, max(error, 0.0), 0.0), sums["derivatives"][side] - gradient


def dual(at: Settled, correction: SlopeCorrection) -> float:
    """Return φ*(s), or a little more."""
    one = float(at.sums["dual"])
    return one if correction.t == 0.0 else one + correction.t * (float(at.sums["duals"][_side(at)]) - one)


def _side(at: Settled) -> int:
    """Return the side on which Σr vanishes: 0 below b, 1 above."""
    return 0 if float(at.sums["residual"]) > 0.0 else 1


def balanced(ask: Ask, first: float, expected: float, before: InterceptModel | None = None,
             farthest: float = np.inf) -> Settled:
    """`settled` for a smoothed loss, whose best intercept is ``expected`` to be at least so far from ``first``; one round is
    enough where Σr changes its sign close to it."""
    low, high = Seen(-farthest, np.nan, -np.inf), Seen(farthest, np.nan, np.inf)
    b, off, best, least = min(max(first, -farthest), farthest), expected, None, np.inf
    if before is not None:
        off = max(4.0 * before.missed, MISSED * abs(b - before.b), expected)
    least_off = 16.0 * EPS * farthest if np.isfinite(farthest) else 0.0  # predictions are rounded by as much
    off = max(off, least_off)
    beside = off * WIDER
    for _ in range(40):  # at most
        sums = ask(b, off, beside)
        found = Settled(sums, b, off)
        correction, _ = mixed(found)
        if correction.left == 0.0:
            lost = float(sums["sharp"]) + float(sums["dual"]) - float(sums["dot"])
            if correction.error <= max(1e-2 * lost, 1e-15 * float(sums["size"])):  # little beside what smoothing costs
                return found
            if best is None or correction.error < least:
                best, least = found, correction.error
        for seen in _all(found, beside):
            low = seen if low.at < seen.at < high.at and seen.slope < 0.0 else low
            high = seen if low.at < seen.at < high.at and seen.slope >= 0.0 else high
        if not high.at - low.at > 8.0 * EPS * (abs(low.at) + abs(high.at)):
            break
        b, off, beside = _balanced_next(low, high, off)
        off = max(off, least_off)
    if best is not None:
        return best
    b, off = 0.5 * low.at + 0.5 * high.at, max(least_off, high.at - low.at)  # rounding hardly separates low from high
    found = Settled(ask(b, off, None), b, off)
    check(bool(np.isfinite(found.sums["residual"])), NOT_FINITE)
    return found


def _all(at: Settled, beside: Array) -> list[Seen]:
    sums, b = at.sums, at.b
    (low, below), (high, above) = sums["sides"].tolist()
    there = zip(beside.tolist(), sums["beside"].tolist(), strict=True)
    more = [Seen(b + step, value, slope) for step, (value, slope) in there]
    here = Seen(b, float(sums["value"]), float(sums["residual"]))
    return [here, Seen(b - at.off, low, below), Seen(b + at.off, high, above), *more]


def _balanced_next(low: Seen, high: Seen, off: float) -> tuple[float, float, Array]:
    """Return the next b between two intercepts with Σr of opposite signs, an h that reaches both, and candidates nearby:
    where their tangents meet, as at a single kink, and where a line through Σr vanishes."""
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
