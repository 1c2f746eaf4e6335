"""Does stochastic Frank-Wolfe need atoms that are right on average? No: here they are not, and it converges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.atoms.l2_ball import L2Ball
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Iterations
from greedyhull.errors import check
from greedyhull.experiments.measured import Measured, bernstein, repeated, variance_of_quadratic
from greedyhull.objectives.by_name import least_squares
from greedyhull.solvers.gradients.minibatch import Minibatch
from greedyhull.solvers.parts.steps import OpenLoop
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
from greedyhull.types import Array


@dataclass(frozen=True)
class ViolatedCondition(Measured):
    """``violation`` is the mean of (⟨E d, ∇f⟩ − min ⟨·, ∇f⟩)/η_k, which the condition wants bounded; it grows like √k."""

    violation: float


def asfw_eg_a(k: int = 20, seed: int = 0, *, runs: int = 400) -> ViolatedCondition:
    """The error after k steps of ASFW with single terms and η_k = 2/(k + 2), k from zero.

    f is the mean of (x·w − 1)² and (x·w + 1)² with x = (1, 1) over the ball of radius 1/2. The atom of either term is
    ±x/(2√2), whatever w is, so that w_k = Y_k x/(2√2) with Y_k a mean of signs, and E f(w_k) − f* = (2k + 1)/(3k(k + 1)).
    """
    check(k >= 1, f"k={k!r} was given; at least one step is wanted.")
    f, S = least_squares(np.ones((2, 2)), np.array([1.0, -1.0])), L2Ball(2, 0.5)
    solver = StochasticFrankWolfe(Minibatch(1), OpenLoop(), every=k + 1)

    def run(s: int) -> Array:
        w = minimize(f, S, solver, stop=Iterations(k + 1), seed=s).point.array()
        image = float(w.sum())
        return np.array([image**2, 0.5 * float(np.linalg.norm(2.0 * image * np.ones(2))) * (k + 2.0) / 2.0])

    (measured, violation), (error, _) = repeated(run, runs, seed)
    c, signs = 2.0 * np.arange(1, k + 1) / (k * (k + 1)), np.array([[-1.0], [1.0]])
    variance = variance_of_quadratic(np.eye(1), np.zeros(1), signs, np.full(2, 0.5), c)  # the error is ½Y²
    return ViolatedCondition(float(measured), float(error), (2 * k + 1) / (3 * k * (k + 1)), bernstein(variance, 0.5, runs),
                             float(violation))
