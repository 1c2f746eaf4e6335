"""The simplex with caps on groups and a turnover constraint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import numbers, positive
from greedyhull.atoms.base import AnswerOracle, AtomSet, Sizes
from greedyhull.atoms.grouped_simplex import GroupedSimplex
from greedyhull.atoms.regions import CoordinateSet, with_steepest
from greedyhull.errors import check
from greedyhull.kernels.bounded_qp import as_given
from greedyhull.kernels.polyhedral_interior import Factored, Form
from greedyhull.kernels.turnover_qp import EPS, Near, Pieces, Traded, solve_traded_qp, traded_levels, traded_vertex
from greedyhull.points.aligned import keep, kept, ordered
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Sparse
from greedyhull.types import Answer, Array, Atom, Frame, Index


@dataclass(slots=True, eq=False)
class TurnoverRegion(CoordinateSet):
    """Points near p with caps on groups; ``inside`` is one of them."""

    pieces: Pieces
    inside: Array
    asked: tuple[Array, Traded] | None = None  # the gradient that was asked about last, and the answer

    def begin(self, d: int) -> Array:
        """Where little is traded: most weights stay as they are."""
        return self.inside

    def nearest(self, x: Array) -> Array:
        near = near_of(self.pieces)
        close = np.clip(x, near.low, near.high) + 0.0
        rounding = 1e-12  # of the size of the set: what a point misses by less
        if not near.holds(close, rounding) or float(np.abs(close - x).max(initial=0.0)) > rounding * near.most:
            one = Factored(np.ones(x.size), np.zeros((0, x.size)))
            close = solve_traded_qp(one, self.inside - x, self.inside, near, 0.0)
        return self._put_right(close)

    def _put_right(self, x: Array) -> Array:
        """x with the sum that it misses by rounding, and the trades that are too many, made up for where most is traded."""
        p, off = self.pieces.p, self.pieces.total - float(x.sum())
        way = p - x  # toward p nothing gets worse but a group's cap, by as little
        place = int((way if off > 0.0 else -way).argmax())
        if 0.0 < abs(off) <= abs(way[place]) and (way[place] > 0.0) == (off > 0.0):
            x[place] += off
        over = 0.5 * (self.pieces.traded(x) - self.pieces.most)
        if over > 0.0:
            bought, sold = int((x - p).argmax()), int((p - x).argmax())
            if x[bought] - p[bought] >= over and p[sold] - x[sold] >= over:
                x[bought] -= over
                x[sold] += over
        return x

    def free(self, g: Array, x: Array) -> Index:
        """Those that have moved and are at no end, and of the others the ones that gain most."""
        d, p = x.size, self.pieces.p
        high = p + self.pieces.ends[d:]
        on = (x != p) & (x > 0.0) & (x < high)
        price, r = reduced(g, self.pieces)
        down = np.where(x > p, r + price, r - price)  # what a unit less saves, and a unit more
        up = np.where(x < p, price - r, -r - price)
        gains = np.maximum(np.where(x > 0.0, down, -np.inf), np.where(x < high, up, -np.inf))
        gains[on] = -np.inf
        # coordinates at p or at an end that are let in together, the steepest; or as many as there are already
        many = max(120, int(on.sum()))
        return with_steepest(on, -gains, many)

    def shares(self, g: Array, x: Array) -> Array:
        """What each coordinate costs, with the prices of the sum, groups and trades, less what it would at 0, p or its cap."""
        d, p = x.size, self.pieces.p
        price, r = reduced(g, self.pieces)
        least = np.minimum(np.minimum((price - r) * p, (r + price) * self.pieces.ends[d:]), 0.0)
        return np.asarray(r * (x - p) + price * np.abs(x - p) - least)

    def section(self, frame: Frame, x: Array) -> TurnoverRegion:
        d, many = x.size, len(self.pieces.room)
        ends = self.pieces.groups[:d], self.pieces.p + self.pieces.ends[d:], self.pieces.p
        of, high, p = (frame.read(part) for part in ends)
        y, of = frame.read(x), of.astype(np.intp)
        sums = np.bincount(of, y, many)
        room = np.maximum(self.pieces.room - np.bincount(self.pieces.groups[:d], x, many) + sums, sums)
        own = float(np.abs(y - p).sum())
        left = max(self.pieces.most - self.pieces.traded(x) + own, own)
        return TurnoverRegion(Pieces.of(p, high, of, room, float(y.sum()), left), y)

    def _best(self, grad: Array) -> Traded:
        if self.asked is None or self.asked[0] is not grad:
            self.asked = grad, traded_vertex(grad, self.pieces)
        return self.asked[1]

    def gap(self, grad: Array, y: Array) -> float:
        return float(grad.dot(y - self._best(grad).x))

    def level(self, grad: Array) -> float:
        return traded_levels(grad, self._best(grad).price, self.pieces)[0]

    def _solved(self, H: Form, grad: Array, y: Array, tol: float) -> Array:
        return solve_traded_qp(H, grad, y, near_of(self.pieces), tol)

    solve = _solved

    def solve_factored(self, D: Array, F: Array, grad: Array, y: Array, tol: float) -> Array:
        """The same for H = diag(D) + FᵀF."""
        return self.solve_few_rows(Factored(D, F), len(F) + len(self.pieces.room) < len(D), grad, y, tol)


def reduced(g: Array, pieces: Pieces) -> tuple[float, Array]:
    """The price of trades, and the gradient less the costs up to which groups take weights."""
    price = traded_vertex(g, pieces).price
    return price, np.asarray(g - traded_levels(g, price, pieces)[1][pieces.groups[: len(g)]])


def near_of(pieces: Pieces) -> Near:
    """The same set by rows: the sum, and groups whose caps can hold something back.

    Where these caps just sum to the total they are equations, of which the sum is one too many.
    """
    d, room = len(pieces.p), pieces.room
    of, high = pieces.groups[:d], pieces.p + pieces.ends[d:]
    holds = np.minimum(np.bincount(of, high, len(room)), pieces.total) > room
    binding = holds.nonzero()[0]
    # of the total: caps that leave less of it leave no choice
    if holds.all() and float(room.sum()) <= pieces.total * (1.0 + 1e-13):
        return Near(np.zeros(d), high, (of == binding[:, None]).astype(np.float64), room, room, pieces.p, pieces.most)
    A = np.concatenate([np.ones((1, d)), of == binding[:, None]])
    l = np.concatenate([[pieces.total], np.full(len(binding), -np.inf)])
    u = np.concatenate([[pieces.total], pieces.room[binding]])
    return Near(np.zeros(d), high, A, l, u, pieces.p, pieces.most)


class TurnoverSimplex(AtomSet):
    """Weights of a `GroupedSimplex` whose distance from given ones is limited: Σ|wⱼ − previousⱼ| ≤ turnover.

    Linear functions are minimised for a price on trades, which is a filling of 2d pieces; the right price is found by a
    search in one dimension. The answer may be a mixture of two vertices of the caps. Its slack is the difference to a bound
    that the price proves, with all rounding counted: for any price λ ≥ 0, min ⟨g, w⟩ over this set is at least the minimum of
    ⟨g, w⟩ + λ(Σ|wⱼ − previousⱼ| − turnover) over the caps. The previous weights need not be in the set.

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
        # of the total: by how much a limit on trades may be missed by rounding
        check(needed <= self.turnover + 1e-12 * self.total, lambda: f"turnover = {self.turnover:g} was given, and from the "
              f"previous weights at least {needed:.6g} must be traded until they sum to {self.total:g} and satisfy the caps. "
              "Raise turnover, or the caps.")
        self._pieces = self._pieces._replace(most=max(self.turnover - self._before, self._pieces.traded(self._least)))

    def __repr__(self) -> str:
        return f"TurnoverSimplex({self.shape[0]} weights in {len(self.caps.labels)} groups, turnover={self.turnover:g})"

    def _region(self) -> TurnoverRegion | None:
        return TurnoverRegion(self._pieces, self._least) if self._pieces.most > 0.0 else None

    def oracle(self, rng: np.random.Generator | None = None) -> AnswerOracle:
        return AnswerOracle(self)

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
        level, full, price = self.levels(g)
        groups = {str(name): level - float(cost) for name, cost in zip(self.caps.labels.tolist(), full, strict=True)}
        return groups | {"turnover": price}

    def max_abs(self, c: Array) -> float:
        return self.caps.max_abs(c)

    def sizes(self) -> Sizes:
        """From above: those of the caps, and Σ|w − previous| is at least the distance from the previous weights."""
        outer, most = self.caps.sizes(), self._pieces.most
        return Sizes.of(min(float(outer.diameter), 2.0 * most), min(float(outer.circumradius), most), "upper bound")
