"""Convex quadratics over group balls and over weights with caps on groups."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from greedyhull.kernels._core import grouped_levels, grouped_nearest, grouped_qp
from greedyhull.kernels.bounded_qp import as_given
from greedyhull.kernels.matrix_models import Anderson
from greedyhull.types import Array, Index


def levels(grad: Array, high: Array, of: Index, room: Array, total: float) -> tuple[float, Array]:
    """Return the multiplier ν of the sum, and the gradient up to which coordinates of each group are filled, at most ν.

    >>> levels(np.array([3.0, 1.0, 2.0]), np.ones(3), np.array([0, 1, 1]), np.full(2, 1.5), 2.0)
    (3.0, array([3., 2.]))
    """
    level = np.empty(len(room))
    return grouped_levels(as_given(grad), as_given(high), of, as_given(room), total, level), level


def grouped_gap(grad: Array, x: Array, high: Array, of: Index, room: Array) -> float:
    """⟨grad, x⟩ less its least value over the set with the sum of x."""
    nu, level = levels(grad, high, of, room, float(x.sum()))
    r = grad - level[of]
    return float(np.maximum(r * x, r * (x - high)).sum() + (nu - level).dot(room - np.bincount(of, x, len(room))))


def nearest_grouped(x: Array, high: Array, of: Index, room: Array, total: float) -> Array:
    """The point of the set nearest to x; where rounding is all that is off, zeros stay zeros."""
    near = np.array(x, dtype=np.float64)
    grouped_nearest(near, as_given(high), of, as_given(room), total)
    return near


def solve_grouped_qp(H: Array, c: Array, x: Array, high: Array, of: Index, room: Array, tol: float) -> Array:
    """Minimise the quadratic over 0 ≤ x ≤ high with the sum of x and sums over groups of at most room, as `bounded_qp`."""
    found = np.array(x, dtype=np.float64)
    if len(found):
        grouped_qp(as_given(H), as_given(c), found, as_given(high), of, as_given(room), tol)
    return found


EARLY, MOST = 10, 2000  # projected steps before Newton's method is tried, and in all
ENOUGH, STILL = 150, 0.9  # steps after which a turn must make the gap smaller by so much: rounding may be all that is left
EPS = float(np.finfo(np.float64).eps)
INSIDE = 1.0 - 1e-9  # of the radius: with less the ball does not hold a point


def threshold(sizes: Array, radius: float) -> float:
    """τ ≥ 0 with Σ max(sizesᵢ − τ, 0) ≤ radius, the least one."""
    if float(sizes.sum()) <= radius:
        return 0.0
    ordered = np.sort(sizes)[::-1]
    cut = (np.cumsum(ordered) - radius) / np.arange(1, len(ordered) + 1)
    return float(cut[np.flatnonzero(ordered >= cut)[-1]])  # the first is, even where the radius drowns in rounding


def nearest_by_norms(x: Array, norms: Array, of: Index, radius: float) -> Array:
    """The point nearest to x whose groups' norms sum to at most radius: they fall by one threshold, directions stay."""
    cut = threshold(norms, radius)
    if cut == 0.0:
        return x
    return np.asarray(x * np.where(norms > cut, 1.0 - cut / np.where(norms > 0.0, norms, 1.0), 0.0)[of])


class Ball(NamedTuple):
    """Σ over the groups of ‖x_group‖₂ ≤ 1; group k has the coordinates from starts[k] on, of[j] is the group of j."""

    starts: Index
    of: Index

    def norms(self, x: Array) -> Array:
        """‖x_group‖₂ for every group."""
        return np.asarray(np.sqrt(np.add.reduceat(x * x, self.starts)))

    def nearest(self, x: Array) -> Array:
        return nearest_by_norms(x, self.norms(x), self.of, 1.0)

    def gap(self, grad: Array, x: Array) -> float:
        """⟨grad, x⟩ less its least value."""
        return float(grad.dot(x)) + float(self.norms(grad).max())


def solve_group_qp(H: Array, c: Array, x: Array, of: Index, radius: float, tol: float) -> Array:
    """Minimise the quadratic over Σ ‖x_group‖₂ ≤ radius, as `bounded_qp`; ``of`` has the group of each coordinate."""
    order = np.argsort(of, kind="stable")
    ranks = of[order]
    starts = np.append(0, (ranks[1:] != ranks[:-1]).nonzero()[0] + 1)
    ball = Ball(starts, np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(of)))))
    M, slopes, at = H[np.ix_(order, order)] * radius * radius, c[order] * radius, x[order] / radius
    size = max(float(np.abs(slopes).max(initial=0.0)), float(np.abs(np.diagonal(M)).max(initial=0.0)))
    found = x.astype(np.float64)
    if not 0.0 < size < np.inf:
        return found
    t = _solved(_Quadratic(M / size, slopes / size, at, ball), tol / size)
    found[order] = radius * t
    return found


class _Quadratic(NamedTuple):
    """½(t − at)ᵀM(t − at) + cᵀ(t − at) over the ball."""

    M: Array
    c: Array
    at: Array
    ball: Ball

    def gradient(self, t: Array) -> Array:
        return np.asarray(self.c + self.M.dot(t - self.at))

    def blur(self, t: Array) -> float:
        """About what rounding t to numbers changes in the gap."""
        return EPS * float(self.ball.norms(np.abs(self.M).dot(np.abs(t))).max())

    def value(self, t: Array, grad: Array) -> float:
        return 0.5 * float((self.c + grad).dot(t - self.at))


def _solved(q: _Quadratic, tol: float) -> Array:
    """The best of what Newton's method and projected steps find, in turns; by splitting, where these bring little."""
    t, best, least, done = q.at, q.at, q.ball.gap(q.c, q.at), 0
    # a curvature below this, where gradients or curvatures are of size 1, makes steps longer than the ball
    bend, slow = max(_steepest(q.M), 1e-3), False
    while done < MOST and least > tol:
        before = least
        for trial in (_newton(q, t, tol, done >= ENOUGH), t):
            if trial is None:
                continue
            grad = q.gradient(trial)
            gap = q.ball.gap(grad, trial)
            if gap < least and q.value(trial, grad) <= 0.0:
                best, least = trial, gap
        if least <= max(tol, q.blur(best)) or (slow and least > STILL * before):
            break
        slow = done >= ENOUGH and least > STILL * before
        t, done = _split(q, best, tol) if slow else _projected(q, best if done else t, bend, EARLY + done), done + EARLY + done
    return best


def _split(q: _Quadratic, t: Array, tol: float) -> Array:
    """Douglas-Rachford steps T ← T + κ(W − Z), Z the projection of T, W the minimiser of q(W) + ρ/2 ‖W − 2Z + T‖²."""
    values, Q = np.linalg.eigh(q.M)
    grad = q.gradient(t)
    rho = float(q.ball.norms(grad).max())
    if not rho > 0.0:
        return t
    T, bends, b, anderson = t - grad / rho, np.maximum(values, 0.0) + rho, q.M @ q.at - q.c, Anderson()
    best, least, since = t, np.inf, 0
    for k in range(400):
        Z = q.ball.nearest(T)
        if k % 5 == 0:  # steps from one gap evaluation to the next
            gap = q.ball.gap(q.gradient(Z), Z)
            best, least, since = (Z, gap, k) if gap < STILL * least else (best, least, since)
            if not gap > tol or k - since > 100:  # steps without a smaller gap
                break
        W = Q @ ((Q.T @ (b + rho * (2.0 * Z - T))) / bends)
        T = anderson.next(T, 1.6 * (W - Z))  # κ
    return best


def _steepest(M: Array) -> float:
    """A bound on the largest eigenvalue, from norms."""
    return min(float(np.abs(M).sum(axis=1).max()), float(np.sqrt((M * M).sum())))


def _projected(q: _Quadratic, t: Array, bend: float, steps: int) -> Array:
    """Accelerated projected gradient steps, begun anew where one rises."""
    ahead, pace = t, 1.0
    for _ in range(steps):
        new = q.ball.nearest(ahead - q.gradient(ahead) / bend)
        if float((ahead - new).dot(new - t)) > 0.0:
            pace = 1.0
        faster = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * pace * pace))
        ahead, t, pace = new + (pace - 1.0) / faster * (new - t), new, faster
    return t


def _newton(q: _Quadratic, t: Array, tol: float, through: bool) -> Array | None:
    """The minimiser with the groups that are not zero at t, or with all if t is well inside and ``through``; None if none."""
    grad = q.gradient(t)
    for _ in range(30):  # of its steps; about six are taken
        norms = q.ball.norms(t)
        full = float(norms.sum()) >= INSIDE
        whole = through and not full  # well inside, the ball holds no group at zero
        on = (norms > 0.0) | whole
        if not on.any():
            return None
        moved = _step(q, t, grad, norms, on[q.ball.of].nonzero()[0])
        if moved is None:
            return t
        new = _followed(q, t, grad, moved, not whole)
        if new is None:
            return t
        t = new
        grad = q.gradient(t)
        own, all_ = q.ball.norms(grad), q.ball.norms(t) > 0.0
        if float(grad.dot(t)) + float(own[all_].max(initial=0.0)) <= 0.1 * tol:
            return t
    return t


def _step(q: _Quadratic, t: Array, grad: Array, norms: Array, free: Index) -> Array | None:
    """Newton's step for t and λ on the coordinates ``free``, whose groups are not zero where the ball holds t."""
    from greedyhull.kernels.lapack import dposv

    of = q.ball.of[free]
    full = float(norms.sum()) >= INSIDE
    u = t[free] / norms[of] if full else np.zeros(len(free))
    price = max(-float(grad[free].dot(t[free])) / float(norms.sum()), 0.0) if full else 0.0
    K = q.M[np.ix_(free, free)]
    if price > 0.0:
        same = of[:, None] == of
        K = K - np.where(same, (price * u / norms[of])[:, None] * u, 0.0)
        K.flat[:: len(free) + 1] += price / norms[of]
    right, largest = np.stack([-grad[free], u], axis=1), float(np.diagonal(K).max())
    # the same where rounding has left it indefinite, as where classes are all but told apart
    for ridge in (1e-13, 1e-8):  # of the diagonal: what makes a semidefinite Hessian definite
        K.flat[:: len(free) + 1] += ridge * largest
        _, both, info = dposv(K, right)
        if info == 0:
            break
    if info != 0 or not np.isfinite(both).all():
        return None
    down, across = both[:, 0], both[:, 1]
    step = np.zeros_like(t)
    step[free] = down
    rise = float(u.dot(across))
    if full and rise > 0.0:
        change = (1.0 - float(norms.sum()) - float(u.dot(down))) / rise
        if change < 0.0:  # it is −λ: the ball holds t back
            step[free] = down + change * across
    return step


def _followed(q: _Quadratic, t: Array, grad: Array, step: Array, held: bool) -> Array | None:
    """The end of the step, drawn into the ball; ``held`` groups that turn round become zero. None where q rises."""
    here = q.value(t, grad)
    for k in range(12):  # times that a step of it is shortened
        new = t + 0.5**k * step
        if held:
            turned = np.add.reduceat(new * t, q.ball.starts) <= 0.0
            new = np.where(turned[q.ball.of], 0.0, new)
        norm = float(q.ball.norms(new).sum())
        if norm > 1.0:
            new = new / norm
        there = q.value(new, q.gradient(new))
        if there < here:
            return new
    return None


LATENT_NORM_RIDGE = 1e-15  # groups may be alike, which leaves the split between them open


class Latent(NamedTuple):
    """``lower`` ≤ Ω(x) ≤ ``upper``, and the split of x that proves the upper bound, group after group."""

    lower: float
    upper: float
    split: Array


def latent_norm(x: Array, places: Index, starts: Index, limit: float = np.inf) -> Latent:
    """Bounds of the norm of x, with groups ``places[starts[k]:starts[k + 1]]``, until both lie on one side of ``limit``."""
    size = float(np.abs(x).max(initial=0.0))
    if size == 0.0:
        return Latent(0.0, 0.0, np.zeros(len(places)))
    y = x / size
    small = np.abs(y) <= 1e-18  # entries below this share of the largest one are left out; the upper bound counts them
    of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    used = np.flatnonzero(~small[places])
    groups, column = np.unique(of[used], return_inverse=True)
    kept, row = np.unique(places[used], return_inverse=True)
    from scipy.sparse import csr_array

    B = csr_array((np.ones(len(used)), (row, column)), shape=(len(kept), len(groups)))
    lower, eta = _search(y[kept] ** 2, B, limit / size)
    split = np.zeros(len(places))  # v_kj = y_j η_k/t_j; what was left out goes to the last group of its coordinate
    split[used] = y[places[used]] * (eta[column] / (B @ eta)[row])
    last = np.zeros(len(y), dtype=np.intp)
    last[places] = np.arange(len(places))
    split[last[small]] = y[small]
    norms = np.sqrt(np.add.reduceat(split * split, starts[:-1]))
    return Latent(size * lower, size * float(norms.sum()), size * split)


def _search(s: Array, B: Any, limit: float) -> tuple[float, Array]:
    """The best lower bound and the η of the best upper one, for squares ``s`` and the groups of each coordinate ``B``."""
    Bt = B.T.tocsr()
    eta = np.sqrt(Bt @ (s / (B @ np.ones(B.shape[1])) ** 2))  # entries shared out evenly
    z: Array | None = None
    best, lower, found = np.inf, 0.0, eta
    for _ in range(60):  # about 15 are needed
        t = B @ eta
        q = s / t
        norms = Bt @ (q / t)
        total = float(q.sum())
        upper, lower = float(np.sqrt(total * eta.sum())), max(lower, total / float(np.sqrt(norms.max())))
        if upper < best:
            best, found = upper, eta
        # the bounds need not be nearer to each other, relative to the norm
        if best - lower <= 1e-13 * best or best <= limit < np.inf or limit < lower:
            break
        slope = 1.0 - norms
        z = np.maximum(slope, 0.1) if z is None else z
        aim = 0.1 * float(eta @ z) / len(eta)
        change = eta * _latent_norm_solved(B, eta, 2.0 * q / t**2, z * eta, aim - slope * eta)
        if not np.isfinite(change).all():
            break
        turn = aim / eta - z - (z / eta) * change
        eta = eta + _latent_norm_step(s, B, eta, change, aim, float((slope - aim / eta) @ change)) * change
        z = z + _room(z, turn) * turn
    return lower, found


def _latent_norm_solved(B: Any, eta: Array, bend: Array, more: Array, right: Array) -> Array:
    """(diag(η) Bᵀ diag(bend) B diag(η) + diag(more))⁻¹ right: steps relative to η, so that scales do not matter."""
    if len(eta) <= 200:  # with more groups, equations are sparse
        E = B.toarray() * eta
        H = (E * bend[:, None]).T @ E
        H.flat[:: len(eta) + 1] += more + LATENT_NORM_RIDGE * H.diagonal() + 1e-200
        return np.linalg.solve(H, right)
    from scipy.sparse import diags_array

    from greedyhull.kernels.lapack import splu

    scaled = B @ diags_array(eta)
    matrix = scaled.T @ (diags_array(bend) @ scaled)
    return np.asarray(splu((matrix + diags_array(more + LATENT_NORM_RIDGE * matrix.diagonal() + 1e-200)).tocsc()).solve(right))


def _room(v: Array, change: Array) -> float:
    """How far v may go and stay positive, at most 1."""
    falling = change < 0.0
    return min(1.0, 0.995 * float((v[falling] / -change[falling]).min(initial=np.inf)))


def _latent_norm_step(s: Array, B: Any, eta: Array, change: Array, aim: float, slope: float) -> float:
    """A step along which the barrier function falls."""

    def barrier(e: Array) -> float:
        return float((s / (B @ e)).sum() + e.sum() - aim * np.log(e).sum())

    step, here = _room(eta, change), barrier(eta)
    while step > 1e-6 and barrier(eta + step * change) > here + 1e-4 * step * slope + 1e-14 * abs(here):
        step *= 0.5
    return step
