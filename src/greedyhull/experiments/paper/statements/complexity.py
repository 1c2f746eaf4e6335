"""How many gradients of terms an error costs: what the bounds say, and what runs spend."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Callback
from greedyhull.experiments.paper.experiment import Experiment, Figure, Finding, Scale, Table, at_most, curve, equal, fitted
from greedyhull.experiments.paper.leader_on_a_line import CONSTANTS, OnALine
from greedyhull.experiments.paper.sampled import Sampled, regression
from greedyhull.experiments.paper.trajectory import means
from greedyhull.solvers.parts.progress import Event
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
from greedyhull.solvers.stochastic_jones import StochasticJones
from greedyhull.theory import BetterSchedule, ConstantWeights, arsfw
from greedyhull.types import Array, Solver


def run(scale: Scale, seed: int) -> Finding:
    sum_ = regression(seed, n=20_000)
    noise, bend = sum_.radius * sum_.sigma, sum_.problem.M
    goal = np.geomspace(1.0, 1e-2, 9) * (noise + bend)
    printed = promised_by_k(noise, bend, goal)
    better = promised_by_squares(noise, bend, goal)
    checks = []
    most = 30_000 if scale.steps < 1000 else 1_000_000
    spent = np.geomspace(200, most, 14)
    solvers: tuple[tuple[str, Any], ...] = (
        ("ASJ, b = k", replace(StochasticJones(), every=5)),
        ("ASJ, b ~ k²", replace(StochasticJones.growing(), every=5)),
        ("ASFW, b = k", replace(StochasticFrankWolfe(), every=5)),
    )
    runs = max(scale.runs // 10, 4)
    curves = {name: means(partial(errors, sum_, solver, spent), runs, seed)[0] for name, solver in solvers}
    for name, mean in curves.items():
        checks.append(at_most(f"{name}: fitted power of the error in the terms spent, 0 for doing nothing",
                              fitted(spent, mean), -0.25))
    t = np.array([1000, 10_000, 100_000, 1_000_000])
    on_line = np.array([OnALine.steady(int(n), 1.0).error() for n in t])
    checks.append(equal("ARSFW, constant weights, c = 1, f(w) = w: fitted power of the error in the subgradients",
                        fitted(t, on_line), -0.25, 0.01))
    figures = (
        Figure(
            "promised",
            "Terms that the bounds ask for",
            "1/ε",
            "gradients of terms",
            (curve("b = k: ε⁻⁴", 1.0 / goal, printed[0]), curve("b ~ k²: ε⁻³", 1.0 / goal, better[0])),
        ),
        Figure(
            "spent",
            f"Terms that runs spend, means of {runs}",
            "gradients of terms",
            "mean error",
            tuple(curve(name, spent, mean) for name, mean in curves.items()),
        ),
        Figure("kinks", "ARSFW on f(w) = w, c = 1: an error of ε takes ε^−4 subgradients", "subgradients", "error", (
            curve("constant weights", t, on_line),
            curve("corrected bound", t, arsfw(ConstantWeights(), t, c=1.0, **CONSTANTS), "bound"))),
    )
    table = Table(
        "What the bounds ask for",
        ("ε", "terms, b = k", "oracle calls", "terms, b ~ k²", "oracle calls"),
        tuple(
            (float(e), float(a), float(b), float(c), float(d)) for e, a, b, c, d in zip(goal, *printed, *better, strict=True)
        ),
    )
    return Finding(
        "The paper's schedule asks for ε⁻⁴ terms and ε⁻² oracle calls, as printed; steps 2/(k + 2) with batches like k² ask "
        "for ε⁻³ and ε⁻¹. On least squares the errors of runs fall faster in the terms spent than the power −¼ of the printed "
        "bound: the batches grow, but the noise near the minimiser matters less than its worst value. For ARSFW the power −¼ "
        "is real: on a line the error falls like t^−¼.",
        tuple(checks),
        figures,
        (table,),
    )


def promised_by_k(noise: float, bend: float, goal: Array) -> tuple[Array, Array]:
    """Terms and oracle calls until √2 B/√k ≤ ε with b_k = k."""
    calls = np.ceil(2.0 * ((noise + bend) / goal) ** 2)
    return 0.5 * calls * (calls + 1.0), calls


def promised_by_squares(noise: float, bend: float, goal: Array) -> tuple[Array, Array]:
    """Terms and oracle calls until 4(bend + τ)/(k + 2) ≤ ε with b_k = ⌈(noise/(τη_k))²⌉."""
    schedule = BetterSchedule.best(bend)
    calls = np.ceil(4.0 * (bend + schedule.tau) / goal)
    terms = [sum(schedule.batch(noise, k) for k in range(int(n))) for n in calls]
    return np.array(terms, dtype=float), calls


def errors(sum_: Sampled, solver: Solver, spent: Array, seed: int) -> Array:
    """The error when so many terms have been spent, at the last look before."""
    seen: list[tuple[float, float]] = []

    def watch(event: Event) -> None:
        seen.append((float(event.also["spent"]), event.value - sum_.problem.least))

    problem = sum_.problem
    minimize(
        problem.f,
        problem.S,
        solver,
        start=problem.atoms[0],
        stop=Callback(lambda event: event.also["spent"] >= spent[-1]),
        seed=seed,
        watch=watch,
    )
    cost, error = np.array(seen).T
    return np.asarray(error[np.maximum(np.searchsorted(cost, spent, side="right") - 1, 0)])


EXPERIMENT = Experiment(
    "complexity",
    "Abstract and introduction",
    "How many terms an error costs",
    "Stochastic Jones reaches an error ε with O(ε⁻⁴) terms, stochastic Frank-Wolfe with O(ε⁻⁴) gradients and O(ε⁻²) linear "
    "optimisations.",
    "True of the printed schedule. For smooth convex f another one, η_k = 2/(k + 2) and b_k ~ k², needs O(ε⁻³) and O(ε⁻¹), "
    "as Hazan and Luo (2016) showed for Frank-Wolfe. Nonsmooth f: O(ε⁻⁴) subgradients and linear optimisations.",
    "Which powers of 1/ε follow from the bounds, and what do runs spend?",
    run,
)
