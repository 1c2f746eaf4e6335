"""Saved states are flat: what belongs together has names that begin alike."""

from __future__ import annotations

from greedyhull.types import State


def under(prefix: str, state: State) -> State:
    """The part of ``state`` whose names begin with ``prefix.``, without it.

    >>> import numpy as np
    >>> under("block", {"block.index": np.array([1]), "weights": np.array([1.0])})
    {'index': array([1])}
    """
    return {name[len(prefix) + 1 :]: array for name, array in state.items() if name.startswith(prefix + ".")}
