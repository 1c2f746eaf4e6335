"""Logistic and cross-entropy terms in one pass, the Hessian of cross-entropy, and its intercepts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from greedyhull.kernels._core import find_intercepts
from greedyhull.kernels.data_passes import product
from greedyhull.types import Array, Index

AT_ONCE = 2048  # samples whose products are made at a time: what is kept of them takes no more room than that


class Room:
    """Memory that is used again and again: new pages take longer than the products that are written to them."""

    def __init__(self) -> None:
        self._memory = np.empty(0)

    def pair(self, m: int, n: int, dtype: np.dtype[Any]) -> Array:
        size = 2 * m * n * dtype.itemsize // 8 + 1
        if len(self._memory) < size:
            self._memory = np.empty(max(size, 2 * len(self._memory)))
        return self._memory.view(dtype)[: 2 * m * n].reshape(2, m, n)


def entries_hessian(rows: Array, classes: Index, s: Array, p: Array | float, room: Room | None = None) -> Array:
    """The Hessian for scaled columns of X as ``rows`` and their ascending classes; s has the probabilities of each sample."""
    heavy, root = _roots(rows, s, p)
    m, n = rows.shape
    H = np.zeros((m, m), dtype=rows.dtype)
    buffer = (room or Room()).pair(m, min(n, AT_ONCE), rows.dtype)
    for start in range(0, n, AT_ONCE):
        X = rows[:, start : start + AT_ONCE]
        Y, B = buffer[:, :, : X.shape[1]]
        for k, of_class in _slices(classes, len(root)):
            np.multiply(X[of_class], root[k, start : start + AT_ONCE], out=Y[of_class])
            np.multiply(X[of_class], heavy[k, start : start + AT_ONCE], out=B[of_class])
        H -= product(Y, Y.T)
        for _, of_class in _slices(classes, len(root)):
            H[of_class, of_class] += product(B[of_class], B[of_class].T)
    return H


def entries_and_intercepts(rows: Array, classes: Index, s: Array, p: Array | float) -> Array:
    """How these rows meet an intercept for each class l in the Hessian: Σᵢ pᵢ xᵢⱼ sᵢₖ(δₖₗ − sᵢₗ), one row for each class."""
    shares, weighted = np.ascontiguousarray(s.T, dtype=rows.dtype), np.ascontiguousarray(p * s.T, dtype=rows.dtype)
    C = np.empty((len(shares), len(rows)), dtype=rows.dtype)
    for k, of_class in _slices(classes, len(shares)):
        own = -weighted * shares[k]
        own[k] += weighted[k]
        C[:, of_class] = product(own, rows[of_class].T)
    return C


def whole_hessian(X: Array, s: Array, p: Array | float, room: Room | None = None) -> Array:
    """For all entries (k, j) of a matrix, column after column; X has a row for each feature. In the precision of X.

    That of the last class is minus the sum of all others, for a constant that is added to all scores of a sample changes
    nothing.
    """
    (d, n), c = X.shape, s.shape[1]
    H = np.zeros((c, d, c, d), dtype=X.dtype)
    if (s == s[0]).all():  # as at zero
        q = s[0].astype(np.float64)
        square = product(X * np.asarray(p, dtype=X.dtype), X.T)
        H[:] = (np.diag(q) - np.outer(q, q)).astype(X.dtype)[:, None, :, None] * square[None, :, None, :]
        return H.reshape(c * d, c * d)
    heavy, root = _roots(X, s, p)
    buffer = (room or Room()).pair((c - 1) * d, min(n, AT_ONCE), X.dtype)[0]
    total = np.zeros(((c - 1) * d, (c - 1) * d), dtype=X.dtype)
    for start in range(0, n, AT_ONCE):
        some = X[:, start : start + AT_ONCE]
        Y = buffer[:, : some.shape[1]]
        for k in range(c - 1):
            np.multiply(some, root[k, start : start + AT_ONCE], out=Y[k * d : (k + 1) * d])
        total -= product(Y, Y.T)
        for k in range(c - 1):
            B = np.multiply(some, heavy[k, start : start + AT_ONCE], out=Y[:d])
            total[k * d : (k + 1) * d, k * d : (k + 1) * d] += product(B, B.T)
    H[:-1, :, :-1] = total.reshape(c - 1, d, c - 1, d)
    H[-1, :, :-1] = -H[:-1, :, :-1].sum(axis=0)
    H[:, :, -1] = -H[:, :, :-1].sum(axis=2)
    return H.reshape(c * d, c * d)


def whole_and_intercepts(X: Array, s: Array, p: Array | float) -> Array:
    """How all entries meet the intercepts, as `entries_and_intercepts`."""
    (d, _), c = X.shape, s.shape[1]
    shares, weighted = np.ascontiguousarray(s.T, dtype=X.dtype), np.ascontiguousarray(p * s.T, dtype=X.dtype)
    C = np.empty((c, c, d), dtype=X.dtype)
    for k in range(c):
        own = -weighted * shares[k]
        own[k] += weighted[k]
        C[:, k] = product(own, X.T)
    return C.reshape(c, c * d)


def _roots(rows: Array, s: Array, p: Array | float) -> tuple[Array, Array]:
    """√(p sₖ) and √p sₖ, a row for each class."""
    shares = np.ascontiguousarray(s.T, dtype=rows.dtype)
    weights = np.asarray(p, dtype=rows.dtype)
    return np.sqrt(weights * shares), np.sqrt(weights) * shares


def _slices(classes: Index, c: int) -> list[tuple[int, slice]]:
    """The classes that there are, each with its rows."""
    bounds = np.searchsorted(classes, np.arange(c + 1)).tolist()
    return [(k, slice(a, b)) for k, (a, b) in enumerate(pairwise(bounds)) if a < b]


def class_intercepts(labels: Index, z: Array, p: Array | float, shares: Array) -> Array:
    """The best intercepts of sum zero, up to rounding: for scores z, their weights p, and the sums of these for each class."""
    weights, b = np.full(len(z), p) if isinstance(p, float) else p.astype(np.float64, copy=False), np.zeros(len(shares))
    find_intercepts(labels, np.ascontiguousarray(z, dtype=np.float64), np.ascontiguousarray(weights), shares, b)
    return b
