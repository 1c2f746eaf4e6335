"""How fast are the solvers for f with kinks, in subgradients and in calls of the oracle?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.l2_ball import L2Ball
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Callback, Iterations, Relative, Stop
from greedyhull.errors import check
from greedyhull.objectives.by_name import absolute
from greedyhull.solvers.moreau_frank_wolfe import MoreauFrankWolfe
from greedyhull.solvers.parts.gradient_weights import Fading, Unweighted
from greedyhull.solvers.parts.progress import Event
from greedyhull.solvers.regularized_stochastic_frank_wolfe import RegularizedStochasticFrankWolfe
from greedyhull.solvers.smoothed import Smoothed
from greedyhull.types import Array, AtomSet, Solver, Summed


@dataclass(frozen=True)
class Curve:
    """The mean error of a solver's point after so many subgradients of terms, and so many calls of the oracle.

    ``exponent`` is the slope of the error in subgradients on a log-log scale, over the last half of the scale.
    """

    name: str
    subgradients: Array
    oracle_calls: Array
    error: Array

    @property
    def exponent(self) -> float:
        x, y = np.log(self.subgradients), np.log(np.maximum(self.error, 1e-15))
        late = x >= 0.5 * (x[0] + x[-1])
        return float(np.polyfit(x[late], y[late], 1)[0])


@dataclass(frozen=True)
class NonsmoothRates:
    """One curve a solver, on the problem that ``problem`` describes."""

    problem: str
    optimum: float
    curves: tuple[Curve, ...]

    def __getitem__(self, name: str) -> Curve:
        return next(curve for curve in self.curves if curve.name == name)


def nonsmooth_rates(budget: int = 10_000, *, runs: int = 2, seed: int = 0, ball: str = "l2") -> NonsmoothRates:
    """Least absolute deviations with 100 samples and 10 coordinates over the unit ball, ``budget`` subgradients each.

    ARSFW and ARSFW-U take one term a step and promise orders t^−1/4 (with a logarithm) and t^−1/4; `MoreauFrankWolfe` takes
    one term a subgradient step and promises t^−1/2; `Smoothed` takes all terms at every step and knows how f is made, which
    the others do not.
    """
    check(budget >= 200, f"budget={budget!r} was given; at least 200 subgradients are wanted, two passes.")
    check(runs >= 1, f"runs={runs!r} was given; at least one is wanted.")
    check(ball in ("l1", "l2"), f"ball={ball!r} was given; 'l1' or 'l2' is wanted.")
    rng = np.random.default_rng(seed)
    n, d = 100, 10
    X = rng.standard_normal((n, d)) / d**0.5
    y = X @ np.repeat([0.8, 0.0], [2, d - 2]) + 0.3 * rng.laplace(size=n)
    f, S = absolute(X, y), L2Ball(d, 1.0) if ball == "l2" else L1Ball(d, 1.0)
    optimum = minimize(f, S, Smoothed(), stop=Relative(1e-8) | Iterations(1000)).certificate.lower
    solvers: dict[str, Solver] = {
        "ARSFW": RegularizedStochasticFrankWolfe(Fading(), batch=1),
        "ARSFW-U": RegularizedStochasticFrankWolfe(Unweighted(), batch=1),
        "Moreau": MoreauFrankWolfe(batch=1),
        "smoothing": Smoothed(),
    }
    seeds = rng.integers(2**31, size=runs).tolist()
    curves = tuple(_curve(name, f, S, solver, optimum, budget, seeds) for name, solver in solvers.items())
    return NonsmoothRates(f"{f!r} over {S!r}", optimum, curves)


def _curve(name: str, f: Summed, S: AtomSet, solver: Solver, optimum: float, budget: int, seeds: list[int]) -> Curve:
    """The mean over the seeds, at numbers of subgradients that all of them have passed."""
    seen = [_watched(f, S, solver, budget, s) for s in seeds[: 1 if isinstance(solver, Smoothed) else None]]
    last = min(rows[-1, 0] for rows in seen)
    grid = np.array([x for x in seen[0][:, 0] if 0 < x <= last])
    mean = [np.mean([np.interp(grid, rows[:, 0], rows[:, j]) for rows in seen], axis=0) for j in (1, 2)]
    return Curve(name, grid, mean[0], np.maximum(mean[1] - optimum, 0.0))


def _watched(f: Summed, S: AtomSet, solver: Solver, budget: int, seed: int) -> Array:
    """Rows of subgradients, oracle calls and value, until the budget is spent."""
    rows: list[tuple[float, float, float]] = []

    def watch(event: Event) -> None:
        spent = (event.also or {}).get("spent", f.n * event.point.work.gradients)
        rows.append((float(spent), float(len(rows)), event.value))

    stop: Stop = Callback(lambda event: rows[-1][0] >= budget) | Relative(1e-12)
    s = minimize(f, S, solver, stop=stop, watch=watch, seed=seed)
    out = np.array(rows)
    out[:, 1] = s.trace["oracle_calls"]
    return out
