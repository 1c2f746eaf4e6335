"""The simplex with caps on groups, and with a turnover constraint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import labelled, numbers, positive
from greedyhull.atoms.base import AnswerOracle, AtomSet, Sizes
from greedyhull.atoms.neighbours import best_of
from greedyhull.atoms.regions import CoordinateSet, with_steepest
from greedyhull.atoms.simplex import FRAGMENT
from greedyhull.atoms.vertices import farthest_coordinates
from greedyhull.errors import check, shown
from greedyhull.kernels._core import grouped_vertex
from greedyhull.kernels.bounded_qp import as_given
from greedyhull.kernels.group_qp import grouped_gap, levels, nearest_grouped, solve_grouped_qp
from greedyhull.kernels.polyhedral_interior import Factored, Hessian
from greedyhull.kernels.turnover_qp import EPS, Near, Pieces, solve_traded_qp, traded_levels, traded_vertex
from greedyhull.points.aligned import coordinates, keep, kept, mapping_of, ordered
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.theory import Constant
from greedyhull.types import Answer, Array, Atom, Frame, Index


@dataclass(slots=True, eq=False)
class GroupedRegion(CoordinateSet):
    """0 ≤ x ≤ high with the sum total, and sums over groups of at most room; ``of`` has the group of each coordinate."""

    high: Array
    of: Index
    room: Array
    total: float

    def begin(self, d: int) -> None:
        return None

    def nearest(self, x: Array) -> Array:
        return nearest_grouped(x, self.high, self.of, self.room, self.total)

    def free(self, g: Array, x: Array) -> Index:
        """Those that are not zero, and of those at zero the ones that come first by what they cost."""
        _, level = levels(g, self.high, self.of, self.room, self.total)
        on = x > 0.0
        # coordinates at zero that are let in together, the steepest; or as many as there are already
        many = max(40, int(on.sum()))
        return with_steepest(on, np.where(on | (self.high <= 0.0), np.inf, g - level[self.of]), many)

    def shares(self, g: Array, x: Array) -> Array:
        _, level = levels(g, self.high, self.of, self.room, self.total)
        r = g - level[self.of]
        return np.asarray(np.maximum(r * x, r * (x - self.high)))

    def section(self, frame: Frame, x: Array) -> GroupedRegion:
        high, of, y = frame.read(self.high), frame.read(self.of), frame.read(x)
        own = np.bincount(of, y, len(self.room))
        rest = np.bincount(self.of, x, len(self.room)) - own
        return GroupedRegion(high, of, np.maximum(self.room - rest, own), float(y.sum()))

    def moved(self, c: float, v: Array) -> GroupedRegion | None:
        return None if v.any() or c <= 0.0 else GroupedRegion(c * self.high, self.of, c * self.room, c * self.total)

    def gap(self, grad: Array, y: Array) -> float:
        return grouped_gap(grad, y, self.high, self.of, self.room)

    def level(self, grad: Array) -> float:
        return levels(grad, self.high, self.of, self.room, self.total)[0]

    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return solve_grouped_qp(H, grad, y, self.high, self.of, self.room, tol)


class GroupedSimplex(AtomSet):
    """Non-negative weights with a given sum, and caps on single weights and on groups of them.

    {0 ≤ w ≤ upper : Σ w_j = total, Σ over group k of w_j ≤ group_upper_k}. Its points are the bases of a polymatroid: a
    vertex fills coordinates in the order of g, each as far as its own cap, that of its group and the total allow.

    Parameters
    ----------
    groups : array_like of shape (d,)
        The group of each coordinate: numbers or names.
    upper : float or array_like of shape (d,), optional
        Caps on single weights, none by default.
    group_upper : float, array_like or dict, optional
        Caps on groups, none by default: one number for all, one for each group in sorted order of the labels, or a
        dictionary by label, in which groups may be left out.
    total : float, default 1.0
        The sum of the weights.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.GroupedSimplex(["tech", "tech", "bank"], group_upper={"tech": 0.6})
    >>> S.argmin(np.array([-3.0, -2.0, 0.0]))
    Sparse(places=array([0, 2]), entries=array([0.6, 0.4]))
    """

    def __init__(self, groups: Any, *, upper: Any = None, group_upper: Any = None, total: float = 1.0) -> None:
        self.total = positive(total, "total")
        groups, upper = coordinates(self, groups=groups, upper=upper)
        self.labels, self.of = labelled(groups)
        d = len(self.of)
        self.shape = (d,)
        single = numbers(np.inf if upper is None else upper, "upper", ceiling=self.total)
        check(single.shape in ((), self.shape),
              f"upper has shape {single.shape}, and groups has {d} labels; one number, or {d} numbers, are wanted.")
        check(bool((single >= 0).all()), f"upper has the entry {single.min(initial=0.0):g}; numbers of at least 0 are wanted.")
        self.upper = None if upper is None else np.array(upper, dtype=np.float64)
        group_upper = mapping_of(group_upper, "group_upper")
        if isinstance(group_upper, Mapping):
            known = self.labels.tolist()
            strange = [label for label in group_upper if label not in known]
            check(not strange, lambda: f"group_upper names the group {strange[0]!r}, which no coordinate has. The groups are "
                                       f"{', '.join(map(repr, known[:8]))}{' …' if len(known) > 8 else ''}.")
            group_upper = [group_upper.get(label, np.inf) for label in known]
        caps = numbers(np.inf if group_upper is None else group_upper, "group_upper", ceiling=self.total)
        check(caps.shape in ((), self.labels.shape),
              lambda: f"group_upper = {shown(group_upper)} has shape {caps.shape}, and there are {len(self.labels)} groups; "
                      "one number, one for each group in sorted order of the labels, or a dictionary is wanted.")
        check(bool((caps >= 0).all()),
              f"group_upper has the entry {caps.min(initial=0.0):g}; numbers of at least 0 are wanted.")
        self.group_upper = np.broadcast_to(caps, self.labels.shape).copy()
        self._cap = np.minimum(np.broadcast_to(single, self.shape), self.group_upper[self.of])
        rooms = np.minimum(self.group_upper, np.bincount(self.of, self._cap, len(self.labels)))
        room = float(rooms.sum())
        check(room >= self.total * (1.0 - 1e-13),  # caps that miss the total by rounding still have points
              f"The caps leave room for {room:.6g}, which is {self.total - room:.3g} less than total = {self.total:g}, so no "
              "weights satisfy all of them. Raise upper or group_upper, or lower total.")
        self._open = np.flatnonzero(self._cap > 0)
        self._rooms = rooms

    def __repr__(self) -> str:
        caps = "" if self.upper is None else ", upper=..."
        caps += ", group_upper=..." if (self.group_upper < self.total).any() else ""
        return f"GroupedSimplex({self.shape[0]} weights in {len(self.labels)} groups{caps}, total={self.total:g})"

    def _region(self) -> GroupedRegion:
        return GroupedRegion(self._cap, self.of, self.group_upper, self.total)

    caps = property(attrgetter("_cap"), doc="The cap of each weight: its own, or that of its group where this is less.")

    def _filled(self, order: Index) -> Sparse | None:
        """The vertex that fills the coordinates in this order; None if they do not use up the total."""
        ranks, cap = np.zeros(self.shape), np.zeros(self.shape)
        ranks[order], cap[order] = np.arange(len(order)), self._cap[order]
        return self._vertex(ranks, cap)

    def _vertex(self, g: Array, cap: Array) -> Sparse | None:
        places, entries = np.empty(self.shape, dtype=np.intp), np.empty(self.shape)
        many = grouped_vertex(g, cap, self.of, self.group_upper, self.total, FRAGMENT * self.total, places, entries)
        return None if many < 0 else Sparse(places[:many].copy(), entries[:many].copy())

    def argmin(self, g: Array) -> Sparse:
        found = self._vertex(as_given(g), self._cap)
        assert found is not None  # all coordinates have room for the total
        return found

    def best(self, g: Array, m: int) -> SparseBlock:
        return best_of(self._filled, self._open[np.argsort(g[self._open], kind="stable")], g, m)

    def centre(self) -> Iterate:
        sums = np.bincount(self.of, self._cap, len(self.labels))
        share = np.divide(self._rooms, sums, out=np.zeros_like(sums), where=sums > 0)
        return self.decompose(self._cap * share[self.of] * (self.total / float(self._rooms.sum())))

    def _holds(self, x: Array, tol: float) -> bool:
        near = tol * self.total
        inside = bool((x >= -near).all() and (x <= self._cap + near).all()) and abs(float(x.sum()) - self.total) <= near
        return inside and bool((np.bincount(self.of, x, len(self.labels)) <= self.group_upper + near).all())

    def decompose(self, w: Array) -> Iterate:
        """Vertices of the smallest face of what is left, each with the largest weight that leaves a point of the set."""
        y, mass, near = np.maximum(self._inside(w), 0.0), 1.0, 1e-15 * self.total
        y *= self.total / float(y.sum())
        atoms, weights = [], []
        for _ in range(2 * (len(y) + len(self.labels))):
            atom = self._on_face(y, mass, near)
            v = np.zeros(self.shape)
            atom.add_to(v, 1.0)
            weight = min(mass, self._most_of(v, y, mass, near))
            if weight > 0.0:
                atoms.append(atom)
                weights.append(weight)
            y, mass = np.maximum(y - weight * v, 0.0), mass - weight
            if mass <= 0.0 or float(y.sum()) <= near:
                break
        return Iterate(SparseBlock(self.shape[0], atoms), np.array(weights) / sum(weights), self.shape).merged()

    def _on_face(self, y: Array, mass: float, near: float) -> Sparse:
        """A vertex at which every bound is tight that is tight at y, a point of ``mass`` times the set."""
        tight = np.bincount(self.of, y, len(self.labels)) >= mass * self.group_upper - near
        on = np.flatnonzero(y > 0.0)
        full = y[on] >= mass * self._cap[on] - near
        order = on[np.lexsort((-y[on], ~full, ~tight[self.of[on]]))]
        found = self._filled(order)
        if found is not None:
            return found
        rest = np.setdiff1d(self._open, on)  # by rounding, what y has does not use up the total
        found = self._filled(np.concatenate([order, rest]))
        assert found is not None
        return found

    def _most_of(self, v: Array, y: Array, mass: float, near: float) -> float:
        """The largest weight of the vertex v for which y less it is a point of what is left of ``mass`` times the set."""
        down = v > 0.0
        up = (v < self._cap) & (y < mass * self._cap - near)
        V, Y = (np.bincount(self.of, x, len(self.labels)) for x in (v, y))
        loose = (self.group_upper - V > near) & (mass * self.group_upper - near > Y)
        return max(min(float((y[down] / v[down]).min(initial=np.inf)),
                       float(((mass * self._cap[up] - y[up]) / (self._cap[up] - v[up])).min(initial=np.inf)),
                       float(((mass * self.group_upper - Y)[loose] / (self.group_upper - V)[loose]).min(initial=np.inf))), 0.0)

    def levels(self, g: Array) -> tuple[float, Array]:
        """The marginal cost of a weight where ∇f = g, and the cost up to which each group takes weights."""
        return levels(g, self._cap, self.of, self.group_upper, self.total)

    def prices(self, g: Array) -> dict[str, float]:
        level, full = self.levels(g)
        return {str(name): level - float(cost) for name, cost in zip(self.labels.tolist(), full, strict=True)}

    def max_abs(self, c: Array) -> float:
        most = float(c.max())
        return most * self.total if most == c.min() else self.argmin(-c).dot(c)

    def rescaled(self, radius: float) -> GroupedSimplex:
        names = dict(zip(self.labels.tolist(), self.group_upper.tolist(), strict=True))
        caps = {name: cap for name, cap in names.items() if cap < self.total}
        return GroupedSimplex(self.labels[self.of], upper=self.upper, group_upper=caps, total=radius)

    def sizes(self) -> Sizes:
        """‖s‖² ≤ max Σ cap_j s_j, and all points have the distance √(‖s‖² − total²/d) from (total/d)·1."""
        t, cap = self.total, self._cap / self.total  # relative to total, so that no square vanishes
        square = min(self.max_abs(cap) / t, 1.0)
        r = np.sqrt(max(min(square - 1.0 / self.shape[0], 0.25 * float(cap @ cap)), 0.0))
        return Sizes.of(t * min(np.sqrt(2.0 * square), 2.0 * r), t * r, "upper bound")

    def curvature(self, form: Any) -> Constant:
        most = farthest_coordinates(form)[0]
        sets = self.total * (self.total * most), self.diameter * (self.diameter * float(form.top())), form.signs(self._cap)
        return Constant(min(sets), "upper bound", "M")


@dataclass(slots=True, eq=False)
class TurnoverRegion(CoordinateSet):
    """Points near p with caps on groups; ``inside`` is one of them."""

    pieces: Pieces
    inside: Array

    def begin(self, d: int) -> Array:
        return self.inside

    def nearest(self, x: Array) -> Array:
        near = near_of(self.pieces)
        close = np.clip(x, near.low, near.high) + 0.0
        rounding = 1e-12  # of the size of the set: what a point misses by less
        if not near.holds(close, rounding) or float(np.abs(close - x).max(initial=0.0)) > rounding * near.most:
            one = Factored(np.ones(x.size), np.zeros((0, x.size)))
            close = solve_traded_qp(one, self.inside - x, self.inside, near, 0.0)
        # rounding of the sum and of the trades is made up for where most is traded
        p, off = self.pieces.p, self.pieces.total - float(close.sum())
        way = p - close  # toward p nothing gets worse but a group's cap, by as little
        place = int((way if off > 0.0 else -way).argmax())
        if 0.0 < abs(off) <= abs(way[place]) and (way[place] > 0.0) == (off > 0.0):
            close[place] += off
        over = 0.5 * (self.pieces.traded(close) - self.pieces.most)
        if over > 0.0:
            bought, sold = int((close - p).argmax()), int((p - close).argmax())
            if close[bought] - p[bought] >= over and p[sold] - close[sold] >= over:
                close[bought] -= over
                close[sold] += over
        return close

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

    def gap(self, grad: Array, y: Array) -> float:
        return float(grad.dot(y - traded_vertex(grad, self.pieces).x))

    def level(self, grad: Array) -> float:
        return traded_levels(grad, traded_vertex(grad, self.pieces).price, self.pieces)[0]

    def _solved(self, H: Hessian, grad: Array, y: Array, tol: float) -> Array:
        return solve_traded_qp(H, grad, y, near_of(self.pieces), tol)

    solve = _solved

    def solve_factored(self, D: Array, F: Array, grad: Array, y: Array, tol: float) -> Array:
        return self.solve_few_rows(Factored(D, F), len(F) + len(self.pieces.room) < len(D), grad, y, tol)


def reduced(g: Array, pieces: Pieces) -> tuple[float, Array]:
    """The price of trades, and the gradient less the costs up to which groups take weights."""
    price = traded_vertex(g, pieces).price
    return price, np.asarray(g - traded_levels(g, price, pieces)[1][pieces.groups[: len(g)]])


def near_of(pieces: Pieces) -> Near:
    """The same set by rows: the sum, and the caps of groups that can bind; where these sum to the total, equations alone."""
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

    Linear functions are minimised for a price on trades, which is found by a search in one dimension. The answer may be a
    mixture of two vertices of the caps. Its slack is the difference to a bound that the price proves, rounding included: for
    any price λ ≥ 0, min ⟨g, w⟩ over this set is at least the minimum of ⟨g, w⟩ + λ(Σ|wⱼ − previousⱼ| − turnover) over the
    caps. The previous weights need not be in the set.

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
        """The marginal cost of a weight where ∇f = g, the cost up to which each group takes weights, and the trade price."""
        price = traded_vertex(as_given(g), self._pieces).price
        return *traded_levels(as_given(g), price, self._pieces), price

    def prices(self, g: Array) -> dict[str, float]:
        level, full, price = self.levels(g)
        groups = {str(name): level - float(cost) for name, cost in zip(self.caps.labels.tolist(), full, strict=True)}
        return groups | {"turnover": price}

    def max_abs(self, c: Array) -> float:
        return self.caps.max_abs(c)

    def sizes(self) -> Sizes:
        outer, most = self.caps.sizes(), self._pieces.most
        return Sizes.of(min(float(outer.diameter), 2.0 * most), min(float(outer.circumradius), most), "upper bound")
