"""Losses with kinks over shards: f itself, and f smoothed by μ, which answers for both in the same trip.

A trip at x for f_μ brings φ_μ(z), its slopes r and Aᵀr, and beside them φ(z) and φ*(r), which are sums over rows as well. So f
and what smoothing costs the certificate, φ(z) + φ*(r) − ⟨r, z⟩, are known wherever f_μ is, and f is seldom asked itself.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from greedyhull.errors import check
from greedyhull.objectives.sharded.model import ShardedModel
from greedyhull.objectives.sharded.part import Kind, Part
from greedyhull.points.expanded import NOTHING, Along, Expansion
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, AtomSet, Block, Crew, Shards, State
from greedyhull.types.override import override

KEPT = 8  # points whose values are remembered


class KinkedShards(ShardedModel):
    """φ(Aw) + (l2/2)‖w‖² over shards, φ linear between kinks."""

    def __init__(self, shards: Shards, kind: Kind, intercept: bool = False, l2: float = 0.0) -> None:
        check(not intercept, f"{kind.name} was given shards and intercept=True; the intercept of a loss with kinks is found "
                             "from all rows in one place. Leave it out, add a constant column, or use a smooth loss.")
        super().__init__(shards, kind, False, l2)
        self._told: dict[bytes, Expansion] = {}

    def on(self, crew: Crew) -> KinkedShards:
        other = super().on(crew)
        assert isinstance(other, KinkedShards)
        other._told = {}
        return other

    def tell(self, x: Array, found: Expansion) -> None:
        """Remember what was said of f at x when f_μ was asked."""
        ridge = 0.5 * self.l2 * float(x.dot(x)) if self.l2 else 0.0
        while len(self._told) >= KEPT:
            self._told.pop(next(iter(self._told)))
        self._told[x.tobytes()] = Expansion(found.more["sharp"] + ridge, NOTHING, np.nan, found.more)

    def _heard(self, w: Iterate) -> Expansion:
        view = self.at(w)
        told = self._told.get(view.x.tobytes()) if view.known is None else None
        return self.known(w) if told is None else told

    @override
    def value(self, w: Iterate) -> float:
        return self._heard(w).value

    @override
    def rounding(self, w: Iterate, S: AtomSet) -> float:
        return self._allowance(self._heard(w), w, S)

    def smoothed(self, mu: float) -> SoftShards:
        """f_μ of one solve."""
        return SoftShards(self, mu)

    def distance(self, w: Iterate) -> float:
        """Σ pᵢ|zᵢ| + Σ pᵢ|yᵢ| or more: how far predictions are from targets, about."""
        return self._heard(w).more["size"]

    def finest(self, w: Iterate) -> float:
        """A μ that rounding of z − y hides."""
        return float(np.finfo(np.float64).eps) * self._heard(w).more["size"]


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
        facts = self.sharp.facts
        self.__dict__["part"] = Part(self._shards, self._token, self._kind, facts.total, facts.zero_one)
        self.__dict__.pop("_plain", None)

    @override
    def expansion(self, x: Array, block: Block | None, *, points: Along | None = None, near: Array | None = None,
                  here: bool = False, sample: int = 1) -> Expansion:
        found = super().expansion(x, block, points=points, near=near, here=here, sample=sample)
        self.sharp.tell(x, found)
        return found

    def sharpen(self, mu: float, w: Iterate) -> None:
        self._smooth(mu)
        self.at(w).clear()

    def smoothing_error(self, w: Iterate, S: AtomSet) -> float:
        """φ(z) + φ*(r) − ⟨r, z⟩ ≥ 0 for r = ∇φ_μ(z): what smoothing costs the certificate."""
        return self.known(w).more["lost"]

    def state(self) -> State:
        return {"mu": np.array(self.mu)}

    def restore(self, state: State) -> None:
        self._smooth(float(state["mu"]))
