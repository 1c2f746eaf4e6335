"""Certificates of many points at once: the gaps of `certify`, by products of matrices in place of vectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.driver.batch.shared import Shared
from greedyhull.objectives.composite import EPS, LEAST, LEFT
from greedyhull.objectives.losses.base import FAINT
from greedyhull.types import Array, Index


class Proofs(NamedTuple):
    """Of each point: value, certified gap, intercept and gradient."""

    values: Array
    gaps: Array
    intercepts: Array
    gradients: Array


def prove(shared: Shared, W: Array, Y: Array, without: Index) -> Proofs:
    """Values and gaps of the points W, rows, for the targets Y, rows: all is computed afresh from the data.

    gap = ⟨∇f(w), w⟩ − min over S of ⟨∇f(w), ·⟩ + rounding, or value + rounding if that is less, as `certificate_of` has it;
    ``without`` are coordinates that stay zero.
    """
    p, X = shared.p, shared.X
    Z = W @ X.T
    R, b, left = Z - Y, np.zeros(len(W)), np.zeros(len(W))
    if shared.intercept:
        b = -_totals(R, p)
        R += b[:, None]
    common = p if isinstance(p, float) else 1.0  # a weight that all rows have is a factor of sums, not of their terms
    residual = R if isinstance(p, float) else R * p
    if shared.intercept:  # the mean of what is left, all rounding, is taken off
        residual = residual - residual.sum(axis=1)[:, None] * (p if isinstance(p, np.ndarray) else 1.0 / len(X))
        left = common * np.abs(residual.sum(axis=1))
    values = (0.5 * common) * np.einsum("ij,ij->i", R, residual)
    gradients = residual @ X
    gradients *= common
    rounding = _rounding(shared, W, Y, values, _steepness(common, values, residual), b, left)
    gaps = common * np.einsum("ij,ij->i", residual, Z) - _least(shared, gradients, without) + rounding
    return Proofs(values, np.maximum(np.minimum(gaps, values + rounding), 0.0), b, gradients)


def _steepness(common: float, values: Array, residual: Array) -> Array:
    """‖∇φ(z)‖ for each row, also where its squares vanish."""
    squares = np.einsum("ij,ij->i", residual, residual)
    steep = common * np.sqrt(squares)
    faint = np.flatnonzero(~(squares > FAINT))
    if len(faint):
        steep[faint] = common * np.abs(residual[faint]).max(axis=1) * residual.shape[1] ** 0.5
    return np.asarray(steep)


def _totals(A: Array, p: Array | float) -> Array:
    return A.sum(axis=1) * p if isinstance(p, float) else A @ p


def _least(shared: Shared, gradients: Array, without: Index) -> Array:
    """min over S of ⟨g, ·⟩ for each row g, without the coordinate that is left out."""
    scores = gradients * shared.scales
    rows = np.flatnonzero(without >= 0)
    if not shared.budget.positive:
        scores[rows, without[rows]] = 0.0
        return np.asarray(-np.abs(scores).max(axis=1))
    scores[rows, without[rows]] = np.inf
    least = np.asarray(scores.min(axis=1))
    return least if shared.budget.whole else np.minimum(least, 0.0)


def _rounding(shared: Shared, W: Array, Y: Array, values: Array, steep: Array, b: Array, left: Array) -> Array:
    """`Composite.rounding` of squares for each row; the order in which a product sums is none of its terms.

    ``left`` is what is left of the sum of the residual, where there is an intercept.
    """
    n, terms, reach = len(shared.X) + 16, np.count_nonzero(W, axis=1), shared.f.precise().image_bound(shared.S)
    far = reach + np.abs(b) * n**0.5
    count = n + n + terms
    allowance = EPS * (n * np.abs(values) + count * steep * far) + left * (2.0 * reach + np.abs(b))
    off = EPS * (16 + terms) * far
    rest = 0.5 * float(np.max(shared.p)) * off * off + LEAST * count * (1.0 + steep + far)
    nothing = np.flatnonzero((far == 0.0) | (steep == 0.0))
    if len(nothing):  # from zeros to zeros nothing is rounded
        rest[nothing] *= (far[nothing] > 0.0) & (Y[nothing].any(axis=1) | W[nothing].any(axis=1) | (steep[nothing] > 0.0))
    return np.asarray(allowance + rest)


def losses_of_zero(shared: Shared, Y: Array) -> Array:
    """f.scale for each row of Y: the loss of predicting zero, or the best constant."""
    plain = _squares(Y, shared.p)
    if not shared.intercept:
        return plain
    return np.asarray(np.maximum(_squares(Y - _totals(Y, shared.p)[:, None], shared.p), LEFT * plain))


def _squares(A: Array, p: Array | float) -> Array:
    """½ Σ pᵢ aᵢ² for each row a."""
    if isinstance(p, float):
        return np.asarray((0.5 * p) * np.einsum("ij,ij->i", A, A))
    return np.asarray(0.5 * np.einsum("ij,ij,j->i", A, A, p))
