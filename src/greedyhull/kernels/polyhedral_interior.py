"""Convex quadratics over bounds and rows by an interior point method, and its linear systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from greedyhull.kernels._core import rows_path
from greedyhull.types import Array, Index

RIDGE = 1e-13  # of the diagonal: what makes a singular system regular


class Factored(NamedTuple):
    """diag(D) + FᵀF."""

    D: Array
    F: Array

    def dot(self, x: Array) -> Array:
        return np.asarray(self.D * x + self.F.T.dot(self.F.dot(x)) if len(self.F) else self.D * x)

    def diagonal(self) -> Array:
        return np.asarray(self.D + np.einsum("ij,ij->j", self.F, self.F))

    def take(self, index: Index) -> Factored:
        return Factored(self.D[index], self.F[:, index])

    def square(self, index: Index) -> Array:
        """The matrix on some coordinates."""
        F = self.F[:, index]
        H = F.T.dot(F)
        H.flat[:: len(index) + 1] += self.D[index]
        return np.asarray(H)


Hessian = Array | Factored  # of a quadratic


def square_of(H: Hessian, index: Index) -> Array:
    """H on some coordinates, as a matrix that may be changed."""
    return H.square(index) if isinstance(H, Factored) else H[np.ix_(index, index)]


def rank_of(H: Hessian) -> int:
    """How many dimensions H bends in, at most."""
    return int(np.count_nonzero(H.D)) + len(H.F) if isinstance(H, Factored) else len(H)


def part_of(H: Hessian, index: Index) -> Hessian:
    """H on some coordinates; the same one where these are all."""
    if len(index) == len(H.diagonal()):
        return H
    return H.take(index) if isinstance(H, Factored) else H[np.ix_(index, index)]


Solve = Callable[[Array, Array, Array, Array], tuple[Array, Array, Array]]  # dx, dy, dv for the right-hand sides of x, a, e, g


def system_of(H: Hessian, G: Any, E: Any, theta: Array) -> Solve | None:
    """The factorised system (H + θ)dx − Eᵀdy − Gᵀdv = x, E dx = e, θ'(G dx − g) + dv = a; None where it is singular."""
    return _by_rows(H, G, E, theta) if isinstance(H, Factored) else _by_coordinates(H, G, E, theta)


def _by_coordinates(H: Array, G: Any, E: Any, theta: Array) -> Solve | None:
    """By the factor of H + diag(θ) + Gᵀdiag(θ')G, and that of E times its inverse times Eᵀ."""
    from greedyhull.kernels.lapack import dpotrf, dpotrs, dtrtrs

    n, rows = len(H), bool(E.shape[0])
    stiff = theta[n:]
    K = H.copy()
    if len(stiff):
        K += _gram(G.T, stiff)
    K.flat[:: n + 1] += theta[:n]
    K.flat[:: n + 1] *= 1.0 + RIDGE
    factor, info = dpotrf(K.T, overwrite_a=True, clean=False)  # it is symmetric, and in LAPACK's order so
    if info != 0:
        return None
    if rows:
        half = dtrtrs(factor, _array(E.T), trans=1)[0]
        S = half.T.dot(half)
        S.flat[:: len(S) + 1] *= 1.0 + RIDGE
        schur, info = dpotrf(S.T, clean=False)
        if info != 0:
            return None

    def solved(x: Array, a: Array, e: Array, g: Array) -> tuple[Array, Array, Array]:
        pull = x + G.T.dot(a + stiff * g) if len(g) else x
        dx, dy = dpotrs(factor, pull)[0], e
        if rows:
            dy = dpotrs(schur, e - E.dot(dx))[0]
            dx = dpotrs(factor, pull + E.T.dot(dy))[0]
        return dx, dy, a - stiff * (G.dot(dx) - g)

    def twice(x: Array, a: Array, e: Array, g: Array) -> tuple[Array, Array, Array]:
        """θ' may be huge, and what rounding leaves of dv is corrected by a much smaller one."""
        dx, dy, dv = solved(x, a, e, g)
        more = solved(x - H.dot(dx) - theta[:n] * dx + G.T.dot(dv) + E.T.dot(dy), a - stiff * (G.dot(dx) - g) - dv,
                      e - E.dot(dx), np.zeros(len(dv)))
        return dx + more[0], dy + more[1], dv + more[2]

    return twice if len(stiff) else solved


def _by_rows(H: Factored, G: Any, E: Any, theta: Array) -> Solve | None:
    """By the factor of B(D + θ)⁻¹Bᵀ + diag(1, 1, 0) where B has the rows of F, √θ'·G and E."""
    from greedyhull.kernels.lapack import dpotrf, dpotrs

    n, r = len(H.D), len(H.F)
    g = r + G.shape[0]
    K = (H.D + theta[:n]) * (1.0 + RIDGE)
    if not float(K.min()) > 0.0:
        return None
    scale = np.sqrt(theta[n:])
    A = _stacked(_scaled_rows(G, scale), E)
    S = np.empty((r + A.shape[0],) * 2)
    if r:
        across = H.F / K
        S[:r, :r], S[r:, :r] = across.dot(H.F.T), A.dot(across.T)
        S[:r, r:] = S[r:, :r].T
    S[r:, r:] = _gram(A, 1.0 / K)
    S.flat[: g * (len(S) + 1) : len(S) + 1] += 1.0
    S.flat[:: len(S) + 1] *= 1.0 + RIDGE
    factor, info = dpotrf(S.T, overwrite_a=True, clean=False)

    def solved(x: Array, a: Array, e: Array, missed: Array) -> tuple[Array, Array, Array]:
        dx = x / K
        q = -np.concatenate([H.F.dot(dx), A.dot(dx)])
        q[r:g] += scale * missed + a / np.maximum(scale, 1e-150)
        q[g:] += e
        if len(q):  # neither factors nor rows: D is all there is
            q = dpotrs(factor, q)[0]
        back = A.T.dot(q[r:])
        if r:
            back = back + H.F.T.dot(q[:r])
        return (x + back) / K, q[g:], scale * q[r:g]

    return solved if info == 0 else None


def _gram(B: Any, weights: Array) -> Array:
    """B diag(weights) Bᵀ as an array."""
    if isinstance(B, np.ndarray):
        return np.asarray((B * weights).dot(B.T))
    from scipy.sparse import diags_array

    return np.asarray((B @ diags_array(weights) @ B.T).toarray())


def _scaled_rows(G: Any, scale: Array) -> Any:
    if isinstance(G, np.ndarray):
        return G * scale[:, None]
    from scipy.sparse import diags_array

    return (diags_array(scale) @ G).tocsr() if G.shape[0] else G


def _stacked(G: Any, E: Any) -> Any:
    if isinstance(G, np.ndarray):
        return np.concatenate([G, E])
    from scipy.sparse import vstack

    return vstack([G, E], format="csr")


def _array(A: Any) -> Array:
    return A if isinstance(A, np.ndarray) else A.toarray()


INSIDE = 0.9995  # of the way to the boundary
INWARD = 0.2  # of the width: how far from its ends a number begins
ON = 1e-13  # of a row's size: how well it is kept at the end
SPARSE, LARGE = 0.1, 20_000  # rows with fewer entries than this share, of so many, are kept as a sparse matrix


class Path(NamedTuple):
    """A point, its row prices, and the multipliers of the lower and upper ends of coordinates, then of rows."""

    x: Array
    y: Array
    lower: Array
    upper: Array
    below: Array
    above: Array


def interior_rows(H: Hessian, c: Array, x: Array, low: Array, high: Array, A: Array, l: Array, u: Array, tol: float,
                  ) -> Path | None:
    """The minimiser to a complementarity gap of about ``tol``; None where numbers leave their range."""
    with np.errstate(all="ignore"):
        start = c - H.dot(x)
    if not (np.isfinite(H.diagonal()).all() and np.isfinite(start).all()):
        return None
    low, high, forced = _forced(low, high, A, l, u)
    l, u = np.where(forced, -np.inf, l), np.where(forced, np.inf, u)
    equal, wide = (l == u), (low < high).nonzero()[0]
    m = int((~equal).sum())
    fixed = low.copy()
    fixed[wide] = 0.0
    base = A.dot(fixed)
    problem = CentralPath(part_of(H, wide), (start + H.dot(fixed))[wide], *_split(A, ~equal, wide), u[equal] - base[equal],
                       np.concatenate([low[wide], (l - base)[~equal]]), np.concatenate([high[wide], (u - base)[~equal]]))
    with np.errstate(all="ignore"):  # ends that are infinitely far
        found = _followed(problem, x[wide], tol) if len(wide) else None
    if found is None:
        return None
    t, y_equal, v, z_low, z_high = found
    n = len(wide)
    there = fixed.copy()
    there[wide] = np.clip(t[:n], low[wide], high[wide])
    y = np.zeros(len(l))
    y[equal], y[~equal] = y_equal, v
    lower, upper, below, above = np.zeros(len(x)), np.zeros(len(x)), np.zeros(len(l)), np.zeros(len(l))
    lower[wide], upper[wide] = z_low[:n], z_high[:n]
    below[~equal], above[~equal] = z_low[n : n + m], z_high[n : n + m]
    return Path(there, y, lower, upper, below, above)


def _split(A: Array, free: Array, wide: Array) -> tuple[Any, Any]:
    """The rows that are no equations, and those that are; sparse where that saves work."""
    A = A if len(wide) == A.shape[1] else A[:, wide]
    G, E = A[free], A[~free]
    if A.size < LARGE or np.count_nonzero(A) > SPARSE * A.size:
        return G, E
    from scipy.sparse import csr_array

    return csr_array(G), csr_array(E)


def _forced(low: Array, high: Array, A: Array, l: Array, u: Array) -> tuple[Array, Array, Array]:
    """Bounds with those coordinates fixed that a row leaves no choice, and which rows do so: there nothing is between."""
    ends = np.clip(low, -1e300, None), np.clip(high, None, 1e300)
    up, down = np.maximum(A, 0.0), np.minimum(A, 0.0)
    least, most = up.dot(ends[0]) + down.dot(ends[1]), up.dot(ends[1]) + down.dot(ends[0])
    # of a row's size: what is less than this above its least activity leaves no choice
    near = 1e-14 * np.maximum((up - down).dot(np.maximum(size_of(low), size_of(high))), 1e-300)
    for i in ((least >= u - near) | (most <= l + near)).nonzero()[0].tolist():
        at_low = (A[i] > 0.0) == (least[i] >= u[i] - near[i])
        end = np.where(at_low, low, high)
        low, high = np.where(A[i] != 0.0, end, low), np.where(A[i] != 0.0, end, high)
    return low, high, (least >= u - near) | (most <= l + near)


@dataclass
class CentralPath:
    """½xᵀHx + cᵀx with Ex = e and low ≤ t ≤ high, t = (x, a) with a = Gx, by Mehrotra's predictor and corrector.

    A derived class may have other numbers t, of which x and a are functions, and other linear systems.
    """

    H: Hessian
    c: Array
    G: Any
    E: Any
    e: Array
    low: Array
    high: Array
    settled: ClassVar[float] = 1e-9  # of its first size: how small the gradient of the Lagrangian is at the end
    finest: ClassVar[float] = 1e-6  # of the tolerance: where rounding keeps rows from being met, more steps do not help
    patience: ClassVar[int] = 4  # steps in turn that may satisfy the conditions of optimality less well: rounding does so

    def point(self, t: Array) -> Array:
        return t[: len(self.c)]

    def activity(self, t: Array) -> Array:
        """What the last numbers of t are equal to in the end."""
        return np.asarray(self.G.dot(self.point(t)))

    def slope(self, t: Array, y: Array, v: Array) -> Array:
        """The gradient of the Lagrangian without the ends: ∇q − Eᵀy − Gᵀv for x, and v for a."""
        return np.concatenate([self.H.dot(t[: len(self.c)]) + self.c - self.E.T.dot(y) - self.G.T.dot(v), v])

    def system(self, theta: Array, r_e: Array, r_g: Array) -> Callable[[Array], tuple[Array, Array, Array]] | None:
        """The changes of t and of both prices for a right-hand side; None where the system is singular."""
        n, system = len(self.c), system_of(self.H, self.G, self.E, theta)
        if system is None:
            return None

        def step(right: Array) -> tuple[Array, Array, Array]:
            dx, dy, dv = system(right[:n], right[n:], r_e, r_g)
            return np.concatenate([dx, self.G.dot(dx) - r_g]), dy, dv

        return step

    def begin(self, x: Array) -> Array:
        """x and its activities, drawn well between their ends."""
        t = np.concatenate([x, self.G.dot(x)])
        width = self.high - self.low
        known = np.concatenate([np.abs(t), width[np.isfinite(width)]])
        wide = INWARD * np.maximum(np.abs(t), float(known.max(initial=0.0)) or 1.0)
        near = np.where(np.isfinite(width), INWARD * width, wide)
        return np.asarray(np.minimum(np.maximum(t, self.low + near), self.high - near))

    def sizes(self, t: Array) -> tuple[Array, Array]:
        """What the rows of E and of G are compared with."""
        x = np.abs(self.point(t))
        return abs(self.E).dot(x), abs(self.G).dot(x)

    def follow(self, t: Array, tol: float) -> tuple[Array, Array, Array, Array, Array] | None:
        """From t to its end: t, the prices of E and G, and the multipliers of both ends of t, 0 at an infinite end."""
        n, no_low, no_high = len(self.c), np.isinf(self.low), np.isinf(self.high)
        many = int(2 * len(t) - no_low.sum() - no_high.sum())
        near_e, near_g = self.sizes(t)
        rows = slice(len(t) - len(near_g), None)
        y, v = np.zeros(len(self.e)), np.zeros(len(near_g))
        slope = self.slope(t, y, v)
        size = max(float(np.abs(slope[:n]).mean()), 1e-300)
        zl, zh = np.where(no_low, 0.0, np.maximum(slope, 0.0) + size), np.where(no_high, 0.0, np.maximum(-slope, 0.0) + size)
        span = np.where(no_low | no_high, np.abs(t), self.high - self.low)

        def gap_of(zl: Array, sl: Array, zh: Array, sh: Array) -> float:
            return float(np.where(no_low, 0.0, zl * sl).sum() + np.where(no_high, 0.0, zh * sh).sum())

        best, least, worse = (t, y, v, zl, zh), np.inf, 0
        for _ in range(60 if many else 0):  # steps; about fifteen are taken
            sl, sh = t - self.low, self.high - t
            gap = gap_of(zl, sl, zh, sh)
            mu = gap / many
            r_e, r_g, r_t = self.e - self.E.dot(self.point(t)), t[rows] - self.activity(t), slope - zl + zh
            done = gap <= tol and bool((np.abs(r_e) <= ON * near_e).all() and (np.abs(r_g) <= ON * near_g).all())
            done = done and float(np.abs(r_t).sum()) <= self.settled * size * n
            off = float(np.abs(r_t).dot(span) + np.abs(y).dot(np.abs(r_e)) + np.abs(v).dot(np.abs(r_g))) + gap
            if off <= least:
                best, least, worse = (t, y, v, zl, zh), off, 0
            else:
                worse += 1
            if done or gap <= self.finest * tol or not (sl.all() and sh.all() and mu) or worse > self.patience:
                break
            stiff_l, stiff_h = zl / sl, zh / sh
            step = self.system(stiff_l + stiff_h, r_e, r_g)
            if step is None:
                break
            right = zh - zl - r_t
            dt, dy, dv = step(right)  # the predictor: straight to a gap of zero
            dl, dh = -zl - stiff_l * dt, stiff_h * dt - zh
            reach = _reach((sl, sh, zl, zh), (dt, -dt, dl, dh))
            left = gap_of(zl + reach * dl, sl + reach * dt, zh + reach * dh, sh - reach * dt) / many
            aim = (max(left, 0.0) / mu) ** 3 * mu
            to_l, to_h = (aim - dt * dl) / sl, (aim + dt * dh) / sh
            dt, dy, dv = step(right + to_l - to_h)
            dl, dh = to_l - zl - stiff_l * dt, to_h - zh + stiff_h * dt
            length = min(1.0, INSIDE * _reach((sl, sh, zl, zh), (dt, -dt, dl, dh)))
            if not (length > 1e-12 and np.isfinite(dt).all()):
                break
            t, y, v, zl, zh = t + length * dt, y + length * dy, v + length * dv, zl + length * dl, zh + length * dh
            slope = self.slope(t, y, v)
        return best if np.isfinite(best[0]).all() and np.isfinite(best[1]).all() else None


def size_of(end: Array) -> Array:
    """|end|, 0 where it is infinite."""
    return np.where(np.isfinite(end), np.abs(end), 0.0)


def _reach(at: tuple[Array, ...], change: tuple[Array, ...]) -> float:
    """The longest step, at most about 1, that keeps all numbers at 0 or above."""
    pace = float(np.fmax.reduce(-np.concatenate(change) / np.concatenate(at)))  # 0/0, of no end, is passed over
    return 1.0 / max(pace, INSIDE)


def _followed(problem: CentralPath, x: Array, tol: float) -> tuple[Array, Array, Array, Array, Array] | None:
    """The path from x, by the core where the problem is small."""
    # coordinates: with more, LAPACK is the faster one
    if len(x) > 200 or not all(isinstance(part, np.ndarray) for part in (problem.H, problem.G, problem.E)):
        return problem.follow(problem.begin(x), tol)
    q, N = len(problem.e), len(problem.low)
    t, prices, zl, zh = np.empty(N), np.empty(q + len(problem.G)), np.empty(N), np.empty(N)
    t[: len(x)] = x
    H, c, G, E = (np.ascontiguousarray(part, dtype=np.float64) for part in (problem.H, problem.c, problem.G, problem.E))
    fine = rows_path(H, c, G, E, problem.e, problem.low, problem.high, t, prices, zl, zh, tol)
    return (t, prices[:q], prices[q:], zl, zh) if fine else None
