"""Shares in [0, 1] as a mixture of subsets, each with as many members as the shares sum to."""

from __future__ import annotations

import numpy as np

from greedyhull.types import Array, Index


def mixed_subsets(shares: Array) -> list[tuple[Index, float]]:
    """Subsets with weights that sum to one, such that the subsets with j weigh ``shares[j]`` together.

    The shares are laid end to end on a line. For u in [0, 1), those that cover one of the points u, u + 1, u + 2, … are a
    subset: it has ⌊Σ shares⌋ or ⌈Σ shares⌉ members, and changes at most once for each share as u goes from 0 to 1.

    >>> [(subset.tolist(), weight) for subset, weight in mixed_subsets(np.array([0.5, 0.75, 0.75]))]
    [([0, 1], 0.25), ([0, 2], 0.25), ([1, 2], 0.5)]
    """
    ends = np.cumsum(shares)
    whole = float(np.round(ends[-1])) if len(ends) else 0.0
    if abs(float(ends[-1]) - whole) <= 1e-12 * max(whole, 1.0):
        ends = np.minimum(ends, whole)
        ends[-1] = whole
    cuts = np.unique(np.concatenate([[0.0, 1.0], ends - np.floor(ends)]))
    cuts = cuts[np.concatenate([[True], np.diff(cuts) > 4e-16])]
    cuts[-1] = 1.0
    begins = np.concatenate([[0.0], ends[:-1]])
    found = []
    for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        u = 0.5 * (low + high)
        found.append((np.flatnonzero(np.ceil(ends - u) > np.ceil(begins - u)), high - low))
    return found
