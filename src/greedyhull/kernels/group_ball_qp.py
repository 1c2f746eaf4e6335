"""Convex quadratics over a ball of group norms: the heart of a corrective round over a group l1 ball.

min ½(x − x₀)ᵀH(x − x₀) + cᵀ(x − x₀) over Σ over the groups of ‖x_group‖₂ ≤ radius. Accelerated projected gradient steps find
which groups are not zero. On these the norm is smooth, and Newton's method solves ∇q + λu = 0, Σ‖x_group‖ = radius for x and
the price λ of the radius, where u has the direction of each group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.kernels.anderson import Anderson
from greedyhull.types import Array, Index

RIDGE = 1e-13  # of the diagonal: what makes a semidefinite Hessian definite
RIDGES = 1e-8  # the same where rounding has left it indefinite, as where classes are all but told apart
FIRST, MOST = 10, 2000  # projected steps before Newton's method is tried, and in all
ENOUGH, STILL = 150, 0.9  # steps after which a turn must make the gap smaller by so much: rounding may be all that is left
SPLIT, LOOK, PATIENCE = 400, 5, 100  # steps by splitting, from one look at the gap to the next, and without a smaller gap
OVER = 1.6  # κ
EPS = float(np.finfo(np.float64).eps)
FLAT = 1e-3  # a curvature below this, where gradients or curvatures are of size 1, makes steps longer than the ball
INSIDE = 1.0 - 1e-9  # of the radius: with less the ball does not hold a point
NEWTON = 30  # of its steps; about six are taken
HALVED = 12  # times that a step of it is shortened


class Ball(NamedTuple):
    """Σ over the groups of ‖x_group‖₂ ≤ 1; group k has the coordinates from starts[k] on, of[j] is the group of j."""

    starts: Index
    of: Index

    def norms(self, x: Array) -> Array:
        """‖x_group‖₂ for every group."""
        return np.asarray(np.sqrt(np.add.reduceat(x * x, self.starts)))

    def nearest(self, x: Array) -> Array:
        """The point of the ball nearest to x: norms fall by one threshold, directions stay."""
        norms = self.norms(x)
        if float(norms.sum()) <= 1.0:
            return x
        down = np.sort(norms)[::-1]
        cuts = (np.cumsum(down) - 1.0) / np.arange(1, len(down) + 1)
        cut = float(cuts[int((down > cuts).nonzero()[0][-1])])
        return np.asarray(x * np.where(norms > cut, 1.0 - cut / np.where(norms > 0.0, norms, 1.0), 0.0)[self.of])

    def gap(self, grad: Array, x: Array) -> float:
        """⟨grad, x⟩ less its least value."""
        return float(grad.dot(x)) + float(self.norms(grad).max())


def solve_group_qp(H: Array, c: Array, x: Array, of: Index, radius: float, tol: float) -> Array:
    """The new x; its duality gap over the ball is at most ``tol`` unless rounding ends it first.

    ``H`` is symmetric positive semidefinite, ``c`` is the gradient at the given ``x``, which is in the ball; ``of`` has the
    group of each coordinate. The quadratic never rises.

    >>> solve_group_qp(np.eye(3), np.array([-3.0, -4.0, -1.0]), np.zeros(3), np.array([0, 0, 1]), 1.0, 1e-12)
    array([0.6, 0.8, 0. ])
    """
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
    bend, slow = max(_steepest(q.M), FLAT), False
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
        t, done = _split(q, best, tol) if slow else _projected(q, best if done else t, bend, FIRST + done), done + FIRST + done
    return best


def _split(q: _Quadratic, t: Array, tol: float) -> Array:
    """Douglas-Rachford steps T ← T + κ(W − Z), combined: Z is the point of the ball nearest to T, and W minimises q(W) + ρ/2
    ‖W − 2Z + T‖². They do not mind flat directions; ρ is as large as the gradient, so that steps are as long as the ball."""
    values, Q = np.linalg.eigh(q.M)
    grad = q.gradient(t)
    rho = float(q.ball.norms(grad).max())
    if not rho > 0.0:
        return t
    T, bends, b, anderson = t - grad / rho, np.maximum(values, 0.0) + rho, q.M @ q.at - q.c, Anderson()
    best, least, since = t, np.inf, 0
    for k in range(SPLIT):
        Z = q.ball.nearest(T)
        if k % LOOK == 0:
            gap = q.ball.gap(q.gradient(Z), Z)
            best, least, since = (Z, gap, k) if gap < STILL * least else (best, least, since)
            if not gap > tol or k - since > PATIENCE:
                break
        W = Q @ ((Q.T @ (b + rho * (2.0 * Z - T))) / bends)
        T = anderson.next(T, OVER * (W - Z))
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
    """The minimiser with those groups that are not zero at t, some of which may become so; with all where the ball does not
    hold t and ``through`` zero is wanted; None where there is none."""
    grad = q.gradient(t)
    for _ in range(NEWTON):
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
    for ridge in (RIDGE, RIDGES):
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
    """The point that the step leads to, drawn into the ball; None where q rises. If the ``held`` groups turn round, they
    become zero."""
    here = q.value(t, grad)
    for k in range(HALVED):
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
