"""Convex quadratics over boxes, balls, bounded weights with a given sum, and l1 budgets with bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array, Index

INSIDE = 0.995  # of the way to the boundary
SURE = (1.0, 1e-2, 1e-4)  # how much closer to a bound than its multiplier asks a coordinate must be to be put there


def interior_point(H: Array, c: Array, x: Array, low: Array, high: Array, tol: float) -> Array | None:
    """The minimiser to a duality gap of ``tol``; ``c`` is the gradient at ``x``. None where numbers leave their range.

    >>> interior_point(np.eye(2), np.array([-3.0, 0.5]), np.zeros(2), np.zeros(2), np.ones(2), 1e-9).round(6) + 0.0
    array([1., 0.])
    """
    wide = (low < high).nonzero()[0]
    width = (high - low)[wide]
    M, slopes, at = H[np.ix_(wide, wide)] * width[:, None] * width, width * c[wide], (x - low)[wide] / width
    if not len(wide) or not (np.isfinite(M).all() and np.isfinite(slopes).all()):
        return None
    t, u, v = central_path(M, slopes, at, tol)
    bend, gap = float(np.diagonal(M).max()), _gap(t, slopes + M.dot(t - at))
    for share in SURE:
        ends = np.where(bend * t < share * u, 0.0, np.where(bend * (1.0 - t) < share * v, 1.0, t))
        if _gap(ends, slopes + M.dot(ends - at)) <= max(gap, tol):
            t = ends
            break
    found = x.copy()
    found[wide] = np.where(t == 1.0, high[wide], np.clip(low[wide] + width * t, low[wide], high[wide]))
    return found if np.isfinite(found).all() else None


def _gap(t: Array, grad: Array) -> float:
    """The duality gap over the unit box."""
    return float(np.maximum(grad * t, grad * (t - 1.0)).sum())


def central_path(M: Array, c: Array, at: Array, tol: float, normal: Array | None = None, share: float = 0.5,
                 ) -> tuple[Array, Array, Array]:
    """t and the multipliers u, v of its two bounds, from t = ``share`` to a gap of ``tol``, and on until t is lower than
    ``at`` by as much as the gap: where ``at`` is nearly optimal, a gap that is small for a box is still large.

    With ``normal``, normal·t stays what it is at the start.
    """
    from greedyhull.kernels.lapack import dpotrf, dpotrs

    t = np.full(len(c), share)
    grad = c + M.dot(t - at)
    slope = grad if normal is None else grad - float(np.median(grad / normal)) * normal
    start = max(float(np.abs(slope).mean()), 1e-300)
    u, v = np.maximum(slope, 0.0) + start, np.maximum(-slope, 0.0) + start
    for _ in range(60):  # steps; about twenty are taken
        s = 1.0 - t
        mu = float(u.dot(t) + v.dot(s)) / (2 * len(t))
        if 2 * len(t) * mu <= min(tol, -0.5 * float((c + grad).dot(t - at))) or not (t.all() and s.all() and mu):
            break  # it is done, or a bound is nearer than a float can tell
        K = M.copy()
        K.flat[:: len(t) + 1] += u / t + v / s
        factor, info = dpotrf(K, overwrite_a=True)
        if info != 0:
            break
        equation = None if normal is None else Equation(normal, dpotrs(factor, normal)[0], share * float(normal.sum()))
        pull = grad if equation is None else grad - equation.multiplier(grad - u + v) * equation.normal
        dt = _kept(dpotrs(factor, -pull)[0], t, equation)  # the predictor: straight to a gap of zero
        du, dv = -u - u / t * dt, -v + v / s * dt
        reach = _reach((t, s, u, v), (dt, -dt, du, dv))
        left = float((u + reach * du).dot(t + reach * dt) + (v + reach * dv).dot(s - reach * dt)) / (2 * len(t))
        aim = (left / mu) ** 3 * mu
        low, high = (aim - dt * du) / t, (aim + dt * dv) / s
        dt = _kept(dpotrs(factor, low - high - pull)[0], t, equation)
        du, dv = low - u - u / t * dt, high - v + v / s * dt
        length = INSIDE * _reach((t, s, u, v), (dt, -dt, du, dv))
        if not (length > 1e-12 and np.isfinite(dt).all()):
            break
        t, u, v = t + length * dt, u + length * du, v + length * dv
        grad = c + M.dot(t - at)
    return t, u, v


class Equation(NamedTuple):
    """normal·t = total; ``across`` is the change of t that a unit of its multiplier makes."""

    normal: Array
    across: Array
    total: float

    def multiplier(self, rest: Array) -> float:
        """That of the equation, of which ``rest`` is a multiple up to rounding."""
        return float(self.normal.dot(rest)) / float(self.normal.dot(self.normal))


def _kept(dt: Array, t: Array, equation: Equation | None) -> Array:
    """dt with the multiple of ``across`` added with which t + dt satisfies the equation; twice, for rounding."""
    for _ in range(0 if equation is None else 2):
        assert equation is not None
        off = equation.total - float(equation.normal.dot(t + dt))
        dt = dt + off / float(equation.normal.dot(equation.across)) * equation.across
    return dt


def _reach(at: tuple[Array, ...], change: tuple[Array, ...]) -> float:
    """The longest step, at most about 1, that keeps all numbers at 0 or above."""
    return min(1.0 / INSIDE, *(float((x[d < 0.0] / -d[d < 0.0]).min(initial=np.inf)) for x, d in zip(at, change, strict=True)))


RIDGE = 1e-13  # of the diagonal: what makes a semidefinite Hessian definite
LENGTHS = (1.0, 0.5, 0.25, 0.0625)  # shares of a Newton step that are projected and compared
QUICK = 8  # rounds of projected Newton steps before the interior point method is asked


def solve_box_qp(H: Array, c: Array, x: Array, low: Array, high: Array, tol: float) -> Array:
    """The new x; its duality gap over the box is at most ``tol`` unless rounding ends it first.

    ``H`` is symmetric positive semidefinite, ``c`` is the gradient at the given ``x``. The quadratic never rises.

    >>> solve_box_qp(np.eye(2), np.array([-3.0, 0.5]), np.zeros(2), np.zeros(2), np.ones(2), 1e-12)
    array([1., 0.])
    """
    found = np.array(x, dtype=np.float64)
    if len(found):
        box_qp(as_given(H), as_given(c), found, as_given(low), as_given(high), tol)
    return found


def as_given(array: Array) -> Array:
    """An array as the core takes it: contiguous, in float64."""
    return np.ascontiguousarray(array, dtype=np.float64)


@compiled
def box_qp(H: Array, c: Array, x: Array, low: Array, high: Array, tol: float) -> None:
    """The same in place: ``x`` becomes the solution. The core begins with sweeps, which find most of the bounds that hold."""
    start = np.clip(x, low, high)
    c = c + H.dot(start - x)
    best, gap = _projected_newton(H, c, start, start, low, high, tol)
    if gap > tol:
        inside = interior_point(H, c + H.dot(best - start), best, low, high, tol)
        if inside is not None:
            found, left = _projected_newton(H, c, start, inside, low, high, tol)
            best = found if left < gap and _value(H, c, found - start) <= _value(H, c, best - start) + left else best
    x[:] = best if np.isfinite(best).all() and _value(H, c, best - start) <= 0.0 else start


def _value(H: Array, c: Array, move: Array) -> float:
    return float(c.dot(move) + 0.5 * move.dot(H.dot(move)))


def _projected_newton(H: Array, c: Array, start: Array, x: Array, low: Array, high: Array, tol: float) -> tuple[Array, float]:
    """The x of the least duality gap met in at most `QUICK` rounds, or until two of them in a row do not halve it, and that
    gap; 0 where rounding allows no more."""
    best, least, slow = x, np.inf, 0
    for _ in range(QUICK + 1):
        grad = c + H.dot(x - start)  # afresh: rounding does not gather
        gap = float(gap_shares(grad, x, low, high).sum())
        slow = slow + 1 if gap > 0.5 * least else 0
        best, least = (x, gap) if not gap >= least else (best, least)
        if not gap > tol or slow == 2:  # NaN, where numbers overflow, ends it too
            break
        found, whole = _newton(H, grad, x, low, high)
        if slow or not whole:
            found = _sweep(H, grad + H.dot(found - x), found, low, high)
        if np.array_equal(found, x):
            return x, 0.0
        x = found
    return best, least


def gap_shares(grad: Array, x: Array, low: Array, high: Array) -> Array:
    """What each coordinate adds to the duality gap: gradⱼ(xⱼ − bound), for the bound toward which the function falls.

    >>> gap_shares(np.array([2.0, -2.0, 2.0]), np.array([0.5, 0.5, 0.0]), np.zeros(3), np.ones(3))
    array([1., 1., 0.])
    """
    shares: Array = np.where(grad > 0.0, grad * (x - low), grad * (x - high))
    return shares


def free_coordinates(grad: Array, x: Array, low: Array, high: Array) -> Index:
    """The coordinates that are not at a bound toward which the function falls; none whose bounds are equal."""
    return (((x > low) | (grad < 0.0)) & ((x < high) | (grad > 0.0)) & (low < high)).nonzero()[0]


def _newton(H: Array, grad: Array, x: Array, low: Array, high: Array) -> tuple[Array, bool]:
    """The lowest of a few projected shares of the Newton step, and whether it is the whole step, not cut by a bound."""
    from greedyhull.kernels.lapack import dposv

    free = free_coordinates(grad, x, low, high)
    if not len(free):
        return x, True
    bends = np.diagonal(H)[free]
    scale = np.where(bends > 0.0, 1.0 / np.sqrt(np.where(bends > 0.0, bends, 1.0)), 0.0)  # equal curvature in all coordinates
    M = H[np.ix_(free, free)] * scale[:, None] * scale
    M.flat[:: len(free) + 1] = 1.0 + RIDGE
    _, change, info = dposv(M, -scale * grad[free], overwrite_a=True)
    if info != 0 or not np.isfinite(change).all():
        return x, False
    step = np.zeros_like(x)
    step[free] = np.where(bends > 0.0, scale * change, -np.sign(grad[free]) * (high - low)[free])
    found, lowest, whole = x, 0.0, False
    for share in LENGTHS:
        reached = x + share * step
        there = np.minimum(np.maximum(reached, low), high)
        move = there - x
        value = _value(H, grad, move)
        if value < lowest:
            found, lowest, whole = there, value, share == 1.0 and np.array_equal(there, reached)
        if whole:
            break
    return found, whole


def _sweep(H: Array, grad: Array, x: Array, low: Array, high: Array) -> Array:
    """x after an exact step in every free coordinate, one after the other; ``grad``, that at x, is changed in place."""
    x = x.copy()
    for j in free_coordinates(grad, x, low, high).tolist():
        slope, bend, here = float(grad[j]), float(H[j, j]), float(x[j])
        if bend > 0.0:
            there = min(max(here - slope / bend, float(low[j])), float(high[j]))
        else:
            there = here if slope == 0.0 else float(low[j] if slope > 0.0 else high[j])
        if there != here:
            grad += (there - here) * H[j]
            x[j] = there
    return x


NEAR = 1e-12  # a sum that is off by a smaller share of it is put right in one coordinate


def solve_sum_qp(H: Array, c: Array, x: Array, high: Array, tol: float) -> Array:
    """The new x; its duality gap over the set is at most ``tol`` unless rounding ends it first.

    ``H`` is symmetric positive semidefinite, ``c`` is the gradient at the given ``x``, which is in the set. The quadratic
    never rises.

    >>> solve_sum_qp(np.eye(3), np.array([-3.0, -1.0, 0.0]), np.array([0.0, 0.5, 0.5]), np.full(3, 0.8), 1e-12)
    array([0.8, 0.2, 0. ])
    """
    found = np.array(x, dtype=np.float64)
    if len(found):
        sum_qp(as_given(H), as_given(c), found, as_given(high), tol)
    return found


@compiled
def sum_qp(H: Array, c: Array, x: Array, high: Array, tol: float) -> None:
    """The same in place: ``x`` becomes the solution."""
    start, least = x.copy(), sum_gap(c, x, high)
    if not tol < least < np.inf:
        return
    slopes = c - threshold(c, high, float(x.sum()))  # the multiplier may be large compared with what it is about
    for found in _candidates(H, c, start, high, tol):
        move = found - start
        gap = sum_gap(c + H.dot(move), found, high)
        if gap < least and float(slopes.dot(move) + 0.5 * move.dot(H.dot(move))) <= 0.0:
            x[:], least = found, gap
        if least <= tol:
            break


def _candidates(H: Array, c: Array, x: Array, high: Array, tol: float) -> Iterator[Array]:
    """Points of the set, the last of them near the minimiser; those that take longer come later."""
    total = float(x.sum())
    yield from _active_set(H, c, x, high, _sides(x, c - threshold(c, high, total), H, high))
    wide = (high > 0.0).nonzero()[0]
    width = high[wide]
    share = total / float(width.sum())
    if not 0.0 < share < 1.0:
        return  # the set is a point
    M = H[np.ix_(wide, wide)] * width[:, None] * width
    t, u, v = central_path(M, width * c[wide], x[wide] / width, tol, width / float(width.max()), share)
    if not np.isfinite(t).all():
        return
    inside, bend = np.zeros_like(x), float(np.diagonal(M).max())
    inside[wide] = width * t
    yield nearest_filling(inside, high, total)
    for sure in SURE:
        sides = np.full(len(x), -1)
        sides[wide] = np.where(bend * t < sure * u, -1, np.where(bend * (1.0 - t) < sure * v, 1, 0))
        yield from _active_set(H, c, x, high, sides)


def threshold(grad: Array, high: Array, total: float) -> float:
    """The ν at which the cheapest coordinates, filled to their bounds, use up ``total``.

    >>> threshold(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 1.0]), 1.5)
    2.0
    """
    order = np.argsort(grad, kind="stable")
    place = int(np.searchsorted(np.cumsum(high[order]), total * (1.0 - NEAR)))
    return float(grad[order[min(place, len(order) - 1)]])


def sum_gap(grad: Array, x: Array, high: Array) -> float:
    """⟨grad, x⟩ less its least value over 0 ≤ · ≤ high with the sum of x.

    >>> sum_gap(np.array([3.0, 1.0]), np.array([0.5, 0.5]), np.array([1.0, 1.0]))
    1.0
    """
    shifted = grad - threshold(grad, high, float(x.sum()))
    return float(gap_shares(shifted, x, np.zeros_like(x), high).sum())


def nearest_filling(x: Array, high: Array, total: float) -> Array:
    """The point nearest to x of 0 ≤ · ≤ high with the sum ``total``; where rounding is all that is off, zeros stay zeros.

    >>> nearest_filling(np.array([2.0, 1.0, 0.0]), np.array([0.9, 1.0, 1.0]), 1.5)
    array([0.9, 0.6, 0. ])
    """
    near = np.clip(x, 0.0, high)
    off = total - float(near.sum())
    if abs(off) > NEAR * total or not np.array_equal(near, x):
        cuts = np.sort(np.concatenate([x, x - high]))  # Σ clip(x − τ) is linear in τ between these
        low, up = 0, len(cuts) - 1
        while up - low > 1:
            middle = (low + up) // 2
            low, up = (middle, up) if float(np.clip(x - cuts[middle], 0.0, high).sum()) >= total else (low, middle)
        below, above = (float(np.clip(x - cuts[i], 0.0, high).sum()) for i in (low, up))
        part = (below - total) / (below - above) if below > above else 0.0
        near = np.clip(x - (cuts[low] + part * (cuts[up] - cuts[low])), 0.0, high)
        off = total - float(near.sum())
    room = np.minimum(near, high - near)
    place = int(room.argmax())
    if abs(off) <= room[place]:
        near[place] += off
    return near


def _sides(x: Array, grad: Array, H: Array, high: Array) -> Array:
    """−1 where the lower bound should hold, 1 where the upper, 0 where neither: by where a step in each coordinate ends."""
    bend = np.diagonal(H)
    step = np.where(bend > 0.0, -grad / np.where(bend > 0.0, bend, 1.0), -np.sign(grad) * high)
    return np.where(x + step <= 0.0, -1, np.where(x + step >= high, 1, 0))


def _active_set(H: Array, c: Array, x: Array, high: Array, sides: Array) -> Iterator[Array]:
    """The minimiser over the face that ``sides`` ends at, if it settles."""
    total, bounds = float(x.sum()), np.where(sides > 0, high, 0.0)
    for _ in range(10):  # rounds of the active set method
        bounds = np.where(sides > 0, high, 0.0)
        solved = _on_face(H, c, x, bounds, (sides == 0).nonzero()[0], total)
        if solved is None:
            return
        there, nu = solved
        new = _sides(there, c + H.dot(there - x) - nu, H, high)
        settled = np.array_equal(new, sides)
        if settled or bool(((there >= 0.0) & (there <= high)).all()):
            yield nearest_filling(np.clip(there, 0.0, high), high, total)
        if settled:
            return
        sides = new


def _on_face(H: Array, c: Array, x: Array, bounds: Array, free: Array, total: float) -> tuple[Array, float] | None:
    """The minimiser over Σ = total where all but the free coordinates are at their bounds, and ν."""
    from greedyhull.kernels.lapack import dposv

    there = bounds.copy()
    there[free] = x[free]
    bends = np.diagonal(H)[free]
    if not len(free) or not (bends > 0.0).all():
        return None
    grad, scale = c[free] + H[free].dot(there - x), 1.0 / np.sqrt(bends)  # equal curvature in all coordinates
    M = H[np.ix_(free, free)] * scale[:, None] * scale
    M.flat[:: len(free) + 1] = 1.0 + RIDGE
    _, both, info = dposv(M, np.stack([-scale * grad, scale], axis=1), overwrite_a=True)
    if info != 0 or not np.isfinite(both).all():
        return None
    down, level = scale * both[:, 0], scale * both[:, 1]
    rise = float(level.sum())
    nu = (total - float(there.sum()) - float(down.sum())) / rise if rise > 0.0 else np.inf
    there[free] += down + nu * level
    return (there, nu) if np.isfinite(nu) else None


def solve_ball_qp(H: Array, c: Array, x: Array, middle: Array, radius: float, tol: float) -> tuple[Array, float]:
    """The new x and its duality gap over the ball, which is at most ``tol`` unless rounding ends it first.

    ``H`` is symmetric positive semidefinite, ``c`` is the gradient at the given ``x``. The quadratic never rises.

    >>> solve_ball_qp(np.eye(2), np.array([-3.0, -4.0]), np.zeros(2), np.zeros(2), 1.0, 1e-12)[0].round(9)
    array([0.6, 0.8])
    """
    found = np.array(x, dtype=np.float64)
    if not len(found):
        return found, 0.0
    gap = ball_qp(as_given(H), as_given(c), found, as_given(middle), radius, tol)
    return found, gap


@compiled
def ball_qp(H: Array, c: Array, x: Array, middle: Array, radius: float, tol: float) -> float:
    """The same in place: ``x`` becomes the solution. The core ends the search for λ where the gap is small enough."""
    if not radius > 0.0:
        x[:] = middle
        return 0.0
    start = into_unit_ball((x - middle) / radius)
    M, slopes = radius * H * radius, radius * (c + H.dot(middle + radius * start - x))
    size = max(float(np.abs(M).max(initial=0.0)), float(np.abs(slopes).max(initial=0.0)))
    finite = bool(np.isfinite(M).all() and np.isfinite(slopes).all())
    if not finite or size == 0.0:  # there is nothing to gain, or no telling
        x[:] = middle + radius * start
        return 0.0 if finite else np.inf
    M, slopes, tol = M / size, slopes / size, tol / size
    t, gap = start, ball_gap(slopes, start)
    ridge = max(0.125 * tol, 1e-14 * float(np.diagonal(M).max()))  # of the largest diagonal entry: what is added at least
    for _ in range(8):  # of such problems, each from the solution of the one before; mostly one is enough
        if gap <= tol:
            break
        found = _minimiser(M, slopes + M.dot(t - start), t, ridge)
        if found is None:
            ridge *= 1e3  # times as much is added where rounding has left the Hessian indefinite
            continue
        found = into_unit_ball(found)
        move = found - start
        left = ball_gap(slopes + M.dot(move), found)
        if not (left < gap and float(slopes.dot(move) + 0.5 * move.dot(M.dot(move))) <= 0.0):
            break
        t, gap = found, left
    x[:] = middle + radius * t
    return size * gap


def ball_gap(grad: Array, t: Array) -> float:
    """⟨grad, t⟩ + ‖grad‖ for t in the unit ball: ‖grad‖(‖grad/‖grad‖ + t‖² + 1 − ‖t‖²)/2, which is exact where it is small.

    >>> ball_gap(np.array([0.0, -2.0]), np.array([0.0, 0.5]))
    1.0
    """
    largest = float(np.abs(grad).max(initial=0.0))
    if not largest > 0.0:
        return 0.0 if largest == 0.0 else np.inf
    unit = grad / largest
    norm = float(np.sqrt(unit.dot(unit)))
    across = unit / norm + t
    return largest * norm * 0.5 * (float(across.dot(across)) + max(1.0 - float(t.dot(t)), 0.0))


def into_unit_ball(t: Array) -> Array:
    """t, or the nearest point of the sphere if it lies outside."""
    largest = float(np.abs(t).max(initial=0.0))
    if largest <= 1.0 and float(t.dot(t)) <= 1.0:
        return t
    scaled = t / largest
    return scaled / float(np.sqrt(scaled.dot(scaled)))


def _minimiser(M: Array, c: Array, t: Array, ridge: float) -> Array | None:
    """t + p for the p that minimises ½pᵀ(M + ridge I)p + cᵀp over ‖t + p‖ ≤ 1; None where rounding allows no factorisation."""
    from greedyhull.kernels.lapack import dpotrf, dpotrs, dtrtrs

    b = M.dot(t) + ridge * t - c
    reach, top = float(np.sqrt(b.dot(b))), float(np.abs(M).sum(axis=0).max()) + ridge
    low, high = max(reach - top, 0.0), reach
    lam = low
    y: Array | None = None
    for _ in range(40):  # factorisations in a round; mostly three to six are made
        K = M.copy()
        K.flat[:: len(c) + 1] += ridge + lam
        factor, info = dpotrf(K, lower=True, overwrite_a=True)
        if info != 0:
            return y
        y = t + dpotrs(factor, -(c + lam * t), lower=True)[0]
        norm = float(np.sqrt(y.dot(y)))
        if not np.isfinite(norm):
            return None
        if abs(norm - 1.0) <= 1e-13 or (norm < 1.0 and lam == 0.0):  # so near to the sphere counts as on it
            return y
        low, high = (lam, high) if norm > 1.0 else (low, lam)
        z = dtrtrs(factor, y, lower=True)[0]
        lam += norm * norm / float(z.dot(z)) * (norm - 1.0)
        if not low < lam < high:
            lam = 0.5 * (low + high)
        if lam in (low, high):  # no number lies between
            return y
    return y


FULL = 1e-12  # a budget of which a smaller share is left is used up


def solve_l1_box_qp(H: Array, c: Array, y: Array, bound: float, budget: float, tol: float) -> Array:
    """The new y; its duality gap over the set is at most ``tol`` unless rounding ends it first.

    ``H`` is symmetric positive semidefinite, ``c`` is the gradient at the given ``y``, which is in the set. The quadratic
    never rises.

    >>> solve_l1_box_qp(np.eye(3), np.array([-3.0, 1.0, 0.1]), np.zeros(3), 1.0, 1.5, 1e-12)
    array([ 1. , -0.5,  0. ])
    """
    best, least, lowest = y, l1_box_gap(c, y, bound, budget), 0.0
    x = y
    for _ in range(20):  # sets of signs, at most; each lowers the quadratic
        if not tol < least < np.inf:
            break
        grad = c + H.dot(x - y)
        # a coordinate that is a smaller share of the bound, and would rather have the other sign, is put to zero
        turning = (np.abs(x) <= 1e-6 * bound) & (x * grad > 0.0)
        if turning.any():  # an interior point method leaves them beside zero, where no sign changes
            x = np.where(turning, 0.0, x)
            grad = c + H.dot(x - y)
        x = _with_signs(H, grad, x, bound, budget, 0.5 * tol)
        move = x - y
        rise = H.dot(move)
        gap, value = l1_box_gap(c + rise, x, bound, budget), float(c.dot(move) + 0.5 * move.dot(rise))
        if not value < lowest and not gap < least:
            break
        best, least, lowest = x, gap, min(value, lowest)
    return best


def _with_signs(H: Array, grad: Array, x: Array, bound: float, budget: float, tol: float) -> Array:
    """The minimiser among the points with the signs of x; where x is zero, with those toward which the quadratic falls."""
    signs = np.where((x > 0.0) | ((x == 0.0) & (grad < 0.0)), 1.0, -1.0)
    z, slopes, high = np.abs(x), signs * grad, np.full(len(x), bound)
    M = H * signs[:, None] * signs
    if float(z.sum()) >= budget * (1.0 - FULL):
        on_budget = solve_sum_qp(M, slopes, z, high, tol)
        if threshold(slopes + M.dot(on_budget - z), high, budget) <= 0.0:  # one unit more of it would lower the quadratic
            return signs * on_budget + 0.0  # not −0.0
    there = solve_box_qp(M, slopes, z, np.zeros(len(x)), high, tol)
    if float(there.sum()) <= budget:
        return signs * there + 0.0
    used = float(z.sum())
    share = min(max((budget - used) / (float(there.sum()) - used), 0.0), 1.0)
    begin = nearest_filling(z + share * (there - z), high, budget)
    return signs * solve_sum_qp(M, slopes + M.dot(begin - z), begin, high, tol) + 0.0


def l1_box_gap(grad: Array, y: Array, bound: float, budget: float) -> float:
    """⟨grad, y⟩ less its least value over |·| ≤ bound, ‖·‖₁ ≤ budget.

    >>> l1_box_gap(np.array([3.0, -1.0, 0.5]), np.zeros(3), 1.0, 1.5)
    3.5
    """
    price = l1_price(grad, bound, budget)
    shares = grad * y + price * np.abs(y) + bound * np.maximum(np.abs(grad) - price, 0.0)
    return float(shares.sum()) + price * max(budget - float(np.abs(y).sum()), 0.0)


def l1_price(grad: Array, bound: float, budget: float) -> float:
    """What one more unit of the budget is worth to ⟨grad, ·⟩: the |grad| at which the largest ones use it up.

    >>> l1_price(np.array([3.0, -1.0, 0.5]), 1.0, 1.5)
    1.0
    """
    k = int(np.floor(budget / bound * (1.0 - FULL)))  # so many are filled to the bound, and the next one in part
    return float(np.partition(np.abs(grad), len(grad) - 1 - k)[len(grad) - 1 - k]) if k < len(grad) else 0.0


def nearest_sparse(x: Array, bound: float, budget: float) -> Array:
    """The point nearest to x of |·| ≤ bound, ‖·‖₁ ≤ budget.

    >>> nearest_sparse(np.array([2.0, -1.0, 0.1]), 1.0, 1.5)
    array([ 1. , -0.5,  0. ])
    """
    sizes = np.abs(x)
    near = np.minimum(sizes, bound)
    if float(near.sum()) > budget:
        near = nearest_filling(sizes, np.full(len(x), bound), budget)
    return np.where(x < 0.0, -near, near)
