"""Whether a point lies in a set, from the set's definition alone and in extended precision.

Each function gives how far x is outside, relative to the size of the numbers that x is made of: rounding explains a few
units of 2⁻⁵³ for every atom that x was mixed from, and no more.
"""

from __future__ import annotations

import numpy as np

from greedyhull.types import Array
from tests.fuzz.exact import LD


def l1(x: Array, radius: float, weights: Array | None) -> float:
    return _above((np.abs(x) * (LD(1) if weights is None else weights.astype(LD))).sum() / LD(radius) - 1)


def l2(x: Array, radius: float, centre: Array) -> float:
    v = x - centre.astype(LD)
    size = LD(radius) + np.abs(centre.astype(LD)).max()
    return _above((np.sqrt(((v / LD(radius)) ** 2).sum()) - 1) * LD(radius) / size)


def box(x: Array, lower: Array, upper: Array) -> float:
    size = np.maximum(np.abs(lower), np.abs(upper)).astype(LD)
    over = np.maximum(np.maximum(lower.astype(LD) - x, x - upper.astype(LD)), 0)
    return _above((over / np.where(size > 0, size, LD(1e-300))).max())


def simplex(x: Array, total: float, upper: Array | None, at_most: bool = False) -> float:
    t = LD(total)
    sums = x.sum() / t - 1
    over = np.maximum((-x / t).max(), sums if at_most else np.abs(sums))
    return _above(over if upper is None else np.maximum(over, ((x - upper.astype(LD)) / t).max()))


def within(norm: Array) -> float:
    """Of a set where a norm is at most one."""
    return _above(norm - 1)


def k_support(x: Array, K: int) -> Array:
    """The k-support norm: the least over r of √(Σ of the K − r − 1 largest squares + (sum of the others)²/(r + 1)), where the
    mean of the others lies between the last of the former and the first of the latter."""
    s = np.sort(np.abs(x))[::-1]
    for r in range(K):
        mean = s[K - r - 1 :].sum() / (r + 1)
        if r == K - 1 or s[K - r - 2] > mean >= s[K - r - 1]:
            return np.asarray(np.sqrt((s[: K - r - 1] ** 2).sum() + mean**2 * (r + 1)))
    raise AssertionError


def groups(x: Array, total: float, labels: Array, caps: Array) -> float:
    """Caps on the sums of groups, in sorted order of the labels."""
    over = [(x[labels == k].sum() - LD(cap)) / LD(total) for k, cap in zip(np.unique(labels), caps, strict=True)]
    return _above(np.max(over))


def majorised(x: Array, v: Array) -> float:
    """Whether the largest entries of x sum to no more than those of v, and all of them to as much."""
    over = np.cumsum(np.sort(x)[::-1]) - np.cumsum(np.sort(v.astype(LD))[::-1])
    return _above(np.maximum(over.max(), np.abs(over[-1])) / (np.abs(v).sum(dtype=LD) + LD(1e-300)))


def hull(x: Array, atoms: Array) -> float:
    """How far the nearest mixture of the rows of ``atoms`` is that non-negative least squares finds."""
    from scipy.optimize import nnls

    size = max(float(np.abs(atoms).max()), 1e-300)
    A = np.vstack([(atoms / size).T, np.full((1, len(atoms)), 1.0)])
    try:
        weights, _ = nnls(A, np.append((x / LD(size)).astype(np.float64), 1.0))
    except RuntimeError:  # it gave up
        return 0.0
    off = A.astype(LD) @ weights.astype(LD) - np.append(x / LD(size), LD(1))
    return max(_above(np.abs(off).max() - LD(1e-9)), 0.0)


def is_row(atom: Array, atoms: Array) -> bool:
    """Whether the atom is one of the rows; −0 is 0."""
    return bool((atoms == atom).all(axis=1).any())


def _above(excess: Array) -> float:
    return np.inf if np.isnan(excess) else max(float(excess), 0.0)
