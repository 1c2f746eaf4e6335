"""Lemma 3: the regret of following the regularised leader."""

from __future__ import annotations

import numpy as np

from greedyhull.experiments.paper.experiment import Experiment, Figure, Finding, Scale, bounded, curve, equal
from greedyhull.theory import lazy_regret, lazy_regret_printed
from greedyhull.types import Array


def run(scale: Scale, seed: int) -> Finding:
    rng, ratios = np.random.default_rng(seed), []
    for _ in range(scale.points):
        t, d = int(rng.integers(1, 40)), int(rng.integers(1, 6))
        sigma, g = rng.uniform(0.0, 1.0, t) * rng.choice([0.05, 0.3, 1.0]), drift(t, d, rng)
        got, norms = regret(sigma, g), np.linalg.norm(g, axis=1)
        ratios.append((t, got / lazy_regret_printed(sigma, norms, 1.0, 0.5), got / lazy_regret(sigma, norms, 1.0, 0.5)))
    cloud = np.array(ratios)
    one = np.array([[1.0, 0.0]])
    checks = (
        bounded("largest regret over the printed bound", float(cloud[:, 1].max()), room=1e-9),
        bounded("largest regret over the sharp bound", float(cloud[:, 2].max()), room=1e-9),
        equal(
            "t = 1, σ = ‖g‖ = 1: regret over the sharp bound, which is attained",
            regret(np.ones(1), one) / lazy_regret([1.0], [1.0], 1.0, 0.5),
            1.0,
            1e-12,
        ),
        equal(
            "there the regret over the printed bound",
            regret(np.ones(1), one) / lazy_regret_printed([1.0], [1.0], 1.0, 0.5),
            0.4,
            1e-12,
        ),
    )
    shown = Figure(
        "regret",
        f"{scale.points} random sequences on the unit ball",
        "length t",
        "regret / bound",
        (
            curve("printed", cloud[:, 0], np.maximum(cloud[:, 1], 0.0), "dots"),
            curve("sharp", cloud[:, 0], np.maximum(cloud[:, 2], 0.0), "dots"),
            curve("bound", [1.0, 40.0], [1.0, 1.0], "bound"),
        ),
        log="",
    )
    return Finding(
        "The printed factor 2 can be replaced by ½, and no smaller one: a single step attains it.", checks, (shown,)
    )


def drift(t: int, d: int, rng: np.random.Generator) -> Array:
    """Subgradients that point one way more or less."""
    return np.asarray(rng.standard_normal((t, d)) + rng.uniform(0.0, 4.0) * rng.standard_normal(d))


def regret(sigma: Array, g: Array) -> float:
    """max over the unit ball of Σ σ_k g_k·(w*_k − w), w*_k the minimiser of Σ_{i<k} σ_i g_i·w + ½‖w‖² there."""
    sums = np.vstack([np.zeros(g.shape[1]), np.cumsum(sigma[:, None] * g, axis=0)])
    leaders = -sums[:-1] / np.maximum(np.linalg.norm(sums[:-1], axis=1), 1.0)[:, None]
    return float(np.sum(sigma * np.sum(g * leaders, axis=1)) + np.linalg.norm(sums[-1]))


EXPERIMENT = Experiment(
    "lemma3",
    "Lemma 3",
    "The regret of the lazy leader",
    "With w*_k the minimiser of Σ_{i<k} σ_i g_i·w + Φ(w), Φ ρ-strongly convex, Σ σ_k g_k·(w*_k − w) ≤ ½Σ σ_k²‖g_k‖²/ρ + R² "
    "for every w in the hull.",
    "Printed with the factor 2 in place of ½: true, and four times too large. The sums run to k − 1, and X stands for the "
    "hull.",
    "How much of the bound do random and extreme sequences use?",
    run,
)
