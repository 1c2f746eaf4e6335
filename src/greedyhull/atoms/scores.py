"""Which atoms have the least scores."""

from __future__ import annotations

from math import isfinite

import numpy as np

from greedyhull.types import Array, Index

FEW = 64


def lowest(scores: Array, m: int) -> Index:
    """Where the m least scores are, least first."""
    if m >= len(scores):
        return np.argsort(scores, kind="stable")
    index = np.argpartition(scores, m - 1)[:m]
    index.sort()
    return index[np.argsort(scores[index], kind="stable")]


def top(sizes: Array, K: int) -> Index:
    """Where the K largest are, ascending; of equal ones those that come first.

    >>> top(np.array([1.0, 3.0, 2.0, 2.0]), 2)
    array([1, 2])
    """
    d = len(sizes)
    if d <= K:
        return np.arange(d)
    least = sizes.item(np.argpartition(sizes, d - K).item(d - K))
    above = np.flatnonzero(sizes > least)
    return np.sort(np.concatenate([above, np.flatnonzero(sizes == least)[: K - len(above)]]))


def sum_of_largest(c: Array, K: int) -> float:
    """The sum of the K largest.

    >>> sum_of_largest(np.array([1.0, 3.0, 2.0]), 2)
    5.0
    """
    return float(np.sum(c if len(c) <= K else np.partition(c, len(c) - K)[len(c) - K :]))


def largest(c: Array) -> float:
    """max c, by `argmax`: a small reduction of NumPy takes four times as long."""
    return float(c.item(c.argmax()))


def total(x: Array) -> float:
    """Σx; NaN or infinite where an entry is. Few numbers are added one by one sooner than by NumPy.

    >>> total(np.array([1.0, -0.5]))
    0.5
    """
    return float(sum(x.ravel().tolist()) if x.size <= FEW else x.sum())


def all_finite(x: Array) -> bool:
    """Whether no entry is NaN or infinite; a sum that is finite tells at once, and one of finite numbers may overflow.

    >>> all_finite(np.array([1e308, 1e308])), all_finite(np.array([np.inf, 1.0]))
    (True, False)
    """
    return isfinite(total(x)) or bool(np.isfinite(x).all())


def worst_within(scores: Array, epsilon: float) -> int:
    """Where the largest score is that exceeds the least by at most epsilon."""
    return int(np.where(scores <= scores.min() + epsilon, scores, -np.inf).argmax())
