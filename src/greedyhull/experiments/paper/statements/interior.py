"""The remark on minimisers inside the hull: a smaller constant, and more."""

from __future__ import annotations

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.experiments.paper.experiment import Experiment, Figure, Finding, Scale, Table, bounded, curve
from greedyhull.experiments.paper.problems import posed
from greedyhull.experiments.paper.trajectory import play
from greedyhull.objectives.by_name import quadratic
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.jones import Jones
from greedyhull.theory import interior_rate, line_search_rate, linear_rate

N = 6
LINEAR = "for a strongly convex f the error falls faster than any power of k"
ROUND = "the rate takes the least curvature and the smallest ball inside at once"


def run(scale: Scale, seed: int) -> Finding:
    steps, rng = min(scale.steps, 400), np.random.default_rng(seed)
    A = rng.standard_normal((2 * N, N))
    H = A.T @ A / len(A)
    rows, curves, checks = [], [], []
    for share in (0.1, 0.5, 0.9):
        best = share * rng.dirichlet(np.ones(N)) * rng.choice([-1.0, 1.0], N)
        problem = posed("cross-polytope", quadratic(H, H @ best), L1Ball(N, 1.0), float(-0.5 * best @ H @ best))
        t, rho = (1.0 - share) / (1.0 + share), (1.0 - share) / np.sqrt(N)
        for name, solver in (("Frank-Wolfe", FrankWolfe()), ("Jones", Jones())):
            played = play(problem, solver, steps, start=problem.atoms[0])
            k, e = played.k[1:], np.maximum(played.errors[1:], 0.0)
            small = line_search_rate(problem.M / (1.0 + t) ** 2, k)
            geometric = linear_rate(problem.M, float(np.linalg.eigvalsh(H)[0]), float(rho), float(played.errors[0]), k)
            rows.append(
                (
                    share,
                    name,
                    float(interior_rate(problem.M, 0.0, t, 1)) / (2.0 * problem.M / 3.0),
                    float((e / small).max()),
                    float((e / geometric)[geometric > 1e-12].max()),
                    float(played.errors[0] / small[-1]),
                )
            )
            if share == 0.5:
                curves += [curve(f"{name}, line search", k, np.maximum(e, 1e-16))]
        if share == 0.5:
            curves += [
                curve("2M/(k + 3)", k, line_search_rate(problem.M, k), "exact"),
                curve("2M/((1 + t)²(k + 3))", k, small, "bound"),
            ]
    checks = [
        bounded("largest error over the smaller constant's rate", max(float(row[3]) for row in rows), room=1e-9, why=LINEAR,
                idle=max(float(row[5]) for row in rows)),
        bounded("largest error over the linear rate", max(float(row[4]) for row in rows), room=1e-9, why=ROUND),
    ]
    shown = Figure("interior", "A minimiser half-way to the boundary of a cross-polytope", "k", "error", tuple(curves))
    table = Table(
        "How far the minimiser is from the centre, relative to the boundary",
        ("distance", "method", "constant, relative to Theorem 2", "error / smaller rate", "error / linear rate",
         "doing nothing / smaller rate"),
        tuple(rows),
    )
    return Finding(
        "A minimiser inside the hull divides the constant by up to four, without the solver knowing; with strong "
        "convexity line search converges linearly.",
        tuple(checks),
        (shown,),
        (table,),
    )


EXPERIMENT = Experiment(
    "interior",
    "Remark after Theorem 2",
    "A minimiser inside the hull has a better constant",
    "If w* + t(w* − w) stays in the hull for every w in it, the rate of Theorem 2 holds with M/(1 + t)² and c/(1 + t)²; for a "
    "strongly convex f line search has a linear rate.",
    "Only mentioned in print; both forms are proved with the functions interior_rate and linear_rate.",
    "Do runs with a minimiser inside obey the smaller bounds?",
    run,
)
