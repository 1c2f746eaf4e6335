"""How far a point of a box or a simplex may go, and which of its coordinates are at a bound."""

from __future__ import annotations

import numpy as np

from greedyhull.types import Array

AT = 1e-14  # coordinates this near to a bound, relative to the size of the set, are at it: rounding leaves them there


def room_above(w: Array, v: Array, low: Array | float, near: float) -> float:
    """The largest t with w + t·v ≥ low; a coordinate that is at its bound and falls by no more than rounding counts not.

    >>> room_above(np.array([0.5, 0.5]), np.array([1.0, -1.0]), 0.0, 1e-14)
    0.5
    """
    left = np.maximum(w - low, 0.0)
    falling = (v < 0.0) & ((left > near) | (v < -near))
    return float((left[falling] / -v[falling]).min(initial=np.inf))
