"""What rounding can have done to a gap over shards, and what an intercept that is not the best one adds to it.

Let shard k have n_k rows, K shards, N = max n_k + K, u = eps/2. A sum over all rows is a sum of at most n_k terms in each
shard, in any order, then of K sums: no term goes through more than N − 1 additions, so that the result is off by at most
γ_N·Σ|terms|, γ_N = Nu/(1 − Nu) < N·eps. It holds for

- φ(z) = Σ pᵢℓᵢ, whose terms sum to ``size`` in absolute value; each term itself is off by a few u;
- ⟨r, z⟩, with Σ|rᵢ||zᵢ| ≤ ‖r‖‖z‖ ≤ ‖r‖·far;
- each (Aᵀr)ⱼ, and so ⟨Aᵀr, d⟩ for an atom d, with Σᵢⱼ |rᵢ||xᵢⱼ||dⱼ| ≤ ‖r‖·Σⱼ|dⱼ|‖Xⱼ‖ ≤ ‖r‖·reach.

z = Ax is off by e with |eᵢ| ≤ (m + 16)·eps·(|A||x|)ᵢ, m the number of non-zero entries of x and of the roundings that x
itself has gone through; ‖|A||x|‖ ≤ reach. That moves φ by ⟨r, e⟩ and by ``swing``. The lower bound
φ(z) − ⟨r, z⟩ + min ⟨Aᵀr, ·⟩ holds for any z. With an intercept b, ‖z‖ has |b|·√n more, slopes are r + tc̃ (see `intercepts`),
and σ, what is left of their sum, is multiplied by how far the best intercept of any point can be from b.
"""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.sharded.facts import Facts
from greedyhull.points.expanded import Expansion

EPS = float(np.finfo(np.float64).eps)
LEAST = 5e-324  # what a product that underflows may be off by
VANISHED = 1e-300  # what underflow may have taken from a sum of squares, for each row


def allowance(facts: Facts, found: Expansion, reach: float, terms: float, swing: float) -> float:
    """A bound on the rounding of value − lower bound at a point where ``found`` was said."""
    more, n = found.more, float(facts.n)
    depth, b = facts.depth + 16.0, abs(more["b"])
    far, steep = reach + b * n**0.5, steepness(facts, found)
    count = 2.0 * depth + terms
    if far == 0.0 and more["size"] == 0.0:
        return 0.0
    first = EPS * (depth * more["size"] + count * steep * far)
    return float(first + swing + LEAST * count * (1.0 + steep + far))


def steepness(facts: Facts, found: Expansion) -> float:
    """‖r + tc̃‖₂, or a little more."""
    more, lost = found.more, facts.n * VANISHED
    return float(np.sqrt(more["square"] + lost) + abs(more["t"]) * np.sqrt(more["bow"] + lost)) * (1.0 + 1e-9)


def uncertain(facts: Facts, found: Expansion, widest: float) -> float:
    """What an intercept that is not the best one adds to a gap, and the rounding of Σ(r + tc̃) with it; see `intercepts`.

    ``widest`` bounds |xᵢ·u| for all rows and all points u of the hull.
    """
    more = found.more
    rounded = EPS * (facts.shallow + 16.0) * float(np.sqrt(facts.n)) * steepness(facts, found)
    apart = abs(more["b"]) + facts.farthest + widest
    return (1.0 + 1e-6) * (more["sway"] + (abs(more["left"]) + rounded) * apart)
