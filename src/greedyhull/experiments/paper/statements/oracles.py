"""The two meanings of "approximate": a tolerance on the linear score, and one on f itself."""

from __future__ import annotations

import numpy as np

from greedyhull.atoms.inexact import Inexact
from greedyhull.experiments.paper.experiment import Experiment, Figure, Finding, Scale, bounded, curve
from greedyhull.experiments.paper.problems import Problem, gradient_at, logit
from greedyhull.experiments.paper.trajectory import Played, play
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.jones import Jones
from greedyhull.solvers.parts.schedules import harmonic
from greedyhull.solvers.parts.steps import OpenLoop
from greedyhull.types import Array


def run(scale: Scale, seed: int) -> Finding:
    c, steps, problem = 0.3, min(scale.steps, 1000), logit(seed)
    loose = Inexact(problem.S)
    used = lost(problem, play(problem, FrankWolfe(OpenLoop(), harmonic(c)), steps, S=loose, points=True))
    jones = play(problem, Jones(OpenLoop(), harmonic(c)), steps, S=loose)
    proved, allowed = (np.array([told[key] for told in jones.also[1:]]) for key in ("jones_error", "jones_allowed"))
    k = np.arange(1.0, steps + 1.0)
    eta = 2.0 / (k + 1.0)
    shown = Figure("tolerances", "What the oracles lost, and what they were allowed to lose", "step", "loss", (
        curve("allowed on the linear score: cη", k, c * eta, "bound"),
        curve("lost by Frank-Wolfe, worst admissible atoms", k, np.where(used > 1e-9, used, np.nan), "dots"),
        curve("allowed on f: cη²", k, allowed, "exact"),
        curve("lost by Jones at most, proved", k, np.where(proved > 1e-9, proved, np.nan), "dots"),
    ))
    checks = (
        bounded("Frank-Wolfe, worst atoms: largest loss over cη", float((used / (c * eta)).max()), room=1e-9),
        bounded("Jones: largest proved loss over cη²", float((proved / (c * eta**2)).max()), room=1e-9),
    )
    return Finding("Both keep to what they are allowed: cη_k on the linear score for Frank-Wolfe, cη_k² on f for Jones. The "
                   "same c allows Jones less by the factor η_k.", checks, (shown,))


def lost(problem: Problem, played: Played) -> Array:
    """⟨∇f(w_k), d_k⟩ − min over S, with d_k read off from consecutive points."""
    losses = []
    for w, after, eta in zip(played.points[:-1], played.points[1:], played.steps, strict=True):
        g = gradient_at(problem.f, w)
        losses.append(float(g @ (w + (after - w) / eta)) - problem.S.atom(g).dot(g))
    return np.array(losses)


EXPERIMENT = Experiment(
    "oracles", "Algorithm 1 and definitions", "What an approximate oracle may lose",
    "An ε-approximate Frank-Wolfe atom is within ε of the least linear score ⟨∇f(w), ·⟩. An ε-approximate Jones atom at the "
    "step η leads to a point whose value of f is within ηε of the best. A method is c-FW or c-Jones if ε_k ≤ cη_k.",
    "As printed, except that the introduction has η and 1 − η exchanged in Jones' rule. The two tolerances are different "
    "numbers: cη_k on a linear function, cη_k² on f.",
    "Do the solvers keep to their tolerance when the oracle is as bad as it is allowed to be?",
    run,
)
