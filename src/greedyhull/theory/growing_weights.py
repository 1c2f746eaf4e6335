"""The mean of the points with weights k in the place of η_k: an anytime bound of order t^-1/2 without a logarithm."""

from dataclasses import dataclass

import numpy as np

from greedyhull.theory.arguments import K, counts, like
from greedyhull.theory.batch_schedules import power_sum, sums


@dataclass(frozen=True)
class GrowingWeights:
    """b_k >= k and η_k = k^-1/2: the mean of w_1, ..., w_t with weights k has (e_1 + 3B(t - 1) + B Σ k^1/2)/(t(t + 1)/2).

    B = noise + bend. That is (4/3 + o(1))B/√t for every t, where weights η_k cost a factor ln t. It bounds the mean of the
    gaps with these weights as well. Proof: divide η_k g_k <= e_k - e_{k+1} + Bη_k², in the mean, by η_k, multiply by k and sum
    by parts: Σ k g_k <= Σ (k^3/2 - (k - 1)^3/2) e_k + B Σ k^1/2. The first bracket is 1 at k = 1 and at most (3/2)k^1/2, and
    e_k <= 2Bk^-1/2 for k >= 2 (`LastIterate`). Last, g_k >= e_k, and f of the mean is at most the mean of f.

    Examples
    --------
    >>> round(GrowingWeights().bound(noise=1.0, bend=1.0, e1=1.0, t=100), 4)
    0.3837
    """

    def bound(self, noise: float, bend: float, e1: float, t: K) -> K:
        n, (B, e1) = counts(t, first=1), sums(noise, bend, e1)
        with np.errstate(over="ignore", invalid="ignore"):
            return like(t, (e1 + 3 * B * (n - 1) + B * power_sum(-0.5, n)) / (n * (n + 1) / 2))

    mean_gap = bound
