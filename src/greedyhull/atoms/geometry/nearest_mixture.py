"""The mixture of given points that is nearest to a point: membership and decomposition, decided by a certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.types import Array


def nearest_mixture(V: Any, x: Array, near: float, far: float) -> tuple[Array, float]:
    """Weights α that bring Σ αⱼvⱼ as close to x as ``near``, or as is possible, and the distance reached.

    The search also ends once its lower bound proves that no mixture comes within ``far``.

    >>> V = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    >>> nearest_mixture(V, np.array([1.0, 0.0]), 1e-9, 1e-9)[0]
    array([0.5, 0.5, 0. ])
    """
    from greedyhull.atoms.simplex import Simplex
    from greedyhull.driver.minimize import minimize
    from greedyhull.driver.stop import Callback, Iterations, Stalled
    from greedyhull.objectives.by_name import least_squares
    from greedyhull.solvers.corrective import Corrective

    n = len(x)
    known = Callback(lambda event: event.value <= 0.5 * near**2 / n or event.lower > 0.5 * far**2 / n)
    s = minimize(least_squares(V.T, x), Simplex(V.shape[0]), Corrective(), stop=known | Stalled(10) | Iterations(1000))
    return s.point.array(), float(np.sqrt(2.0 * n * max(s.value or 0.0, 0.0)))
