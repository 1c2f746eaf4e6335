"""Ensemble weights for a metric that is only a function: greedy selection with replacement, then steps that only ever improve.

Greedy selection is Jones' algorithm with the steps η_k = 1/(k + 1): add to the mean the model that lowers the metric most.
What comes after takes its best weights and tries joint steps (the model *and* the step) and swaps of weight between two
models, on the metric itself, as long as they improve it; so the result is never worse than greedy selection's.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from greedyhull.errors import check
from greedyhull.types import Array

Metric = Callable[[Array], float]  # from the ensemble's predictions to a number, the lower the better
STEPS = 2.0 ** -np.arange(0, 8)
BETTER = 1e-12


def sound(metric: Metric) -> Metric:
    """The metric, and +∞ where it is NaN or infinite: comparisons with NaN would let it win."""

    def measured(z: Array) -> float:
        value = metric(z)
        return value if np.isfinite(value) else np.inf

    return measured


def selected(P: Array, metric: Metric, rounds: int, most: int) -> tuple[Array, float]:
    """Weights by greedy selection with replacement, the best seen in ``rounds`` rounds, at most ``most`` models.

    ``P`` has one model in each row: P[j] is what model j predicts, of any shape. Where the metric is not finite, it loses.
    """
    metric = sound(metric)
    m, total, counts = len(P), np.zeros_like(P[0]), np.zeros(len(P))
    best, least = counts, np.inf
    for k in range(rounds):
        allowed = range(m) if np.count_nonzero(counts) < most else np.flatnonzero(counts)
        scores = {int(j): metric((total + P[j]) / (k + 1)) for j in allowed}
        j = min(scores, key=scores.__getitem__)
        check(k > 0 or scores[j] < np.inf, "The loss is NaN or infinite for each model alone; a finite one for at least one "
                                           "of them is wanted. Look at what the models predict.")
        if scores[j] == np.inf:  # whichever model joins; what was best stays so
            break
        total, counts = total + P[j], counts.copy()
        counts[j] += 1.0
        if scores[j] < least:
            weights = counts / counts.sum()
            value = metric(mixture(P, weights))
            if value < least:
                best, least = weights, value
    return best, least


def mixture(P: Array, w: Array) -> Array:
    """Σ_j w_j P[j] over the models that have a weight: one model alone is itself to the last bit.

    A sum that was carried along is not; a metric may be finite beside a point and not at it. So what counts is measured here.
    """
    active = np.flatnonzero(w)
    return np.asarray(np.tensordot(w[active].astype(P.dtype), P[active], axes=1))


def improved(P: Array, metric: Metric, w: Array, value: float, rounds: int, most: int) -> tuple[Array, float]:
    """Joint steps toward a model and swaps between two, each the best of its kind, until none improves the metric."""
    metric, z = sound(metric), mixture(P, w)
    for _ in range(rounds):
        enough = value - BETTER * max(abs(value), 1.0)
        moves = sorted((move for move in _moves(P, metric, w, z, most) if move[0] < enough), key=lambda move: move[0])
        found = next(((exact, to) for _, to in moves if (exact := metric(mixture(P, to))) < enough), None)
        if found is None:
            break
        value, w = found
        z = mixture(P, w)
    return w, value


def _moves(P: Array, metric: Metric, w: Array, z: Array, most: int) -> list[tuple[float, Array]]:
    """The metric and the weights where each move leads."""
    active, full = np.flatnonzero(w), np.count_nonzero(w) >= most
    moves = []
    for j in active if full else range(len(w)):
        for step in STEPS:
            to = (1.0 - step) * w
            to[j] += step
            moves.append((metric((1.0 - step) * z + step * P[j]), to))
    for i in active:
        for j in range(len(w)):
            if j == i:
                continue
            for share in (1.0, 0.5, 0.125):
                if full and w[j] == 0.0 and share < 1.0:
                    continue  # one model more than allowed
                to = w.copy()
                to[i] -= share * w[i]
                to[j] += share * w[i]
                moves.append((metric(z + share * w[i] * (P[j] - P[i])), to))
    return moves
