"""Does stochastic Frank-Wolfe converge with single terms? Not in general: here it goes to the wrong point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from greedyhull.atoms.l2_ball import L2Ball
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Iterations
from greedyhull.errors import check
from greedyhull.experiments.measured import Measured, bernstein, repeated, variance_of_quadratic
from greedyhull.objectives.by_name import least_squares
from greedyhull.solvers.gradients.minibatch import Minibatch
from greedyhull.solvers.parts.steps import Constant, OpenLoop
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
from greedyhull.types import Array


@dataclass(frozen=True)
class ByTurns(Constant):
    """Steps that come round again: ``eta``, then the ``others``."""

    others: tuple[float, ...] = ()

    def at(self, k: float) -> float:
        turns = (self.eta, *self.others)
        return turns[int(k) % len(turns)]


@dataclass(frozen=True)
class WrongLimit(Measured):
    """``limit`` is where the expected error goes with k; it is not zero."""

    limit: float


def asfw_eg_b(r: float = 0.5, eta: float | Sequence[float] | None = None, *, k: int = 60, runs: int = 400,
              seed: int = 0) -> WrongLimit:
    """The error after k steps of ASFW with single terms, steps 2/(k + 2), k from zero, or ``eta``: one, or some by turns.

    f is the mean of (xᵢ·w − yᵢ)² over the ball of radius r < 1, xᵢ three unit vectors at 120° and y = (1, −1, −1). The
    atoms of the terms do not depend on w; their mean is (0, 2r/3), the optimum (0, r). So the expected error stays above
    r(8 − 5r)/18, goes there if η_k → 0 and Ση_k = ∞, and to r(8 − 5r)/18 + 5r²η/(18(2 − η)) for constant steps.
    Steps by turns have no limit: it is nan.
    """
    check(0.0 < r < 1.0, f"r={r!r} was given; a radius between 0 and 1 is wanted: beyond, atoms depend on the point.")
    check(k >= 1, f"k={k!r} was given; at least one step is wanted.")
    half = np.sqrt(0.75)
    X, y = np.array([[0.0, 1.0], [-half, -0.5], [half, -0.5]]), np.array([1.0, -1.0, -1.0])
    f, S, mean = least_squares(X, y), L2Ball(2, r), np.array([0.0, 2.0 * r / 3.0])
    turns = () if eta is None else tuple(np.atleast_1d(eta).tolist())
    check(all(0.0 < step <= 1.0 for step in turns), f"eta={eta!r} was given; steps in (0, 1] are wanted.")
    rule = OpenLoop() if eta is None else ByTurns(turns[0], turns[1:])
    solver = StochasticFrankWolfe(Minibatch(1), rule, every=k + 1)
    least = 0.5 * r * r - 4.0 * r / 3.0 + 1.0

    def run(s: int) -> Array:
        got = minimize(f, S, solver, start=mean, stop=Iterations(k + 1), seed=s).value
        return np.array([2.0 * float(got or 0.0) - least])

    (measured,), (error,) = repeated(run, runs, seed)
    wrong, noise = r * (8.0 - 5.0 * r) / 18.0, 5.0 * r * r / 18.0  # half the variance of an atom
    eta_k = np.array([rule.at(i) for i in range(k)])
    c = eta_k * np.append(np.cumprod((1.0 - eta_k)[:0:-1])[::-1], 1.0)  # what each atom counts for
    g = mean - np.array([0.0, 4.0 / 3.0])
    atoms = r * np.sign(y)[:, None] * X
    variance = variance_of_quadratic(np.eye(2), g, atoms - mean, np.full(3, 1.0 / 3.0), c)  # the Hessian is the identity
    room = bernstein(variance, 0.5 * r * r - 4.0 / 3.0 * float(atoms[:, 1].min()) + 1.0 - least, runs)
    now = float((c**2).sum())
    limit = 0.0 if eta is None else turns[0] / (2.0 - turns[0]) if len(turns) == 1 else np.nan
    return WrongLimit(float(measured), float(error), wrong + noise * now, room, wrong + noise * limit)
