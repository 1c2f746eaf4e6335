"""Descents over nuclear balls and spectrahedra: factors and projected gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from greedyhull.kernels import matrix_models as limited_memory
from greedyhull.kernels._core import observed_products
from greedyhull.points.arrays import is_sparse
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import RankOneBlock
from greedyhull.types import Array, Objective, bilinear, linear_model

ITERATIONS = 60
UNEVEN = 1e-6  # of the largest curvature of a column: what the smallest counts as at least

Pair = tuple[Array, Array]


class Sphere(NamedTuple):
    """The factors as a vector θ of a given length, in units that differ from entry to entry."""

    length: float
    units: Array
    split: Callable[[Array], Pair]
    push: Callable[[_Last], Array]  # the gradient as such a vector


def descend(f: Objective, A: Array, B: Array, radius: float, inward: bool, units: Array) -> Pair | None:
    """Factors with a smaller f(ABᵀ) and ‖A‖² + ‖B‖² ≤ 2·radius; None where f does not fall.

    ``inward``, f falls toward zero, and some of the radius is set free. ``units`` are those of the columns. All is computed in
    the precision of A and B.
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
    return _on_sphere(f, start, Sphere((2.0 * radius) ** 0.5, each, split, push), ITERATIONS, 0.01)


def descend_symmetric(f: Objective, A: Array, trace: float) -> Array | None:
    """A factor with a smaller f(AAᵀ) and ‖A‖² = trace; None where f does not fall. Columns of A are orthogonal."""

    def split(theta: Array) -> Pair:
        return theta.reshape(A.shape), theta.reshape(A.shape)

    def push(at: _Last) -> Array:
        return (at.left + at.right).ravel()

    sphere = Sphere(trace**0.5, np.tile(_symmetric_units(f, A), len(A)), split, push)
    found = _on_sphere(f, A.ravel(), sphere, 400, 1e-6)  # more iterations: its rank soon suffices
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
        self.G = G.reshape(shape) if isinstance(G, np.ndarray) else G
        self.left, self.right = both_products(self.G, A, B)


def both_products(G: Any, A: Array, B: Array) -> Pair:
    """GB and GᵀA; in one pass over the entries of a matrix by row."""
    if not (is_sparse(G) and G.format == "csr" and G.dtype in (np.float64, np.float32) and G.shape[1] < 2**31):
        return np.asarray(G @ B, dtype=A.dtype), np.asarray(G.T @ A, dtype=A.dtype)
    U, V = (np.ascontiguousarray(part, dtype=G.dtype) for part in (A, B))
    left, right = np.empty_like(U), np.empty_like(V)
    observed_products(G.indptr.astype(np.int64), G.indices.astype(np.uint32), G.data, U, V, left, right)
    return left.astype(A.dtype, copy=False), right.astype(B.dtype, copy=False)


def column_units(sigma: Array, bend: float, spread: float) -> Array:
    """(hσₖ + s)^−½ for each column, 1 for the flattest one; all 1 where these numbers say nothing.

    >>> column_units(np.array([8.0, 2.0, 0.0]), 0.5, 1.0).round(3)
    array([0.447, 0.707, 1.   ])
    """
    with np.errstate(all="ignore"):
        bends = max(bend, 0.0) * sigma + max(spread, 0.0)
        units = np.maximum(bends / bends.max(), UNEVEN) ** -0.5
        units = units / units.max()
    return np.asarray(units) if np.isfinite(units).all() else np.ones(len(sigma))


def _symmetric_units(f: Objective, A: Array) -> Array:
    """Those of a symmetric factor. h is the curvature of f toward the matrix in which all eigenvalues are the same, and the
    eigenvalues of the dual matrix are those of the gradient, less the multiplier."""
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


def _on_sphere(f: Objective, start: Array, sphere: Sphere, iterations: int, slow: float) -> Pair | None:
    """L-BFGS for F(length·θ/‖θ‖) from ``start``, in units of the length and of the first gradient.

    F is divided by the multiplier of the constraint, −⟨∇F, θ⟩/‖θ‖², which is about its curvature: the first step is 1.
    """

    def value(theta: Array) -> tuple[float, Array]:
        x = units * theta
        norm = float(np.linalg.norm(x))
        unit = x / real(norm)
        at = _Last(f, *sphere.split(real(length) * unit))
        g = sphere.push(at) / real(steep)
        slope = float(unit.dot(g))
        pull[0] = -slope
        return at.value / (steep * length) / scale, units * (g - real(slope) * unit) / real(norm * scale)

    real, units, length = start.dtype.type, sphere.units, sphere.length
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
    return sphere.split(real(length / norm) * x) if 0.0 < norm < np.inf and lower else None


Slope = Callable[[Array], Array]

SAFE = 1.1  # times the curvature that was met: what a step reckons with


class Spectrum(NamedTuple):
    """Right singular vectors as columns, and the singular values: T·V has columns of lengths sigma."""

    V: Array
    sigma: Array


def spectrum(T: Array) -> Spectrum:
    """Of a matrix with few columns, from the eigenvectors of TᵀT; small values are right to about the square root of eps."""
    square = (T.T @ T).astype(np.float64)
    if not np.isfinite(square).all():
        return Spectrum(np.eye(len(square)), np.zeros(len(square)))
    values, V = np.linalg.eigh(square)
    return Spectrum(V, np.sqrt(np.maximum(values, 0.0)))


def threshold(sigma: Array, radius: float) -> float:
    """τ ≥ 0 with Σ max(σᵢ − τ, 0) ≤ radius, the least one.

    >>> threshold(np.array([3.0, 1.0]), 2.0)
    1.0
    """
    if float(sigma.sum()) <= radius:
        return 0.0
    ordered = np.sort(sigma)[::-1]
    cut = (np.cumsum(ordered) - radius) / np.arange(1, len(ordered) + 1)
    return float(cut[np.flatnonzero(ordered >= cut)[-1]])  # the first is, even where the radius drowns in rounding


def projected(T: Array, radius: float) -> Array:
    """About the nearest matrix of nuclear norm ≤ radius; in single precision if T is."""
    V, sigma = spectrum(T)
    tau = threshold(sigma, radius)
    if tau == 0.0:
        return T
    shares = np.maximum(1.0 - tau / np.maximum(sigma, 1e-300), 0.0)
    return np.asarray(T @ ((V * shares) @ V.T).astype(T.dtype))


def descend_dense(slope: Slope, x: Array, radius: float) -> Array:
    """From x, with no fewer rows than columns, to a matrix of nuclear norm about radius at most where f is smaller.

    ``slope`` is the gradient of f.
    """
    y, g, momentum, fallen, rough = x, slope(x), 1.0, 0.0, True
    bend = _first_curvature(slope, x, g, radius)
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
        bend = max(bend, SAFE * _quotient(y - before, g - old))
    return x


def _first_curvature(slope: Slope, x: Array, g: Array, radius: float) -> float:
    """The curvature of f along a trial step against the gradient; 0 where there is none."""
    steepness = float(np.linalg.norm(g))
    if not steepness > 0.0:
        return 0.0
    there = projected(x - (0.1 * radius / steepness) * g, radius)  # of the radius, how long the first trial step is
    return SAFE * _quotient(there - x, slope(there) - g)


def _quotient(move: Array, change: Array) -> float:
    square = float(np.vdot(move, move))
    return float(np.vdot(move, change)) / square if square > 0.0 else 0.0
