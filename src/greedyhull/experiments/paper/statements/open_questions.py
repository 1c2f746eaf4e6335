"""The conclusion's open questions: what can be measured of them, and no more."""

from __future__ import annotations

import math

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.experiments import nonsmooth_rates, variance_reduced_jones
from greedyhull.experiments.paper.experiment import Experiment, Figure, Finding, Scale, Table, at_least, at_most, curve, fitted
from greedyhull.experiments.paper.problems import Problem, posed
from greedyhull.experiments.paper.trajectory import play, unwarned
from greedyhull.objectives.by_name import quadratic
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.jones import Jones
from greedyhull.solvers.pairwise_jones import PairwiseJones
from greedyhull.types import Array

N = 8


def run(scale: Scale, seed: int) -> Finding:
    steps = min(scale.steps, 1000)
    inside, face = placed(seed, 0.5), placed(seed, 1.3)
    rows, drawn = [], []
    for problem in (inside, face):
        for name, solver in (("Frank-Wolfe", FrankWolfe()), ("Jones", Jones()), ("pairwise Jones", PairwiseJones())):
            e = play(problem, solver, steps, start=problem.atoms[0]).errors[1:]
            k = np.arange(1, len(e) + 1)
            reached = int(np.argmax(e <= 1e-8)) + 1 if (e <= 1e-8).any() else float("nan")
            rows.append((problem.name, name, reached, *pace(k, e), float(e[-1])))
            if problem is face:
                drawn.append(curve(name, k, np.where(e > 1e-12, e, np.nan)))
    with unwarned():
        curves = variance_reduced_jones(
            n=1000 if scale.steps < 1000 else 4000,
            passes=12 if scale.steps < 1000 else 30,
            runs=2 if scale.runs < 100 else 6,
            seed=seed,
        )
        kinks = nonsmooth_rates(1000 if scale.steps < 1000 else 20_000, runs=2 if scale.runs < 100 else 4, seed=seed)
    spent = curves.spent[1:] / curves.spent[1]
    last = {name: float(curves[name][-1]) for name in curves.names}
    by = {(row[0], row[1]): row for row in rows}
    checks = (
        at_most(
            "strongly convex, minimiser inside: error of Jones at the end", float(by["minimiser inside", "Jones"][-1]), 1e-8
        ),
        at_least(
            "minimiser on a face: error of Jones at the end, it does not converge linearly",
            float(by["minimiser on a face", "Jones"][-1]),
            1e-8,
        ),
        at_most(
            "minimiser on a face: error of pairwise Jones at the end",
            float(by["minimiser on a face", "pairwise Jones"][-1]),
            1e-8,
        ),
        at_most(
            "equal numbers of gradients: error of variance-reduced Jones over that of ASJ",
            last["variance-reduced Jones"] / last["ASJ"],
            1.0,
        ),
        at_most(
            "nonsmooth f: error of ARSFW without weights over that of the printed weights",
            float(kinks["ARSFW-U"].error[-1] / kinks["ARSFW"].error[-1]),
            1.0,
        ),
    )
    figures = (
        Figure("faster", "A strongly convex quadratic with its minimiser on a face", "k", "error", tuple(drawn)),
        Figure(
            "reduced",
            "Least squares over an l1 ball: error after so many passes",
            "passes over the data",
            "mean error",
            tuple(curve(name, spent, np.maximum(curves[name][1:], 1e-13)) for name in curves.names),
        ),
        Figure(
            "kinks",
            "Absolute loss over a ball: error after so many subgradients",
            "subgradients of terms",
            "mean error",
            tuple(
                curve(found.name, found.subgradients, np.where(found.error > 1e-9, found.error, np.nan))
                for found in kinks.curves
            ),
        ),
    )
    table = (
        Table(
            "Nonsmooth f: fitted power of the error in subgradients",
            ("method", "fitted power", "last error"),
            tuple((found.name, found.exponent if found.exponent > -3.0 else "faster", float(found.error[-1]))
                  for found in kinks.curves),
        ),
        Table("Additional assumptions",
              ("problem", "method", "steps to 1e−8", "fitted power of k", "factor per step", "last error"), tuple(rows)),
    )
    return Finding(
        "On these examples Jones is linear where Frank-Wolfe is (a minimiser inside) and sublinear where Frank-Wolfe is (on a "
        "face); exchanging atoms makes it fast there too. A control variate saved gradients for stochastic Jones in this "
        "experiment. Among methods for kinks the paper's weights were the slowest; one that knows how f is made was the "
        "fastest. These are examples. What is proved is in the library's pages on theory: linear rates for a minimiser "
        "inside (linear_rate) and for pairwise Jones (pairwise_jones_rate), O(1/ε²) terms for an error ε with variance "
        "reduction (VarianceReducedJones), and a rate of t^−½ for kinks by Moreau envelopes (MoreauFrankWolfe). Lower bounds "
        "for the stochastic methods remain open.",
        checks,
        figures,
        table,
    )


def pace(k: Array, e: Array) -> tuple[float, float]:
    """The fitted power of k, or, where the error falls to 1e−10, the factor of the error per step: the other is nan."""
    if e[-1] > 1e-10:
        return fitted(k, e), math.nan
    seen = e > 1e-10
    return math.nan, float(np.exp(np.polyfit(k[seen], np.log(e[seen]), 1)[0])) if seen.sum() > 2 else math.nan


def placed(seed: int, share: float) -> Problem:
    """½(w − b)ᵀH(w − b) over the l1 ball of radius 1, ‖b‖₁ = share: inside below one, cut off by a face above."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((2 * N, N))
    H = A.T @ A / len(A) + 0.1 * np.eye(N)
    b = share * rng.dirichlet(np.full(N, 30.0)) * rng.choice([-1.0, 1.0], N)
    return posed("minimiser inside" if share < 1.0 else "minimiser on a face", quadratic(H, H @ b), L1Ball(N, 1.0))


EXPERIMENT = Experiment(
    "open_questions",
    "Conclusion",
    "What the paper leaves open",
    "The authors ask whether Jones' algorithm is faster under more assumptions, whether there are stochastic Jones methods "
    "that need less, and for lower bounds, the nonsmooth case seeming harder.",
    "Measured here are examples. A lower bound for methods that add one atom a step is above (beside Theorem 3).",
    "What do runs show?",
    run,
)
