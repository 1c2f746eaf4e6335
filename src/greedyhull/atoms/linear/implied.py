"""Finite bounds of every variable of a polytope, found when the set is built: by activities of rows, then by programs."""

from __future__ import annotations

import numpy as np

from greedyhull.atoms.linear.dual_bound import EPS, clipped, dual_bound
from greedyhull.atoms.linear.extent import Extent
from greedyhull.atoms.linear.model import Model, listed
from greedyhull.atoms.linear.rows import Rows
from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Array

ROUNDS = 8  # passes over the rows
BETTER = 1e-3  # what a finite bound must gain, relative to its range, to count
SINGLE = 100  # variables up to which each is then bounded by a program of its own


def extent_of(P: Rows, model: Model) -> Extent:
    """Bounds of all variables, and of the sum of their sizes. A polytope without end is refused."""
    lower, upper = by_activities(P, P.lower, P.upper)
    open_ = np.flatnonzero(np.isinf(lower) | np.isinf(upper))
    if len(open_):
        lower, upper = _by_programs(P, model, lower, upper)
        lower, upper = by_activities(P, lower, upper)
        if len(open_) <= SINGLE:
            lower, upper = _one_by_one(P, model, Extent(lower, upper), open_.tolist())
    box = Extent(lower, upper)
    return Extent(lower, upper, min(_total(P, model, box), float(box.most.sum()) * (1.0 + P.d * EPS)))


def by_activities(P: Rows, lower: Array, upper: Array) -> tuple[Array, Array]:
    """What each row says of each of its variables, given the bounds of the others; rounding outwards."""
    A = P.A.tocoo()
    i, j, a = A.coords[0], A.coords[1], A.data
    lower, upper = lower.copy(), upper.copy()
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for _ in range(ROUNDS):
            top, end = _said(P, i, j, a, lower, upper)
            least = BETTER * np.where(np.isfinite(upper - lower), upper - lower, 0.0)
            gain = (top < upper - least) & (top < np.inf), (end > lower + least) & (end > -np.inf)
            if not (gain[0].any() or gain[1].any()):
                break
            upper, lower = np.where(gain[0], top, upper), np.where(gain[1], end, lower)
            crossed = lower > upper  # by rounding: of a set that is not empty, the variable is fixed
            lower, upper = np.where(crossed, upper, lower), np.where(crossed, lower, upper)
    return lower, upper


def _said(P: Rows, i: Array, j: Array, a: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """The least upper and the largest lower bound that some row implies for each variable; i, j and a are the entries of A."""
    least, off = _others(i, a, np.where(a > 0, lower[j], upper[j]), P.m)
    from_u, wide_u = (P.u[i] - least) / a, 4 * (np.abs(P.u[i]) * EPS + off) / np.abs(a)  # above for a > 0, else below
    most, off = _others(i, a, np.where(a > 0, upper[j], lower[j]), P.m)
    from_l, wide_l = (P.l[i] - most) / a, 4 * (np.abs(P.l[i]) * EPS + off) / np.abs(a)
    top, end = np.full(P.d, np.inf), np.full(P.d, -np.inf)
    np.fmin.at(top, j, np.where(a > 0, from_u + wide_u, from_l + wide_l))  # fmin and fmax pass over NaN
    np.fmax.at(end, j, np.where(a > 0, from_l - wide_l, from_u - wide_u))
    return top + 4 * EPS * np.abs(top), end - 4 * EPS * np.abs(end)


def _others(i: Array, a: Array, end: Array, m: int) -> tuple[Array, Array]:
    """For each entry of A the sum of a·end over the other entries of its row, infinite where one of them is; and its error."""
    part = a * end
    endless = ~np.isfinite(part)
    known = np.where(endless, 0.0, part)
    count, total = np.bincount(i, weights=endless, minlength=m), np.bincount(i, weights=known, minlength=m)
    size, terms = np.bincount(i, weights=np.abs(known), minlength=m), np.bincount(i, minlength=m)
    alone = count[i] - endless == 0
    return np.where(alone, total[i] - known, np.nan), (terms[i] + 2) * EPS * size[i]


def _by_programs(P: Rows, model: Model, lower: Array, upper: Array) -> tuple[Array, Array]:
    """One program for all variables with one finite bound, two for each that has none.

    A program's prices leave reduced costs that are not quite 0 where a bound is missing. With s = Σ|xₖ| over the variables
    without a bound, every bound reads bⱼ + εⱼs; their sum s ≤ C + Es with E < 1 bounds s, and then all of them. (A ray r of
    the polytope would have Σ|rₖ| ≤ E Σ|rₖ|, so there is none.)
    """
    up, down = np.isinf(upper), np.isinf(lower)
    free, one = up & down, up ^ down
    ends, share, sum_ = 0.0, 0.0, np.where(one, np.where(up, lower, upper), 0.0)
    bounds: dict[int, tuple[float, float]] = {}
    together = (0.0, 0.0)
    if one.any():
        cost = np.where(one, np.where(up, -1.0, 1.0), 0.0)
        value, off = _least(P, model, cost, lower, upper)
        together = (-value - float((cost * sum_).sum()) + 4 * EPS * P.d * float(np.abs(sum_).sum()), off)  # Σ|xⱼ − end|
        ends, share = ends + together[0] + float(np.abs(sum_).sum()), share + off
    for j in np.flatnonzero(free).tolist():
        unit = np.eye(1, P.d, j)[0]
        sides = [_least(P, model, sign * unit, lower, upper) for sign in (1.0, -1.0)]
        bounds[j] = max(-sides[0][0], -sides[1][0], 0.0), max(sides[0][1], sides[1][1])
        ends, share = ends + bounds[j][0], share + bounds[j][1]
    check(share < 0.5, "The bounds of some variables follow from the rows only up to rounding that cannot be bounded. Give "
                       "bounds=, a finite range for each variable.")
    most = 1.01 * ends / (1.0 - share)
    reach = 1.01 * (together[0] + together[1] * most)
    low, high = _finite(lower), _finite(upper)
    upper = np.where(one & up, low + reach + 4 * EPS * np.abs(low), upper)
    lower = np.where(one & down, high - reach - 4 * EPS * np.abs(high), lower)
    for j, (b, off) in bounds.items():
        lower[j], upper[j] = -1.01 * (b + off * most), 1.01 * (b + off * most)
    return lower, upper


def _finite(x: Array) -> Array:
    """x with zeros where it is not finite."""
    return np.where(np.isfinite(x), x, 0.0)


def _least(P: Rows, model: Model, cost: Array, lower: Array, upper: Array) -> tuple[float, float]:
    """b and ε with ⟨cost, x⟩ ≥ b − ε Σ|xₖ|, the sum over the variables that have no bound on some side."""
    y = clipped(P, _prices(model, cost))
    z = cost - P.transposed @ y
    e = (int(np.diff(P.transposed.indptr).max(initial=0)) + 2) * EPS * (np.abs(cost) + P.sizes @ np.abs(y))
    open_ = np.isinf(lower) | np.isinf(upper)
    end = np.where(z > 0, lower, upper)
    lost = open_ & np.isinf(end) & (z != 0)
    rows = y * np.where(y > 0.0, P.l, np.where(y < 0.0, P.u, 0.0))
    columns = np.where(lost, 0.0, z * np.where(z == 0.0, 0.0, np.where(np.isinf(end), 0.0, end)))
    sizes = float(np.abs(rows).sum() + np.abs(columns).sum())
    known = np.where(open_, 0.0, e * np.maximum(np.abs(_finite(lower)), np.abs(_finite(upper)))).sum()
    epsilon = float((np.where(lost, np.abs(z), 0.0) + np.where(open_, e, 0.0)).max(initial=0.0))
    return float(rows.sum() + columns.sum()) - 64.0 * EPS * sizes - float(known), epsilon


def _prices(model: Model, cost: Array) -> Array:
    """The row prices of min ⟨cost, ·⟩; words where there is no minimum."""
    said = model.minimise(cost)
    if said != "optimal":  # rounding in a warm start can look like a ray
        said = model.again(cost)
    if said == "unbounded":
        names = model.endless()
        raise GreedyhullError("The polytope is unbounded: " + (f"nothing limits {listed(names)}. " if names else "")
                              + "Add bounds, for instance bounds=(0, 1), or rows that hold "
                              + ("them." if len(names) > 1 else "it."))
    return model.duals()


def _one_by_one(P: Rows, model: Model, extent: Extent, places: list[int]) -> tuple[Array, Array]:
    """The least and the largest value of single variables, each by a program."""
    lower, upper = extent.lower.copy(), extent.upper.copy()
    for j in places:
        unit = np.eye(1, P.d, j)[0]
        lower[j] = max(lower[j], dual_bound(P, extent, unit, _prices(model, unit)))
        upper[j] = min(upper[j], -dual_bound(P, extent, -unit, _prices(model, -unit)))
        if lower[j] > upper[j]:  # by rounding
            lower[j], upper[j] = upper[j], lower[j]
    return lower, upper


def _total(P: Rows, model: Model, extent: Extent) -> float:
    """A bound on max Σ|xⱼ|: |xⱼ| is at most the chord between its values at the ends of its range."""
    low, high = extent.lower, extent.upper
    width = high - low
    slope = np.where(width > 0.0, (np.abs(high) - np.abs(low)) / np.where(width > 0.0, width, 1.0), 0.0)
    slope = np.where(low >= 0.0, 1.0, np.where(high <= 0.0, -1.0, np.clip(slope, -1.0, 1.0)))
    offset = np.where(low * high < 0.0, np.maximum(np.abs(low) - slope * low, np.abs(high) - slope * high), 0.0)
    most = -dual_bound(P, extent, -slope, _prices(model, -slope))
    return (most + float(offset.sum())) * (1.0 + 1e-9) + 1e-12 * float(np.abs(offset).sum())
