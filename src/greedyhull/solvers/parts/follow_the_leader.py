"""What a regularised solver follows: F_k(w) = Σ_{i<k} σ_i ⟨g_i, w⟩ + Φ seen from w_1, and what its regret comes to."""

from __future__ import annotations

import numpy as np

from greedyhull.points.lengths import length
from greedyhull.solvers.parts.regularizers import Regularizer
from greedyhull.types import Array, State


class Leader:
    """ḡ_k, the anchor ∇Φ(w_1), c, and the sums that the data-dependent bound is made of.

    With Φ seen from w_1, Φ(w) − Φ(w_1) − ⟨∇Φ(w_1), w − w_1⟩, the first leader is w_1 itself wherever a run begins. Where w_1
    minimises Φ over the hull, the largest value of it is at most that of Φ − Φ(w_1): bounds with R² hold all the more.
    """

    def __init__(self, regularizer: Regularizer, x: Array, c: float, R2: float) -> None:
        self.regularizer, self.c, self.R2 = regularizer, c, R2
        self.anchor: Array = np.array(regularizer.gradient(x), dtype=np.float64)
        self.total = np.zeros(x.shape)
        self.sigma = self.squares = self.distance = 0.0
        self.beta = 1.0

    def pull(self, scale: float, x: Array) -> Array:
        """∇F_k(x), divided by β_k: what the next atom is to oppose."""
        h: Array = scale * self.total
        h += self.regularizer.gradient(x)
        h -= self.anchor
        return h

    def take(self, sigma: float, scale: float, g: Array, gap: float) -> None:
        """g_k joins with weight σ_k; ``gap`` bounds F_k(w_k) − min F_k, in units of β_k."""
        rho, norm = self.regularizer.rho, length(g)
        self.total += sigma * g
        self.sigma += sigma
        self.squares += 0.5 * (sigma * norm) * (sigma * norm) * scale / rho  # a product may be infinite, a power may not
        self.distance += sigma * norm * (2.0 * max(gap, 0.0) / rho) ** 0.5
        self.beta = 1.0 / scale

    @property
    def bound(self) -> float:
        """[Σ σ_k‖g_k‖√(2G_k/ρ) + ½Σ σ_k²‖g_k‖²/(ρβ_k) + β_t R²]/Σ σ_k: on the error of w̄, in expectation."""
        total = self.distance + self.squares + self.beta * self.R2
        return total / self.sigma if self.sigma > 0.0 and total < np.inf else np.inf

    def state(self) -> State:
        return {"anchor": self.anchor, "total": self.total.copy(),
                "sums": np.array([self.c, self.R2, self.sigma, self.squares, self.distance, self.beta])}

    def restore(self, state: State) -> None:
        self.anchor, self.total = state["anchor"], state["total"].copy()
        self.c, self.R2, self.sigma, self.squares, self.distance, self.beta = state["sums"].tolist()
