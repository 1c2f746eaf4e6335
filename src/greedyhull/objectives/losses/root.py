"""The best intercept: the root of the increasing b ↦ g(b) = Σ pᵢ ℓ'(zᵢ + b), to machine precision."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from greedyhull.errors import check
from greedyhull.objectives.losses.base import Separable
from greedyhull.types import Array

EASY = 3  # and as many evaluations as n has bits: then a g that is straight between corners is looked at from corner to corner


def root(loss: Separable, z: Array) -> float:
    """argmin_b φ(z + b1): Newton's steps, kept in a bracket that is halved where they are slow.

    A g that is straight between corners may be flat on most of a wide bracket, where halving is slow too: then its corners
    are put in order, and the root is found between two of them.
    """
    eps, size = float(np.finfo(z.dtype).eps), float(np.abs(z).max())
    low, b, high = loss.bracket(z)
    if not high - low < np.inf:
        low, b, high = _grown(loss, z, size, eps)
    before, last, easy = high - low, high - low, EASY + len(z).bit_length()
    for i in range(200):
        first, second, noise = _slope(loss, z, b, eps)
        low, high = (b, high) if first < 0.0 else (low, b)
        finest = eps * max(size, abs(b))
        change = first / second if 0.0 < second < np.inf else np.inf
        if abs(change) <= finest:
            return b - change
        if abs(first) <= noise or high - low <= 2.0 * finest:
            break
        if i == easy and (corners := loss.corners(z)) is not None:
            return between_corners(loss, z, corners)
        trial = b - change
        if not low < trial < high or abs(change) > 0.5 * before:
            trial = 0.5 * low + 0.5 * high
        before, last, b = last, abs(trial - b), trial
    return b


def _slope(loss: Separable, z: Array, b: float, eps: float) -> tuple[float, float, float]:
    """g(b), g'(b), and how small g(b) is where it cannot be told from zero."""
    shifted = z + z.dtype.type(b)
    with np.errstate(all="ignore"):
        slopes = loss.slopes(shifted)
        return loss.total(slopes), loss.total(loss.curvatures(shifted)), eps * loss.total(np.abs(slopes))


def _grown(loss: Separable, z: Array, size: float, eps: float) -> tuple[float, float, float]:
    """A bracket for a loss that knows none: steps away from 0, each twice the last, until g changes its sign."""
    most = 1e6 * (1.0 + size + float(np.abs(loss.y).max()))
    sign = -1.0 if _slope(loss, z, 0.0, eps)[0] > 0.0 else 1.0
    before, b = 0.0, sign
    while sign * _slope(loss, z, b, eps)[0] < 0.0:
        before, b = b, 2.0 * b
        check(abs(b) < most, "The intercept runs off to infinity: the labels have one class only, or all counts are zero. "
                             "Give both classes, or leave the intercept out.")
    return min(before, b), 0.5 * before + 0.5 * b, max(before, b)


def between_corners(loss: Separable, z: Array, corners: Array) -> float:
    """The root of a g that is straight between its corners: which two it is between, then the line through them.

    Corners are where they are up to rounding: a little before and after them g is looked at too.
    """
    near = 4.0 * float(np.finfo(z.dtype).eps) * max(float(np.abs(z).max()), float(np.abs(corners).max()))
    at = np.sort(np.concatenate([corners - near, corners, corners + near]))

    def g(i: int) -> float:
        return loss.total(loss.slopes(z + z.dtype.type(at[i])))

    i = bisect_left(range(len(at) - 1), 0.0, key=g)
    above, below = g(i), g(i - 1) if i else 0.0
    return float(at[i] if below >= 0.0 or above <= 0.0 else at[i] - above * ((at[i] - at[i - 1]) / (above - below)))
