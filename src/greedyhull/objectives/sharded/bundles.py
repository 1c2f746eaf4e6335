"""Which worker works on which shards: neighbours stay together, and every bundle has about as many rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from greedyhull.types import Array


def bundles_of(rows: Array, workers: int) -> list[range]:
    """At most ``workers`` ranges of shards, one after the other.

    A shard goes where the middle of its rows lies, if all rows are cut into equal parts. Shards without rows count as one row.

    >>> bundles_of(np.array([10, 10, 20]), 2)
    [range(0, 2), range(2, 3)]
    """
    sizes = np.maximum(np.asarray(rows, dtype=np.float64), 1.0)
    ends = np.cumsum(sizes)
    place = np.minimum(((ends - 0.5 * sizes) * (workers / ends[-1])).astype(np.int64), workers - 1)
    cuts = [0, *(np.diff(place).nonzero()[0] + 1).tolist(), len(sizes)]
    return [range(a, b) for a, b in pairwise(cuts) if b > a]
