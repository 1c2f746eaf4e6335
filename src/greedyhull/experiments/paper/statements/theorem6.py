"""Theorem 6: regularised stochastic Frank-Wolfe for losses with kinks."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Iterations
from greedyhull.experiments.paper.experiment import Check, Experiment, Figure, Finding, Scale, Table, at_most, curve, fitted
from greedyhull.experiments.paper.kinked import Kinked, kinked
from greedyhull.experiments.paper.trajectory import means, spread
from greedyhull.solvers.parts.gradient_weights import Fading, Steady, Unweighted
from greedyhull.solvers.parts.progress import Event
from greedyhull.solvers.regularized_stochastic_frank_wolfe import RegularizedStochasticFrankWolfe
from greedyhull.theory import ConstantWeights, UniformAverage, VariableWeights, arsfw, arsfw_printed
from greedyhull.theory.arsfw import WeightSchedule
from greedyhull.types import Array

Weights = Fading | Steady | Unweighted


def run(scale: Scale, seed: int) -> Finding:
    at = spread(250 if scale.steps < 1000 else 1500, 20)
    runs = max(scale.runs // 20, 4)
    rows: list[tuple[str | float, ...]] = []
    checks: list[Check] = []
    figures: list[Figure] = []
    for problem in (kinked("hinge", L1Ball(5, 2.0), seed), kinked("absolute", Simplex(5, 1.5), seed)):
        c = float(np.sqrt(problem.R2)) / problem.L
        drawn = []
        ways = (Way("fading weights", Fading(c), VariableWeights(), c), Way("constant weights", None, ConstantWeights(), c),
                Way("no weights (ours)", Unweighted(5.0 * c), UniformAverage(), 5.0 * c))
        for way in ways:
            t, mean, error = measured(problem, way, at, runs, seed)
            bound = arsfw(way.schedule, t, c=way.c, **problem.constants)
            surely = mean - 3.0 * error
            rows.append((problem.name, way.name, float((mean / bound).max()), fitted(t, mean)))
            told = f"{problem.name}, {way.name}: largest (mean − 3 standard errors)"
            checks.append(at_most(f"{told}/corrected bound", float((surely / bound).max()), 1.0))
            if isinstance(way.schedule, VariableWeights | ConstantWeights):
                printed = arsfw_printed(way.schedule, t, c=way.c, L=problem.L, R2=problem.R2)
                checks.append(at_most(f"{told}/printed bound", float((surely / printed).max()), 1.0))
            drawn.append(curve(way.name, t, mean))
        t = at - 1
        corrected = arsfw(VariableWeights(), t, c=c, **problem.constants)
        printed = arsfw_printed(VariableWeights(), t, c=c, L=problem.L, R2=problem.R2)
        drawn += [curve("corrected bound, fading weights", t, corrected, "bound"),
                  curve("printed bound, fading weights", t, printed, "exact")]
        title = f"{problem.name.capitalize()} loss, one term a step"
        figures.append(Figure(problem.name, title, "t", "mean error of the average", tuple(drawn)))
    table = Table(f"Means of {runs} runs", ("loss", "weights", "mean / corrected bound", "fitted power"), tuple(rows))
    return Finding("Both losses obey the printed and the corrected bounds for all weights; the corrected ones are smaller. "
                   "Weights that are all alike need neither a horizon nor a logarithm.",
                   tuple(checks), tuple(figures), (table,))


class Way(NamedTuple):
    """How subgradients are weighted; ``weights`` None are constant ones, another run for every horizon."""

    name: str
    weights: Weights | None
    schedule: WeightSchedule
    c: float


def measured(problem: Kinked, way: Way, at: Array, runs: int, seed: int) -> tuple[Array, Array, Array]:
    """Numbers of steps, mean errors of the average after them, and standard errors."""
    weights = way.weights
    if weights is not None:
        return at - 1, *means(lambda s: path(problem, weights, at, s), runs, seed)
    horizons = at[:: max(len(at) // 5, 1)]
    found = [means(partial(horizon, problem, way.c, int(t)), runs, seed) for t in horizons]
    return horizons, np.array([mean[0] for mean, _ in found]), np.array([error[0] for _, error in found])


def horizon(problem: Kinked, c: float, t: int, seed: int) -> Array:
    """The error of the average after t steps with constant weights for that horizon."""
    return path(problem, Steady(t, c), np.array([t + 1]), seed)


def path(problem: Kinked, weights: Weights, at: Array, seed: int) -> Array:
    """Errors of the averages w̄_{k−1} at the given k, in one run with single terms."""
    found, place = np.full(len(at), np.nan), {int(k): i for i, k in enumerate(at)}

    def watch(event: Event) -> None:
        i = place.get(event.iteration)
        if i is not None:
            found[i] = event.value - problem.least

    solver = RegularizedStochasticFrankWolfe(weights, batch=1, every=1 if len(at) > 1 else int(at[0]))
    minimize(problem.f, problem.S, solver, stop=Iterations(int(at[-1])), seed=seed, watch=watch)
    return found


EXPERIMENT = Experiment(
    "theorem6", "Theorem 6", "Nonsmooth functions: ARSFW",
    "ARSFW steps toward an atom for ḡ_k + ∇Φ(w_k), ḡ_k the σ-weighted sum of past subgradients. With η_k = k^−½ and σ_k = "
    "ck^−¾ its average has an expected error of O(ln t/t^¼), with σ_k = ct^−¾ of O(t^−¼).",
    "The final bounds are true as printed for p < 1, although a step of their proof is false (see Lemma 4); corrected, "
    "with L in place of 3L and ½ in place of 2, they are smaller.",
    "How do hinge and absolute loss do against both bounds, with one term a step?",
    run,
)
