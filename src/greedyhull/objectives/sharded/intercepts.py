"""The best intercept of a loss that is no square: joint Newton steps of (x, b), and a bound that needs no exact one.

F(x, b) = φ(Ax + b) is convex, and a trip at (x, b) brings Σr = ∂F/∂b, Σc = ∂²F/∂b² and Aᵀc = ∂²F/∂b∂x beside the rest. So the
Newton step of b that belongs to a step of x is known before the step is made: b − (Σr + ⟨Aᵀc, Δx⟩)/Σc, with an error of second
order. One trip a step is enough: the error of b falls as fast as that of x does.

A certificate does not ask for the best intercept. For any slopes s with Σs = 0, every point u of the hull and every b',
φ(Au + b') ≥ ⟨s, Au + b'⟩ − φ*(s) = ⟨Aᵀs, u⟩ − φ*(s): no intercept is left in it. Slopes r = ∇φ(z) do not sum to zero unless b
is the best one, but s = r + tc with t = −Σr/Σc does, and Aᵀs = Aᵀr + tAᵀc is known. Since φ*(r) = ⟨r, z⟩ − φ(z), where
φ*(r + tc) ≤ φ*(r) + t⟨c, z⟩ + sway(t)·Σc (`Separable.sway`: ½t², about), and ⟨s, z⟩ = ⟨Aᵀs, x⟩,

    min f ≥ F(x, b) + min over u of ⟨Aᵀs, u − x⟩ − sway(t)·Σc.

So Aᵀs is the gradient that is told, and all that the gap has more is sway(t)·Σc ≈ ½(Σr)²/Σc, which goes with the fourth power
of a Newton step. Terms whose slopes would leave the domain of φ* have c = 0 (`Separable.steady`).

Where that does not work, as t is too large, slopes r stay, and Σr is multiplied by how far the best intercept b' of a point u
can be from b. Let β be the best one for u = 0 and m = max|xᵢ·u|. Slopes rise with z, so that Σr ≥ 0 at b' = β + m, where all
zᵢ ≥ β, and Σr ≤ 0 at β − m: |b' − b| ≤ |b| + |β| + m. The same holds for what rounding leaves of Σs. `rounding` counts it all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.objectives.losses.base import Separable
from greedyhull.types import Array

EPS = float(np.finfo(np.float64).eps)
NOISE = 8.0  # times eps·√n‖r‖: what is left of Σr by rounding
FINE = 1e-18  # of the loss: what a better intercept may gain at a point of which nothing was known before
SHARE = 0.5  # of what a step has changed: what a better intercept may gain after it
TRIPS = 60  # at most: halving a bracket of any width needs no more
WIDE = 8.0  # a Newton step that is longer is cut to this
FAR = np.array([1.0, 0.3, 0.1, 0.03, -0.03, -0.1, -0.3, -1.0])  # candidates lie so many of the last steps from b
PARTS = np.arange(1.0, 9.0) / 9.0  # or so far apart in a bracket, where nothing else is known
NEARBY = 1e-3  # times √value: how far an intercept is expected from its prediction, at least
MISSED = 0.25  # of its step: how far an intercept is expected from its prediction

Ask = Callable[[float, float, "Array | None"], dict[str, Array]]


class Leaning(NamedTuple):
    """What is remembered of a point: its intercept b, its value, how far b was from the best one about and how far it was
    expected to be, and that intercepts nearby are about ``base`` − ⟨lean, x⟩."""

    b: float
    value: float
    missed: float
    off: float
    base: float
    lean: Array

    @classmethod
    def read(cls, near: Array) -> Leaning:
        b, value, missed, off, base = near[:5].tolist()
        return cls(b, value, missed, off, base, near[5:])

    def written(self) -> Array:
        return np.concatenate([[self.b, self.value, self.missed, self.off, self.base], self.lean])

    def at(self, x: Array) -> float:
        return self.base - float(self.lean.dot(x))

    def expected(self, b: float) -> float:
        """How far the best intercept is expected from a prediction b."""
        return max(4.0 * self.missed, MISSED * abs(b - self.b), NEARBY * float(abs(self.value) ** 0.5))


class Settled(NamedTuple):
    """What was said at an intercept b, and how far from the best one it was expected to be."""

    sums: dict[str, Array]
    b: float
    off: float = 0.0


class Tilt(NamedTuple):
    """How slopes are moved to where they sum to zero: r + tc̃. What that takes from a lower bound, and what is left of Σr."""

    t: float
    sway: float
    left: float


def tilted(at: Settled, loss: Separable) -> Tilt:
    """The t at which Σ(r + tc̃) = 0, if a bound for it is known."""
    slope, steady = float(at.sums["residual"]), float(at.sums["steady"])
    with np.errstate(all="ignore"):
        t = -slope / np.float64(steady)
        sway = loss.sway(float(t), at.off) * steady if np.isfinite(t) else np.inf
    return Tilt(float(t), float(sway), 0.0) if sway < np.inf else Tilt(0.0, 0.0, slope)


def leaning(x: Array, at: Settled, mean: Array) -> Leaning:
    """What is to be remembered of x; where the loss has no curvature, intercepts move by the ``mean`` of the rows."""
    sums, b, off = at
    slope, steady = float(sums["residual"]), float(sums["steady"])
    with np.errstate(all="ignore"):
        lean, step = sums["lean"] / steady, float(slope / np.float64(steady))
    if not (steady > 0.0 and np.isfinite(lean).all() and np.isfinite(step)):
        lean, step = mean, 0.0
    base = b - float(np.clip(step, -WIDE, WIDE)) + float(lean.dot(x))
    return Leaning(b, float(sums["value"]), abs(step), off, base, lean)


def settled(ask: Ask, first: float, n: int, before: Leaning | None = None, farthest: float = np.inf) -> Settled:
    """What is said at an intercept that is good enough; ``n`` terms, whose slopes rounding does not sum to less than
    eps·Σ|r| ≤ eps·√n‖r‖, and no best intercept beyond ±``farthest``.

    After a step from the point ``before``, ``first`` is a prediction: one trip, unless a better intercept would change what
    the step has brought. Else it is searched for, with Σr and Σc at eight more candidates a trip.
    """
    b, low, high, best = min(max(first, -farthest), farthest), -farthest, farthest, None
    off = NEARBY if before is None else before.expected(b)
    beside = FAR if before is None else None
    for _ in range(TRIPS):
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
    noise = NOISE * EPS * float(np.sqrt(n * sums["square"]))
    return noise if np.isfinite(noise) else 0.0  # slopes that overflow still have a sign


def _gain(sums: dict[str, Array], apart: float) -> float:
    """About what a better intercept would gain, ½(Σr)²/Σc̃; |Σr| times how far it can be, if that is less."""
    slope, steady = abs(float(sums["residual"])), float(sums["steady"])
    gain = 0.5 * slope * slope / steady if steady > 0.0 else np.inf
    return min(gain, slope * apart) if gain >= 0.0 else np.inf  # not where it is NaN


def _allowed(sums: dict[str, Array], before: Leaning | None) -> float:
    """What a better intercept may gain: next to nothing at first, later a share of what a step has changed."""
    changed = 0.0 if before is None else abs(float(sums["value"]) - before.value)
    allowed = max(FINE * float(sums["size"]), SHARE * changed)
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
