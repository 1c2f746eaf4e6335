"""The conclusion's open questions: what can be measured of them, and no more."""

from __future__ import annotations

import math

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.experiments import nonsmooth_rates, variance_reduced_jones
from greedyhull.experiments.nonsmooth_rates import NonsmoothRates
from greedyhull.experiments.paper.experiment import (
    Check,
    Experiment,
    Figure,
    Finding,
    Scale,
    Series,
    Table,
    at_least,
    at_most,
    curve,
    fitted,
)
from greedyhull.experiments.paper.problems import Problem, posed
from greedyhull.experiments.paper.trajectory import play, unwarned
from greedyhull.experiments.variance_reduced_jones import Curves
from greedyhull.objectives.by_name import quadratic
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.jones import Jones
from greedyhull.solvers.pairwise_jones import PairwiseJones
from greedyhull.types import Array

N = 8
INSIDE, ON_FACE = "minimiser inside", "minimiser on a face"
Row = tuple[str, str, float, float, float, float]


def run(scale: Scale, seed: int) -> Finding:
    rows, drawn = _assumed(min(scale.steps, 1000), seed)
    with unwarned():
        reduced = variance_reduced_jones(
            n=1000 if scale.steps < 1000 else 4000,
            passes=12 if scale.steps < 1000 else 30,
            runs=2 if scale.runs < 100 else 6,
            seed=seed,
        )
        kinks = nonsmooth_rates(1000 if scale.steps < 1000 else 20_000, runs=2 if scale.runs < 100 else 4, seed=seed)
    figures = (
        Figure("faster", "A strongly convex quadratic with its minimiser on a face", "k", "error", tuple(drawn)),
        _reduced(reduced),
        _kinked(kinks),
    )
    return Finding(
        "On these examples Jones is linear where Frank-Wolfe is (a minimiser inside) and sublinear where Frank-Wolfe is (on a "
        "face); exchanging atoms makes it fast there too. A control variate saved gradients for stochastic Jones in this "
        "experiment. Among methods for kinks the paper's weights were the slowest; one that knows how f is made was the "
        "fastest. These are examples. What is proved is in the library's pages on theory: linear rates for a minimiser "
        "inside (linear_rate) and for pairwise Jones (pairwise_jones_rate), O(1/ε²) terms for an error ε with variance "
        "reduction (VarianceReducedJones), and a rate of t^−½ for kinks by Moreau envelopes (MoreauFrankWolfe). Lower bounds "
        "for the stochastic methods remain open.",
        _checked(rows, reduced, kinks),
        figures,
        _tables(rows, kinks),
    )


def _assumed(steps: int, seed: int) -> tuple[list[Row], list[Series]]:
    """Deterministic methods on a strongly convex quadratic, its minimiser inside and on a face; curves of the latter."""
    rows, drawn = [], []
    for problem in (placed(seed, 0.5), placed(seed, 1.3)):
        for name, solver in (("Frank-Wolfe", FrankWolfe()), ("Jones", Jones()), ("pairwise Jones", PairwiseJones())):
            e = play(problem, solver, steps, start=problem.atoms[0]).errors[1:]
            k = np.arange(1, len(e) + 1)
            reached = int(np.argmax(e <= 1e-8)) + 1 if (e <= 1e-8).any() else float("nan")
            rows.append((problem.name, name, reached, *pace(k, e), float(e[-1])))
            if problem.name == ON_FACE:
                drawn.append(curve(name, k, np.where(e > 1e-12, e, np.nan)))
    return rows, drawn


def _checked(rows: list[Row], reduced: Curves, kinks: NonsmoothRates) -> tuple[Check, ...]:
    """What the answers rest on."""
    last = {(row[0], row[1]): float(row[-1]) for row in rows}
    return (
        at_most("strongly convex, minimiser inside: error of Jones at the end", last[INSIDE, "Jones"], 1e-8),
        at_least("minimiser on a face: error of Jones at the end, it does not converge linearly", last[ON_FACE, "Jones"],
                 1e-8),
        at_most("minimiser on a face: error of pairwise Jones at the end", last[ON_FACE, "pairwise Jones"], 1e-8),
        at_most(
            "equal numbers of gradients: error of variance-reduced Jones over that of ASJ",
            float(reduced["variance-reduced Jones"][-1] / reduced["ASJ"][-1]),
            1.0,
        ),
        at_most(
            "nonsmooth f: error of ARSFW without weights over that of the printed weights",
            float(kinks["ARSFW-U"].error[-1] / kinks["ARSFW"].error[-1]),
            1.0,
        ),
    )


def _reduced(found: Curves) -> Figure:
    passes = found.spent[1:] / found.spent[1]
    return Figure(
        "reduced",
        "Least squares over an l1 ball: error after so many passes",
        "passes over the data",
        "mean error",
        tuple(curve(name, passes, np.maximum(found[name][1:], 1e-13)) for name in found.names),
    )


def _kinked(kinks: NonsmoothRates) -> Figure:
    return Figure(
        "kinks",
        "Absolute loss over a ball: error after so many subgradients",
        "subgradients of terms",
        "mean error",
        tuple(curve(found.name, found.subgradients, np.where(found.error > 1e-9, found.error, np.nan))
              for found in kinks.curves),
    )


def _tables(rows: list[Row], kinks: NonsmoothRates) -> tuple[Table, ...]:
    return (
        Table(
            "Nonsmooth f: fitted power of the error in subgradients",
            ("method", "fitted power", "last error"),
            tuple((found.name, found.exponent if found.exponent > -3.0 else "faster", float(found.error[-1]))
                  for found in kinks.curves),
        ),
        Table("Additional assumptions",
              ("problem", "method", "steps to 1e−8", "fitted power of k", "factor per step", "last error"), tuple(rows)),
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
    return posed(INSIDE if share < 1.0 else ON_FACE, quadratic(H, H @ b), L1Ball(N, 1.0))


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
