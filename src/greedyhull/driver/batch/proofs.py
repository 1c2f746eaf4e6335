"""Certificates of many points at once: the gaps of `certify`, by products of matrices in place of vectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.driver.batch.shared import Shared
from greedyhull.objectives.composite import EPS, LEAST, LEFT
from greedyhull.objectives.losses.base import FAINT
from greedyhull.types import Array, Index


class Proofs(NamedTuple):
    """Of each point: value, certified gap, f.scale, intercept and gradient."""

    values: Array
    gaps: Array
    scales: Array
    intercepts: Array
    gradients: Array


def prove(shared: Shared, W: Array, Y: Array, without: Index) -> Proofs:
    """Values and gaps of the points W, rows, for the targets Y, rows: all is computed afresh from the data.

    gap = ⟨∇f(w), w⟩ − min over S of ⟨∇f(w), ·⟩ + rounding, as `certificate_of` has it; ``without`` are coordinates that stay
    zero.
    """
    p, X = shared.p, shared.X
    Z = W @ X.T
    R = Z - Y
    b = np.zeros(len(W))
    if shared.intercept:
        b = -_totals(R, p)
        R += b[:, None]
    residual = R * p
    if shared.intercept:  # the mean of what is left, all rounding, is taken off
        residual -= residual.sum(axis=1)[:, None] * p
    values = 0.5 * np.einsum("ij,ij->i", R, residual)
    gradients = residual @ X
    rounding = _rounding(shared, W, Y, values, residual, b)
    gaps = np.einsum("ij,ij->i", residual, Z) - _least(shared, gradients, without) + rounding
    return Proofs(values, np.maximum(gaps, 0.0), _losses_of_zero(shared, Y), b, gradients)


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


def _rounding(shared: Shared, W: Array, Y: Array, values: Array, residual: Array, b: Array) -> Array:
    """`Composite.rounding` of squares for each row; the order in which a product sums is none of its terms."""
    n, terms, reach = len(shared.X) + 16, np.count_nonzero(W, axis=1), shared.f.precise().image_bound(shared.S)
    far, left = np.full(len(W), reach), np.zeros(len(W))
    if shared.intercept:
        far = reach + np.abs(b) * n**0.5
        left = np.abs(residual.sum(axis=1)) * (2.0 * reach + np.abs(b))
    squares = np.einsum("ij,ij->i", residual, residual)
    steep = np.where(squares > FAINT, np.sqrt(squares), np.abs(residual).max(axis=1) * len(shared.X) ** 0.5)
    count = n + n + terms
    allowance = EPS * (n * np.abs(values) + count * steep * far) + left
    off = EPS * (16 + terms) * far
    rest = 0.5 * float(np.max(shared.p)) * off * off + LEAST * count * (1.0 + steep + far)
    nothing = (far == 0.0) | ((steep == 0.0) & ~(Y.any(axis=1) | W.any(axis=1)))  # from zeros to zeros nothing is rounded
    return np.asarray(np.where(nothing, allowance, allowance + rest))


def _losses_of_zero(shared: Shared, Y: Array) -> Array:
    """f.scale for each row of Y: the loss of predicting zero, or the best constant."""
    plain = np.asarray(0.5 * _totals(Y * Y, shared.p))
    if not shared.intercept:
        return plain
    off = Y - _totals(Y, shared.p)[:, None]
    return np.asarray(np.maximum(0.5 * _totals(off * off, shared.p), LEFT * plain))
