"""An oracle that loses all that its tolerance allows, where noise costs nearly all that it may."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.atoms.from_function import oracle
from greedyhull.experiments.paper.rare import IDLE, Rare, Sampling, averaged
from greedyhull.objectives.stream import expectation
from greedyhull.types import Array

STEEP = 1e3  # G, the slope of the second coordinate, in which nothing is random


@dataclass(frozen=True)
class Lost:
    """The mean error of the averages of ``runs`` runs, what is expected, and by how much chance may move it."""

    runs: int
    mean: float
    exact: float
    room: float
    constants: dict[str, float]

    @property
    def idle(self) -> float:
        """The error of the start."""
        return self.constants["e1"]


class Pair:
    """The mean of a batch: the slope of the first coordinate is random, that of the second is G."""

    def __init__(self, slope: float) -> None:
        self.g = np.array([slope, STEEP])

    def value(self, w: Array) -> float:
        return float(self.g @ w)

    def gradient(self, w: Array) -> Array:
        return self.g


def tolerant(solver: Sampling, t: int, c: float, runs: int, seed: int) -> Lost:
    """t steps η = t^−½ with batches of t on f(u, v) = u + Gv over the atoms (±1, 0) and (±1, cη/G), tolerance cη.

    The first coordinate is that of `Rare`. The oracle answers with v = cη/G in place of 0, which loses cη, all that is
    allowed, at every step. r_S is 1 up to cη/G, so that the noise costs what it does without the second coordinate.
    """
    rare, eta = Rare(0.5 / t), t**-0.5
    lost, first = c * eta, rare.f

    def draw(size: int, rng: np.random.Generator) -> Pair:
        return Pair(float(first.draw(size, rng).slope))

    S = oracle(lambda g: (np.array([-1.0 if g[0] > 0.0 else 1.0, lost / STEEP]), lost), 2, bound=1.0)
    start = S.atom(np.array([-1.0, STEEP]))
    mean = averaged(expectation(draw, 2), S, solver, start, t, runs, seed, "average") @ np.array([1.0, STEEP]) + 1.0
    noisy = rare.average(np.full(t, eta), np.full(t, float(t)))
    constants = {"M": 0.0, "sigma": rare.sigma, "r_S": float(np.hypot(1.0, lost / STEEP)), "c": c, "e1": IDLE + lost}
    return Lost(runs, float(mean), noisy.mean + lost, noisy.room(runs), constants)
