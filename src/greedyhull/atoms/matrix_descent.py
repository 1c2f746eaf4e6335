"""Descents over nuclear balls and spectrahedra: factors, projected gradients, splitting, Newton steps."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log
from typing import Any, NamedTuple

import numpy as np

from greedyhull.kernels import matrix_models as limited_memory
from greedyhull.kernels._core import observed_products
from greedyhull.kernels.group_qp import threshold
from greedyhull.kernels.matrix_models import Anderson, Form, HessianEquations, LocalModel, MatrixEquations
from greedyhull.points.arrays import is_sparse
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import RankOneBlock
from greedyhull.types import Array, ModelledMatrix, Objective, bilinear, linear_model

ITERATIONS = 60
UNEVEN = 1e-6  # of the largest curvature of a column: what the smallest counts as at least

Pair = tuple[Array, Array]


def descend(f: Objective, A: Array, B: Array, radius: float, inward: bool, units: Array) -> Pair | None:
    """Factors with a smaller f(ABᵀ) and ‖A‖² + ‖B‖² ≤ 2·radius, in the precision of A and B; None where f does not fall.

    Where f falls ``inward``, toward zero, some of the radius is set free. ``units`` are those of the columns.
    """
    m, n, r = len(A), len(B), A.shape[1]
    free = max(2.0 * radius - float(np.vdot(A, A) + np.vdot(B, B)), 0.0)
    if free < 0.02 * radius and inward:  # a share is left free where the gradient points inwards and none was
        free = 0.04 * radius
    each = np.append(np.tile(units, m + n), 1.0).astype(A.dtype)

    def split(theta: Array) -> Pair:
        return theta[: m * r].reshape(m, r), theta[m * r : (m + n) * r].reshape(n, r)

    def push(at: _Last) -> Array:
        return np.concatenate([at.left.ravel(), at.right.ravel(), [0.0]], dtype=A.dtype)

    start = np.concatenate([A.ravel(), B.ravel(), [free**0.5]], dtype=A.dtype)
    # a fall by less of what all iterations brought ends it too: new atoms help more then
    return _on_sphere(f, start, (2.0 * radius) ** 0.5, each, split, push, ITERATIONS, 0.01)


def descend_symmetric(f: Objective, A: Array, trace: float) -> Array | None:
    """A factor with a smaller f(AAᵀ) and ‖A‖² = trace; None where f does not fall. Columns of A are orthogonal."""

    def split(theta: Array) -> Pair:
        return theta.reshape(A.shape), theta.reshape(A.shape)

    def push(at: _Last) -> Array:
        return (at.left + at.right).ravel()

    units = np.tile(_symmetric_units(f, A), len(A))
    found = _on_sphere(f, A.ravel(), trace**0.5, units, split, push, 400, 1e-6)  # more iterations: its rank soon suffices
    return None if found is None else found[0]


class _Last:
    """f and its gradient G at ABᵀ: ``left`` = GB and ``right`` = GᵀA."""

    def __init__(self, f: Objective, A: Array, B: Array) -> None:
        shape, r, model = (len(A), len(B)), A.shape[1], linear_model(f)
        design = None if model is None or model.l2 else bilinear(model.design)
        G: Any
        if model is not None and design is not None:  # straight to the entries
            value, residual = model.loss.first_order(design.bilinear(A, B, np.ones(r, A.dtype)))
            self.value, G = float(value), model.design.adjoint(residual)
        else:
            w = Iterate(RankOneBlock(A.T, B.T, np.full(r, float(r))), np.full(r, 1.0 / r), shape)
            self.value, G = float(f.value(w)), f.gradient(w)
        self.G = G = G.reshape(shape) if isinstance(G, np.ndarray) else G
        if is_sparse(G) and G.format == "csr" and G.dtype in (np.float64, np.float32) and G.shape[1] < 2**31:
            U, V = (np.ascontiguousarray(part, dtype=G.dtype) for part in (A, B))
            left, right = np.empty_like(U), np.empty_like(V)  # in one pass over the entries
            observed_products(G.indptr.astype(np.int64), G.indices.astype(np.uint32), G.data, U, V, left, right)
        else:
            left, right = G @ B, G.T @ A
        self.left: Array = np.asarray(left, dtype=A.dtype)
        self.right: Array = np.asarray(right, dtype=B.dtype)


def column_units(sigma: Array, bend: float, spread: float) -> Array:
    """(hσₖ + s)^−½ for each column, 1 for the flattest one; all 1 where these numbers say nothing."""
    with np.errstate(all="ignore"):
        bends = max(bend, 0.0) * sigma + max(spread, 0.0)
        units = np.maximum(bends / bends.max(), UNEVEN) ** -0.5
        units = units / units.max()
    return np.asarray(units) if np.isfinite(units).all() else np.ones(len(sigma))


def _symmetric_units(f: Objective, A: Array) -> Array:
    """`column_units` of a symmetric factor, with the curvature of f toward the matrix with equal eigenvalues."""
    sigma = np.einsum("ik,ik->k", A, A)
    mean = float(sigma.mean())
    sigma = np.maximum(sigma, 1e-12 * mean)  # of their mean: smaller singular values count as this
    off = float(((sigma - mean) ** 2).sum())
    if not off > (UNEVEN * mean) ** 2:
        return np.ones(len(sigma))
    with np.errstate(all="ignore"):
        even = A * np.sqrt(mean / sigma)
        here, there = _Last(f, A, A), _Last(f, even, even)
        each = np.einsum("ik,ik->k", here.left, A)  # ⟨G, aₖaₖᵀ⟩
        bend = 2.0 * (there.value - here.value - float(each.dot(mean / sigma - 1.0))) / off
        known = is_sparse(here.G) or isinstance(here.G, np.ndarray)
        spread = (float(here.G.trace()) / len(A) if known else 0.0) - float(each.sum()) / float(sigma.sum())
    return column_units(sigma, bend, spread)


def _on_sphere(f: Objective, start: Array, length: float, units: Array, split: Callable[[Array], Pair],
               push: Callable[[_Last], Array], iterations: int, slow: float) -> Pair | None:
    """L-BFGS for F(length·θ/‖θ‖), f of the factors in θ, in units of each entry of θ, of the length and the first gradient.

    F is divided by the multiplier of the constraint, −⟨∇F, θ⟩/‖θ‖², which is about its curvature: the first step is 1.
    """

    def value(theta: Array) -> tuple[float, Array]:
        x = units * theta
        norm = float(np.linalg.norm(x))
        unit = x / real(norm)
        at = _Last(f, *split(real(length) * unit))
        g = push(at) / real(steep)
        slope = float(unit.dot(g))
        pull[0] = -slope
        return at.value / (steep * length) / scale, units * (g - real(slope) * unit) / real(norm * scale)

    real = start.dtype.type
    begin = start / real(length)
    begin, scale, steep, pull = begin / real(np.linalg.norm(begin)) / units, 1.0, 1.0, [0.0]
    with np.errstate(all="ignore"):
        first, slope = value(begin)
        steep = float(np.abs(slope).max())
        if not (np.isfinite(first) and 0.0 < steep < np.inf):
            return None
        slope = slope / real(steep)
        steepness, multiplier = float(np.linalg.norm(slope)), pull[0] / steep
        # a vector moves a tenth of its length at first where the multiplier does not say how far
        scale = max(multiplier, 0.1 * steepness) if multiplier > 0.0 else steepness / 0.1
        at = limited_memory.Reached(begin, first / steep / scale, slope / real(scale))
        # a fall of f by less, relative to f, ends the descent
        # while the gradient is longer than that, of what it was, it goes on
        found = limited_memory.descend(value, at, iterations, 1e-14, slow, 0.1)
        x = units * found.x
    norm = float(np.linalg.norm(x))
    lower = found is not at and found.value <= at.value + limited_memory.SAME * abs(at.value)
    return split(real(length / norm) * x) if 0.0 < norm < np.inf and lower else None


Slope = Callable[[Array], Array]

class Spectrum(NamedTuple):
    """Right singular vectors as columns, and the singular values."""

    V: Array
    sigma: Array


def spectrum(T: Array) -> Spectrum:
    """Of a matrix with few columns, from the eigenvectors of TᵀT; small values are right to about the square root of eps."""
    square = (T.T @ T).astype(np.float64)
    if not np.isfinite(square).all():
        return Spectrum(np.eye(len(square)), np.zeros(len(square)))
    values, V = np.linalg.eigh(square)
    return Spectrum(V, np.sqrt(np.maximum(values, 0.0)))


def projected(T: Array, radius: float) -> Array:
    """About the nearest matrix of nuclear norm ≤ radius; in single precision if T is."""
    V, sigma = spectrum(T)
    tau = threshold(sigma, radius)
    if tau == 0.0:
        return T
    shares = np.maximum(1.0 - tau / np.maximum(sigma, 1e-300), 0.0)
    return np.asarray(T @ ((V * shares) @ V.T).astype(T.dtype))


def descend_dense(slope: Slope, x: Array, radius: float) -> Array:
    """From x, with no fewer rows than columns, to a matrix of nuclear norm about radius at most where f is smaller."""
    y, g, momentum, fallen, rough, bend = x, slope(x), 1.0, 0.0, True, 0.0
    steepness = float(np.linalg.norm(g))
    if steepness > 0.0:  # the curvature of f along a trial step against the gradient, a tenth of the radius long
        there = projected(x - (0.1 * radius / steepness) * g, radius)
        bend = _quotient(there - x, slope(there) - g)
    for _ in range(ITERATIONS if 0.0 < bend < np.inf else 0):
        T = y - g / bend
        new = projected(T.astype(np.float32) if rough else T, radius).astype(np.float64, copy=False)
        far, step = new - y, new - x
        length = float(np.linalg.norm(far))
        fall = 0.5 * bend * length * length
        if not np.isfinite(fall):
            break
        fallen, x = fallen + fall, new
        if not fall > 1e-5 * fallen:  # a step that lowers f by less of what all steps did ends the descent
            break
        # of the length of the point: longer steps are made in single precision
        rough = length > 1e-4 * float(np.linalg.norm(new))
        if float(np.vdot(far, step)) < 0.0:
            momentum = 1.0
        momentum, last = 0.5 + (0.25 + momentum * momentum) ** 0.5, momentum
        y, before, old = new + ((last - 1.0) / momentum) * step, y, g
        g = slope(y)
        bend = max(bend, _quotient(y - before, g - old))
    return x


def _quotient(move: Array, change: Array) -> float:
    """The curvature along a move, and a tenth more to be safe."""
    square = float(np.vdot(move, move))
    return 1.1 * (float(np.vdot(move, change)) / square) if square > 0.0 else 0.0


def unconstrained(equations: MatrixEquations, slope: Callable[[Array], Array], x: Array, radius: float) -> Array:
    """From x to a matrix where the gradient ``slope`` of f vanishes up to rounding; x itself where that is no nearer."""
    if equations.unit == 0.0:
        return x
    (form, Q), basis = equations.lasting(radius), equations.basis
    g = slope(x)
    with np.errstate(all="ignore"):
        inner = g if basis is None else basis.T @ g
        bends = equations.unit * form.product(np.ones_like(inner), None)
        steep = bends > 1e-13 * bends.max()  # of the largest curvature: directions with less are left as they are
        for _ in range(4):  # the first one finds the minimum, the others what rounding left of it
            inner = g if basis is None else basis.T @ g
            step = np.where(steep, (inner if Q is None else Q.T @ inner) / np.where(steep, bends, 1.0), 0.0)
            step = step if Q is None else Q @ step
            there = x - (step if basis is None else basis @ step)
            after = slope(there)
            if not np.linalg.norm(after) < 0.5 * np.linalg.norm(g):  # of the gradient before is progress
                break
            x, g = there, after
    return x


FEW = 80  # steps at most in single precision or with a factorisation
LOOK = 3  # steps at most from one gap evaluation to the next


class Low(NamedTuple):
    """The matrix A Vᵀ; V has orthonormal columns, up to rounding."""

    A: Array
    V: Array

    def times(self, c: float) -> Low:
        return Low(c * self.A.astype(np.float64), self.V.astype(np.float64))


class Begin(NamedTuple):
    """The form of f, the T that belongs to the first point, and its value, its gap, and the size of the terms of its value."""

    form: Form
    T: Array
    value: float
    first: float
    size: float
    wanted: float  # the gap that is asked for, or 0

    @property
    def far(self) -> bool:
        return self.first > 1e-3 * self.size

    @property
    def aim(self) -> float:
        """The gap to reach: the one that is asked for, if that is not too far."""
        wanted = 0.5 * self.wanted  # the rest is left for rounding
        return wanted if wanted > 1e-7 * self.first else (2e-4 if self.far else 1e-2) * self.first


class Split(NamedTuple):
    """Where steps ended: T, its projection, and gap and value there."""

    T: Array
    low: Low
    gap: float
    value: float


def descend_split(equations: MatrixEquations, x: Array, radius: float, wanted: float = 0.0) -> Low | None:
    """From x to a matrix of nuclear norm ≤ radius, up to rounding, where f is nearly least; None where nothing is lower.

    ``wanted`` is the gap that is asked for, 0 where none is. Far from the optimum, steps are made in single precision.
    """
    with np.errstate(all="ignore"):  # what is not finite is not lower either
        x, T = x / radius, None
        rough = _begin(equations.single, x.astype(np.float32), radius, wanted)
        if rough is not None and rough.far:
            found = _steps(rough.form, rough.T, FEW, rough.aim, rough.first)
            if found.gap <= rough.aim and found.value < rough.value - 1e-5 * rough.size:  # what values are off by
                return found.low.times(radius)
            T = found.T.astype(np.float64) if np.isfinite(found.T).all() else None
        begin = _begin(equations, x, radius, wanted)
        if begin is None:
            return None
        found = _exactly(equations, begin, T, radius)
    return found.low.times(radius) if found.value < begin.value else None


def descend_model(equations: HessianEquations, x: Array, radius: float, aim: float) -> tuple[Array, float] | None:
    """A matrix of nuclear norm ≤ radius and its gap, ``aim`` or what few steps reach; None where steps are of no use."""
    with np.errstate(all="ignore"):
        begin = _begin(equations, (x / radius).astype(equations.B.dtype), radius, 0.0)
        if begin is None:
            return None
        scale = equations.unit * radius * radius
        found = _steps(begin.form, begin.T, FEW, aim / scale, begin.first)
        A, V = found.low.times(radius)
        return A @ V.T, found.gap * scale


def _begin(equations: MatrixEquations, x: Array, radius: float, wanted: float) -> Begin | None:
    """f in units in which ρ and the radius are 1, and what it is at x."""
    if equations.unit == 0.0:
        return None
    form = equations.form(radius)
    bent = form.product(x, None)
    slope = bent - form.B
    value, first = 0.5 * float(np.vdot(x, slope - form.B)), _gap(slope, x)
    size = 0.5 * abs(float(np.vdot(x, bent))) + abs(float(np.vdot(x, form.B)))
    wanted = wanted / equations.unit / radius / radius
    return Begin(form, x - slope, value, first, size, wanted) if np.isfinite(value) and np.isfinite(first) else None


def _exactly(equations: MatrixEquations, begin: Begin, T: Array | None, radius: float) -> Split:
    """Steps in double precision; from T, where it is known that they will not be few."""
    if T is None:
        found = _steps(begin.form, begin.T, FEW, begin.aim, begin.first)
        if found.gap <= begin.aim:
            return found
        T = found.T
    form, Q = equations.lasting(radius)
    found = _steps(form, T if Q is None else Q.T @ T, 400, begin.aim, begin.first)
    return found if Q is None else found._replace(low=found.low._replace(A=Q @ found.low.A))


def _steps(form: Form, T: Array, most: int, aim: float, began: float) -> Split:
    """Up to ``most`` steps from T, a point with the gap ``began``; fewer where the gap meets the aim, or will not in FEW."""
    Z, R, look, anderson, gaps = np.empty_like(T), np.empty_like(T), LOOK, Anderson(), [began]
    for k in range(most + 1):
        low = projection(T)
        np.matmul(low.A, low.V.T, out=Z)
        if k in (look, most):
            slope = form.product(*low)
            slope -= form.B
            gaps.append(_gap(slope, Z))
            if k == most or not gaps[-1] > aim or (most == FEW and _too_slow(k, gaps, aim)):
                break
            look = k + LOOK
            if 0.0 < aim < gaps[-1] < began:  # fewer steps if the gap meets the aim before, as it falls
                look = k + min(max(ceil(k * log(gaps[-1] / aim) / log(began / gaps[-1])), 1), LOOK)
        np.subtract(Z, T, out=R)
        R += Z
        R += form.B
        F = form.solve(R)  # for B + 2Z − T
        F -= Z
        F *= F.dtype.type(1.6)  # κ
        # steps before combinations are made: where so few are enough, combinations cost time and save none
        T = T + F if k < 4 else anderson.next(T, F)
    return Split(T, low, gaps[-1], 0.5 * float(np.vdot(Z, slope - form.B)))


def _too_slow(k: int, gaps: list[float], aim: float) -> bool:
    """Whether a gap that falls as in the first k steps stays above the aim for 2·FEW steps, or no longer falls at all."""
    began, least = gaps[0], min(gaps)
    if k < 2 * LOOK or least <= aim:
        return False
    if least not in gaps[-5:]:  # looks without a smaller gap after which steps end, if only few are allowed
        return True
    return least >= began or k * log(least / aim) / log(began / least) > 2 * FEW - k


def projection(T: Array) -> Low:
    """The nearest matrix of nuclear norm ≤ 1, by its factors; from the eigenvectors of the smaller of TᵀT and TTᵀ."""
    tall = T.shape[0] >= T.shape[1]
    V, sigma = spectrum(T if tall else T.T)
    tau = threshold(sigma, 1.0)
    keep = np.flatnonzero(sigma > tau)
    V, sigma = V[:, keep].astype(T.dtype, copy=False), np.maximum(sigma[keep], 1e-30)
    shares = (1.0 - tau / sigma).astype(T.dtype)
    if tall:
        return Low((T @ V) * shares, V)
    lengths = sigma.astype(T.dtype)
    return Low(V * (shares * lengths), (T.T @ V) / lengths)


def _gap(slope: Array, x: Array) -> float:
    """⟨∇f, x⟩ + ‖∇f‖₂, which f is above its least value by at most."""
    tall = slope.shape[0] >= slope.shape[1]
    return float(np.vdot(slope, x)) + float(spectrum(slope if tall else slope.T).sigma[-1])


INNER = 0.1  # of the gap: how exactly a model is minimised


class _Look(NamedTuple):
    """What is seen at a matrix: value, gradient, the gap, and how steep f is along the radius."""

    x: Array
    value: float
    g: Array
    gap: float
    steep: float


def descend_newton(f: ModelledMatrix, x: Array, radius: float, wanted: float) -> Array | None:
    """From x to a matrix of nuclear norm ≤ radius, up to rounding, where f is smaller; None where none was found.

    ``wanted`` is the gap to reach, or 0. Steps begin at zero where that is no worse: there the Hessian costs little.
    """
    here, model, last = _looked(f, x, radius), None, np.inf
    if here.gap > abs(here.value):
        here = min(here, _looked(f, np.zeros_like(x), radius), key=lambda look: look.gap)
    aim = max(0.5 * wanted, 0.0 if wanted else 1e-2 * here.gap)  # of the first gap, where none is asked for
    for _ in range(15):
        if not aim < here.gap < np.inf:
            break
        if model is None or here.gap > 0.125 * last:  # of the last gap: a Hessian after whose step more is left is made anew
            model = f.model(CoordinateIterate(here.x))
        # of the slope of f along the radius: gaps below are not seen in single precision
        last, rough = here.gap, INNER * here.gap > 1e-6 * (here.steep + abs(here.value))
        found = _stepped(f, model, here, radius, np.float32) if rough else None
        found = _stepped(f, model, here, radius, np.float64) if found is None else found
        if found is None:
            break
        here = _looked(f, found, radius)
    return None if here.x is x or not here.gap < np.inf else here.x


def _looked(f: ModelledMatrix, x: Array, radius: float) -> _Look:
    at = CoordinateIterate(x)
    value, g = f.value(at), np.asarray(f.gradient(at), dtype=np.float64)
    if not (np.isfinite(value) and np.isfinite(g).all()):
        return _Look(x, value, g, np.inf, np.inf)
    steep = radius * float(np.linalg.norm(g, 2))
    return _Look(x, value, g, float(np.vdot(g, x)) + steep, steep)


def _stepped(f: ModelledMatrix, model: LocalModel, here: _Look, radius: float, kind: Any) -> Array | None:
    """A step toward the minimum of the model, shortened until f falls as its slope promises; None where it does not fall."""
    target = _free(model, here, radius)
    target = _inside(_nearest(model, here, radius, kind), radius) if target is None else target
    far = target - here.x
    slope, step = float(np.vdot(here.g, far)), 1.0
    for _ in range(12 if slope < 0.0 and np.isfinite(far).all() else 0):
        point = target if step == 1.0 else here.x + step * far
        # of the value: what rounding may add
        if f.value(CoordinateIterate(point)) <= here.value + 0.25 * step * slope + 1e-15 * abs(here.value):
            return point
        step *= 0.5
    return None


def _nearest(model: LocalModel, here: _Look, radius: float, kind: Any) -> Array:
    """Where the model is nearly least over the ball; with smaller ρ where some eigenvalues are so tiny that steps are many."""
    x = here.x
    for share in (1.0, 0.1, 0.01, 0.001):  # of the mean of the eigenvalues
        found = descend_model(model.at(here.x.astype(kind), here.g, share), x, radius, INNER * here.gap)
        if found is None or not found[1] < np.inf:
            break
        x = found[0]
        if found[1] <= INNER * here.gap:
            break
    return x


def _free(model: LocalModel, here: _Look, radius: float) -> Array | None:
    """The minimum of the model over all matrices, if x is well inside the ball and the minimum is in the ball."""
    if not 0.0 < np.linalg.norm(here.x, "nuc") < 0.5 * radius:  # of the radius: points with a smaller norm are well inside
        return None
    H = model.hessian(np.dtype(np.float64))
    shifted = H + 1e-15 * float(np.trace(H)) * np.eye(len(H))  # of the trace: what is added to a Hessian, which is singular
    try:
        far = np.linalg.solve(shifted, -here.g.T.ravel()).reshape(here.x.shape[::-1]).T
    except np.linalg.LinAlgError:
        return None
    target = here.x + far
    return target if np.isfinite(target).all() and np.linalg.norm(target, "nuc") <= radius else None


def _inside(x: Array, radius: float) -> Array:
    """x without what rounding in single precision added to its nuclear norm, which may hide that f falls."""
    if not np.isfinite(x).all():
        return x
    norm = float(np.linalg.norm(x, "nuc"))
    return x if norm <= radius else x * (radius / norm)
