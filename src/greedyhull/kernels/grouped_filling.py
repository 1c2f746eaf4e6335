"""Weights with upper bounds, a given sum, and caps on the sums of groups: what is filled first, and the nearest such weights.

The set 0 ≤ x ≤ high, Σx = total, Σ over a group ≤ room is a polymatroid's base: ⟨grad, ·⟩ is least where coordinates are
filled in the order of ``grad``, each as far as its bound, its group and the total allow.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.box_qp import as_given
from greedyhull.kernels.core import compiled
from greedyhull.types import Array, Index

NEAR = 1e-12  # a sum that is off by a smaller share of it is put right in one coordinate
TINY = 1e-13  # caps that miss the total by a smaller share still have points: they are off by rounding
FIRST = 192  # coordinates that are sorted first; mostly they use up the total
HALVINGS = 120  # of an interval of levels: more than a double has bits


def filling_order(grad: Array, high: Array, of: Index, room: Array, total: float) -> tuple[Index, Array, bool]:
    """The first coordinates in the order of ``grad`` (ties in their own order), how much of each is filled while no total is
    counted, and whether these use up ``total``.

    >>> order, filled, enough = filling_order(np.array([3.0, 1.0, 2.0]), np.ones(3), np.array([0, 1, 1]), np.full(2, 1.5), 2.0)
    >>> order, filled, enough
    (array([1, 2, 0]), array([1. , 0.5, 1. ]), True)
    """
    many = FIRST
    while many < len(grad):
        cut = np.partition(grad, many)[many]
        some = (grad <= cut).nonzero()[0]
        order = some[np.argsort(grad[some], kind="stable")]
        filled = _filled(high[order], of[order], room)
        if float(filled.sum()) >= total:
            return order, filled, True
        many *= 8
    order = np.argsort(grad, kind="stable")
    filled = _filled(high[order], of[order], room)
    return order, filled, float(filled.sum()) >= total * (1.0 - NEAR)


def _filled(high: Array, of: Index, room: Array) -> Array:
    """How much of each coordinate, in this order, its bound and its group allow."""
    by = np.argsort(of, kind="stable")
    u, ranks = high[by], of[by]
    sums = np.cumsum(u)
    first = np.append(0, (ranks[1:] != ranks[:-1]).nonzero()[0] + 1) if len(by) else by
    before = sums - u
    before -= np.repeat(before[first], np.diff(np.append(first, len(by))))
    filled = np.empty_like(u)
    filled[by] = np.clip(room[ranks] - before, 0.0, u)
    return filled


def levels(grad: Array, high: Array, of: Index, room: Array, total: float) -> tuple[float, Array]:
    """The multiplier ν of the sum, and for each group the gradient at which it is full: ν where it never is before.

    A coordinate is worth filling where its gradient is below the level of its group.

    >>> levels(np.array([3.0, 1.0, 2.0]), np.ones(3), np.array([0, 1, 1]), np.full(2, 1.5), 2.0)
    (3.0, array([3., 2.]))
    """
    level = np.empty(len(room))
    return grouped_levels(as_given(grad), as_given(high), of, as_given(room), total, level), level


@compiled
def grouped_levels(g: Array, high: Array, of: Index, room: Array, total: float, level: Array) -> float:
    """The same: the levels are written, the multiplier is returned."""
    order, filled, _ = filling_order(g, high, of, room, total)
    place = int(np.searchsorted(np.cumsum(filled), total * (1.0 - NEAR)))
    nu = float(g[order[min(place, len(order) - 1)]])
    order, filled = order[: place + 1], filled[: place + 1]
    used = np.bincount(of[order], filled, len(room))
    level[:] = nu
    last, closed = order[filled > 0.0], order[room[of[order]] <= 0.0][::-1]
    level[of[closed]] = g[closed]  # a cap of zero is reached at once
    level[of[last]] = g[last]  # of several, the last one counts: the one at which the group is full
    level[used < room * (1.0 - NEAR)] = nu
    return nu


def fill_in_order(order: Index, high: Array, of: Index, room: Array, total: float, least: float) -> tuple[Index, Array] | None:
    """The vertex that fills the coordinates in this order: its places, ascending, and entries; None if they do not use up the
    total. Sums have more digits than a double, for there are many of them, and parts of a bound of at most ``least`` are
    dropped.

    >>> fill_in_order(np.array([2, 0, 1]), np.ones(3), np.array([0, 1, 1]), np.full(2, 1.5), 2.0, 0.0)
    (array([0, 2]), array([1., 1.]))
    """
    if not len(order):
        return None
    u, groups = high[order].astype(np.longdouble), of[order]
    by = np.argsort(groups, kind="stable")
    sums, ranks = np.cumsum(u[by]), groups[by]
    first = np.flatnonzero(np.append(True, ranks[1:] != ranks[:-1]))
    offset = np.repeat((sums - u[by])[first], np.diff(np.append(first, len(by))))
    allowed = np.empty_like(u)
    allowed[by] = np.clip(room[ranks] - (sums - u[by] - offset), 0.0, u[by])
    used = np.cumsum(allowed)
    if used[-1] < total * (1.0 - TINY):
        return None
    entries = np.clip(total - (used - allowed), 0.0, allowed).astype(np.float64)
    whole = entries == allowed.astype(np.float64)  # however small a bound is, many of them add up
    kept = np.flatnonzero((entries > 0.0) & (whole | (entries > least)))
    places = order[kept]
    ascending = np.argsort(places)
    return places[ascending], entries[kept][ascending]


@compiled
def grouped_vertex(g: Array, high: Array, of: Index, room: Array, total: float, least: float, places: Index,
                   entries: Array) -> int:
    """The vertex that is filled in the order of g: places and entries are written, and how many there are is returned, −1
    where the bounds leave too little room."""
    some = np.flatnonzero(high > 0.0)
    scores, found = g[some], None
    if len(some) > FIRST:  # mostly a few coordinates use up the total
        cut = np.partition(scores, FIRST)[FIRST]
        few = some[scores <= cut]
        found = fill_in_order(few[np.argsort(g[few], kind="stable")], high, of, room, total, least)
    if found is None:
        found = fill_in_order(some[np.argsort(scores, kind="stable")], high, of, room, total, least)
    if found is None:
        return -1
    many = len(found[0])
    places[:many], entries[:many] = found
    return many


def grouped_gap(grad: Array, x: Array, high: Array, of: Index, room: Array) -> float:
    """⟨grad, x⟩ less its least value over the set with the sum of x.

    >>> grouped_gap(np.array([3.0, 1.0]), np.array([0.5, 0.5]), np.ones(2), np.array([0, 1]), np.ones(2))
    1.0
    """
    nu, level = levels(grad, high, of, room, float(x.sum()))
    r = grad - level[of]
    return float(np.maximum(r * x, r * (x - high)).sum() + (nu - level).dot(room - np.bincount(of, x, len(room))))


def nearest_grouped(x: Array, high: Array, of: Index, room: Array, total: float) -> Array:
    """The point of the set nearest to x; where rounding is all that is off, zeros stay zeros.

    >>> nearest_grouped(np.array([2.0, 1.0, 0.0]), np.ones(3), np.array([0, 0, 1]), np.array([1.2, 1.0]), 1.5)
    array([1. , 0.2, 0.3])
    """
    near = np.array(x, dtype=np.float64)
    grouped_nearest(near, as_given(high), of, as_given(room), total)
    return near


@compiled
def grouped_nearest(x: Array, high: Array, of: Index, room: Array, total: float) -> None:
    """The same in place."""
    near = np.clip(x, 0.0, high)
    sums = np.bincount(of, near, len(room))
    off = total - float(near.sum())
    if max(abs(off), float((sums - room).max()), float(np.abs(near - x).max())) > NEAR * total:
        near = _clipped(x, high, of, _levels_of(x, high, of, room, total))
        sums = np.bincount(of, near, len(room))
        off = total - float(near.sum())
    x[:] = _put_right(near, high, of, room - sums, off)


def _put_right(near: Array, high: Array, of: Index, left: Array, off: float) -> Array:
    """near with the sum off by ``off`` put right in one coordinate, if one has room for that within its group."""
    for group in (left < 0.0).nonzero()[0].tolist():  # over by rounding
        members = (of == group).nonzero()[0]
        place = members[int(near[members].argmax())]
        change = max(left[group], -near[place])
        near[place] += change
        off, left[group] = off - change, left[group] - change
    if off == 0.0:
        return near
    way = np.minimum(near, np.minimum(high - near, left[of])) if off > 0.0 else near
    place = int(way.argmax())
    if abs(off) <= way[place]:
        near[place] += off
    return near


def _clipped(x: Array, high: Array, of: Index, level: Array) -> Array:
    return np.asarray(np.clip(x - level[of], 0.0, high))


def _levels_of(x: Array, high: Array, of: Index, room: Array, total: float) -> Array:
    """What is taken from the coordinates of each group, by halving: first one level for all, then that of each full group."""
    least, most = float((x - high).min()), float(x.max())
    for _ in range(HALVINGS):
        middle = 0.5 * (least + most)
        sums = np.bincount(of, np.clip(x - middle, 0.0, high), len(room))
        if float(np.minimum(sums, room).sum()) > total:
            least = middle
        else:
            most = middle
        if not least < 0.5 * (least + most) < most:
            break
    low, top = np.full(len(room), most), np.full(len(room), float(x.max()))
    full = np.bincount(of, _clipped(x, high, of, low), len(room)) > room
    for _ in range(HALVINGS if full.any() else 0):
        middles = 0.5 * (low + top)
        over = np.bincount(of, _clipped(x, high, of, middles), len(room)) > room
        low, top = np.where(full & over, middles, low), np.where(full & ~over, middles, top)
    return np.where(full, top, most)
