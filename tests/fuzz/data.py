"""Random matrices with the oddities that data have, in every storage that is accepted."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.points.arrays import dense
from greedyhull.types import Array
from tests.fuzz.draws import Rng, chance, minus_zeros, pick, scale


def matrix(rng: Rng, n: int, d: int) -> Array:
    """An n×d matrix: plain, of whole numbers, sparse, heavy-tailed, of low rank, ill-conditioned, of equal rows or zero; then
    some odd columns."""
    X = rng.standard_normal((n, d))
    how = pick(rng, ("plain", "whole", "sparse", "heavy", "low rank", "ill", "alike", "zero"), (4, 3, 2, 1, 1, 1, 0.7, 0.3))
    if how == "whole":
        X = rng.integers(-2, 3, (n, d)).astype(np.float64)
    elif how == "sparse":
        X *= rng.random((n, d)) < 0.25
    elif how == "heavy":
        X = X**5
    elif how == "low rank":
        X = X[:, :1] @ rng.standard_normal((1, d))
    elif how == "ill":
        X *= 10.0 ** -np.linspace(0.0, 12.0, d)
    elif how == "alike":
        X[:] = X[0]
    elif how == "zero":
        X[:] = 0.0
    _spoil(rng, X)
    X *= scale(rng)
    if chance(rng, 0.3):
        minus_zeros(rng, X)
    return X


def _spoil(rng: Rng, X: Array) -> None:
    n, d = X.shape
    j, k, i, h = (int(rng.integers(m)) for m in (d, d, n, n))
    if chance(rng, 0.1):
        X[:, j] = 0.0
    if chance(rng, 0.1):
        X[:, j] = rng.standard_normal()
    if chance(rng, 0.1):
        X[:, k] = X[:, j]
    if chance(rng, 0.1):
        X[i] = X[h]
    if chance(rng, 0.05):
        X[:, j] += 10.0 ** rng.uniform(2, 9)


def stored(rng: Rng, X: Array) -> tuple[Any, str]:
    """X as it may be given, and what that is; every storage holds X, rounded to float32 where it is in float32."""
    dtype: Any = np.float64
    largest = float(np.abs(X).max())
    if chance(rng, 0.2) and 1e-20 < largest < 1e15:
        X, dtype = X.astype(np.float32), np.float32
    how = pick(rng, ("C", "F", "strided", "csr", "csc", "untidy"), (4, 2, 1, 1.5, 1.5, 1))
    return _as(rng, X, how), f"{how} {np.dtype(dtype).name}"


def _as(rng: Rng, X: Array, how: str) -> Any:
    from scipy.sparse import csc_array, csr_array

    if how == "C":
        return np.ascontiguousarray(X)
    if how == "F":
        return np.asfortranarray(X)
    if how == "strided":
        return np.repeat(X, 2, axis=1)[:, ::2]
    if how == "untidy":
        return _untidy(rng, X)
    return (csr_array if how == "csr" else csc_array)(X)


def _untidy(rng: Rng, X: Array) -> Any:
    """A CSR matrix with entries given twice, half each, with places in no order and with zeros that are stored."""
    from scipy.sparse import csr_array

    n, d = X.shape
    places, entries, starts = [], [], [0]
    for row in X:
        on = np.flatnonzero((row != 0.0) | (rng.random(d) < 0.2))
        twice = on[rng.random(len(on)) < 0.3]
        at = np.concatenate([on, twice])
        share = np.where(np.isin(at, twice), 0.5, 1.0).astype(X.dtype)
        order = rng.permutation(len(at))
        places.append(at[order])
        entries.append((row[at] * share)[order])
        starts.append(starts[-1] + len(at))
    return csr_array((np.concatenate(entries), np.concatenate(places), np.array(starts)), shape=(n, d))


def plain(X: Any) -> Array:
    """What a storage holds, as an extended-precision array."""
    return dense(X).astype(np.longdouble)


def sample_weights(rng: Rng, n: int) -> Array | None:
    """Weights of samples: none mostly, else random, some zero, some far larger than others."""
    if chance(rng, 0.55):
        return None
    s = rng.random(n) + 1e-3
    how = pick(rng, ("plain", "zeros", "far apart", "whole"))
    if how == "zeros":
        s[rng.random(n) < 0.4] = 0.0
        s[int(rng.integers(n))] = 1.0
    elif how == "far apart":
        s = 10.0 ** rng.uniform(-12, 3, n)
    elif how == "whole":
        s = rng.integers(1, 5, n).astype(np.float64)
    return np.asarray(s * scale(rng))
