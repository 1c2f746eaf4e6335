"""The identity as a design: its image of a point is the point itself, as a vector."""

from __future__ import annotations

from math import prod

import numpy as np

from greedyhull.objectives.designs.base import DesignBase
from greedyhull.types import Array, Shape


class Identity(DesignBase):
    """A = I, in float64 whatever the data are.

    >>> Identity((2, 2)).matvec(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([1., 2., 3., 4.])
    """

    def __init__(self, shape: Shape) -> None:
        self.domain, self.n, self.dtype = shape, prod(shape), np.dtype(np.float64)

    def __repr__(self) -> str:
        return f"Identity({self.domain})"

    def matvec(self, w: Array) -> Array:
        return np.array(w, dtype=np.float64).ravel()

    def adjoint(self, r: Array) -> Array:
        return np.array(r, dtype=np.float64).reshape(self.domain)
