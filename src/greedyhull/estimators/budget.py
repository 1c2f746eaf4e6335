"""The set of an l1 budget, and the radius that belongs to a penalty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.simplex import PositiveL1Ball
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.path import carried
from greedyhull.driver.solution import Solution
from greedyhull.errors import GreedyhullError, check
from greedyhull.estimators.base import Certified
from greedyhull.objectives.composite import least
from greedyhull.points.arrays import is_sparse
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis, BasisBlock
from greedyhull.types import Array, AtomSet, Objective, Shape

Budget = L1Ball | PositiveL1Ball


class L1Set(Certified):
    """Coefficients in an l1 ball: vectors, or matrices with a column for each class of one problem."""

    standardize: bool
    positive: bool

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        (tags.regressor_tags or tags.classifier_tags).poor_score = self.positive  # where coefficients of one sign do not fit
        return tags

    def _atoms(self, X: Any, s: Array | None, shape: Shape) -> Budget:
        """The ball for data X with sample weights s, or None; of radius one where no radius is given."""
        radius, make = vars(self).get("radius"), PositiveL1Ball if self.positive else L1Ball
        weights = np.broadcast_to(spreads(X, s), shape[::-1]).T if self.standardize else None
        return make(shape if len(shape) > 1 else shape[0], 1.0 if radius is None else float(radius), weights=weights)


def price_of(s: Solution) -> float:
    """−d(min f)/dr at a solution over a budget: for a smooth loss the dual norm of the gradient, ⟨−∇f(w), w⟩/r + gap/r."""
    if not s.objective.traits.smooth:
        return max(0.0, float(s.price or 0.0))
    precise = s.objective.precise()
    g = precise.gradient(s.point if precise is s.objective else s.point.copy())  # the first is known from the solve
    return max(0.0, -float(s.atom_set.rescaled(1.0).atom(g).dot(g)))


def spreads(X: Any, s: Array | None) -> Array:
    """The standard deviation of every column; of a constant column, its absolute value, or 1 if that is zero."""
    # from deviations, as E[x²] − E[x]² cancels, of scaled columns, so that no square over- or underflows
    p = np.full(X.shape[0], 1.0 / X.shape[0]) if s is None else s.astype(np.float64) / s.sum(dtype=np.float64)
    if is_sparse(X):
        return _sparse_spreads(X, p)
    return np.concatenate([_dense_spreads(X[:, j : j + 64].astype(np.float64), p) for j in range(0, X.shape[1], 64)])


def _dense_spreads(B: Array, p: Array) -> Array:
    size = np.abs(B).max(axis=0)
    B /= np.where(size > 0.0, size, 1.0)
    mean = p @ B
    B -= mean
    return _told_apart(np.sqrt(p @ (B * B)), mean, size)


def _sparse_spreads(X: Any, p: Array) -> Array:
    C = X.tocoo()
    C.sum_duplicates()
    d, row, col, x = X.shape[1], C.row, C.col, C.data.astype(np.float64)
    size = np.zeros(d)
    np.maximum.at(size, col, np.abs(x))
    x = x / np.where(size > 0.0, size, 1.0)[col]
    mean = np.bincount(col, p[row] * x, d)
    zeros = np.maximum(1.0 - np.bincount(col, p[row], d), 0.0)  # the weight of entries that are not stored
    square = np.bincount(col, p[row] * (x - mean[col]) ** 2, d) + zeros * mean**2
    return _told_apart(np.sqrt(square), mean, size)


def _told_apart(spread: Array, mean: Array, size: Array) -> Array:
    """Spreads in the units of the data, of columns that were divided by ``size``."""
    level = np.abs(mean) * size
    # a column whose standard deviation is a smaller share of its mean counts as constant
    found = np.where(spread > 1e-7 * np.abs(mean), spread * size, level)
    return np.where(found > 0.0, found, 1.0)  # zero for a column of zeros, or by underflow


FINER = 0.1  # the gap over one ball, as a share of what the penalised problem may have
FARTHEST = 1e150  # radii beyond have squares that overflow


class Priced(NamedTuple):
    """The solution over the ball of the radius found, and the certificate of the *penalised* problem."""

    solution: Solution
    radius: float
    certificate: Certificate
    converged: bool = False


class Below(NamedTuple):
    """A line that the least loss over balls never falls below: min over the ball of radius r is at least at − price·r."""

    at: float
    price: float


def at_price(f: Objective, S: AtomSet, alpha: float, solve: Callable[[Any, Array | None, float], Solution],
             tol: float = 1e-6, start: Array | None = None) -> Priced:
    """Minimise f(w) + α‖w‖, S any ball of the norm about the origin; ``solve(S, start, gap)`` solves over one ball.

    S may be the non-negative part of such a ball: then w ≥ 0. The search begins at ``start``, if one is given.

    The penalised gap is at most ``tol``·max(|value|, f.scale), and holds whatever r is. With g = ∇f(w) and ‖g‖* its dual norm,
    f ≥ f(w) − ⟨g, w⟩ − ‖g‖*·r over the ball of any radius r: a line. A minimiser has ‖w*‖ ≤ R = (f(w) + α‖w‖ − floor)/α, and
    so each line bounds f + α‖·‖ from below; two of them, one steeper than α and one less steep, do so where they cross, which
    needs no R at all.
    """
    check(np.isfinite(alpha) and alpha > 0, f"alpha={alpha!r} was given; a positive number is wanted.")
    unit: Any = S.rescaled(1.0)
    zero = float(f.value(origin(S)))
    known = 0.0 if start is None else float(unit.gauge(start))
    start = start if 1.0 / FARTHEST < known < FARTHEST else None
    radius, lo, hi = _first(f, unit, alpha, tol) if start is None else known, 0.0, np.inf
    found: Solution | None = None
    best: Priced | None = None
    lines: list[Below] = []
    finest = 0.0  # the gap that rounding or patience allowed over one ball: less is not asked for soon
    share, noise = FINER, 0.0  # noise: how far rounding may have moved the best value
    for _ in range(60):
        ball, value = S.rescaled(radius), zero if best is None else _value(best.certificate)
        wanted = max(share * tol * _scale(value, f.scale), finest)
        try:
            found = solve(ball, start if found is None else carried(found, ball), wanted)
        except GreedyhullError:
            if best is None:
                raise
            hi, radius = radius, 0.5 * (lo + radius)  # so large that f overflows there, in single precision above all
            continue
        finest = 0.5 * finest if found.converged else float(found.certificate.gap or 0.0)
        value, line = penalised(f, unit, found, alpha)
        lines.append(line)
        blur = float(f.precise().rounding(found.point.copy(), ball))  # over huge balls a value may be nothing but rounding
        if best is None or value + blur < _value(best.certificate) + noise:
            best, noise = Priced(found, radius, Certificate(value, None, -np.inf)), blur
        value = _value(best.certificate)
        lower = min(max(lowest_sum(lines, alpha, value + noise, floor(f)), floor(f) - noise), value)
        best = best._replace(certificate=Certificate(value, value - lower, lower))
        if value - lower <= tol * _scale(value, f.scale):
            return with_exact_zeros(f, unit, alpha, best._replace(converged=True), tol)
        # a point whose norm is less than the radius by 1e-6 of it: a larger ball has the same minimum, the price is noise
        if line.price > alpha and float(unit.gauge(found.point.array())) < (1.0 - 1e-6) * radius:
            noisy = 4.0 * float(f.precise().rounding(found.point.copy(), found.atom_set))
            if not found.converged or float(found.certificate.gap or 0.0) <= noisy:  # it is not made much smaller
                break
            share *= FINER**2
            continue
        if abs(line.price - alpha) * radius <= blur:  # which of the two is larger, only rounding decides
            break
        lo, hi = (radius, hi) if line.price > alpha else (lo, radius)
        farthest = min(hi, (value - floor(f)) / alpha)  # a minimiser lies within
        # times its size is the most that a radius grows by in one step: a price may be nothing but rounding
        step = min((line.price - alpha) * _give(f, found, radius), 1e3 * radius)
        # by Newton's step if it stays in the bracket and below ``farthest``
        radius = radius + step if lo < radius + step < farthest else 2.0 * lo if np.isinf(hi) else 0.5 * (lo + hi)
        if not lo < radius < min(hi, FARTHEST):
            break
    assert best is not None
    return with_exact_zeros(f, unit, alpha, best, tol)


def with_exact_zeros(f: Objective, unit: Any, alpha: float, best: Priced, tol: float) -> Priced:
    """The same answer with 0.0 for coefficients that the penalty outweighs, or that are too small for rounding to tell.

    These are the j with −∂f/∂|w_j| ≤ α‖e_j‖: f + α‖·‖ does not rise, to first order, as w_j goes to zero. The smallest go
    first, as many as leave the value where it was, up to rounding. The lower bound holds for every point, so that the new
    value alone makes the new certificate; a point that no longer meets ``tol`` is not taken.
    """
    s, exact = best.solution, f.precise()
    w, ball = s.point.copy(), s.atom_set
    x = w.array().ravel()
    scale = np.broadcast_to(np.asarray(unit.scale), x.shape)
    pull, size = -np.asarray(exact.gradient(w), dtype=np.float64).ravel() * np.sign(x) * scale, np.abs(x) / scale
    value, lower = _value(best.certificate), best.certificate.lower
    noise = min(float(exact.rounding(w, ball)), FINER * tol * _scale(value, f.scale))
    idle = np.flatnonzero((x != 0.0) & ((pull <= alpha) | (size * (np.abs(pull) + alpha) <= noise / len(x))))
    idle = idle[np.argsort(size[idle], kind="stable")]
    most, few, many = value + noise, 0, len(idle)  # the value allowed; so many can go; so many may be tried
    while few < many:
        count = many if few == 0 and many == len(idle) else (few + many + 1) // 2
        rest = x.copy()
        rest[idle[:count]] = 0.0
        point = ball.decompose(rest.reshape(w.shape))
        value = float(exact.value(point.copy())) + alpha * float(unit.gauge(point.array()))
        if value <= most and (not best.converged or value - lower <= tol * _scale(value, f.scale)):
            few, s.point = count, point
            best = best._replace(certificate=Certificate(value, max(value - lower, 0.0), min(lower, value)))
        else:
            many = count - 1
    return best


def origin(S: AtomSet) -> Iterate:
    """The point zero, which every ball about the origin holds."""
    return Iterate.at(Basis(0, 0.0), S.shape)


def penalised(f: Objective, unit: Any, s: Solution, alpha: float) -> tuple[float, Below]:
    """f + α‖·‖ at the point of ``s``, and the line below the least loss that its gradient gives, rounding included."""
    w, exact = s.point.copy(), f.precise()
    g, loss = exact.gradient(w), float(exact.value(w))
    value = loss + alpha * unit.gauge(w.array())
    reach = min(max((value - floor(f)) / alpha, float(s.atom_set.radius)), FARTHEST)
    price = -float(unit.atom(g).dot(g)) + float(exact.rounding(w, unit.rescaled(reach))) / reach
    return value, Below(loss - float(exact.gradient_dot(w)) - float(exact.rounding(w, s.atom_set)), price)


def lowest_sum(lines: list[Below], alpha: float, value: float, floor: float) -> float:
    """The best lower bound on min f + α‖·‖ that lines below the least loss give, where f + α‖·‖ has reached ``value``.

    >>> lowest_sum([Below(5.0, 3.0), Below(2.0, 1.0)], 2.0, 4.0, 0.0)
    3.5
    """
    steep = [line for line in lines if line.price > alpha]
    flat = [line for line in lines if line.price <= alpha]
    reach = (value - floor) / alpha
    alone = [line.at - reach * max(line.price - alpha, 0.0) for line in lines]
    crossing = [b.at + (alpha - b.price) / (a.price - b.price) * (a.at - b.at) for a in steep for b in flat]
    return max(alone + crossing)


def _value(certificate: Certificate) -> float:
    assert certificate.value is not None
    return certificate.value


def _scale(value: float, scale: float) -> float:
    """What a relative gap is relative to."""
    return max(abs(value), scale, 1e-300)


def floor(f: Objective) -> float:
    """A number that f is nowhere below."""
    known = least(f)
    if known == -np.inf:
        raise GreedyhullError(f"{f!r} has no known lower bound over all points, which a penalty needs. Give a radius.")
    return known


def _first(f: Objective, unit: Any, alpha: float, tol: float) -> float:
    """A first guess: how far the best atom alone would go; where no budget is wanted, so little that zero is good enough."""
    zero = origin(unit)
    g = f.gradient(zero)
    d = unit.atom(g)
    fall = -float(d.dot(g)) - alpha
    if fall <= 0.0:
        tiny = max(FINER * tol, 1e-16) * abs(float(f.value(zero))) / alpha
        return min(max(tiny, 1.0 / FARTHEST), 1.0)
    bend = float(f.along(zero, zero.toward(d)).bend)
    reach = min((float(f.value(zero)) - floor(f)) / alpha, FARTHEST)  # a minimiser lies within
    return max(min(fall / bend if np.isfinite(bend) and bend > 0.0 else 1.0, reach), 1.0 / FARTHEST)


def _give(f: Objective, s: Solution, radius: float) -> float:
    """−1/p'(r): by how much the radius must grow for the price to fall by one."""
    w = s.point
    keep = np.flatnonzero(w.block.dots(np.ones(w.shape)) != 0.0) if isinstance(w.block, BasisBlock) else np.arange(len(w))
    if not len(keep) or not f.traits.second_order:
        return 0.0
    with np.errstate(all="ignore"):  # where numbers leave their range, the bracket alone leads on
        H = np.asarray(f.restricted(w.block.take(keep)).hessian(w), dtype=np.float64) / radius / radius
        H[np.diag_indices_from(H)] += 1e-12 * float(np.trace(H)) / len(H) + 1e-300
        try:
            return float(np.linalg.solve(H, np.ones(len(H))).sum()) if np.isfinite(H).all() else 0.0
        except np.linalg.LinAlgError:  # singular, whatever was added to its diagonal
            return 0.0
