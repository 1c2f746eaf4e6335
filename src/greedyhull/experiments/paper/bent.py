"""f(w) = w − (a/2)w² on [−1, 1], which is not convex, with rare steep terms: the gap of stochastic Frank-Wolfe, exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from greedyhull.experiments.paper.rare import ENDS, SMALL, Expected, Sampling, averaged
from greedyhull.objectives.stream import Stream, expectation
from greedyhull.types import Array

CURVED = 0.1  # a


class Piece:
    """The mean of a batch: a slope, less (a/2)w²."""

    def __init__(self, slope: float) -> None:
        self.slope = slope

    def value(self, w: Array) -> float:
        return self.slope * float(w[0]) - 0.5 * CURVED * float(w[0]) ** 2

    def gradient(self, w: Array) -> Array:
        return np.array([self.slope - CURVED * w[0]])


@dataclass(frozen=True)
class Bent:
    """Terms ξw − (a/2)w², ξ = −a − s but for a steep one of probability ``q``, so that E ξ = 1.

    A batch without a steep term has a negative slope on all of [−1, 1], any other a positive one, so that the atoms are
    independent as in `Rare`. f is concave: no step rises above its linearisation, and M = 0.
    """

    q: float

    @property
    def f(self) -> Stream:
        low = CURVED + SMALL
        steep = 1.0 + (1.0 + low) * (1.0 - self.q) / self.q

        def draw(size: int, rng: np.random.Generator) -> Piece:
            m = int(rng.binomial(size, self.q))
            return Piece((m * steep - (size - m) * low) / size)

        return expectation(draw, 1, convex=False)

    @property
    def sharp(self) -> dict[str, float]:
        """What `theory.asfw_gap` asks for; begun at +1."""
        return {"M": 0.0, "sigma": (1.0 + CURVED + SMALL) * math.sqrt((1.0 - self.q) / self.q), "r_S": 1.0, "e1": 2.0}

    def expected(self, t: int) -> Expected:
        """The gap (1 − aw)(1 + w) of a point drawn from w_1, …, w_t, for t steps t^−½ with batches of t."""
        eta, up = t**-0.5, (1.0 - self.q) ** t
        atom = np.array([1.0, 2.0 * up - 1.0] * 2 + [1.0])  # the powers of an atom ±1: their means
        powers, first, second = np.ones(5), 0.0, 0.0  # E wʲ at w_1 = 1
        gap = np.array([1.0, 1.0 - CURVED, -CURVED])
        for _ in range(t):
            first += float(gap @ powers[:3]) / t
            second += float(np.convolve(gap, gap) @ powers) / t
            powers = np.array([sum(math.comb(j, i) * (1.0 - eta) ** i * powers[i] * eta ** (j - i) * atom[j - i]
                                   for i in range(j + 1)) for j in range(5)])
        return Expected(first, second - first**2, 2.0)

    def measured(self, solver: Sampling, t: int, runs: int, seed: int) -> float:
        """The mean gap of the points that the solver has drawn."""
        return float(np.mean([self.gap(averaged(self.f, ENDS, solver, ENDS[0], t, 1, int(s), "last")[0])
                              for s in np.random.default_rng(seed).integers(2**31, size=runs)]))

    @staticmethod
    def gap(w: float) -> float:
        """f'(w)(w + 1)."""
        return (1.0 - CURVED * w) * (1.0 + w)
