"""The best intercept of a loss that is no square, found by the same trips that bring everything else.

F(x, b) = φ(Ax + b) is convex, and a trip at (x, b) brings Σr = ∂F/∂b, Σc = ∂²F/∂b² and Aᵀc = ∂²F/∂b∂x beside the rest. So the
Newton step of b that belongs to a step of x is known before the step is made: b − (Σr + ⟨Aᵀc, Δx⟩)/Σc, with an error of second
order. Each trip brings Σr and Σc at eight more candidates, too, and a polynomial through these is mostly exact enough for the
second trip to be the last.

An intercept need not be exact for a certificate to hold: with b' the best one for any point u of the hull,
|b' − b| ≤ max|xᵢ·(u − w)| + |b − b*|, so that the lower bound is off by at most |Σr| times that. `rounding` counts it. How far
b* is at most is known by the signs of Σr at the candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.types import Array

EPS = float(np.finfo(np.float64).eps)
ULPS = 16.0  # units in the last place by which an intercept may be off
NOISE = 8.0  # times eps·√n‖r‖: what is left of Σr by rounding
TRIPS = 60  # at most: halving a bracket of any width needs no more
WIDE = 8.0  # a Newton step that is longer is cut to this
LINKS: dict[str, Callable[[float], float]] = {
    "logistic": lambda t: 2.0 * float(np.arctanh(t)), "poisson": lambda t: float(np.log(t))}  # where nothing else predicts
FAR = np.array([1.0, 0.3, 0.1, 0.03, -0.03, -0.1, -0.3, -1.0])  # candidates lie so many of the last steps from b
NEARBY = 1e-3  # times 1 + |b|: how far from a prediction the farthest candidates lie at least

Ask = Callable[[float, Array], dict[str, Array]]


class Leaning(NamedTuple):
    """What is remembered of a point: its intercept b, its value, how far b is from the best one at most, and that intercepts
    nearby are about ``base`` − ⟨lean, x⟩."""

    b: float
    value: float
    apart: float
    base: float
    lean: Array

    @classmethod
    def read(cls, near: Array) -> Leaning:
        b, value, apart, base = near[:4].tolist()
        return cls(b, value, apart, base, near[4:])

    def written(self) -> Array:
        return np.concatenate([[self.b, self.value, self.apart, self.base], self.lean])

    def at(self, x: Array) -> float:
        return self.base - float(self.lean.dot(x))


class Settled(NamedTuple):
    """What was said at an intercept b, and how far that is from the best one at most."""

    sums: dict[str, Array]
    b: float
    apart: float


def leaning(x: Array, at: Settled, mean: Array) -> Leaning:
    """What is to be remembered of x; where the loss has no curvature, intercepts move by the ``mean`` of the rows."""
    sums, b, apart = at
    slope, curve = float(sums["residual"]), float(sums["curve"])
    with np.errstate(all="ignore"):
        lean, step = sums["lean"] / curve, slope / curve
    if not (curve > 0.0 and np.isfinite(lean).all() and np.isfinite(step)):
        lean, step = mean, 0.0
    return Leaning(b, float(sums["value"]), apart, b - float(np.clip(step, -WIDE, WIDE)) + float(lean.dot(x)), lean)


def alone(name: str, target: float) -> float:
    """About the best intercept of a loss where nothing else predicts, given the mean of the targets.

    >>> round(alone("logistic", 0.5), 4), alone("huber", 0.5)  # labels of which three in four are +1
    (1.0986, 0.5)
    """
    with np.errstate(all="ignore"):
        found = LINKS[name](target) if name in LINKS else target
    return found if np.isfinite(found) else target


def settled(ask: Ask, first: float, n: int, before: Leaning | None = None) -> Settled:
    """What is said at the best intercept; ``n`` terms, whose slopes rounding does not sum to less than eps·Σ|r| ≤ eps·√n‖r‖.

    After a step from the point ``before``, ``first`` is a prediction, and candidates lie closer to it.
    """
    b, low, high, best = first, -np.inf, np.inf, None
    beside = FAR if before is None else FAR * max(abs(b - before.b), NEARBY * (1.0 + abs(b)))
    for _ in range(TRIPS):
        sums = ask(b, beside)
        slope, curve = float(sums["residual"]), float(sums["curve"])
        off = ULPS * EPS * (abs(b) + float(sums["spread"]))
        noise = NOISE * EPS * float(np.sqrt(n * sums["square"]))
        known = [(b, slope, curve), *((b + more, *pair) for more, pair in zip(beside, sums["beside"].tolist(), strict=True))]
        low = max([low, *(at for at, found, _ in known if found < -noise)])
        high = min([high, *(at for at, found, _ in known if found > noise)])
        apart = max(b - low, high - b)
        if best is None or abs(slope) < abs(float(best.sums["residual"])):
            best = Settled(sums, b, apart if np.isfinite(apart) else abs(b))
        if abs(slope) <= max(off * curve, noise):
            return Settled(sums, b, apart if np.isfinite(apart) else abs(b))
        trial = _next(known, low, high)
        if trial == b or not low < trial < high:
            break
        b, beside = trial, max(abs(trial - b), 16.0 * off) * FAR
    if best is None or not np.isfinite(float(best.sums["residual"])):
        raise GreedyhullError("No intercept was found at which the loss is finite. Scale the data down, or leave the "
                              "intercept out.")
    return best


def _next(known: list[tuple[float, float, float]], low: float, high: float) -> float:
    """Where Σr vanishes, kept in the bracket: b as a polynomial in Σr through the four smallest of them, or a Newton step."""
    sound = sorted((one for one in known if np.isfinite(one[1])), key=lambda one: abs(one[1])) or known
    b, slope, curve = sound[0]
    close = [one for one in sound[:4] if one[2] > 0.0]
    slopes = {one[1] for one in close}
    if len(slopes) == len(close) > 1 and min(slopes) < 0.0 < max(slopes):  # a polynomial says nothing of what lies outside
        trial = _inverse(close)
        if low < trial < high:
            return trial
    step = -slope / curve if curve > 0.0 and np.isfinite(slope / curve) else -float(np.sign(slope)) * WIDE
    trial = b + float(np.clip(step, -WIDE - abs(b), WIDE + abs(b)))
    if not low < trial < high and np.isfinite(low + high):
        return 0.5 * (low + high)
    return trial


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
