"""Theorem 3: what no steps can make the recursion do."""

from __future__ import annotations

import numpy as np

from greedyhull.experiments.paper.experiment import Experiment, Figure, Finding, Scale, Table, at_least, curve, equal
from greedyhull.theory import greedy_recursion, rate, recursion, recursion_lower


def run(scale: Scale, seed: int) -> Finding:
    rng, C, K = np.random.default_rng(seed), 1.0, max(scale.steps, 2000)
    k, e0 = np.arange(K + 1), 4.0 / 3.0
    greedy = greedy_recursion(e0, C, K)
    scheduled = rate(2.0 * C, 0.0, k[1:], exact=True)
    lower, printed = recursion_lower(e0, C, k), min(e0, C) / (k + 2.0)
    least = np.inf
    for _ in range(scale.points):
        start, steps = rng.uniform(0.01, 4.0), rng.uniform(0.0, 1.0, 60) ** rng.uniform(0.2, 5.0)
        e = recursion(2.0 * C, steps, 0.0, float(start))
        least = min(least, float((e / recursion_lower(float(start), C, np.arange(61)))[1:].min()))
    outside = 2.0
    for eta in (-1.0, 2.5):  # steps that the printed theorem does not forbid
        outside = (1.0 - eta) * outside + C * eta**2
    checks = (
        at_least("greedy steps: least e_k(k + 2)/a with a = min{2e₀, 8C/3}", float((greedy / lower).min()), 1.0, 1e-12),
        equal("from e₀ = "
              "4C/3 it is attained at k = 0 and 1: largest ratio there", float((greedy / lower)[:2].max()), 1.0, 1e-12),
        at_least("random steps in [0, 1]: least ratio, k ≥ 1", least, 1.0, 1e-12),
        equal("steps −1 and 2.5 from e₀ = 2, C = 1: e₂", outside, -1.25, 0.0),
        equal("k e_k/C of greedy steps at the end", K * greedy[-1] / C, 4.0, 40.0 * np.log(K) / K),
        equal("k e_k/C of the steps 2/(k + 2) at the end", K * scheduled[-1] / C, 4.0, 40.0 * np.log(K) / K),
    )
    shown = Figure("recursion", "e_{k+1} = (1 − η_k)e_k + Cη_k², C = 1, e₀ = 4/3", "k + 1", "e", (
        curve("best possible steps", k + 1, greedy), curve("steps 2/(k + 2)", k[1:] + 1, scheduled),
        curve("corrected: a/(k + 2), a = 8C/3", k + 1, lower, "bound"), curve("printed: a = C", k + 1, printed, "exact")))
    table = Table("Two steps outside [0, 1]", ("k", "step", "e_k", "printed lower bound"),
                  ((0, "–1", 2.0, 0.5), (1, "2.5", 5.0, 1.0 / 3.0), (2, "–", outside, 0.25)))
    return Finding("With steps in [0, 1] no choice beats a/(k + 2), and the corrected a is attained; with steps outside "
                   "the printed claim fails after two steps. The schedule 2/(k + 2) is optimal in the limit, constant "
                   "included.",
                   checks, (shown,), (table,))


EXPERIMENT = Experiment(
    "theorem3", "Theorem 3", "1/k is the best that the recursion gives",
    "If e_{k+1} = (1 − η_k)e_k + Cη_k² with steps in [0, 1], then e_k ≥ a/(k + 2) with a = min{2e₀, 8C/3}.",
    "Printed for any choice of steps, which is false; η_k in [0, 1] is needed. Given that, the condition e₀ ≤ 2C is not, and "
    "the printed a = min{e₀, C} can be more than doubled. The minimising step is e/(2C), not e/(4C). It speaks of the "
    "recursion, not of the algorithms.",
    "How low can any steps push the recursion, and how far is the usual schedule from that?",
    run,
)
