"""A number by which a shard is told from another one: its shape, all targets and weights, some of the entries of X."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np

from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array, Shard

SAMPLED = 256  # entries of X that count; all of them would be read again by every load
ODD = -1.0  # what is no shard; the first pass says what is wrong with it


def fingerprint(shard: Shard) -> float:
    """A whole number below 2³², the same for the same data; 0 for a shard without rows.

    >>> one, other = np.eye(2), np.eye(2) + 1e-9
    >>> fingerprint(Shard(one, np.ones(2))) == fingerprint(Shard(one.copy(), np.ones(2)))
    True
    >>> fingerprint(Shard(one, np.ones(2))) == fingerprint(Shard(other, np.ones(2)))
    False
    """
    if not isinstance(shard, Shard):
        return ODD
    X: Any = shard.X
    if not (isinstance(X, np.ndarray) or is_sparse(X)) or X.ndim != 2:
        return ODD
    if X.shape[0] == 0:
        return 0.0
    found = crc32(f"{X.shape} {X.dtype} {shard.sample_weight is None}".encode())
    for part in (_some(X), np.asarray(shard.y), np.asarray(0.0 if shard.sample_weight is None else shard.sample_weight)):
        found = crc32(np.ascontiguousarray(part).view(np.uint8).data if part.dtype != object else repr(part).encode(), found)
    return float(max(found, 1))


def _some(X: Any) -> Array:
    """Entries of X, evenly spaced."""
    if not is_sparse(X):
        rows = X[:: max(len(X) * X.shape[1] // SAMPLED, 1)]
        return np.asarray(rows)
    entries = X.data if X.format in ("csr", "csc", "coo") else X.tocsr().data
    return np.append(np.asarray(entries[:: max(len(entries) // SAMPLED, 1)], dtype=np.float64), float(X.nnz))
