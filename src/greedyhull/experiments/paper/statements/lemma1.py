"""Lemma 1: the gap bounds the error, the curvature bounds the step."""

from __future__ import annotations

import numpy as np

from greedyhull.experiments.paper.experiment import Experiment, Figure, Finding, Scale, Table, bounded, curve
from greedyhull.experiments.paper.problems import (
    atom_array,
    corners,
    gradient_at,
    logit,
    mixtures,
    segment,
    slope,
    squares,
    value_at,
)
from greedyhull.experiments.paper.trajectory import gaps
from greedyhull.types import Array


def run(scale: Scale, seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    rows, clouds = [], []
    for problem in (squares(seed), logit(seed), corners(6), segment(), slope()):
        points = mixtures(problem.S, scale.points, rng)
        errors = np.array([value_at(problem.f, w) for w in points]) - problem.least
        certified = gaps(problem, tuple(points))
        used = 0.0
        for w, eta, g in zip(points, rng.uniform(0.01, 1.0, len(points)), rng.standard_normal(points.shape), strict=True):
            d = atom_array(problem.S.atom(g), problem.S)
            incline = float(gradient_at(problem.f, w) @ (d - w))
            rise = value_at(problem.f, w + eta * (d - w)) - value_at(problem.f, w) - eta * incline
            used = max(used, rise / (0.5 * problem.M * eta**2)) if problem.M > 0.0 else used
        rows.append((problem.name, float((errors / np.maximum(certified, 1e-300)).max()), used))
        clouds.append(curve(problem.name, certified[:150], errors[:150], "dots"))
    ends = np.array([1e-3, max(float(c.x.max()) for c in clouds)])
    shown = Figure(
        "duality",
        "The error never exceeds the gap",
        "gap g(w)",
        "error f(w) − f*",
        (*clouds, curve("error = gap", ends, ends, "bound")),
    )
    largest: Array = np.array([row[1:] for row in rows], dtype=float).max(axis=0)
    checks = (
        bounded("(a) largest error over gap", float(largest[0]), room=1e-9),
        bounded("(b) largest share of Mη²/2 that a step needs", float(largest[1]), room=1e-9),
    )
    table = Table("Largest ratios at random points", ("problem", "(a) error / gap", "(b) rise / (Mη²/2)"), tuple(rows))
    return Finding(
        f"At {scale.points} random points of each of five problems the error was at most {largest[0]:.3f} of the gap, "
        f"and a step rose above its linearisation by at most {largest[1]:.3f} of Mη²/2.",
        checks,
        (shown,),
        (table,),
    )


EXPERIMENT = Experiment(
    "lemma1",
    "Lemma 1",
    "The gap bounds the error",
    "(a) f(w) − f* ≤ g(w), the gap max over atoms d of ⟨∇f(w), w − d⟩. (b) f(w + η(d − w)) ≤ f(w) + η⟨∇f(w), d − w⟩ + Mη²/2.",
    "True. A gradient sign is missing in print, in the statement and in its proof, and one argument of a Bregman term.",
    "How much of each bound do random points use?",
    run,
)
