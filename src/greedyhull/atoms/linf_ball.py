"""The l∞ ball: every coordinate between −radius and radius. Its atoms are the corners of a cube."""

from __future__ import annotations

import numpy as np

from greedyhull.atoms.arguments import dimension, positive
from greedyhull.atoms.box import Box


class LinfBall(Box):
    """Ball of the maximum norm, {w : max_j |w_j| ≤ radius}.

    Its atoms are the corners of a cube.

    Parameters
    ----------
    d : int
        The number of coordinates.
    radius : float
        The largest absolute value of a coordinate. `Solution.price` says what one more unit of it is worth.

    See Also
    --------
    Box : Bounds that differ between coordinates.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.LinfBall(3, 2.0).argmin(np.array([1.0, -3.0, 0.5])).array
    array([-2.,  2., -2.])
    """

    def __init__(self, d: int, radius: float) -> None:
        self.radius = positive(radius, "radius")
        super().__init__(np.full(dimension(d), -self.radius), self.radius)

    def __repr__(self) -> str:
        return f"LinfBall({self.shape[0]}, radius={self.radius:g})"

    def rescaled(self, radius: float) -> LinfBall:
        return LinfBall(self.shape[0], radius)
