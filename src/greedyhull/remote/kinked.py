"""Nonsmooth losses over shards: f itself, and f smoothed by μ, which evaluates both in the same round.

A round at x for f_μ computes φ_μ(z), its slopes r and Aᵀr, and also φ(z) and φ*(r), which are sums over rows as well. So f and
what smoothing costs the certificate, φ(z) + φ*(r) − ⟨r, z⟩, are known wherever f_μ is.

With an intercept, slopes s with Σs = 0 are mixed from those at two intercepts; see `balanced`. f at x is φ(Ax + b) with the
intercept b of f_μ, and min f ≥ min over u of ⟨Aᵀs, u⟩ − φ*(s) whatever b is. Elsewhere f is evaluated through f_μ with a tiny
μ: the rows whose slopes are free are then those at their kinks, as for arrays in memory.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Self

import numpy as np

from greedyhull.points.iterate import Iterate
from greedyhull.points.views import NOTHING, Along, Expansion
from greedyhull.remote.intercepts import Ask, InterceptModel, Settled, SlopeCorrection, balanced, dual, mixed
from greedyhull.remote.model import ShardedModel
from greedyhull.remote.rows import Kind
from greedyhull.types import Array, AtomSet, Block, Crew, Objective, Shards, State

EPS = float(np.finfo(np.float64).eps)


class KinkedShards(ShardedModel):
    """φ(Aw + b) + (l2/2)‖w‖² over shards, φ linear between kinks."""

    def __init__(self, shards: Shards, kind: Kind, intercept: bool = False, l2: float = 0.0) -> None:
        super().__init__(shards, kind, intercept, l2)
        self._values: dict[bytes, Expansion] = {}
        self._best: tuple[float, Array, Array] | None = None  # value, coordinates and `near` of the best point so far

    def on(self, crew: Crew) -> Self:
        other = super().on(crew)
        other._values, other._best = {}, None
        return other

    def reduced(self) -> tuple[Objective, str]:
        """Return a copy that remembers no point, so that a run does not depend on earlier ones."""
        assert self.summary  # the first pass, which serves all copies
        other = copy(self)
        other._values, other._best = {}, None
        return other, ""

    def remember(self, x: Array, found: Expansion, mu: float) -> None:
        """Remember f at x as evaluated with f_μ; not where its slopes do not sum to zero."""
        if self.has_intercept and found.rough == np.inf:
            return
        ridge = 0.5 * self.l2 * float(x.dot(x)) if self.l2 else 0.0
        while len(self._values) >= 8:  # points whose values are remembered
            self._values.pop(next(iter(self._values)))
        near = np.append(mu, found.near) if self.has_intercept else NOTHING
        self._values[x.tobytes()] = Expansion(found.more["sharp"] + ridge, NOTHING, np.nan, found.more, near=near)

    def expansion(self, x: Array, block: Block | None, *, points: Along | None = None, near: Array | None = None,
                  here: bool = False, sample: int = 1) -> Expansion:
        """Return f and a subgradient; with an intercept, those of an f_μ with a tiny μ.

        ⟨Aᵀs, x⟩ then has φ(z) + φ*(s) − ⟨s, z⟩ more, so that f(x) less the gap is min ⟨Aᵀs, ·⟩ − φ*(s).
        """
        if not self.has_intercept:
            return super().expansion(x, block, points=points, near=near, here=here, sample=sample)
        known = near is not None and len(near) > 0
        if near is not None and known and here and points is None:
            mu = float(near[0])
        else:  # as small as the size of targets and predictions allows
            size = self.summary.zero + float(np.abs(x).dot(self.summary.norms) / np.sqrt(self.summary.n))
            mu = max(1e-12 * size, 1e-280)
        found = ShardedModel.expansion(SoftShards(self, mu), x, block, points=points, here=here, sample=sample,
                                       near=near[1:] if near is not None else None)
        norm = self.l2 * float(x.dot(x)) if self.l2 else 0.0
        more = {**found.more, "error": 0.0}
        return found._replace(value=found.more["sharp"] + 0.5 * norm, dot=found.more["sharp"] + found.more["dual"] + norm,
                              more=more, near=np.append(mu, found.near))

    def known(self, w: Iterate, block: Block | None = None, sample: int = 1) -> Expansion:
        view, best = self.at(w), self._best
        if best is not None and view.known is None and not len(view.near) and _same(view.x, best[1]):
            view.near, view.here = best[2], True
        return super().known(w, block, sample)

    def _recalled(self, w: Iterate) -> Expansion:
        view = self.at(w)
        kept = self._values.get(view.x.tobytes()) if view.known is None else None
        found = self.known(w) if kept is None else kept
        if self.has_intercept:
            view.near, view.here = found.near, True  # so that a resumed run asks with the same intercept
            if self._best is None or found.value < self._best[0]:
                self._best = (found.value, view.x.copy(), found.near)
        return found

    def value(self, w: Iterate) -> float:
        return self._recalled(w).value

    def intercept(self, w: Iterate) -> float:
        return self._recalled(w).more["b"]

    def rounding(self, w: Iterate, S: AtomSet) -> float:
        return self._allowance(self._recalled(w), w, S)

    def _uncertain(self, found: Expansion, S: AtomSet) -> float:
        """Return zero where only a value is known, which holds for any intercept."""
        return super()._uncertain(found, S) if len(found.gradient) else 0.0

    def smoothed(self, mu: float) -> SoftShards:
        return SoftShards(self, mu)

    def distance(self, w: Iterate) -> float:
        """Return Σ pᵢ|zᵢ| + Σ pᵢ|yᵢ| or more: about how far predictions are from targets."""
        return self._recalled(w).more["size"]

    def finest(self, w: Iterate) -> float:
        """Return a μ that rounding of z − y hides."""
        return EPS * self._recalled(w).more["size"]


def _same(x: Array, y: Array) -> bool:
    """Whether two points differ by rounding at most, so that they have the same intercept."""
    return x.shape == y.shape and float(np.abs(x - y).max(initial=0.0)) <= 64.0 * EPS * float(np.abs(x).max(initial=0.0))


class SoftShards(ShardedModel):
    """f_μ over shards, for one solve; `sharpen` makes μ smaller and leaves the point where it is."""

    view_name = "soft"

    def __init__(self, sharp: KinkedShards, mu: float) -> None:
        self.__dict__.update(vars(sharp))
        self.sharp = sharp
        self._smooth(mu)

    def __repr__(self) -> str:
        return f"smoothed {self.sharp!r}"

    def _smooth(self, mu: float) -> None:
        self.mu, self._kind, self._last = mu, replace(self.sharp.kind, mu=mu), None
        self.traits = replace(self.sharp.traits, smooth=True, second_order=True)

    def expansion(self, x: Array, block: Block | None, *, points: Along | None = None, near: Array | None = None,
                  here: bool = False, sample: int = 1) -> Expansion:
        found = super().expansion(x, block, points=points, near=near, here=here, sample=sample)
        self.sharp.remember(x, found, self.mu)
        return found

    def sharpen(self, mu: float, w: Iterate) -> None:
        self._smooth(mu)
        self.at(w).clear()
        self.at(w).here = False  # the intercept is that of another μ

    def _settled(self, ask: Ask, first: float, before: InterceptModel | None, farthest: float) -> Settled:
        # of μ, or of the loss where nothing is known: an intercept is expected no closer to its prediction
        expected = 1e-3 * (self.mu if before is not None else self.mu + self.summary.zero)
        return balanced(ask, first, expected, before, farthest)

    def _corrected(self, at: Settled) -> tuple[SlopeCorrection, Array]:
        return mixed(at)

    def _dual(self, at: Settled, correction: SlopeCorrection) -> float:
        return dual(at, correction) if self.has_intercept else super()._dual(at, correction)

    def _swing(self, x: Array, b: float, size: float, off: float) -> float:
        """Return zero: lower bounds hold for any slopes, and the steepness covers all of them."""
        return 0.0

    def smoothing_error(self, w: Iterate, S: AtomSet) -> float:
        """Return φ(z) + φ*(s) − ⟨s, z⟩ ≥ 0 for the slopes s of f_μ: what smoothing costs the certificate.

        With an intercept, what is left of Σs counts as well, and the rounding of what moving them adds to φ*.
        """
        found = self.known(w)
        if not self.has_intercept:
            return found.more["lost"]
        rounded = 2.0 * EPS * (self.summary.depth + 16.0) * found.more["size"]
        return found.more["lost"] + rounded + self._uncertain(found._replace(more={**found.more, "error": 0.0}), S)

    def state(self) -> State:
        best = self.sharp._best if self.has_intercept else None
        kept = {} if best is None else {"best.value": np.array(best[0]), "best.x": best[1], "best.near": best[2]}
        return {"mu": np.array(self.mu), **kept}

    def restore(self, state: State) -> None:
        self._smooth(float(state["mu"]))
        kept = "best.value" in state
        self.sharp._best = (float(state["best.value"]), state["best.x"], state["best.near"]) if kept else None
