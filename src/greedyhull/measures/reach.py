"""How large the points of a set are, and how far apart: what the slope of a ridge is bounded by."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.points.lengths import length
from greedyhull.types import AtomSet


class Reach(NamedTuple):
    """R with ‖u‖ ≤ R and D with ‖u − u'‖ ≤ D on the hull; infinite where unknown."""

    R: float
    D: float


def reach(S: AtomSet) -> Reach:
    """R is max‖u‖₁, or ‖c‖ + max‖u − c‖ for the centre c, whichever is less; D is the diameter, or 2R where that is unknown.

    >>> import greedyhull as gh
    >>> reach(gh.L2Ball(9, radius=2.0)), reach(gh.L1Ball(9, radius=2.0))
    (Reach(R=2.0, D=4.0), Reach(R=2.0, D=4.0))
    """
    R = float(S.max_abs(np.ones(S.shape))) if S.sized else np.inf
    try:
        centre = S.centre().array()
        R = min(R, length(centre) + float(S.radius_around(centre)))
        return Reach(R, min(float(S.diameter), 2.0 * R))
    except GreedyhullError:
        return Reach(R, 2.0 * R)
