"""The supports of the best atoms with K entries, from one partial sort."""

from __future__ import annotations

import numpy as np

from greedyhull.atoms.scores import lowest
from greedyhull.types import Array, Index


def swapped_supports(sizes: Array, K: int, m: int) -> list[Index]:
    """The K places with the largest ``sizes``, then at most m − 1 supports that differ from them by one exchange, in the
    order of what the exchange costs.

    >>> [places.tolist() for places in swapped_supports(np.array([5.0, 1.0, 4.0, 3.0]), 2, 3)]
    [[0, 2], [0, 3], [2, 3]]
    """
    d = len(sizes)
    reach = min(m - 1, d - K)
    order = lowest(-sizes, K + reach)
    first, others = np.sort(order[:K]), order[K:]
    if not reach:
        return [first]
    inside = order[:K][::-1][: m - 1]  # the least of them first
    costs = sizes[inside][:, None] - sizes[others][None, :]
    found = [first]
    for k in lowest(costs.ravel(), min(m - 1, costs.size)).tolist():
        out, new = inside[k // len(others)], others[k % len(others)]
        found.append(np.sort(np.append(first[first != out], new)))
    return found
