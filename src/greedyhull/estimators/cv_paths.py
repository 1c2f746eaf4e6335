"""The coefficients over a grid of radii, on all data and on what cross-validation leaves of it."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.arguments import HUGE
from greedyhull.driver.path import path
from greedyhull.driver.stop import Gap, Iterations, Stalled
from greedyhull.errors import check
from greedyhull.estimators.budget_set import Budget
from greedyhull.estimators.compiled_trail import CompiledTrail, trail_of
from greedyhull.estimators.l1_path import Covariance, Data, Trail
from greedyhull.estimators.penalty import floor, origin
from greedyhull.estimators.split import Fold
from greedyhull.kernels.products import product
from greedyhull.objectives.by_name import least_squares
from greedyhull.objectives.whole_hessian import with_whole_hessian
from greedyhull.points.arrays import is_sparse
from greedyhull.points.columns import energies
from greedyhull.solvers.parts.loss_path import loss_path
from greedyhull.types import Array, AtomSet, Index, LinearModel

ENOUGH = 1e-4  # the gap to which the points of a path are solved, as a share of the loss at zero
SQUARED = 2e-4  # the same for squares, or of the loss where that is larger: 1e-4 ‖y‖²/n, as other solvers of the lasso have it
SMALL, EXACT = 100, 1e-11  # with so few columns the radii are found from exact points, so that rounding cannot move them
TINY = 1e-300
NOISE = 64  # times eps: what sums leave of zero
MOST = 2000  # columns up to which the covariance of the data is made


class Line(NamedTuple):
    """Coefficients (one row for each radius) and intercepts."""

    coefs: Array
    intercepts: Array

    def predict(self, X: Any) -> Array:
        """The linear predictions, one column for each radius."""
        return np.asarray(X @ self.coefs.T.astype(X.dtype, copy=False)) + self.intercepts


class Paths:
    """Paths of any loss, in the core where it knows the loss, else by the driver.

    ``problem(X, y, s)`` makes the objective, ``S`` is a ball of any radius.
    """

    def __init__(self, X: Any, y: Array, s: Array | None, S: AtomSet, problem: Callable[..., Any]) -> None:
        self.X, self.y, self.s, self.S, self.problem = X, y, s, S, problem

    def on(self, rows: Index | None, radii: Array) -> Line:
        """The path of the problem on some rows, None for all of them."""
        some = slice(None) if rows is None else rows
        f = self.problem(self.X[some], self.y[some], None if self.s is None else self.s[some])
        zero, largest = origin(self.S), self.S.rescaled(float(radii.max()))
        gap = max(ENOUGH * (float(f.value(zero)) - floor(f)), float(f.rounding(zero, largest)))  # what rounding leaves of it
        made = loss_path(f, self.S.rescaled(1.0))
        if made is None:
            return self._by_driver(f, radii, gap)
        W, gaps, intercepts = made.walk(radii, gap)
        left = np.flatnonzero(~(gaps <= gap))
        if len(left):
            W[left], intercepts[left] = self._by_driver(f, radii[left], gap)
        return Line(W, intercepts)

    def _by_driver(self, f: LinearModel, radii: Array, gap: float) -> Line:
        """One run for each radius, for what the core does not know, or could not solve."""
        found = path(with_whole_hessian(f, len(radii)), self.S, radii, stop=Gap(gap) | Stalled(100) | Iterations(1000))
        return Line(np.array([s.point.array() for s in found]), np.array([s.intercept for s in found]))


class SquarePaths:
    """Least squares: trails. Where the columns are few, the folds share one covariance: that of all data less their own."""

    def __init__(self, X: Any, y: Array, s: Array | None, S: Budget, folds: list[Fold], *, centre: bool,
                 positive: bool = False) -> None:
        self.positive = positive
        self.X, self.y, self.s, self.centre, self.folds = X, y.astype(np.float64), s, centre, folds
        self.scale = np.broadcast_to(S.rescaled(1.0).scale, S.shape).astype(np.float64)
        n, d = X.shape
        self.total: Sums | None = None
        self.shift = (X.mean(axis=0, dtype=np.float64), float(self.y.mean())) if centre else (np.zeros(d), 0.0)
        if not is_sparse(X) and d <= min(n, MOST):
            out = np.concatenate([test for _, test in folds])
            self.apart = len(np.unique(out)) == len(out) and all(len(a) + len(b) == n for a, b in folds)
            self.parts = [self._sums(test if self.apart else train) for train, test in folds]
            self.total = self._sums(np.setdiff1d(np.arange(n), out) if self.apart else np.arange(n))
            if self.apart:
                for part in self.parts:
                    self.total = self.total.plus(part)

    def _sums(self, rows: Index) -> Sums:
        mean, middle = self.shift
        Z, t = self.X[rows].astype(np.float64) - mean, self.y[rows] - middle
        s = np.ones(len(rows)) if self.s is None else self.s[rows]
        sZ = Z if self.s is None else s[:, None] * Z
        return Sums(product(Z.T, sZ), sZ.T @ t, float(s @ t**2), sZ.sum(axis=0), float(s @ t), float(s.sum()), mean, middle)

    def trail(self, fold: int | None) -> tuple[Trail | CompiledTrail, Callable[[Array], Array]]:
        """The trail without one fold, None for all data, and the intercepts that belong to rows of coefficients."""
        if self.total is not None:
            some = self.total if fold is None else self.parts[fold]
            if fold is not None and self.apart:
                some = self.total.plus(some, -1.0)
            trail = trail_of(some.covariance(self.centre), self.scale, positive=self.positive)
            return trail, lambda W: some.intercepts(W, self.centre)
        rows = slice(None) if fold is None else self.folds[fold][0]
        s, X, y = None if self.s is None else self.s[rows], self.X[rows], self.y[rows]
        p = np.full(len(y), 1.0 / len(y)) if s is None else s / s.sum()
        mean, middle = np.asarray(X.T @ p.astype(X.dtype)), float(p @ y)
        trail = trail_of(Data(least_squares(X, y, sample_weight=s, intercept=self.centre)), self.scale, positive=self.positive)
        return trail, lambda W: middle - W @ mean if self.centre else np.zeros(len(W))

    def chosen(self, given: Any, eps: float) -> tuple[Array, Line]:
        """The radii, those given or so many as were asked for, and the path on all data."""
        trail, intercepts = self.trail(None)
        found: list[Array | None] = []

        def make(count: int) -> Array:
            radii, W = priced(trail, eps, count)
            found.append(W)
            return radii

        radii = radii_of(given, make)
        W = found[0] if found else None
        return radii, self.on(None, radii) if W is None else Line(W, intercepts(W))

    def on(self, fold: int | None, radii: Array) -> Line:
        """The path without one fold, over growing radii."""
        trail, intercepts = self.trail(fold)
        W = trail.walk(radii, SQUARED)
        return Line(W, intercepts(W))

    def left_out(self, fold: int, line: Line) -> Array:
        """The loss on the rows that a fold leaves out, one number for each radius."""
        test = self.folds[fold][1]
        error = line.predict(self.X[test]).astype(np.float64) - self.y[test, None]
        p = np.full(len(test), 1.0) if self.s is None else self.s[test]
        return np.asarray(0.5 * (p @ error**2) / p.sum())


class Sums(NamedTuple):
    """Weighted sums over rows of z zᵀ, z t, t², z, t and 1, where z and t are x and y less ``mean`` and ``middle``."""

    zz: Array
    zt: Array
    tt: float
    z: Array
    t: float
    s: float
    mean: Array
    middle: float

    def plus(self, other: Sums, sign: float = 1.0) -> Sums:
        """These rows and ``other`` ones, or with the sign −1, without them."""
        return Sums(self.zz + sign * other.zz, self.zt + sign * other.zt, self.tt + sign * other.tt, self.z + sign * other.z,
                    self.t + sign * other.t, self.s + sign * other.s, self.mean, self.middle)

    def covariance(self, centre: bool) -> Covariance:
        """The mean loss as a quadratic; with ``centre``, its best intercept taken."""
        zz, zt, tt, z, t = self.zz / self.s, self.zt / self.s, self.tt / self.s, self.z / self.s, self.t / self.s
        if centre:
            zz, zt, tt = zz - np.outer(z, z), zt - z * t, tt - t * t
        return Covariance(zz, zt, 0.5 * max(tt, 0.0))

    def intercepts(self, W: Array, centre: bool) -> Array:
        if not centre:
            return np.zeros(len(W))
        return self.middle + self.t / self.s - W @ (self.mean + self.z / self.s)


def priced(trail: Trail | CompiledTrail, eps: float, count: int) -> tuple[Array, Array | None]:
    """``count`` radii whose prices fall by about one factor from each to the next, to ``eps`` times that of the first unit.

    So they lie where the model changes, as the penalties of a lasso's path do. Between two kinks of the path the price is a
    straight line, so that one secant step leads near the next radius. The coefficients there are found on the way, and
    returned too unless the path ended early and other radii were taken.
    """
    f0, scale, r = trail.f0, trail.scale, 0.0
    radii: list[float] = []
    coefs: list[Array] = []
    first = price = trail.price
    give = 0.1 * f0 / first / first
    for alpha in first * np.geomspace(1.0, eps, count + 1)[1:]:
        before, step = price, min(max((price - alpha) * give, 0.01 * r, TINY), 0.5 * r or np.inf)
        r = four_digits(in_range(r + step))
        stage, price = trail.to(r, EXACT if len(scale) <= SMALL else SQUARED), trail.price
        radii.append(r)
        coefs.append(stage.w)
        if trail.rest > 0.01 or stage.value <= ENOUGH * f0:  # more budget is of no use, or fits noise only
            return spread([*radii[:-1], (1.0 - max(trail.rest, 0.0)) * r], count), None
        give = step / (before - price) if price < before else 2.0 * give
    return np.array(radii), np.array(coefs)


def first_price(f: LinearModel, S: AtomSet) -> float:
    """What the first unit of radius is worth; 0 where that is nothing but rounding, or no loss is left to lower.

    With r = ∇φ(0), the entry ⟨A_j, r⟩ of the gradient is computed to about eps·‖A_j‖·‖r‖.
    """
    zero, unit = origin(S), S.rescaled(1.0)
    g, r = np.asarray(f.gradient(zero), dtype=np.float64).ravel(), np.asarray(f.residual(zero), dtype=np.float64)
    if float(f.value(zero)) - floor(f) <= 0.0:
        return 0.0
    noise = NOISE * float(np.finfo(f.design.dtype).eps) * float(np.linalg.norm(r)) * np.sqrt(energies(f.design, 1.0))
    g = np.where(np.abs(g) > noise, g, 0.0)
    return max(-float(unit.atom(g).dot(g)), 0.0)


def in_range(radius: float) -> float:
    """A radius, if it can be computed with."""
    check(1.0 / HUGE <= radius <= HUGE, f"A budget of about {radius:.3g} would be tried: X and y are of too different a size. "
                                        "Scale them, so that coefficients are moderate numbers.")
    return radius


def spread(radii: list[float], count: int) -> Array:
    """``count`` radii that lie as these do."""
    return rounded(np.interp(np.linspace(0.0, 1.0, count), np.linspace(0.0, 1.0, len(radii)), np.maximum.accumulate(radii)))


def grid(largest: float, count: int) -> Array:
    """``count`` radii from a hundredth of the largest to the largest, each the same factor above the one before."""
    return rounded(np.geomspace(0.01 * largest, largest, count))


def rounded(radii: Array) -> Array:
    """The radii to four digits: nobody chooses among more, and what rounding did to the data does not show."""
    return np.array([four_digits(r) for r in radii])


def four_digits(r: float) -> float:
    return float(f"{r:.3e}")


def radii_of(given: Any, make: Callable[[int], Array]) -> Array:
    """The radii that were given, in growing order, or so many as were asked for."""
    if isinstance(given, Integral) and not isinstance(given, bool) and int(given) >= 1:
        return make(int(given))
    radii = np.asarray(given)
    good = radii.ndim == 1 and len(radii) > 0 and radii.dtype.kind in "iuf" and bool((np.isfinite(radii) & (radii > 0)).all())
    check(good, f"radii={given!r} was given; a number of radii, or positive radii, are wanted.")
    return np.sort(radii.astype(np.float64))
