"""Theorem 1: steps that sum to infinity and tolerances that vanish are enough."""

from __future__ import annotations

import numpy as np

from greedyhull.atoms.inexact import Inexact
from greedyhull.experiments.paper.experiment import (
    Check,
    Experiment,
    Figure,
    Finding,
    Scale,
    Series,
    Table,
    at_most,
    bounded,
    curve,
)
from greedyhull.experiments.paper.problems import Problem, corners, polygon, slope, squares
from greedyhull.experiments.paper.trajectory import Played, play
from greedyhull.experiments.paper.worst import WorstJones
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.parts.schedules import constant, power
from greedyhull.solvers.parts.steps import Constant, Power
from greedyhull.theory import limit, recursion

TYPICAL = "on least squares few atoms are within the tolerance; the linear f is the worst case"
SIMPLEX = "the curvature's share of the bound is not attained: on the simplex a step η leaves η/(2 − η), a quarter of Mη/2"


def run(scale: Scale, seed: int) -> Finding:
    checks, curves = vanishing(scale, seed)
    more, settled, rows = settling(seed)
    figures = (
        Figure("vanishing", "Steps k^−½ with tolerances k^−0.1: ε_k/η_k grows, the error falls", "k", "error", curves),
        Figure("constant", "Constant steps: the error settles", "k", "error", settled),
    )
    return Finding(
        "With ε_k/η_k → ∞ the errors of Frank-Wolfe and of Jones still go to zero, as slowly as the tolerance does; on a "
        "linear f over a ball Frank-Wolfe follows the recursion to the last digits. Constant steps settle within ε + "
        "Mη/2, and ε is attained.",
        (*checks, *more), figures,
        (Table("Constant steps", ("problem", "η", "ε", "ε + Mη/2", "largest late error", "ratio"), rows),))


def slowly(problem: Problem, family: str, steps: int) -> Played:
    """Steps k^−½, and the worst atoms that tolerances k^−0.1 admit."""
    if family == "Jones":
        return play(problem, WorstJones(step=Power(0.5), tolerance=power(0.1)), steps)
    return play(problem, FrankWolfe(Power(0.5), power(0.1)), steps, S=Inexact(problem.S))


def vanishing(scale: Scale, seed: int) -> tuple[list[Check], tuple[Series, ...]]:
    """Both families with tolerances that vanish more slowly than the steps."""
    checks: list[Check] = []
    curves = []
    for problem, family in ((squares(seed), "Frank-Wolfe"), (slope(), "Frank-Wolfe"), (squares(seed), "Jones"),
                            (polygon(), "Jones")):
        played = slowly(problem, family, scale.steps if family == "Frank-Wolfe" else min(scale.steps, 500))
        k, e, eta = played.k[1:], played.errors[1:], played.steps
        bound = recursion(problem.M, eta, (np.arange(len(eta)) + 1.0) ** -0.1, float(played.errors[0]))[1:]
        name = f"{family}, {problem.name}"
        curves.append(curve(name, k, e))
        checks.append(bounded(f"{name}: largest error over the recursion", float((e / bound).max()), room=1e-9,
                              idle=float((played.errors[0] / bound).max()), why=TYPICAL if problem.M > 0.0 else ""))
        checks.append(at_most(f"{name}: last error over that at a tenth of the run; k^−0.1 makes it 0.79",
                              float(e[-1] / e[len(e) // 10]), 0.85))
        if problem.name == "linear on a ball":
            curves.append(curve("recursion, linear f", k, bound, "exact"))
    return checks, tuple(curves)


def settling(seed: int) -> tuple[list[Check], tuple[Series, ...], tuple[tuple[str | float, ...], ...]]:
    """Where constant steps end: on a linear f at ε, on the simplex at a quarter of Mη/2."""
    checks: list[Check] = []
    rows: list[tuple[str | float, ...]] = []
    curves = []
    for problem, eta, eps in ((slope(), 0.2, 0.1), (slope(), 0.05, 0.1), (corners(400), 0.05, 0.0),
                              (squares(seed), 0.05, 0.1)):
        steps = 350 if problem.name.startswith("‖w‖²") else 800
        run_ = play(problem, FrankWolfe(Constant(eta), constant(eps)), steps, S=Inexact(problem.S))
        late, promised = float(run_.errors[len(run_.errors) // 2 :].max()), limit(eta, eps, problem.M)
        name = f"{problem.name}, η = {eta}, ε = {eps}"
        curves.append(curve(name, run_.k[1:], run_.errors[1:]))
        rows.append((problem.name, eta, eps, promised, late, late / promised))
        if problem.name != "least squares":
            checks.append(bounded(f"{name}: largest late error over ε + Mη/2", late / promised, room=1e-3,
                                  idle=float(run_.errors[0]) / promised, why=SIMPLEX if problem.M > 0.0 else ""))
    return checks, tuple(curves), tuple(rows)


EXPERIMENT = Experiment(
    "theorem1", "Theorem 1", "A sufficient condition for convergence",
    "If the steps sum to infinity and go to zero, and the tolerances go to zero, then f(w_k) → f*. Stronger: if the steps sum "
    "to infinity, limsup e_k ≤ limsup (ε_k + Mη_k/2).",
    "True. The printed proof asks for ε_k/η_k → 0, which is not needed and need not hold; the ratio meant is (η_kε_k + "
    "Mη_k²/2)/η_k.",
    "Do methods of both families converge whose tolerances vanish far more slowly than their steps? And where do constant "
    "steps end?",
    run,
)
