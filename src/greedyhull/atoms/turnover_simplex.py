"""The simplex with caps on groups, near given weights: portfolios that trade little."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import numbers, positive
from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.geometry.traded_region import TradedRegion
from greedyhull.atoms.grouped_simplex import GroupedSimplex
from greedyhull.atoms.oracle_base import OracleBase
from greedyhull.atoms.sizes import Sizes
from greedyhull.errors import check
from greedyhull.kernels.box_qp import as_given
from greedyhull.kernels.traded_filling import EPS, Pieces, traded_levels, traded_vertex
from greedyhull.points.aligned import keep, kept, ordered
from greedyhull.points.shapes import Sparse
from greedyhull.types import Answer, Array, Atom, SetTraits

SPARE = 1e-12  # of the total: by how much a limit on trades may be missed by rounding


class TurnoverSimplex(AtomSet):
    """Weights of a `GroupedSimplex` whose distance from given ones is limited: Σ|wⱼ − previousⱼ| ≤ turnover.

    Linear functions are minimised for a price on trades, which is a filling of 2d pieces; the right price is found by a
    search in one dimension. The answer may be a mixture of two vertices of the caps. Its slack is the difference to a bound
    that the price proves, with all rounding counted.

    Parameters
    ----------
    caps : GroupedSimplex
        Sum, single caps and caps on groups.
    previous : array_like of shape (d,)
        The weights before trading. They need not be in the set.
    turnover : float
        The largest sum of all trades.

    See Also
    --------
    GroupedSimplex : The same without a limit on trades.

    Notes
    -----
    For any price λ ≥ 0, min ⟨g, w⟩ over this set is at least the minimum of ⟨g, w⟩ + λ(Σ|wⱼ − previousⱼ| − turnover) over
    the caps.

    Examples
    --------
    >>> import greedyhull as gh
    >>> S = TurnoverSimplex(gh.GroupedSimplex([0, 0, 0]), [0.5, 0.5, 0.0], turnover=0.4)
    >>> S.argmin(np.array([3.0, 2.0, 1.0]))
    Sparse(places=array([0, 1, 2]), entries=array([0.3, 0.5, 0.2]))
    """

    def __init__(self, caps: GroupedSimplex, previous: Any, turnover: float) -> None:
        self.caps, self.shape, self.total = caps, caps.shape, caps.total
        keep(self, kept(caps))
        previous = ordered(previous, kept(caps), "previous", "the caps")
        self.previous, self.turnover = numbers(previous, "previous"), positive(turnover, "turnover")
        check(self.previous.shape == self.shape, lambda: f"previous has shape {self.previous.shape}; {self.shape[0]} weights "
                                                         "are wanted.")
        high = caps.caps
        p = np.clip(self.previous, 0.0, high) + 0.0
        self._before = float(np.abs(self.previous - p).sum())  # trades that no weights of the set can do without
        room = np.minimum(caps.group_upper, self.total)
        self._pieces = Pieces.of(p, high, caps.of, room, self.total, np.inf)
        self._least = self._pieces.filled(np.zeros(self.shape), 0.0)
        needed = self._before + self._pieces.traded(self._least)
        check(needed <= self.turnover + SPARE * self.total, lambda: f"turnover = {self.turnover:g} was given, and from the "
              f"previous weights at least {needed:.6g} must be traded until they sum to {self.total:g} and satisfy the caps. "
              "Raise turnover, or the caps.")
        self._pieces = self._pieces._replace(most=max(self.turnover - self._before, self._pieces.traded(self._least)))

    def __repr__(self) -> str:
        return f"TurnoverSimplex({self.shape[0]} weights in {len(self.caps.labels)} groups, turnover={self.turnover:g})"

    @property
    def traits(self) -> SetTraits:
        """Those of any set, and caps, groups, sum and trades, unless a derived class answers with other atoms."""
        own = type(self) is TurnoverSimplex and self._pieces.most > 0.0
        return super().traits._replace(region=TradedRegion(self._pieces, self._least) if own else None)

    def oracle(self, rng: np.random.Generator | None = None) -> TurnoverOracle:
        """Return the oracle of one run."""
        return TurnoverOracle(self)

    def argmin(self, g: Array) -> Atom:
        return self.answer(g).atom

    def answer(self, g: Array) -> Answer:
        """The best point, and how far its score may be from the least."""
        g = as_given(g)
        x, _, lower = traded_vertex(g, self._pieces)
        places = x.nonzero()[0]
        atom = Sparse(places, x[places])
        score = float(atom.dot(g))
        return Answer(atom, max(score - lower, 0.0) + 8.0 * EPS * abs(score))

    def centre(self) -> Any:
        """The mean of the previous weights, or what must change of them, and some of the best points."""
        from greedyhull.points.iterate import Iterate

        rng = np.random.default_rng(0)
        w = Iterate.at(self.atom(np.zeros(self.shape)), self.shape)
        for k in range(1, 2 * min(self.shape[0], 32) + 1):
            w.move(w.toward(self.atom(rng.standard_normal(self.shape))), 1.0 / (k + 1))
        return w

    def _holds(self, x: Array, tol: float) -> bool:
        return self.caps.contains(x, tol) and float(np.abs(x - self.previous).sum()) <= self.turnover + tol * self.total

    def levels(self, g: Array) -> tuple[float, Array, float]:
        """What a weight costs at the margin where ∇f = g, up to which cost each group takes weights, and the price of
        trades."""
        price = traded_vertex(as_given(g), self._pieces).price
        return *traded_levels(as_given(g), price, self._pieces), price

    def prices(self, g: Array) -> dict[str, float]:
        """What one more unit of each group's cap, and of turnover, is worth where ∇f = g, by name."""
        level, full, price = self.levels(g)
        groups = {str(name): level - float(cost) for name, cost in zip(self.caps.labels.tolist(), full, strict=True)}
        return groups | {"turnover": price}

    def max_abs(self, c: Array) -> float:
        return self.caps.max_abs(c)

    def sizes(self) -> Sizes:
        """From above: those of the caps, and Σ|w − previous| is at least the distance from the previous weights."""
        outer, most = self.caps.sizes(), self._pieces.most
        return Sizes.of(min(float(outer.diameter), 2.0 * most), min(float(outer.circumradius), most), "upper bound")


class TurnoverOracle(OracleBase):
    """It holds nothing."""

    __slots__ = ("S",)

    def __init__(self, S: TurnoverSimplex) -> None:
        self.S = S

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        return self.S.answer(g)
