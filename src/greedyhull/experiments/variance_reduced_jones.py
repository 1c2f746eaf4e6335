"""Does variance reduction make stochastic Jones need fewer gradients? The solvers side by side, at equal numbers of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Callback, Gap, Iterations
from greedyhull.errors import check
from greedyhull.objectives.by_name import least_squares, logistic
from greedyhull.objectives.composite import Composite
from greedyhull.solvers.gradients.svrg import Svrg
from greedyhull.solvers.parts.schedules import linear
from greedyhull.solvers.parts.steps import OpenLoop
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
from greedyhull.solvers.stochastic_jones import StochasticJones
from greedyhull.solvers.variance_reduced_jones import VarianceReducedJones
from greedyhull.types import Array, AtomSet, Objective, Solver


@dataclass(frozen=True)
class Curves:
    """Mean errors of several solvers after ``spent`` gradients of terms, one row of ``errors`` for each of ``names``."""

    names: tuple[str, ...]
    spent: Array
    errors: Array

    def __getitem__(self, name: str) -> Array:
        return np.asarray(self.errors[self.names.index(name)])


SOLVERS: dict[str, Solver] = {
    "variance-reduced Jones": VarianceReducedJones(Svrg(linear(4.0))),
    "ASJ": StochasticJones(),
    "ASJ, batches 4k": StochasticJones(linear(4.0), OpenLoop()),
    "ASFW": StochasticFrankWolfe(),
    "SVRF, batches 4k": StochasticFrankWolfe(Svrg(linear(4.0)), OpenLoop()),
}


def variance_reduced_jones(problem: str = "least_squares", *, n: int = 2000, d: int = 20, passes: int = 20, runs: int = 5,
                           seed: int = 0) -> Curves:
    """Least squares over an l1 ball, or logistic regression over a simplex, of made-up data: the error after each pass.

    A gradient of a term is counted where a batch asks for one. That a Jones step also asks its batch for values along
    the lines toward several atoms is not counted.
    """
    check(problem in ("least_squares", "logistic"), f"problem={problem!r} was given; 'least_squares' or 'logistic' is wanted.")
    check(passes >= 1 and runs >= 1, f"passes={passes!r}, runs={runs!r} were given; at least one of each is wanted.")
    f, S = made_up(problem, n, d, seed)
    least = minimize(f, S, stop=Gap(1e-11) | Iterations(2000)).certificate.lower
    spent = np.arange(passes + 1) * n
    errors = [np.mean([_curve(f, S, solver, spent, seed + 1 + r) for r in range(runs)], axis=0) - least
              for solver in SOLVERS.values()]
    return Curves(tuple(SOLVERS), spent, np.array(errors))


def made_up(problem: str, n: int, d: int, seed: int) -> tuple[Composite, AtomSet]:
    """Correlated columns of different sizes, few of which matter."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((n, 1))) * 2.0 ** rng.uniform(-1.0, 1.0, d)
    true = np.zeros(d)
    true[:5] = rng.dirichlet(np.ones(min(d, 5)))
    if problem == "least_squares":
        return least_squares(X, X @ true + 0.5 * rng.standard_normal(n)), L1Ball(d, 1.0)
    return logistic(X, np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-3.0 * (X @ true))), 1.0, -1.0)), Simplex(d, 2.0)


def _curve(f: Objective, S: AtomSet, solver: Solver, spent: Array, seed: int) -> Array:
    """The value after each number of gradients, interpolated between looks."""
    told: list[tuple[int, float]] = []
    enough = Callback(lambda event: event.also["spent"] >= spent[-1])
    minimize(f, S, solver, stop=enough, seed=seed, watch=lambda event: told.append((event.also["spent"], event.value)))
    return np.asarray(np.interp(spent, *np.array(told).T))
