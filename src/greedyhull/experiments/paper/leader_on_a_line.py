"""ARSFW on f(w) = w over [−1, 1], begun at +1: nothing is random, so that plain arithmetic tells the error for any t.

L = 1 and Φ = ½(w − 1)², so that R² = 2 and M_Φ = D² = 4. An algorithm that never moves keeps the error 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.atoms.vertices import Vertices
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Iterations
from greedyhull.experiments.paper.trajectory import unwarned
from greedyhull.objectives.finite_sum import finite_sum
from greedyhull.solvers.parts.gradient_weights import Fading, Steady, Unweighted
from greedyhull.solvers.parts.schedules import power
from greedyhull.solvers.parts.steps import Power
from greedyhull.solvers.regularized_stochastic_frank_wolfe import RegularizedStochasticFrankWolfe
from greedyhull.types import Array

IDLE = 2.0  # the error of the start
CONSTANTS = {"L": 1.0, "M_Phi": 4.0, "R2": 2.0}


@dataclass(frozen=True)
class OnALine:
    """Weights σ_k of the subgradients, what their sum is multiplied with, and steps η_k = k^−p.

    ``lost`` is c_ε: the oracle answers with the worse end as long as it is within c_ε η_k of the better one.
    """

    sigma: Array
    scale: Array
    p: float = 0.5
    lost: float = 0.0

    @classmethod
    def fading(cls, t: int, c: float, p: float = 0.5, lost: float = 0.0) -> OnALine:
        """σ_k = ck^{−3p/2}."""
        return cls(c * np.arange(1.0, t + 1.0) ** (-1.5 * p), np.ones(t), p, lost)

    @classmethod
    def steady(cls, t: int, c: float) -> OnALine:
        """σ_k = ct^−¾."""
        return cls(np.full(t, c * t**-0.75), np.ones(t))

    @classmethod
    def unweighted(cls, t: int, c: float) -> OnALine:
        """σ_k = 1, and ck^−¾ times their sum."""
        return cls(np.ones(t), c * np.arange(1.0, t + 1.0) ** -0.75)

    def error(self) -> float:
        """w̄_t + 1."""
        steps = np.arange(1.0, len(self.sigma) + 1.0) ** -self.p
        w, total, mean = 1.0, 0.0, 0.0
        for eta, sigma, scale in zip(steps.tolist(), self.sigma.tolist(), self.scale.tolist(), strict=True):
            mean += sigma * w
            slope = scale * total + w - 1.0
            w += eta * ((-1.0 if 2.0 * slope > self.lost * eta else 1.0) - w)
            total += sigma
        return mean / total + 1.0


def solved(weights: Fading | Steady | Unweighted, t: int) -> float:
    """The same from the solver."""
    return _run(RegularizedStochasticFrankWolfe(weights, batch=1, every=t + 1), t)


def solved_with(c: float, p: float, t: int) -> float:
    """The same from the solver, for σ_k = ck^{−3p/2} and η_k = k^−p."""
    return _run(RegularizedStochasticFrankWolfe(power(1.5 * p, c), Power(p), batch=1, every=t + 1), t)


def _run(solver: RegularizedStochasticFrankWolfe, t: int) -> float:
    f = finite_sum(lambda w, index: float(w[0]), lambda w, index: np.ones(1), 1, 1)
    S = Vertices(np.array([[1.0], [-1.0]]))
    with unwarned():
        return float(minimize(f, S, solver, start=S[0], stop=Iterations(t + 1)).point.array()[0]) + 1.0
