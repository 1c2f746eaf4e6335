"""Theorem 1: steps that sum to infinity and tolerances that vanish are enough."""

from __future__ import annotations

import numpy as np

from greedyhull.atoms.inexact import Inexact
from greedyhull.experiments.paper.experiment import Experiment, Figure, Finding, Scale, Table, at_most, curve, equal
from greedyhull.experiments.paper.problems import slope, squares
from greedyhull.experiments.paper.trajectory import play
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.parts.schedules import constant, power
from greedyhull.solvers.parts.steps import Constant, Power
from greedyhull.theory import diverges, limit, recursion, remaining


def run(scale: Scale, seed: int) -> Finding:
    curves, checks, rows = [], [], []
    for problem in (squares(seed), slope()):
        played = play(problem, FrankWolfe(Power(0.5), power(0.1)), scale.steps, S=Inexact(problem.S))
        k, e, eta = played.k[1:], played.errors[1:], played.steps
        bound = recursion(problem.M, eta, (np.arange(len(eta)) + 1.0) ** -0.1, float(played.errors[0]))[1:]
        curves.append(curve(problem.name, k, e))
        checks.append(at_most(f"{problem.name}: largest error over the recursion", float((e / bound).max()), 1.0, 1e-9))
        checks.append(at_most(f"{problem.name}: last error over that at a tenth of the run", e[-1] / e[len(e) // 10], 0.85))
    curves.append(curve("recursion, linear f", k, bound, "exact"))
    checks.append(
        equal("linear f on a ball: error over the recursion, so the bound is attained", e[-1] / bound[-1], 1.0, 1e-6)
    )
    problem, settled = squares(seed), []
    for eta_0 in (0.2, 0.05, 0.01):
        promised = limit(eta_0, 0.1, problem.M)
        tail = play(problem, FrankWolfe(Constant(eta_0), constant(0.1)), scale.steps, S=Inexact(problem.S)).errors
        settled.append(curve(f"η = {eta_0}", np.arange(1, len(tail)), tail[1:]))
        rows.append(
            (eta_0, 0.1, promised, float(tail[len(tail) // 2 :].max()), float(tail[len(tail) // 2 :].max()) / promised)
        )
        checks.append(at_most(f"constant step {eta_0}: largest late error over ε + Mη/2", rows[-1][-1], 1.0))
    kept = remaining([(j + 2.0) ** -2 for j in range(scale.steps)])
    checks.append(
        equal("steps (k + 2)⁻², which have a finite sum, keep this share of e₀ for ever", kept, 0.5, 2.0 / scale.steps)
    )
    checks.append(equal("diverges(): k^−1 does, k^−1.5 does not", float(diverges(1.0) and not diverges(1.5)), 1.0, 0.0))
    figures = (
        Figure("vanishing", "Steps k^−½ with tolerances k^−0.1: ε_k/η_k grows, the error falls", "k", "error", tuple(curves)),
        Figure("constant", "Constant steps, ε = 0.1: the error settles", "k", "error", tuple(settled)),
    )
    table = Table("Constant steps", ("η", "ε", "ε + Mη/2", "largest late error", "ratio"), tuple(rows))
    return Finding(
        "With ε_k/η_k → ∞ the error still goes to zero, as slowly as the tolerance does; on a linear f over a "
        "ball it follows the recursion exactly. "
        "Constant steps settle within ε + Mη/2.",
        tuple(checks),
        figures,
        (table,),
    )


EXPERIMENT = Experiment(
    "theorem1",
    "Theorem 1",
    "A sufficient condition for convergence",
    "If the steps sum to infinity and go to zero, and the tolerances go to zero, then f(w_k) → f*. Stronger: if the steps sum "
    "to infinity, limsup e_k ≤ limsup (ε_k + Mη_k/2).",
    "True. The printed proof asks for ε_k/η_k → 0, which is not needed and need not hold; the ratio meant is (η_kε_k + "
    "Mη_k²/2)/η_k.",
    "Does a method converge whose tolerances vanish far more slowly than its steps? And where do constant steps end?",
    run,
)
