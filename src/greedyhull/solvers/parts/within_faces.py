"""A pairwise step by the faces of a set: from the worst atom of the smallest face that holds w to a given one."""

from __future__ import annotations

from greedyhull.points.direction import Direction
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import dense
from greedyhull.types import Atom, Faces, Gradient


def pairwise_within(P: Faces, w: Iterate, g: Gradient, atom: Atom) -> Direction:
    """The direction from the worst atom of the face to ``atom``, with room until w leaves the set.

    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Simplex(3)
    >>> move = pairwise_within(S, S.centre(), np.array([0.0, 1.0, 2.0]), gh.Basis(0, 1.0))
    >>> move.max_step
    0.3333333333333333
    """
    x = w.array()
    away = P.within(x, as_array(g))
    v = dense(atom, x.shape) - dense(away, x.shape)
    return Direction((atom, away), (1.0, -1.0), 0.0, min(P.room(x, v), 1.0))
