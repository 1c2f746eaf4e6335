"""What a loss cannot fall below, whatever its point: a lower bound of min f that costs nothing."""

from __future__ import annotations

from math import inf
from typing import Any

from greedyhull.objectives.composite import Composite
from greedyhull.points.iterate import Iterate
from greedyhull.points.lengths import length
from greedyhull.types import Array, Objective
from greedyhull.types.attributes import has
from greedyhull.types.kinds import linear_model


def least(f: Objective) -> float:
    """A number that f is nowhere below; −∞ where none is known. A ridge only adds to it.

    >>> import numpy as np, greedyhull as gh
    >>> X = np.eye(2)
    >>> least(gh.absolute(X, np.ones(2), l2=0.1)), least(gh.quadratic(X))
    (0.0, -inf)
    """
    model = f if isinstance(f, Composite) else linear_model(f)
    if model is None or not has(model.exact, "floor"):  # a user's loss need not say
        return -inf
    floor = float(model.exact.floor)
    return floor if floor < inf else -inf  # NaN, or infinite, where it overflows


class Around:
    """The sizes of one point, in place of those of a set: what rounding of the value there is proportional to."""

    seen = None

    def __init__(self, w: Iterate) -> None:
        self.sizes = w.absolute()

    def max_abs(self, c: Array) -> float:
        """Return Σⱼ cⱼ|wⱼ|."""
        return float((c * self.sizes).sum())

    def max_length(self) -> float:
        """Return ‖w‖₂."""
        return length(self.sizes)


def above(f: Objective, w: Iterate, value: float, floor: float, rounding: float) -> float:
    """Return a bound on value − min f from ``floor`` ≤ f alone, at most value − floor + ``rounding``.

    No gradient and no other point of the set takes part, so that only the value can be rounded. Where its parts were carried
    along by moves, their errors are relative to the points on the way, and ``rounding`` stays.

    >>> import numpy as np, greedyhull as gh
    >>> f, w = gh.absolute(np.full((2, 1), 1e9), np.zeros(2)), gh.L1Ball(1, 1.0).decompose(np.zeros(1))
    >>> bool(above(f, w, 0.0, 0.0, np.inf) <= 1e-5)
    True
    """
    around: Any = Around(w)
    own = f.rounding(w, around) if f.fresh(w) else inf
    return max(value - floor, 0.0) + (own if own <= rounding else rounding)
