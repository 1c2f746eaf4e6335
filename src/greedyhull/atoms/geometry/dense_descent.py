"""Accelerated projected gradients over a nuclear ball, for matrices of few columns most of whose entries matter.

Where the gradient has nearly as many entries as the matrix, the matrix may be written out, and where its shorter side is short
the projection onto the ball costs little more than two products: TᵀT = VΛVᵀ, and the nearest matrix to T is T·V diag(s)Vᵀ
with sᵢ = max(1 − τ/σᵢ, 0). Its rank is whatever the optimum wants. Steps are those of Beck and Teboulle (2009), restarted
where momentum points uphill (O'Donoghue and Candès 2015).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from greedyhull.types import Array

Slope = Callable[[Array], Array]

ITERATIONS = 60
SLOW = 1e-5  # a step that lowers f by less of what all steps did ends the descent
ROUGH = 1e-4  # of the length of the point: longer steps are made in single precision
SAFE = 1.1  # times the curvature that was met: what a step reckons with
FIRST = 0.1  # of the radius, how long the first trial step is


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
        if not fall > SLOW * fallen:
            break
        rough = length > ROUGH * float(np.linalg.norm(new))
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
    there = projected(x - (FIRST * radius / steepness) * g, radius)
    return SAFE * _quotient(there - x, slope(there) - g)


def _quotient(move: Array, change: Array) -> float:
    square = float(np.vdot(move, move))
    return float(np.vdot(move, change)) / square if square > 0.0 else 0.0
