"""Sliding: a few Frank-Wolfe steps on a linear function with a quadratic pull, for which no gradient is asked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from greedyhull.objectives.line import Parabola
from greedyhull.types import Array, Atom, Oracle


def slide(g: Array, beta: float, u: Callable[[], Array], oracle: Oracle, move: Callable[[Atom, Array, float], None], *,
          tol: float, share: float, most: int) -> None:
    """Frank-Wolfe with exact steps on ⟨g, ·⟩ + (β/2)‖· − u₀‖² from u₀ = u(), until its gap is at most ``tol``.

    ``u()`` is the point as it is now and ``move(d, v, η)`` takes it η of the way v to the atom d. The oracle may err by a
    ``share`` of tol. It ends after ``most`` steps, or where an oracle that errs by more has no atom left that leads down.
    """
    start = u().copy()
    for _ in range(most):
        x = u()
        slope = g + beta * (x - start)
        answer = oracle.argmin(slope, tol=share * tol)
        gap = float(np.vdot(slope, x)) - answer.atom.dot(slope)
        if not gap > 0.0 or gap + answer.slack <= tol:
            return
        v = -x
        answer.atom.add_to(v, 1.0)
        move(answer.atom, v, Parabola(0.0, -gap, beta * float(np.vdot(v, v)), 1.0).argmin())
