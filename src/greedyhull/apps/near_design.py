"""Where a run over designs begins: a design that Newton steps on arrays have found, without a certificate.

A round lets the candidates join that promise most, and solves for the weights of all that have some, as `Corrective` does.
It costs a fifth of a round of a run, which proves, records and stops. The run begins there, proves how good it is, and goes
on.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.simplex_qp import solve_simplex_qp
from greedyhull.objectives.information import Information
from greedyhull.types import Array

ROUNDS = 12  # at most
INNER = 1e-2  # of the gap: to what a quadratic is solved
AHEAD = 10  # candidates that join together, or as many as have weight
SHORTER = 4  # times that a step is halved until the value falls


def nearer_design(f: Information, x: Array, tol: float) -> Array:
    """A design whose value is at most that at x, with non-negative weights of the same sum.

    It ends where the gap is at most ``tol`` times ⟨∇f, x⟩, or nothing is gained.

    >>> from greedyhull.objectives.information import LogDet
    >>> f = LogDet(np.array([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]]))
    >>> nearer_design(f, np.array([0.4, 0.3, 0.3]), 1e-9).round(6)
    array([0.5, 0. , 0.5])
    """
    total, value = float(x.sum()), f.value_at(x)
    for _ in range(ROUNDS if np.isfinite(value) else 0):
        g = f.gradient_at(x)
        here = float(g.dot(x))
        gap = here - total * float(g.min())
        if not gap > tol * abs(here):
            break
        on = x > 0.0
        many = max(AHEAD, int(np.count_nonzero(on)))
        on[np.argpartition(g, many)[:many] if many < len(g) else slice(None)] = True
        index = on.nonzero()[0]
        H, w = f.hessian_on(x, index), x[index] / total
        to = total * solve_simplex_qp(total * total * H, total * g[index], w, INNER * gap)
        step, was = 1.0, value
        for _ in range(SHORTER):
            there = x.copy()
            there[index] = x[index] + step * (to - x[index])
            value = f.value_at(there)
            if value < was:
                break
            step *= 0.5
        if not value < was:
            break
        x = np.maximum(there, 0.0)
    return x
