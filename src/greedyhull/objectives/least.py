"""What a loss cannot fall below, whatever its point: a lower bound of min f that costs nothing."""

from __future__ import annotations

from math import inf

from greedyhull.objectives.composite import Composite
from greedyhull.types import Objective
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
