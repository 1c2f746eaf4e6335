"""The best intercept over shards, for smooth and nonsmooth losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.objectives.losses.base import Separable
from greedyhull.types import Array

EPS = float(np.finfo(np.float64).eps)
WIDE = 8.0  # a Newton step that is longer is cut to this
FAR = np.array([1.0, 0.3, 0.1, 0.03, -0.03, -0.1, -0.3, -1.0])  # candidates lie so many of the last steps from b
PARTS = np.arange(1.0, 9.0) / 9.0  # or so far apart in a bracket, where nothing else is known
NEARBY = 1e-3  # times √value: how far an intercept is expected from its prediction, at least
MISSED = 0.25  # of its step: how far an intercept is expected from its prediction

Ask = Callable[[float, float, "Array | None"], dict[str, Array]]


class InterceptModel(NamedTuple):
    """What is remembered of a point: its intercept b, its value, how far b was from the best one about and how far it was
    expected to be, and that intercepts nearby are about ``base`` − ⟨derivative, x⟩."""

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
    """What was said at an intercept b, and how far from the best one it was expected to be."""

    sums: dict[str, Array]
    b: float
    off: float = 0.0


class SlopeCorrection(NamedTuple):
    """How slopes are moved to where they sum to zero: r + tc̃. What that takes from a lower bound, and what is left of Σr."""

    t: float
    error: float
    left: float


def corrected(at: Settled, loss: Separable) -> SlopeCorrection:
    """The t at which Σ(r + tc̃) = 0, if a bound for it is known."""
    slope, steady = float(at.sums["residual"]), float(at.sums["steady"])
    with np.errstate(all="ignore"):
        t = -slope / np.float64(steady)
        error = loss.sway(float(t), at.off) * steady if np.isfinite(t) else np.inf
    return SlopeCorrection(float(t), float(error), 0.0) if error < np.inf else SlopeCorrection(0.0, 0.0, slope)


def intercept_model(x: Array, at: Settled, mean: Array) -> InterceptModel:
    """What is to be remembered of x: the intercept's Newton step, of a smoothed loss by the slopes at b ± h. Where the loss
    has no curvature, intercepts move by the ``mean`` of the rows."""
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
    """What is said at an intercept that is good enough; ``n`` terms, whose slopes rounding does not sum to less than
    eps·Σ|r| ≤ eps·√n‖r‖, and no best intercept beyond ±``farthest``.

    After a step from the point ``before``, ``first`` is a prediction: one trip, unless a better intercept would change what
    the step has brought. Else it is searched for, with Σr and Σc at eight more candidates a trip.
    """
    b, low, high, best = min(max(first, -farthest), farthest), -farthest, farthest, None
    off = NEARBY if before is None else before.expected(b)
    beside = FAR if before is None else None
    for _ in range(60):  # at most: halving a bracket of any width needs no more
        sums = ask(b, off, beside)
        found = Settled(sums, b, off)
        slope, noise = known_slope(found), _noise(sums, n)
        more = [] if beside is None else zip(beside, sums["beside"].tolist(), strict=True)
        known = [(b, slope, float(sums["curve"])), *((b + step, *pair) for step, pair in more)]
        low = max([low, *(at for at, one, _ in known if one < -noise)])
        high = min([high, *(at for at, one, _ in known if one > noise)])
        if abs(slope) <= noise or _gain(sums, max(b - low, high - b)) <= _allowed(sums, before):
            return found
        if best is None or abs(slope) < abs(known_slope(best)) or not np.isfinite(known_slope(best)):
            best = found
        trial, close = _next(known, low, high)
        if trial == b or not low < trial < high:
            break
        width = max(float(abs(trial - b)), 16.0 * EPS * (abs(b) + float(sums["spread"])))
        beside = width * FAR if close else low + (high - low) * PARTS - trial
        b, off = trial, MISSED * width
    if best is None or not np.isfinite(known_slope(best)):
        raise GreedyhullError("No intercept was found at which the loss is finite. Scale the data down, or leave the "
                              "intercept out.")
    return best


def known_slope(at: Settled) -> float:
    """Σr."""
    return float(at.sums["residual"])


def _noise(sums: dict[str, Array], n: int) -> float:
    noise = 8.0 * EPS * float(np.sqrt(n * sums["square"]))  # times eps·√n‖r‖: what is left of Σr by rounding
    return noise if np.isfinite(noise) else 0.0  # slopes that overflow still have a sign


def _gain(sums: dict[str, Array], apart: float) -> float:
    """About what a better intercept would gain, ½(Σr)²/Σc̃; |Σr| times how far it can be, if that is less."""
    slope, steady = abs(float(sums["residual"])), float(sums["steady"])
    gain = 0.5 * slope * slope / steady if steady > 0.0 else np.inf
    return min(gain, slope * apart) if gain >= 0.0 else np.inf  # not where it is NaN


def _allowed(sums: dict[str, Array], before: InterceptModel | None) -> float:
    """What a better intercept may gain: next to nothing at first, later a share of what a step has changed."""
    changed = 0.0 if before is None else abs(float(sums["value"]) - before.value)
    # of the loss: what a better intercept may gain at a point of which nothing was known before
    # of what a step has changed: what a better intercept may gain after it
    allowed = max(1e-18 * float(sums["size"]), 0.5 * changed)
    return allowed if np.isfinite(allowed) else 0.0


def _next(known: list[tuple[float, float, float]], low: float, high: float) -> tuple[float, bool]:
    """Where Σr vanishes, and whether that is close: b as a polynomial in Σr through the four smallest of them, or a Newton
    step; else the middle of the bracket."""
    sound = sorted((one for one in known if np.isfinite(one[1])), key=lambda one: abs(one[1])) or known
    b, slope, curve = sound[0]
    close = [one for one in sound[:4] if one[2] > 0.0]
    slopes = {one[1] for one in close}
    if len(slopes) == len(close) > 1 and min(slopes) < 0.0 < max(slopes):  # a polynomial says nothing of what lies outside
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
    """b at Σr = 0, by Hermite's interpolation of b as a function of Σr: divided differences with every node twice."""
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


WIDER = np.array([-256.0, -64.0, -16.0, -4.0, 4.0, 16.0, 64.0, 256.0])  # where to look beside b ± h, in units of h
AROUND = np.array([-0.03, -1e-3, -3e-5, -1e-6, 1e-6, 3e-5, 1e-3, 0.03])  # around a guess, in widths of a bracket


class Seen(NamedTuple):
    """What is known at an intercept: φ_μ and Σr, which is its slope."""

    at: float
    value: float
    slope: float


def mixed(at: Settled) -> tuple[SlopeCorrection, Array]:
    """The share t of the slopes at b ± h at which Σs = 0, and Aᵀ(r' − r)."""
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
    """φ*(s), or a little more."""
    one = float(at.sums["dual"])
    return one if correction.t == 0.0 else one + correction.t * (float(at.sums["duals"][_side(at)]) - one)


def _side(at: Settled) -> int:
    """On which side Σr vanishes: 0 below b, 1 above."""
    return 0 if float(at.sums["residual"]) > 0.0 else 1


def balanced(ask: Ask, first: float, expected: float, before: InterceptModel | None = None,
             farthest: float = np.inf) -> Settled:
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
    for _ in range(40):  # at most
        sums = ask(b, off, beside)
        found = Settled(sums, b, off)
        correction, _ = mixed(found)
        if correction.left == 0.0 and (best is None or correction.error < least):
            best, least = found, correction.error
        if correction.left == 0.0 and correction.error <= _balanced_allowed(sums):
            return found
        for seen in _all(found, beside):
            low = seen if low.at < seen.at < high.at and seen.slope < 0.0 else low
            high = seen if low.at < seen.at < high.at and seen.slope >= 0.0 else high
        if not high.at - low.at > 8.0 * EPS * (abs(low.at) + abs(high.at)):
            break
        b, off, beside = _balanced_next(low, high, off)
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


def _balanced_allowed(sums: dict[str, Array]) -> float:
    lost = float(sums["sharp"]) + float(sums["dual"]) - float(sums["dot"])
    # of the size of targets and predictions: what it may gain in any case
    return max(1e-2 * lost, 1e-15 * float(sums["size"]))  # of what smoothing costs: what a better intercept may gain


def _balanced_next(low: Seen, high: Seen, off: float) -> tuple[float, float, Array]:
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
