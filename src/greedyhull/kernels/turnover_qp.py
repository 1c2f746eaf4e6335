"""Convex quadratics over bounds and rows with a turnover constraint, and its linear oracle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from greedyhull.kernels._core import grouped_levels, grouped_vertex
from greedyhull.kernels.bounded_qp import as_given
from greedyhull.kernels.polyhedral_interior import (
    INWARD,
    CentralPath,
    Hessian,
    part_of,
    system_of,
)
from greedyhull.kernels.polyhedral_qp import face_step
from greedyhull.types import Array, Index

EPS = float(np.finfo(np.float64).eps)


class Pieces(NamedTuple):
    """0 ≤ x ≤ high with the sum total and sums over groups of at most room; p is between the bounds.

    ``ends`` and ``groups`` have the pieces below p, then those beyond it.
    """

    p: Array
    room: Array
    total: float
    most: float
    ends: Array
    groups: Index

    @staticmethod
    def of(p: Array, high: Array, of: Index, room: Array, total: float, most: float) -> Pieces:
        return Pieces(p, room, total, most, np.concatenate([p, high - p]), np.concatenate([of, of]))

    def costs(self, g: Array, price: float) -> Array:
        return np.concatenate([g - price, g + price], dtype=np.float64)

    def filled(self, g: Array, price: float) -> Array:
        """A point with the least ⟨g, x⟩ + price·Σ|xⱼ − pⱼ|."""
        d = len(self.p)
        places, entries = np.empty(2 * d, dtype=np.intp), np.empty(2 * d)
        many = grouped_vertex(self.costs(g, price), self.ends, self.groups, self.room, self.total, 0.0, places, entries)
        assert many >= 0  # there is room for the total
        return np.bincount(places[:many] % d, entries[:many], d)

    def traded(self, x: Array) -> float:
        return float(np.abs(x - self.p).sum())


class Traded(NamedTuple):
    """A point, the price of trades, and a number that ⟨g, ·⟩ is nowhere below, all rounding counted."""

    x: Array
    price: float
    lower: float


def traded_vertex(g: Array, pieces: Pieces) -> Traded:
    """The best point for g."""
    g, near = as_given(g), pieces.most * (1.0 + 4.0 * EPS)
    first = pieces.filled(g, 0.0)
    if pieces.traded(first) <= near:
        return Traded(first, 0.0, _lower(g, 0.0, first, pieces))
    spread = float(g.max() - g.min())
    price = spread
    over, under = first, pieces.filled(g, spread + EPS * float(np.abs(g).max()))
    x = under
    for _ in range(200):  # lines, at most; about ten are needed
        less = pieces.traded(over) - pieces.traded(under)
        price = min(max(float(g.dot(under - over)) / less, 0.0), spread) if less > 0.0 else price
        x = pieces.filled(g, price)
        trades = pieces.traded(x)
        best = float(g.dot(over)) + price * pieces.traded(over)
        if float(g.dot(x)) + price * trades >= best - 16.0 * EPS * (abs(best) + price) or not less > 0.0:
            break
        over, under = (x, under) if trades > near else (over, x)
    share = (pieces.most - pieces.traded(under)) / max(pieces.traded(over) - pieces.traded(under), 1e-300)
    share = min(max(share, 0.0), 1.0)
    return Traded(share * over + (1.0 - share) * under, price, _lower(g, price, x, pieces))


def _lower(g: Array, price: float, x: Array, pieces: Pieces) -> float:
    """The least of ⟨g, ·⟩ + price·Σ|·ⱼ − pⱼ| less price·most: a bound for any price.

    Costs were rounded before they were put in order, which changes each by eps of its size; sums are off by a little more.
    """
    size = (float(np.abs(g).max(initial=0.0)) + price) * (pieces.total + pieces.most + pieces.traded(x))
    # times eps times the size of costs: by how much sums over pieces may be off
    off = min(64.0, 8.0 + len(x)) * EPS * size + 5e-324 * len(x)
    return float((g * x).sum()) + price * (pieces.traded(x) - pieces.most) - off  # in pairs: a dot product may round more


def traded_levels(g: Array, price: float, pieces: Pieces) -> tuple[float, Array]:
    """The multiplier of the sum, and the cost up to which each group takes weights, where trades have this price."""
    level = np.empty(len(pieces.room))
    nu = grouped_levels(pieces.costs(g, price), pieces.ends, pieces.groups, pieces.room, pieces.total, level)
    return float(nu), level


class End:
    """Where a coordinate is: at its lower bound, below p, at p, above it, at its upper bound."""

    LOW, DOWN, STAYS, UP, HIGH = -2, -1, 0, 1, 2


class Near(NamedTuple):
    """low ≤ x ≤ high, l ≤ Ax ≤ u and Σ|xⱼ − pⱼ| ≤ most; p is between the bounds, and equal ends make a row an equation."""

    low: Array
    high: Array
    A: Array
    l: Array
    u: Array
    p: Array
    most: float

    def holds(self, x: Array, off: float) -> bool:
        """Whether x is in the set up to ``off`` times its size, and within its bounds."""
        size = float(np.maximum(np.abs(self.low), np.abs(self.high)).max(initial=0.0))
        activity, far = self.A.dot(x), off * np.maximum(np.abs(self.A).max(axis=1, initial=0.0) * size, 1e-300)
        return bool(np.isfinite(x).all() and (x >= self.low).all() and (x <= self.high).all()
                    and (activity >= self.l - far).all() and (activity <= self.u + far).all()
                    and float(np.abs(x - self.p).sum()) <= self.most + off * max(size, self.most))


class Path(NamedTuple):
    """The end of the path: x, the prices of rows and trades, and u, v and activities with the multipliers of their ends."""

    x: Array
    y: Array
    trades: float
    moves: Array  # u, then v
    lower: Array
    upper: Array
    below: Array  # of rows
    above: Array

    def ends(self, near: Near, steep: float) -> tuple[Array, Array, bool]:
        """The ends that multipliers put coordinates and rows at, and whether trades are used up."""
        d = len(self.x)
        widths = np.concatenate([near.high - near.p, near.p - near.low])
        none, full = steep * self.moves < self.lower, steep * (widths - self.moves) < self.upper
        none |= widths <= 0.0
        full &= ~none
        up, down = self.moves[:d] >= self.moves[d:], self.moves[d:] > self.moves[:d]
        ends = np.where(up & ~none[:d], End.UP, np.where(down & ~none[d:], End.DOWN, End.STAYS))
        ends = np.where(up & full[:d], End.HIGH, np.where(down & full[d:], End.LOW, ends))
        activity = near.A.dot(self.x)
        rows = np.where(steep * (activity - near.l) < self.below, -1, np.where(steep * (near.u - activity) < self.above, 1, 0))
        tight = steep * (near.most - float(np.abs(self.x - near.p).sum())) < self.trades
        return ends, np.where(near.l == near.u, 1, rows), bool(tight)


def interior_traded(H: Hessian, c: Array, x: Array, near: Near, tol: float) -> Path | None:
    """The minimiser to a complementarity gap of about ``tol``; ``c`` is the gradient at ``x``. None where numbers leave their
    range, or nothing can move.

    >>> near = Near(np.zeros(2), np.ones(2), np.ones((1, 2)), np.ones(1), np.ones(1), np.full(2, 0.5), 0.2)
    >>> interior_traded(np.eye(2), np.array([0.5, -3.0]), np.full(2, 0.5), near, 1e-9).x.round(6)
    array([0.4, 0.6])
    """
    with np.errstate(all="ignore"):
        start = c - H.dot(x)
    wide = (near.low < near.high).nonzero()[0]
    if not (np.isfinite(H.diagonal()).all() and np.isfinite(start).all()) or not len(wide) or not near.most > 0.0:
        return None
    fixed = near.low.copy()
    fixed[wide] = 0.0
    base, equal = near.A.dot(fixed), near.l == near.u
    A = near.A if len(wide) == len(x) else near.A[:, wide]
    n, m = len(wide), int((~equal).sum())
    low = np.concatenate([np.zeros(2 * n), (near.l - base)[~equal], [-np.inf]])
    high = np.concatenate([(near.high - near.p)[wide], (near.p - near.low)[wide], (near.u - base)[~equal], [near.most]])
    problem = _TurnoverPath(part_of(H, wide), (start + H.dot(fixed))[wide], A[~equal], A[equal], (near.u - base)[equal], low,
                            high, near.p[wide], near.most)
    with np.errstate(all="ignore"):
        found = problem.follow(problem.begin(x[wide]), tol)
    if found is None:
        return None
    q, y_equal, w, zl, zh = found
    d = len(x)
    places = np.concatenate([wide, d + wide])
    moves, lower, upper, y = np.zeros(2 * d), np.zeros(2 * d), np.zeros(2 * d), np.zeros(len(near.l))
    moves[places], lower[places], upper[places] = q[: 2 * n], zl[: 2 * n], zh[: 2 * n]
    below, above = np.zeros(len(near.l)), np.zeros(len(near.l))
    y[equal], y[~equal], below[~equal], above[~equal] = y_equal, w[:m], zl[2 * n : -1], zh[2 * n : -1]
    there = np.clip(near.p + moves[:d] - moves[d:], near.low, near.high)
    return Path(there, y, max(float(-w[m]), 0.0), moves, lower, upper, below, above)


@dataclass
class _TurnoverPath(CentralPath):
    """The same with q = (u, v, Gx, Σ(u + v)), where x = p + u − v."""

    p: Array
    most: float
    settled: ClassVar[float] = 1e-7
    finest: ClassVar[float] = 1e-3
    patience: ClassVar[int] = 2

    def __post_init__(self) -> None:
        self.still: Index = (self.high[: 2 * len(self.c)] <= 0.0).nonzero()[0]  # nothing to buy, or to sell
        self.low[self.still], self.high[self.still] = -np.inf, np.inf

    def point(self, t: Array) -> Array:
        n = len(self.c)
        return np.asarray(self.p + t[:n] - t[n : 2 * n])

    def activity(self, t: Array) -> Array:
        return np.append(self.G.dot(self.point(t)), t[: 2 * len(self.c)].sum())

    def slope(self, t: Array, y: Array, v: Array) -> Array:
        """The gradient of the Lagrangian without the ends: of u, of v, and of activities."""
        force = self.H.dot(self.point(t)) + self.c - self.E.T.dot(y) - self.G.T.dot(v[:-1])
        slope = np.concatenate([force - v[-1], -force - v[-1], v])
        slope[self.still] = 0.0
        return slope

    def system(self, theta: Array, r_e: Array, r_g: Array) -> Callable[[Array], tuple[Array, Array, Array]] | None:
        """With u and v eliminated: x bends by K more, and the price of trades is found from what a unit of it does."""
        n, m, stiff = len(self.c), len(self.G), float(theta[-1])
        give = 1.0 / theta[: 2 * n]
        give[self.still] = 0.0  # nothing moves
        buys, sells = give[:n], give[n:]
        K, odd = 1.0 / (buys + sells), buys - sells
        if not np.isfinite(K).all():
            return None
        system = system_of(self.H, self.G, self.E, np.concatenate([K, theta[2 * n : -1]]))
        if system is None:
            return None
        unit = system(K * odd, np.zeros(m), np.zeros(len(r_e)), np.zeros(m))
        more = float((buys + sells - odd * (K * odd - K * unit[0])).sum())

        def step(right: Array) -> tuple[Array, Array, Array]:
            u, v, a = right[:n], right[n : 2 * n], right[2 * n :]
            pull = K * (buys * u - sells * v)
            e, dy, dv = system(pull, a[:m], r_e, r_g[:m])
            now = float((buys * u + sells * v - odd * (pull - K * e)).sum())
            price = (float(r_g[-1]) + float(a[-1]) / stiff - now) / (more + 1.0 / stiff)
            e, dy, dv = e + price * unit[0], dy + price * unit[1], dv + price * unit[2]
            force = pull + K * odd * price - K * e
            du, dw = buys * (u - force + price), sells * (v + force + price)
            activity = np.append(self.G.dot(e), (du + dw).sum()) - r_g
            return np.concatenate([du, dw, activity]), dy, np.append(dv, price)

        return step

    def sizes(self, t: Array) -> tuple[Array, Array]:
        of_e, of_g = super().sizes(t)
        return of_e + 1e-300, np.append(of_g, self.most) + 1e-300

    def begin(self, x: Array) -> Array:
        """The trades of x, a little more of each, and activities well between their ends."""
        n = len(self.c)
        moves = np.concatenate([np.maximum(x - self.p, 0.0), np.maximum(self.p - x, 0.0)])
        widths = np.where(np.isinf(self.high[: 2 * n]), 0.0, self.high[: 2 * n])
        little = np.minimum(INWARD * widths, 0.25 * self.most / n)
        moves = np.minimum(np.maximum(moves, little), widths - little)
        activity = np.append(self.G.dot(self.p + moves[:n] - moves[n:]), moves.sum())
        low, high = self.low[2 * n :], self.high[2 * n :]
        width = high - low
        inward = np.where(np.isfinite(width), INWARD * width, INWARD * np.maximum(np.abs(activity), self.most))
        return np.concatenate([moves, np.minimum(np.maximum(activity, low + inward), high - inward)])


SURE = (1.0, 1e-2, 1e-4)  # how much closer to an end than its multiplier asks a coordinate must be to be put there
OFF = 1e-12  # of the size of the set: by how much a candidate may miss a row


class Prices(NamedTuple):
    """Of the rows, and of trades, which is at least 0."""

    y: Array
    trades: float


def solve_traded_qp(H: Hessian, c: Array, x: Array, near: Near, tol: float) -> Array:
    """Minimise the quadratic over the set, as `bounded_qp`."""
    best, least = x, np.inf
    for found, prices in _candidates(H, c, x, near, tol):
        move = found - x
        bend = H.dot(move)
        gap = traded_gap(c + bend, found, near, prices)
        if gap < least and float((c - prices.y.dot(near.A) + 0.5 * bend).dot(move) + prices.y.dot(near.A.dot(move))) <= 0.0:
            best, least = found, gap
        if least <= tol:
            break
    return np.array(best, dtype=np.float64)


def traded_gap(grad: Array, x: Array, near: Near, prices: Prices) -> float:
    """⟨grad, x⟩ less a bound on its least value over the set, which any prices prove.

    A coordinate costs rⱼxⱼ + λ|xⱼ − pⱼ| where r = grad − Aᵀy: that is least at an end, or at p.
    """
    y = np.where(near.l == -np.inf, np.minimum(prices.y, 0.0), np.where(near.u == np.inf, np.maximum(prices.y, 0.0), prices.y))
    lam = max(prices.trades, 0.0)
    r, activity, off = grad - y.dot(near.A), near.A.dot(x), x - near.p
    least = np.minimum(np.minimum(r * (near.low - near.p) + lam * (near.p - near.low),
                                  r * (near.high - near.p) + lam * (near.high - near.p)), 0.0)
    rows = np.where(y > 0.0, near.l, np.where(y < 0.0, near.u, activity))
    return float((r * off - least).sum() + lam * near.most + y.dot(activity - rows))


class Face(NamedTuple):
    """A guess: where each coordinate is (see `End`), which end rows are at (0 for neither), and whether trades are used up."""

    ends: Array
    rows: Array
    tight: bool


def _candidates(H: Hessian, c: Array, x: Array, near: Near, tol: float) -> Iterator[tuple[Array, Prices]]:
    """Points of the set with prices: from the face that x is on, then from the one that the interior point method names."""
    bends = H.diagonal()
    steep = float(bends.max(initial=0.0))
    # of the largest curvature: where coordinates have less, faces have no minimiser of their own
    curved = float(bends.min(initial=np.inf)) > 1e-11 * steep
    here = _face_of(x, near)
    if curved and np.count_nonzero(np.abs(here.ends) == 1) > np.count_nonzero(here.rows) + here.tight:  # else it is a vertex
        yield from _on_faces(H, c, x, near, here)
    path = interior_traded(H, c, x, near, tol)
    if path is None:
        return
    for sure in SURE if curved else ():
        yield from _on_faces(H, c, x, near, Face(*path.ends(near, steep / sure)))
    if near.holds(path.x, OFF):
        yield path.x, Prices(path.y, path.trades)


def _face_of(x: Array, near: Near) -> Face:
    """What x is at."""
    ends = np.where(x > near.p, End.UP, np.where(x < near.p, End.DOWN, End.STAYS))
    ends = np.where((x >= near.high) & (x > near.p), End.HIGH, np.where((x <= near.low) & (x < near.p), End.LOW, ends))
    activity, off = near.A.dot(x), OFF * max(float(np.abs(x).sum()), 1e-300)
    rows = np.where((near.l == near.u) | (activity >= near.u - off), 1, np.where(activity <= near.l + off, -1, 0))
    return Face(ends, rows, float(np.abs(x - near.p).sum()) >= near.most * (1.0 - OFF))


def _on_faces(H: Hessian, c: Array, x: Array, near: Near, face: Face) -> Iterator[tuple[Array, Prices]]:
    """The minimisers over faces guessed in turn that are in the set; coordinates stop at the ends of their pieces."""
    most = max(4, len(x) // 8)  # one in so many coordinates of a guess may be wrong, else the interior point method begins
    for _ in range(12):  # faces, one after another
        solved = _on_face(H, c, x, near, *face)
        if solved is None:
            return
        there, y, trades = solved
        ends = _kept(there, near, face.ends)
        if (ends == face.ends).all():
            if near.holds(there, OFF):
                yield there, Prices(y, trades)
            new = _released(c + H.dot(there - x), there, near, face, y, trades)
        else:
            new = face._replace(ends=ends)
        wrong = int((new.ends != face.ends).sum() + (new.rows != face.rows).sum()) + (new.tight != face.tight)
        if wrong == 0 or wrong > most:
            return
        face = new


def _kept(there: Array, near: Near, ends: Array) -> Array:
    """The same ends, with those coordinates at the end of their piece that have left it."""
    down, up = ends == End.DOWN, ends == End.UP
    below, above = np.where(up, near.p, near.low), np.where(down, near.p, near.high)
    under, over = (down | up) & (there < below), (down | up) & (there > above)
    ends = np.where(under & down, End.LOW, np.where(over & up, End.HIGH, ends))
    return np.where((under & up) | (over & down), End.STAYS, ends)


def _released(grad: Array, there: Array, near: Near, face: Face, y: Array, trades: float) -> Face:
    """Coordinates, rows and trades that prices say should be free, and rows and trades that are missed."""
    r, tiny = grad - y.dot(near.A), 1e-12 * float(np.abs(grad).max(initial=0.0))
    lam = trades if face.tight else 0.0
    stays = face.ends == End.STAYS
    up = (stays & (r < -lam - tiny) & (near.p < near.high)) | ((face.ends == End.HIGH) & (r + lam > tiny))
    down = (stays & (r > lam + tiny) & (near.p > near.low)) | ((face.ends == End.LOW) & (r - lam < -tiny))
    activity, off = near.A.dot(there), OFF * max(float(np.abs(there).sum()), 1e-300)
    rows = np.where(face.rows > 0, np.where(y > tiny, 0, 1), np.where(face.rows < 0, np.where(y < -tiny, 0, -1), 0))
    rows = np.where(activity > near.u + off, 1, np.where(activity < near.l - off, -1, rows))
    over = float(np.abs(there - near.p).sum()) > near.most * (1.0 + OFF)
    return Face(np.where(up, End.UP, np.where(down, End.DOWN, face.ends)), np.where(near.l == near.u, 1, rows),
                over or (face.tight and trades >= 0.0))


def _on_face(H: Hessian, c: Array, x: Array, near: Near, ends: Array, rows: Array, tight: bool,
             ) -> tuple[Array, Array, float] | None:
    """The minimiser with held rows, and trades where ``tight``, as equations; the prices of rows and trades."""
    free: Index = ((ends == End.DOWN) | (ends == End.UP)).nonzero()[0]
    there = np.where(ends == End.LOW, near.low, np.where(ends == End.HIGH, near.high, near.p))
    held = rows.nonzero()[0]
    if not len(free):
        return None
    signs = np.where(ends == End.UP, 1.0, -1.0)[free]
    B = near.A[np.ix_(held, free)]
    goal = np.where(rows[held] > 0, near.u[held], near.l[held])
    there[free] = x[free]
    fixed = there.copy()
    fixed[free] = near.p[free]
    off = goal - near.A[held].dot(there)
    if tight:
        B = np.vstack([B, signs])
        spent = float(np.abs(fixed - near.p).sum())
        off = np.append(off, near.most - spent - float(signs.dot(there[free] - near.p[free])))
    step = face_step(H, free, (c + H.dot(there - x))[free], B, off)
    if step is None:
        return None
    there[free] += step[0]
    found = step[1]
    y = np.zeros(len(rows))
    y[held] = found[: len(held)]
    return (there, y, float(-found[-1]) if tight else 0.0) if np.isfinite(there).all() else None
