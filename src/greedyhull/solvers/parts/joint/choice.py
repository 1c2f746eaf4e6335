"""What a joint choice returns, and what the candidates of one are."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.types import Answer, Array, Imaged, Objective
from greedyhull.types.kinds import imaged


class Choice(NamedTuple):
    """A move, how far to follow it, and f there. No candidate leads below ``value − error``: the error is proved."""

    move: Direction
    step: float
    value: float
    error: float = 0.0


Mover: TypeAlias = Callable[[Iterate, Answer, int], Choice]  # (w_k, the oracle's answer there, k) to what is done there


def closed(f: Objective) -> Imaged | None:
    """f as a quadratic that knows its Hessian on images, if it is one."""
    return imaged(f) if f.traits.quadratic else None


def searched(f: Objective, w: Iterate, move: Direction, error: float = 0.0) -> Choice:
    """The best point along a move."""
    line = f.along(w, move)
    step = line.argmin()
    return Choice(move, step, line.value(step), error)


def decreases(slopes: Array, bends: Array, caps: Array | float) -> Array:
    """max over 0 ≤ η ≤ cap of −slope·η − ½bend·η², for arrays of parabolas."""
    down = np.maximum(-slopes, 0.0)
    steps = np.minimum(np.divide(down, bends, out=np.full(np.shape(bends), np.inf), where=bends > 0.0), caps)
    return np.asarray(steps * (down - 0.5 * steps * bends))
