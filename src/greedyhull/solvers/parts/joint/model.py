"""The Jones choice for a model of f: the minibatch, tilted so that its gradient at w is a better estimate than its own.

m = f_B − ⟨∇f_B(w) − g, ·⟩ is as convex as f_B, and ∇m(w) = g.
"""

from __future__ import annotations

import numpy as np

from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.solvers.parts.joint.minibatch import Chosen, MinibatchChoice, Sampled, _quadratic, _slopes, toward
from greedyhull.types import Array, Finite, Objective

EPS = float(np.finfo(np.float64).eps)


class ModelChoice(MinibatchChoice):
    """min m(x + η(d − x)) over the atoms d of S: in closed form for quadratics over listed atoms, with tangents that exclude
    most of them for other f_B. Where atoms cannot be listed, d is the oracle's atom for g.
    """

    def tilted(self, batch: Sampled, g: Array, x: Array, eta: float, epsilon: float) -> Chosen:
        """The atom for the step η, up to ηε in the value of m."""
        S = self.atoms
        if S is None:
            return Chosen(self.oracle.argmin(g, tol=epsilon).atom, eta)
        f, w = self._objective(batch), CoordinateIterate(x)
        slopes = np.asarray(S.scores(g) - float(np.vdot(g, x)), dtype=np.float64)
        model = _quadratic(f)
        if model is not None:
            return Chosen(S[int((slopes + 0.5 * eta * self._bends(model, S, w)).argmin())], eta)
        return Chosen(S[searched(f, S, w, slopes, eta, epsilon)], eta)


def searched(f: Objective, S: Finite, w: CoordinateIterate, slopes: Array, eta: float, epsilon: float) -> int:
    """Which atom has the least m, up to ηε. m lies above its tangent at w, so that slopes exclude most atoms."""
    start, tilt = f.value(w), slopes - _slopes(f, S, w)
    noise = 8.0 * EPS * abs(start)
    best, least = 0, np.inf
    for j in np.argsort(slopes, kind="stable").tolist():
        if eta * slopes[j] >= least - max(eta * epsilon, noise):
            break
        line = f.along(w, toward(S[j], 1.0))
        value = (line.value(eta) if eta < line.limit else np.inf) - start + eta * tilt[j]
        if value < least or least == np.inf:
            best, least = j, value
    return best
