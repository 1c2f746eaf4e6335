"""Convex quadratics over a ball of group norms: the heart of a corrective round over a group l1 ball.

min ½(x − x₀)ᵀH(x − x₀) + cᵀ(x − x₀) over Σ over the groups of ‖x_group‖₂ ≤ radius. Accelerated projected gradient steps find
which groups are not zero. On these the norm is smooth, and Newton's method solves ∇q + λu = 0, Σ‖x_group‖ = radius for x and
the price λ of the radius, where u has the direction of each group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.types import Array, Index

RIDGE = 1e-13  # of the diagonal: what makes a semidefinite Hessian definite
FIRST, MOST = 10, 2000  # projected steps before Newton's method is tried, and in all
FLAT = 1e-3  # a curvature below this, where gradients or curvatures are of size 1, makes steps longer than the ball
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

    def value(self, t: Array, grad: Array) -> float:
        return 0.5 * float((self.c + grad).dot(t - self.at))


def _solved(q: _Quadratic, tol: float) -> Array:
    """The best of what Newton's method and projected steps find, in turns."""
    t, best, least, done = q.at, q.at, q.ball.gap(q.c, q.at), 0
    bend = max(_steepest(q.M), FLAT)
    while done < MOST and least > tol:
        found = _newton(q, t, tol)
        for trial in (found, t):
            if trial is None:
                continue
            grad = q.gradient(trial)
            gap = q.ball.gap(grad, trial)
            if gap < least and q.value(trial, grad) <= 0.0:
                best, least = trial, gap
        if least <= tol:
            break
        t, done = _projected(q, best if done else t, bend, FIRST + done), done + FIRST + done
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


def _newton(q: _Quadratic, t: Array, tol: float) -> Array | None:
    """The minimiser with those groups that are not zero at t, some of which may become so; None where there is none."""
    grad = q.gradient(t)
    for _ in range(NEWTON):
        norms = q.ball.norms(t)
        on = norms > 0.0
        if not on.any():
            return None
        moved = _step(q, t, grad, norms, on[q.ball.of].nonzero()[0])
        if moved is None:
            return t
        new = _followed(q, t, grad, moved)
        if new is None:
            return t
        t = new
        grad = q.gradient(t)
        own, all_ = q.ball.norms(grad), q.ball.norms(t) > 0.0
        if float(grad.dot(t)) + float(own[all_].max(initial=0.0)) <= 0.1 * tol:
            return t
    return t


def _step(q: _Quadratic, t: Array, grad: Array, norms: Array, free: Index) -> Array | None:
    """Newton's step for t and λ on the coordinates ``free``, whose groups are not zero."""
    from scipy.linalg.lapack import dposv

    of = q.ball.of[free]
    u = t[free] / norms[of]
    full = float(norms.sum()) >= 1.0 - 1e-9
    price = max(-float(grad[free].dot(t[free])) / float(norms.sum()), 0.0) if full else 0.0
    K = q.M[np.ix_(free, free)]
    if price > 0.0:
        same = of[:, None] == of
        K = K - np.where(same, (price * u / norms[of])[:, None] * u, 0.0)
        K.flat[:: len(free) + 1] += price / norms[of]
    K.flat[:: len(free) + 1] += RIDGE * float(np.diagonal(K).max())
    _, both, info = dposv(K, np.stack([-grad[free], u], axis=1), overwrite_a=True)
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


def _followed(q: _Quadratic, t: Array, grad: Array, step: Array) -> Array | None:
    """The point that the step leads to, drawn into the ball, its groups that turn round set to zero; None where q rises."""
    here = q.value(t, grad)
    for k in range(HALVED):
        new = t + 0.5**k * step
        turned = np.add.reduceat(new * t, q.ball.starts) <= 0.0
        new = np.where(turned[q.ball.of], 0.0, new)
        norm = float(q.ball.norms(new).sum())
        if norm > 1.0:
            new = new / norm
        there = q.value(new, q.gradient(new))
        if there < here:
            return new
    return None
